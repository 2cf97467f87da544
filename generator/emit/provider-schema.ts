/**
 * Converts the input of an op to a schema that model providers accept: JSON Schema 2020-12 with a closed object without
 * alternatives at the top, and restricted property names. Constraints that are left out are checked when the op is called.
 */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { alternatives, dereference, isSchema, itemSchemas, joinSchemas } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, Tool } from "../../runtime/contract/registry.js";
import { mapSubschemas, withoutKeywords } from "../core/dialect.js";
import { PROVIDER_NAME } from "../core/names.js";

/** Keywords that providers do not accept at the top, or ignore. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$ref", "$comment", "title", "description", "examples", "default"],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"],
]);

/** The input schema of a tool for providers. */
export function providerSchema({ parameters_schema: root, parameters }: Tool): JsonSchema {
  const { $defs, definitions, ...top } = dereference(root, root);
  const { properties, required, ...rest } = withBranches(top, root);
  const names = new Map(
    parameters.map(({ original, name, aliases }) => [
      original,
      [original, name, ...aliases].find((one) => PROVIDER_NAME.test(one)) ?? name,
    ]),
  );
  const nameOf = (one: string): string => names.get(one) ?? one;
  const declared = Object.entries(isSchema(properties) ? properties : {});
  const wanted = (Array.isArray(required) ? required : []).filter((one) => typeof one === "string");
  const made = modern({
    type: "object",
    properties: Object.fromEntries(declared.map(([name, one]) => [nameOf(name), one])) as JsonSchema as never,
    ...(wanted.length > 0 ? { required: wanted.map(nameOf) } : {}),
    ...(declared.length > 0 && rest["patternProperties"] === undefined ? { additionalProperties: false } : {}),
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !LEFT_OUT.has(key))),
    ...definitionsOf(root),
  });
  return withoutKeywords({ ...made, type: "object" }, (key) => key.startsWith("x-"));
}

/** An object with alternatives gets the properties of all of them, and keeps its own `required`. */
function withBranches(top: JsonSchema, root: JsonSchema): JsonSchema {
  const branches = alternatives(top).map((one) => dereference(one, root));
  if (branches.length === 0) return top;
  const {
    required: _,
    additionalProperties: __,
    ...joined
  } = joinSchemas(
    [top, ...branches].map(({ additionalProperties: ___, ...open }) => open),
    root,
  );
  const { required, additionalProperties } = top;
  return {
    ...joined,
    ...(required === undefined ? {} : { required }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

/** Definitions of the root, which references lead to. */
const definitionsOf = ({ $defs, definitions }: JsonSchema): JsonSchema => ({
  ...($defs === undefined ? {} : { $defs }),
  ...(definitions === undefined ? {} : { definitions }),
});

/** Rewrites tuples to the form of 2020-12, at any depth. */
function modern(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...rest } = schema;
  const tuple = Array.isArray(items)
    ? { prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
    : items === undefined
      ? {}
      : { items };
  return mapSubschemas({ ...rest, ...tuple }, modern);
}

/**
 * The same for OpenAI, which requires `items` in every array: a tuple becomes a list whose items match any of its entries.
 */
export function withItems(schema: JsonSchema): JsonSchema {
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
