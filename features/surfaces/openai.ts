/** Emits `surfaces/openai.json`: the tools for a request to OpenAI's Responses API, one namespace per pack, found by tool search. */

import { prettyJson, textBeginning } from "../../generator/core/printer.js";
import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema, itemSchemas } from "../../runtime/contract/json-schema.js";
import { providerInput } from "../../runtime/contract/provider-schema.js";
import type { JsonSchema, Tool } from "../../runtime/contract/registry.js";
import { mapSubschemas } from "../../runtime/contract/schema-copy.js";
import { wireNames } from "../../runtime/contract/wire-names.js";
import { opsByName, packSummary, packsOf, surface } from "./surface.js";

/** Longest description that the API accepts. */
const MAX_DESCRIPTION_LENGTH = 1024;

const clipped = (text: string): string =>
  text.length > MAX_DESCRIPTION_LENGTH ? `${textBeginning(text, MAX_DESCRIPTION_LENGTH - 1)}…` : text;

/** Emits `surfaces/openai.json`: ops of `expose.hot` as functions, all others as deferred functions in the namespace of their pack. */
export const openai = surface("openai", (parts) => {
  const { registry, tools, hot, names } = parts;
  const named = (tool: Tool): object => ({
    type: "function",
    name: names.get(tool.op),
    description: clipped(tool.description || tool.summary),
    parameters: withItems(providerInput(tool).schema),
    // Strict functions cannot have optional arguments.
    strict: false,
  });
  const spaceNames = wireNames(registry.packs.map(({ name }) => ({ op: name, tool_name: name })));
  const spaces = packsOf({ ...parts, tools: tools.filter(({ op }) => !hot.has(op)) }).map((pack) => ({
    type: "namespace",
    name: spaceNames.get(pack.name),
    description: clipped(packSummary(pack)),
    tools: pack.tools.map((tool) => ({ ...named(tool), defer_loading: true })),
  }));
  const loaded = tools.filter(({ op }) => hot.has(op)).map(named);
  const search = spaces.length > 0 ? [{ type: "tool_search" }] : [];
  return { "openai.json": prettyJson({ tools: [...search, ...loaded, ...spaces], ops: opsByName(parts) }) };
});

/**
 * A schema for OpenAI, which requires `items` in every array: a tuple becomes a list whose items match any of its entries.
 */
function withItems(schema: JsonSchema): JsonSchema {
  const mapped = mapSubschemas(schema, withItems);
  const { prefixItems: _, items: __, ...rest } = mapped;
  const { tuple, rest: further } = itemSchemas(mapped);
  const isList = [schema["type"]].flat().includes("array") || tuple.length > 0 || further !== undefined;
  if (!isList) return rest;
  const forms = [...tuple, further].filter(isSchema);
  const different = [...new Map(forms.map((one) => [canonicalJson(one), one])).values()];
  const [only = {}] = different;
  return {
    ...rest,
    items: (different.length > 1 ? { anyOf: different } : only) as JsonSchema as never,
    ...(further === false ? { maxItems: Math.min(tuple.length, Number(rest["maxItems"] ?? tuple.length)) } : {}),
  };
}
