/** Finds which files have the handlers of function tools, and sources that name none. */

import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";

/** A function tool with its op. */
export type OpTool = Pick<Definition, "place"> & { readonly op: string };

/** Files that match a pattern below `definitions/`. */
type List = (pattern: string) => readonly string[];

/** Reports each source of function tools that names no handlers, unless another one of the same file does. */
export function reportUnnamedHandlers(
  config: Pick<Config, "sources" | "place">,
  list: List,
  ops: readonly OpTool[] | undefined,
  report: Report,
): void {
  const handled = new Set(
    toolFiles(config, list).flatMap(({ file, handlers }) => (handlers === undefined ? [] : [file])),
  );
  for (const { file, at } of toolFiles(config, list)) {
    const tool = handled.has(file) ? undefined : ops?.find(({ place }) => place.file === file);
    if (tool) report.add("handlers-unnamed", config.place("sources", at), { file, op: tool.op });
  }
}

/** The handlers files of a file of function tools; undefined if one of its sources names none. */
export function handlersByFile(
  { sources }: Pick<Config, "sources">,
  list: List,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { file, handlers } of toolFiles({ sources }, list))
    if (handlers !== undefined) found.set(file, [...(found.get(file) ?? []), ...list(handlers)]);
  return found;
}

const toolFiles = ({ sources }: Pick<Config, "sources">, list: List) =>
  sources.flatMap(({ "chat-tools": pattern, handlers }, at) =>
    pattern === undefined ? [] : list(pattern).map((file) => ({ file, handlers, at })),
  );
