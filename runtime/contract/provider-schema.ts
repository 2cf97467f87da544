/**
 * Converts the input of an op to a schema that model providers accept: JSON Schema 2020-12 with a closed object without
 * alternatives at the top, and restricted property names. Constraints that are left out are checked when the op is called.
 */

import { acceptedNames } from "./accepted-names.js";
import { canonicalJson } from "./canonical.js";
import { dereference, isSchema } from "./json-schema.js";
import type { JsonSchema, Tool } from "./registry.js";
import { mapSubschemas, withoutKeywords } from "./schema-copy.js";

/** Names of arguments that all model providers accept. */
export const PROVIDER_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keywords that providers do not accept at the top, or ignore. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "id", "$ref", "$comment", "title", "description", "examples", "default"],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"],
  // They would name arguments that are published under another name.
  ...["dependentRequired", "dependentSchemas", "dependencies"],
]);

/** Says which header of a request repeats an argument: clients over HTTP read it. */
const MCP_HEADER = "x-mcp-header";

type ProviderTool = Pick<Tool, "parameters_schema" | "parameters">;

/** The input of a tool for providers. */
export interface ProviderInput {
  readonly schema: JsonSchema;
  /** The argument of the op behind each name that differs from it. */
  readonly originals: ReadonlyMap<string, string>;
}

/**
 * The input of a tool for providers: its schema, and which argument of the op is meant by a name that had to be another one.
 *
 * @example
 * providerInput(tool).schema; // { type: "object", properties: { _filter: … }, additionalProperties: false }
 */
export function providerInput({ parameters_schema: root, parameters }: ProviderTool): ProviderInput {
  const { $defs, definitions, ...top } = dereference(root, root);
  const { properties: _, required, ...rest } = top;
  const declared = [...propertiesWithin(top, root)];
  const { mentioned, open } = acceptedNames(root);
  const isWhole = [...mentioned].every((name) => declared.some(([one]) => one === name));
  const isClosed = !open && isWhole && declared.length > 0 && rest["patternProperties"] === undefined;
  const names = namesOf(
    declared.map(([name]) => name),
    parameters,
  );
  const nameOf = (one: string): string => names.get(one) ?? one;
  const wanted = (Array.isArray(required) ? required : []).filter((one) => typeof one === "string");
  const made = modern({
    type: "object",
    properties: Object.fromEntries(declared.map(([name, one]) => [nameOf(name), one])) as JsonSchema as never,
    ...(wanted.length > 0 ? { required: wanted.map(nameOf) } : {}),
    ...(isClosed ? { additionalProperties: false } : {}),
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !LEFT_OUT.has(key))),
    ...definitionsOf(root),
  });
  return {
    schema: withoutKeywords({ ...made, type: "object" }, (key) => key.startsWith("x-") && key !== MCP_HEADER),
    originals: new Map([...names].flatMap(([original, name]) => (name === original ? [] : [[name, original]]))),
  };
}

/** Longest part of a name that is kept where a number may follow. */
const MAX_STEM_LENGTH = 56;

/** Names that providers accept, by those of the op: its own, one that the op accepts too, or one made from it. */
function namesOf(declared: readonly string[], parameters: ProviderTool["parameters"]): ReadonlyMap<string, string> {
  const others = new Map(parameters.map(({ original, name, aliases }) => [original, [name, ...aliases]]));
  const taken = new Set(declared);
  return new Map(
    declared.map((original) => {
      if (PROVIDER_NAME.test(original)) return [original, original];
      const stem = original.replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, MAX_STEM_LENGTH);
      const wanted = [...(others.get(original) ?? []), stem].filter((one) => PROVIDER_NAME.test(one));
      let name = wanted.find((one) => !taken.has(one));
      for (let count = 2; name === undefined; count++) if (!taken.has(`${stem}_${count}`)) name = `${stem}_${count}`;
      taken.add(name);
      return [original, name];
    }),
  );
}

/**
 * The properties of an object and of all its branches. One that branches describe in different ways may be as any of them says;
 * what the object itself says of it comes first.
 */
function propertiesWithin(top: JsonSchema, root: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, Map<string, JsonSchema>>();
  const seen = new Set<JsonSchema>();
  const collect = (schema: JsonSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const { properties } = schema;
    for (const [name, one] of Object.entries(isSchema(properties) ? properties : {})) {
      const forms = found.get(name) ?? new Map<string, JsonSchema>();
      found.set(name, forms.set(canonicalJson(one), one as JsonSchema));
    }
    for (const branch of branchesOf(schema)) collect(dereference(branch, root));
  };
  collect(top);
  const own = isSchema(top["properties"]) ? top["properties"] : {};
  return new Map(
    [...found].map(([name, forms]) => {
      if (Object.hasOwn(own, name) && isTelling(own[name])) return [name, own[name] as JsonSchema];
      const [only = {}, ...more] = [...forms.values()].filter(isTelling);
      return [name, more.length === 0 ? only : ({ anyOf: [only, ...more] } as JsonSchema)];
    }),
  );
}

const isTelling = (schema: unknown): boolean => isSchema(schema) && Object.keys(schema).length > 0;

/** The schemas that may apply to the object that a schema describes. */
function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas } = schema;
  const listed = [allOf, anyOf, oneOf].flatMap((one) => (Array.isArray(one) ? one : []));
  const dependent = isSchema(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [...listed, schema["if"], then, otherwise, ...dependent].filter(isSchema);
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
