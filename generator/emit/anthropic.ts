/** `surfaces/anthropic.json`: the tools of a request to Anthropic's Messages API, found by its tool search. */

import { prettyJson } from "./printer.js";
import { providerSchema } from "./provider-schema.js";
import { opsByName, surface } from "./surface.js";

/** Finds tools whose loading is deferred; a request in which all are is refused. */
const SEARCH = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };

/** Emits `surfaces/anthropic.json`: every op but those of `expose.hot` is loaded when it is found. */
export const anthropic = surface("anthropic", (parts) => {
  const { tools, hot, names } = parts;
  const all = tools.map((tool) => ({
    name: names.get(tool.op),
    description: tool.description || tool.summary,
    input_schema: providerSchema(tool),
    ...(hot.has(tool.op) ? {} : { defer_loading: true }),
  }));
  const search = tools.some(({ op }) => !hot.has(op)) ? [SEARCH] : [];
  return { "anthropic.json": prettyJson({ tools: [...search, ...all], ops: opsByName(parts) }) };
});
