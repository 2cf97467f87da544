/** Selects the gateway tools that MCP clients see, by the configuration. */

import { type IndexedTool, signatureIndex } from "../../contract/signature-index.js";
import type { ServedTool } from "../gateway-tools.js";

/** The settings that decide which tools are listed, and how. */
interface Exposing {
  readonly expose: { readonly gateway: boolean };
  readonly run: { readonly exposed: boolean; readonly signatures: number };
}

/** The ops that a caller sees; the same object as long as the configuration is in force. */
interface Seen {
  readonly listed: readonly IndexedTool[];
}

const known = new WeakMap<readonly ServedTool[], WeakMap<Seen, readonly ServedTool[]>>();

/**
 * The tools of a table that a project exposes: `expose.run` and `expose.gateway` decide, and the index of the caller's ops,
 * within `expose.signatures`, follows the description of `run`. Cached per table and view.
 */
export function exposedTools(tools: readonly ServedTool[], settings: Exposing, view: Seen): readonly ServedTool[] {
  const views = known.get(tools) ?? new WeakMap<Seen, readonly ServedTool[]>();
  known.set(tools, views);
  const exposed = views.get(view) ?? select(tools, settings, view.listed);
  views.set(view, exposed);
  return exposed;
}

function select(tools: readonly ServedTool[], { run, expose }: Exposing, ops: readonly IndexedTool[]) {
  const isExposed = { run: run.exposed, gateway: expose.gateway };
  return tools
    .filter(({ offered }) => isExposed[offered.mcp])
    .map((tool) => (tool.hasSignatures ? withSignatures(tool, signatureIndex(ops, run.signatures)) : tool));
}

function withSignatures(tool: ServedTool, index: string): ServedTool {
  if (index === "") return tool;
  const { definition } = tool;
  return { ...tool, definition: { ...definition, description: `${definition.description}\n\n${index}` } };
}
