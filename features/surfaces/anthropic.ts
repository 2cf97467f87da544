/** Emits `surfaces/anthropic.json`: the tools for a request to Anthropic's Messages API, which finds them by tool search. */

import { prettyJson } from "../../generator/core/printer.js";
import { providerInput } from "../../runtime/contract/provider-schema.js";
import { opsByName, surface } from "./surface.js";

/** The search tool, which finds deferred tools. It is not deferred itself: a request with only deferred tools is refused. */
const SEARCH = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };

/** Emits `surfaces/anthropic.json`: every op except those of `expose.hot` is deferred. */
export const anthropic = surface("anthropic", (parts) => {
  const { tools, hot, names } = parts;
  const all = tools.map((tool) => ({
    name: names.get(tool.op),
    description: tool.description || tool.summary,
    input_schema: providerInput(tool).schema,
    ...(hot.has(tool.op) ? {} : { defer_loading: true }),
  }));
  const search = tools.some(({ op }) => !hot.has(op)) ? [SEARCH] : [];
  return { "anthropic.json": prettyJson({ tools: [...search, ...all], ops: opsByName(parts) }) };
});
