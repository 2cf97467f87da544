/** What the arguments of a call say about its result. Its variant: the values of its arguments that are enums or booleans, since they may select another result. */

import { byCodeUnit, canonicalJson } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { dereference, isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue, Tool } from "../../runtime/contract/registry.js";

/** Arguments that are looked at, and values of an enum. */
const MAX_ARGUMENTS = 3;
const MAX_VALUES = 8;

type Choices = readonly (readonly [name: string, values: readonly unknown[], fallback: unknown])[];

const CHOICES = new WeakMap<JsonSchema, Choices>();

/** The arguments of an op that select a variant. All of their values are in the definition of the op. */
function choicesOf(schema: JsonSchema): Choices {
  const known = CHOICES.get(schema);
  if (known) return known;
  const { properties } = dereference(schema, schema);
  const found = Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, one]) => {
    const values = isSchema(one) ? valuesOf(dereference(one, schema)) : undefined;
    return values ? [[name, values, (one as JsonSchema)["default"]] as const] : [];
  });
  const choices = found.sort(([a], [b]) => byCodeUnit(a, b)).slice(0, MAX_ARGUMENTS);
  CHOICES.set(schema, choices);
  return choices;
}

function valuesOf({ enum: values, type }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(values) && values.length > 1 && values.length <= MAX_VALUES) return values;
  return type === "boolean" ? [true, false] : undefined;
}

/** The variant of a call: `{"detail":"full"}`; empty for an op without such arguments. */
export function variantOf({ parameters_schema: schema }: Pick<Tool, "parameters_schema">, args: unknown): string {
  const choices = choicesOf(schema);
  if (choices.length === 0) return "";
  const given = isRecord(args) ? args : {};
  const chosen: Record<string, JsonValue> = {};
  for (const [name, values, fallback] of choices) {
    const value = Object.hasOwn(given, name) ? given[name] : fallback;
    // Another value is not one of the definition, so it may be data.
    if (values.includes(value)) chosen[name] = value as JsonValue;
  }
  return canonicalJson(chosen);
}

/** Whether an op takes arguments. */
export const hasParameters = ({ parameters_schema: schema }: Pick<Tool, "parameters_schema">): boolean => {
  const { properties, additionalProperties } = dereference(schema, schema);
  return (isSchema(properties) && Object.keys(properties).length > 0) || isSchema(additionalProperties);
};

/** Values of the arguments that are looked at. */
const MAX_TEXTS = 1000;

/** The texts in the arguments of a call, and their keys, without the ones that the definition of the op names itself. */
export function textsOf(
  { parameters_schema: schema }: Pick<Tool, "parameters_schema">,
  args: unknown,
): ReadonlySet<string> {
  const texts = new Set<string>();
  const open: unknown[] = isRecord(args) ? Object.values(args) : [];
  for (let seen = 0; open.length > 0 && seen < MAX_TEXTS; seen++) {
    const value = open.pop();
    if (typeof value === "string") texts.add(value);
    else if (Array.isArray(value)) open.push(...value.slice(0, MAX_TEXTS));
    else if (isRecord(value)) {
      for (const key of Object.keys(value).slice(0, MAX_TEXTS)) texts.add(key);
      open.push(...Object.values(value).slice(0, MAX_TEXTS));
    }
  }
  if (texts.size > 0) for (const name of namedIn(schema)) texts.delete(name);
  return texts;
}

const NAMED = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** Names of parameters and listed values. */
function namedIn(schema: JsonSchema): ReadonlySet<string> {
  const known = NAMED.get(schema);
  if (known) return known;
  const names = new Set<string>();
  const open: unknown[] = [schema];
  for (let seen = 0; open.length > 0 && seen < 10 * MAX_TEXTS; seen++) {
    const value = open.pop();
    if (!isSchema(value)) continue;
    for (const [key, one] of Object.entries(value)) {
      names.add(key);
      if (Array.isArray(one)) {
        for (const item of one) if (typeof item === "string" && key === "enum") names.add(item);
        open.push(...one);
      } else open.push(one);
    }
  }
  NAMED.set(schema, names);
  return names;
}
