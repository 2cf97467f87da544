/**
 * Checks the schemas of every definition and converts them to their normal form. Nothing is dropped silently: a default that its own
 * schema refuses is reported and removed, since filling it in would make every call fail.
 */

import { escapePointer } from "../../runtime/contract/json-pointer.js";
import { dereference, isSchema } from "../../runtime/contract/json-schema.js";
import { normalizeSchema } from "../../runtime/contract/normal-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { sharedDefinitions } from "../../runtime/contract/shared-definitions.js";
import { type Compiled, type Compiler, issueText, type SchemaFault } from "../core/compile.js";
import { placeWithin, type Report } from "../core/diagnostic.js";
import { argumentAt, subschemas } from "../core/dialect.js";
import type { LinkedDefinition, NormalizedDefinition } from "../core/ir.js";
import { sharingCompilers } from "../core/sharing-compiler.js";
import { lint } from "./lint.js";
import { compileFault, requireShortChains, withUsableArguments } from "./usable-arguments.js";

/** Normalises every definition; a definition with an invalid schema is reported and left out. */
export function normalize(
  definitions: readonly LinkedDefinition[],
  common: Compiler,
  report: Report,
): readonly NormalizedDefinition[] {
  const shared = sharedDefinitions(
    definitions.map(({ pack: group, parameters: parameters_schema, result: result_schema }) => ({
      ...{ group, parameters_schema },
      ...(result_schema ? { result_schema } : {}),
    })),
  );
  const compilerOf = sharingCompilers(common);
  return definitions.flatMap((given) => {
    for (const { pointer, ...member } of given.misspelt ?? []) {
      const place = pointer === undefined ? given.place : placeWithin(given, pointer);
      report.add("member-unknown", place, { tool: given.name, ...member });
    }
    const compiler = compilerOf(Object.hasOwn(shared, given.pack) ? shared[given.pack] : undefined);
    const one = withUsableArguments(given, compiler, report);
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

/** The output schema in both forms; empty if it is invalid: the result is unknown then. */
function resultOf(
  one: LinkedDefinition,
  compiler: Compiler,
  report: Report,
): Pick<NormalizedDefinition, "result" | "output"> {
  if (!one.result) return {};
  const fault = faultOfResult(one.result, compiler);
  if (!fault) return { result: one.result, output: normalizeSchema(one.result, one.result) };
  report.add("result-invalid", one.place, { tool: one.name, reason: `${fault.reason} at ${fault.pointer || "/"}` });
  return {};
}

/** Fault of an output schema, also where only references lead, such as `$defs` in draft-07. Inputs are compiled, which checks it. */
function faultOfResult(schema: JsonSchema, compiler: Compiler): SchemaFault | undefined {
  const fault = compiler.faultOf(schema);
  const calls = compiler.callsDefinitions(schema);
  if (fault || !(calls || JSON.stringify(schema).includes('"$ref"'))) return fault;
  try {
    if (!calls) requireShortChains(schema);
    compiler.issuesOf(schema, null);
    return undefined;
  } catch (cause) {
    return { pointer: "", reason: compileFault(cause) };
  }
}

/** The validator of a definition; undefined if Ajv refuses a schema that the meta-schema accepts, such as an invalid pattern. */
function compile(one: LinkedDefinition, compiler: Compiler, report: Report): Compiled | undefined {
  try {
    if (!compiler.callsDefinitions(one.parameters)) requireShortChains(one.parameters);
    return compiler.compile(one.parameters);
  } catch (cause) {
    const reason = compileFault(cause);
    report.addAbout(one, "schema-invalid", { tool: one.name, at: "", reason });
    return undefined;
  }
}

/** Removes invalid defaults: they are filled in before a call is checked, so that every call would fail. */
function withFittingDefaults(
  one: LinkedDefinition,
  compiled: Compiled,
  compiler: Compiler,
  report: Report,
): JsonSchema {
  const found = misfits(one.parameters, compiled, compiler);
  for (const { argument, reason, pointer } of found)
    report.add("default-invalid", placeWithin(one, `${pointer}/default`), { tool: one.name, argument, reason });
  return withoutDefaults(one.parameters, new Set(found.map(({ schema }) => schema)));
}

function isValid(one: LinkedDefinition, compiler: Compiler, report: Report): boolean {
  const { type } = one.parameters;
  const fault = compiler.faultOf(one.parameters);
  if (fault) {
    const { pointer, reason } = fault;
    report.addAbout(one, "schema-invalid", { tool: one.name, at: pointer, reason }, pointer);
  } else if (type !== undefined && type !== "object" && !(Array.isArray(type) && type.includes("object")))
    report.addAbout(one, "schema-not-object", { tool: one.name, received: JSON.stringify(type) }, "/type");
  else return true;
  return false;
}

/** A default that does not fit, and the subschema that holds it. */
interface Misfit {
  readonly argument: string;
  readonly reason: string;
  readonly schema: JsonSchema;
  /** Place of the subschema in the schema. */
  readonly pointer: string;
}

/** Defaults that do not fit, at any depth, in the order of the schema. */
function misfits(root: JsonSchema, compiled: Compiled, compiler: Compiler): readonly Misfit[] {
  const properties = isSchema(root["properties"]) ? root["properties"] : {};
  const top = Object.entries(properties).flatMap(([name, schema]) =>
    isSchema(schema) && Object.hasOwn(schema, "default") ? [{ name, schema }] : [],
  );
  const defaults = Object.fromEntries(top.map(({ name, schema }) => [name, schema["default"]]));
  const issues = top.length === 0 ? [] : compiled.keptIssuesOf(defaults);
  const found = top.flatMap(({ name, schema }): readonly Misfit[] => {
    const at = `/${escapePointer(name)}`;
    const issue = issues.find(({ instancePath }) => instancePath === at || instancePath.startsWith(`${at}/`));
    return issue ? [{ argument: name, reason: issueText(issue), schema, pointer: `/properties${at}` }] : [];
  });
  return [...found, ...nestedMisfits(root, new Set(top.map((one) => one.schema)), compiler)];
}

function nestedMisfits(root: JsonSchema, done: ReadonlySet<JsonSchema>, compiler: Compiler): readonly Misfit[] {
  const { $schema, $defs, definitions } = root;
  return subschemas(root).flatMap(({ schema, pointer }): readonly Misfit[] => {
    if (pointer === "" || done.has(schema) || !Object.hasOwn(schema, "default")) return [];
    try {
      const [issue] = compiler.issuesOf({ $schema, $defs, definitions, ...schema }, schema["default"]);
      return issue ? [{ argument: argumentAt(pointer), reason: issueText(issue), schema, pointer }] : [];
    } catch {
      return []; // The schema refers to a place outside itself; the validation of the call decides.
    }
  });
}

/** A copy without the defaults of some of its subschemas. */
function withoutDefaults(root: JsonSchema, misfit: ReadonlySet<unknown>): JsonSchema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isSchema(value)) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "default" || !misfit.has(value));
    return Object.fromEntries(entries.map(([key, member]) => [key, copy(member)]));
  };
  return misfit.size === 0 ? root : (copy(root) as JsonSchema);
}
