/** The forms of schemas for requests and for answers: what only an answer has is never required of a request, and the reverse. */

import { isSchema } from "../../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../../runtime/contract/registry.js";
import { mapSubschemas } from "../../../runtime/contract/schema-copy.js";

/** Makes the forms of the schemas of one document, whose definitions stay shared between operations. */
export interface Directions {
  /** An input in which no read-only property is required, at any depth. */
  readonly forRequest: (schema: JsonSchema) => JsonSchema;
  /** A result without its write-only properties, at any depth, and their names. */
  readonly forAnswer: (schema: JsonSchema) => { readonly schema: JsonSchema; readonly writeOnly: readonly string[] };
}

type Flag = "readOnly" | "writeOnly";

interface Form {
  readonly flag: Flag;
  /** The schema that a reference names. */
  readonly targetOf: (ref: string) => JsonSchema | undefined;
  /** The form of each definition. */
  readonly made: Map<JsonSchema, JsonSchema>;
}

/** Most references that are followed in a row. */
const MAX_REFERENCES = 16;

/**
 * Opens the two forms.
 *
 * @param met whether a property with the flag was found; most descriptions have none
 */
export function directionsOf(targetOf: Form["targetOf"], met: Readonly<Record<Flag, boolean>>): Directions {
  const request: Form = { flag: "readOnly", targetOf, made: new Map() };
  const answer: Form = { flag: "writeOnly", targetOf, made: new Map() };
  const flagged = new Map<JsonSchema, ReadonlySet<string>>();
  return {
    forRequest: (schema) => (met.readOnly ? wholeForm(request, schema) : schema),
    forAnswer: (schema) => {
      if (!met.writeOnly) return { schema, writeOnly: [] };
      const { $defs = {} } = schema;
      const definitions = Object.values($defs as Readonly<Record<string, unknown>>).filter(isSchema);
      const below = definitions.flatMap((one) => {
        const names = flagged.get(one) ?? flaggedBelow(answer, one);
        flagged.set(one, names);
        return [...names];
      });
      return { schema: wholeForm(answer, schema), writeOnly: [...flaggedBelow(answer, schema), ...below] };
    },
  };
}

/** The form of a schema with definitions. The schema itself is not cached, since it belongs to one operation. */
function wholeForm(form: Form, schema: JsonSchema): JsonSchema {
  const { $defs, ...own } = schema;
  const changed = formOf(form, own);
  return isSchema($defs) ? { ...changed, $defs: definitionForms(form, $defs) as JsonObject } : changed;
}

/** The forms of definitions; the same object for the same definitions, so that later stages look at it once. */
function definitionForms(form: Form, $defs: JsonSchema): JsonSchema {
  const before = form.made.get($defs);
  if (before) return before;
  const definitions = Object.entries($defs).map(([name, one]) => {
    if (!isSchema(one)) return [name, one] as const;
    const made = form.made.get(one) ?? formOf(form, one);
    form.made.set(one, made);
    return [name, made] as const;
  });
  const all = Object.fromEntries(definitions) as JsonSchema;
  form.made.set($defs, all);
  return all;
}

function formOf(form: Form, schema: JsonSchema): JsonSchema {
  const mapped = mapSubschemas(schema, (one) => formOf(form, one));
  const { required, properties } = mapped;
  if (!Array.isArray(required) && (form.flag === "readOnly" || !isSchema(properties))) return mapped;
  const flagged = flaggedIn(form, schema, 0);
  if (flagged.size === 0) return mapped;
  const { required: _, ...rest } = mapped;
  const needed = Array.isArray(required) ? required.filter((name) => !flagged.has(name)) : [];
  const kept = Object.entries(isSchema(properties) ? properties : {}).filter(([name]) => !flagged.has(name));
  const answered = form.flag === "writeOnly" && isSchema(properties) ? { properties: Object.fromEntries(kept) } : {};
  return { ...rest, ...answered, ...(needed.length > 0 ? { required: needed } : {}) } as JsonSchema;
}

/** Names of properties with the flag, including those of the parts of `allOf`. */
function flaggedIn(form: Form, schema: JsonSchema, depth: number): ReadonlySet<unknown> {
  const opened = (one: unknown): JsonSchema | undefined => {
    if (!isSchema(one)) return undefined;
    const { $ref } = one;
    return typeof $ref === "string" ? form.targetOf($ref) : one;
  };
  const { properties, allOf } = schema;
  const own = Object.entries(isSchema(properties) ? properties : {}).filter(
    ([, one]) => opened(one)?.[form.flag] === true || (isSchema(one) && one[form.flag] === true),
  );
  const parts = Array.isArray(allOf) && depth < MAX_REFERENCES ? allOf : [];
  const below = parts.flatMap((one) => [...flaggedIn(form, opened(one) ?? {}, depth + 1)]);
  return new Set([...own.map(([name]) => name), ...below]);
}

/** Names of properties with the flag in a schema, at any depth, without those of its definitions. */
function flaggedBelow(form: Form, schema: JsonSchema): ReadonlySet<string> {
  const found = new Set([...flaggedIn(form, schema, MAX_REFERENCES)].map(String));
  mapSubschemas({ ...schema, $defs: {} }, (one) => {
    for (const name of flaggedBelow(form, one)) found.add(name);
    return one;
  });
  return found;
}
