/** Finds the handler of a tool in the opened `handlers` files of its pack; a default export there is for all tools. */

import type { Bound, ToolDispatcher } from "../contract/handler.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { type Handlers, handlersIn } from "./handlers.js";

/** A `handlers` file: its handlers by op, and its function for all other tools. */
export interface OpenedHandlers {
  readonly bound: Handlers;
  readonly dispatch?: ToolDispatcher;
}

/**
 * Reads the exports of a `handlers` file.
 *
 * @throws Error if it exports neither `handlers` nor a default function
 */
export function openedHandlers(module: Readonly<Record<string, unknown>>, path: string): OpenedHandlers {
  const { default: dispatch } = module;
  const bound = handlersIn(module, path);
  return typeof dispatch === "function" ? { bound, dispatch: dispatch as ToolDispatcher } : { bound };
}

/** The handler of a tool; undefined if no file has one. */
export function boundIn(files: readonly OpenedHandlers[], { op, tool_name }: Tool): Bound<never, unknown> | undefined {
  const found = files.map(({ bound }) => bound.get(op));
  // Two files of one pack share its ops: one may bind what the other leaves out with unbound().
  const own = found.find((bound) => bound !== undefined && !("unbound" in bound));
  if (own) return own;
  const dispatch = files.find((one) => one.dispatch)?.dispatch;
  if (!dispatch) return found.find((bound) => bound !== undefined);
  return async (args: JsonObject, ctx) => dispatch(tool_name, args, ctx);
}
