/** Normalises JSON Schema, any dialect, to {@link Schema}: what types, signatures and help read. Nothing is dropped silently. */

import { dereference, isSchema, type JsonSchema, type JsonValue, resolvePointer } from "toolwright/codegen";
import type { Compiled, Compiler } from "../compile.js";
import type { Report } from "../diagnostic.js";
import type { LinkedDefinition, NormalizedDefinition, Property, Schema } from "../ir.js";
import { misfits, withoutDefaults } from "./defaults.js";
import { lint } from "./lint.js";

const UNKNOWN: Schema = { kind: "unknown" };
const SCALARS = ["null", "boolean", "integer", "number", "string"] as const;

/** Normalises every definition; one whose schema is invalid is reported and left out. */
export function normalize(
  definitions: readonly LinkedDefinition[],
  compiler: Compiler,
  report: Report,
): readonly NormalizedDefinition[] {
  return definitions.flatMap((one) => {
    const compiled = isValid(one, compiler, report) ? compile(one, compiler, report) : undefined;
    if (!compiled) return [];
    lint(one, compiler, report);
    const parameters = withFittingDefaults(one, compiled, compiler, report);
    const input = normalizeSchema(parameters, parameters);
    const { result: _, ...rest } = one;
    return [
      {
        ...rest,
        parameters,
        compiled,
        shape: dereference(parameters, parameters),
        input,
        ...resultOf(one, compiler, report),
      },
    ];
  });
}

/** The output schema in both its forms; none where it is no schema: then results are unknown. */
function resultOf(
  one: LinkedDefinition,
  compiler: Compiler,
  report: Report,
): Pick<NormalizedDefinition, "result" | "output"> {
  if (!one.result) return {};
  const fault = compiler.faultOf(one.result);
  if (!fault) return { result: one.result, output: normalizeSchema(one.result, one.result) };
  report.add("result-invalid", one.place, { tool: one.name, reason: `${fault.reason} at ${fault.pointer || "/"}` });
  return {};
}

/** The validator of a definition; undefined where Ajv refuses what the meta-schema accepts, such as a pattern that is none. */
function compile(one: LinkedDefinition, compiler: Compiler, report: Report): Compiled | undefined {
  try {
    return compiler.compile(one.parameters);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    report.addAbout(one, "schema-invalid", { tool: one.name, at: "", reason });
    return undefined;
  }
}

/** Defaults are filled in before a call is checked, so one that does not fit would make every call fail. */
function withFittingDefaults(
  one: LinkedDefinition,
  compiled: Compiled,
  compiler: Compiler,
  report: Report,
): JsonSchema {
  const found = misfits(one.parameters, compiled, compiler);
  for (const { argument, reason } of found)
    report.add("default-invalid", one.place, { tool: one.name, argument, reason });
  return withoutDefaults(one.parameters, new Set(found.map(({ schema }) => schema)));
}

function isValid(one: LinkedDefinition, compiler: Compiler, report: Report): boolean {
  const { type } = one.parameters;
  const fault = compiler.faultOf(one.parameters);
  if (fault) report.addAbout(one, "schema-invalid", { tool: one.name, at: fault.pointer, reason: fault.reason });
  else if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object")))
    report.addAbout(one, "schema-not-object", { tool: one.name, received: JSON.stringify(type) });
  else return true;
  return false;
}

/** References inside references that are followed: what people read ends well before. */
const MOST_OPEN = 4;
/** References that are followed in one schema, since each level may multiply the next. */
const MOST_FOLLOWED = 2000;

/** The references that lead to where the walk is, and how many more may be followed anywhere. */
interface Walk {
  readonly open: readonly string[];
  readonly budget: { left: number };
}

const start = (): Walk => ({ open: [], budget: { left: MOST_FOLLOWED } });

const isCut = (ref: string, { open, budget }: Walk): boolean =>
  open.length === MOST_OPEN || open.includes(ref) || budget.left-- <= 0;

/** Normalises one schema of `root`; references are cut where they repeat, or lead further than anything shows. */
export function normalizeSchema(schema: unknown, root: JsonSchema, walk: Walk = start()): Schema {
  if (schema === false) return { kind: "never" };
  if (!isSchema(schema)) return UNKNOWN;
  const ref = schema["$ref"];
  if (typeof ref === "string") {
    const target = resolvePointer(root, ref);
    if (!target) return UNKNOWN;
    return isCut(ref, walk)
      ? { kind: "ref", ref }
      : normalizeSchema(target, root, { ...walk, open: [...walk.open, ref] });
  }
  if (Array.isArray(schema["allOf"])) return normalizeSchema(dereference(schema, root), root, walk);
  const below = (one: unknown): Schema => normalizeSchema(one, root, walk);
  if ("const" in schema) return { kind: "literal", values: [schema["const"] as JsonValue] };
  if (Array.isArray(schema["enum"])) return { kind: "literal", values: schema["enum"] as readonly JsonValue[] };
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices) && !isSchema(schema["properties"])) return unionOf(choices.map(below));
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((one) => byType(String(one), schema, below)));
  return byType(typeof type === "string" ? type : impliedType(schema), schema, below);
}

function impliedType(schema: JsonSchema): string {
  if (isSchema(schema["properties"])) return "object";
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : "";
}

function unionOf(members: readonly Schema[]): Schema {
  const flat = members.flatMap((one) => (one.kind === "union" ? one.members : [one]));
  const unique = [...new Map(flat.map((one) => [JSON.stringify(one), one])).values()];
  return unique.length === 1 && unique[0] ? unique[0] : { kind: "union", members: unique };
}

function byType(type: string, schema: JsonSchema, below: (one: unknown) => Schema): Schema {
  const scalar = SCALARS.find((one) => one === type);
  if (scalar) return { kind: scalar };
  if (type === "array") return arrayOf(schema, below);
  return type === "object" ? objectOf(schema, below) : UNKNOWN;
}

function arrayOf(schema: JsonSchema, below: (one: unknown) => Schema): Schema {
  const { items, prefixItems, additionalItems } = schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (!tuple) return { kind: "array", items: below(items ?? true) };
  const rest = Array.isArray(prefixItems) ? items : additionalItems;
  return { kind: "tuple", items: tuple.map(below), ...(rest === false ? {} : { rest: below(rest ?? true) }) };
}

function objectOf(schema: JsonSchema, below: (one: unknown) => Schema): Schema {
  const { properties, required, additionalProperties } = schema;
  const names = Array.isArray(required) ? required : [];
  const declared = Object.entries(isSchema(properties) ? properties : {}).map(([name, member]): Property => {
    const { description, default: fallback } = isSchema(member) ? member : {};
    return {
      name,
      required: names.includes(name),
      schema: below(member),
      ...(typeof description === "string" ? { description } : {}),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
  });
  return { kind: "object", properties: declared, open: additionalProperties !== false };
}
