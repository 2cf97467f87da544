/** Selects the gateway tools that MCP clients see, by the configuration. */

import type { RunSettings } from "../../config/run-settings.js";
import { inLanguages } from "../../contract/gateway-tools.js";
import type { JsonObject } from "../../contract/registry.js";
import { type IndexedTool, signatureIndex } from "../../contract/signature-index.js";
import type { ServedTool } from "../gateway-tools.js";

/** The settings that decide which tools are listed, and how. */
interface Exposing {
  readonly expose: { readonly gateway: boolean };
  readonly run: Pick<RunSettings, "exposed" | "signatures" | "preview" | "languages">;
}

/** The ops that a caller sees; the same object as long as the configuration is in force. */
interface Seen {
  readonly listed: readonly IndexedTool[];
}

const known = new WeakMap<readonly ServedTool[], WeakMap<Seen, readonly ServedTool[]>>();

/**
 * The tools of a table that a project exposes: `expose.run` and `expose.gateway` decide, `run` is described by
 * `run.languages`, and the index of the caller's ops,
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
    .map((tool) => inLanguages(tool, run.languages))
    .map((tool) => (run.preview === "never" ? tool : withPreview(tool)))
    .map((tool) => (tool.hasSignatures ? withSignatures(tool, signatureIndex(ops, run.signatures)) : tool));
}

function withPreview(tool: ServedTool): ServedTool {
  const { definition, previewProperties } = tool;
  if (!previewProperties) return tool;
  const { inputSchema } = definition;
  const properties = { ...(inputSchema["properties"] as JsonObject), ...previewProperties } as JsonObject;
  return { ...tool, definition: { ...definition, inputSchema: { ...inputSchema, properties } } };
}

function withSignatures(tool: ServedTool, index: string): ServedTool {
  if (index === "") return tool;
  const { definition } = tool;
  return { ...tool, definition: { ...definition, description: `${definition.description}\n\n${index}` } };
}
