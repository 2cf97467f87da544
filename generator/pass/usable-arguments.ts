/** Leaves out optional arguments of HTTP APIs whose schema no validator can be made for, so that the op is kept. */

import type { HttpCall } from "../../runtime/contract/http-call.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { Compiler } from "../core/compile.js";
import type { Report } from "../core/diagnostic.js";
import { subschemas } from "../core/dialect.js";
import type { LinkedDefinition } from "../core/ir.js";

/** The definition without its unusable arguments, with a diagnostic for each; unchanged if a required one is among them. */
export function withUsableArguments(one: LinkedDefinition, compiler: Compiler, report: Report): LinkedDefinition {
  const { properties, required } = one.parameters;
  if (one.http === undefined || !isSchema(properties) || faultOf(one.parameters, compiler) === undefined) return one;
  const unusable = Object.keys(properties).flatMap((name) => {
    const reason = faultOf(
      only(one.parameters, (argument) => argument === name),
      compiler,
    );
    return reason === undefined ? [] : [{ name, reason }];
  });
  const names = new Set(unusable.map(({ name }) => name));
  const parameters = only(one.parameters, (argument) => !names.has(argument));
  const isNeeded = Array.isArray(required) && required.some((name) => names.has(String(name)));
  if (isNeeded || faultOf(parameters, compiler) !== undefined) return one;
  for (const { name, reason } of unusable)
    report.add("argument-left-out", one.place, { tool: one.name, argument: shown(name), reason });
  return { ...one, parameters, http: withoutArguments(one.http, names) };
}

/** A name of printable characters. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 60)).slice(1, -1);

/** Why a schema is unusable; undefined if it is usable. */
function faultOf(schema: JsonSchema, compiler: Compiler): string | undefined {
  const fault = compiler.faultOf(schema);
  if (fault) return `${fault.reason} at ${fault.pointer || "/"}`;
  try {
    if (!compiler.callsDefinitions(schema)) requireShortChains(schema);
    compiler.compile(schema);
    return undefined;
  } catch (cause) {
    return compileFault(cause);
  }
}

/** Most definitions that are reached one from another, so that making a validator does not exhaust the stack. */
const MAX_DEFINITION_CHAIN = 200;

/** @throws RangeError if a definition is further from the schema than {@link MAX_DEFINITION_CHAIN} */
export function requireShortChains({ $defs, ...schema }: JsonSchema): void {
  if (!isSchema($defs) || Object.keys($defs).length <= MAX_DEFINITION_CHAIN) return;
  const reached = new Set<string>();
  let level: readonly JsonSchema[] = [schema];
  for (let step = 0; level.length > 0; step++) {
    if (step > MAX_DEFINITION_CHAIN) throw new RangeError();
    level = level.flatMap((at) => targetsIn(at, $defs, reached));
  }
}

/** The reason for which a validator could not be made. */
export function compileFault(cause: unknown): string {
  if (cause instanceof URIError) return "a name in it holds half of a surrogate pair, which is no character";
  if (cause instanceof RangeError) return "its definitions refer to each other in a chain that is too long to follow";
  return messageOf(cause);
}

/** The input with some of its properties only, and the definitions that they reach. */
function only(root: JsonSchema, keep: (name: string) => boolean): JsonSchema {
  const { $defs, properties, required, ...rest } = root;
  const kept = Object.entries(properties as JsonSchema).filter(([name]) => keep(name));
  const needed = (Array.isArray(required) ? required : []).filter((name) => keep(String(name)));
  const schema = {
    ...rest,
    properties: Object.fromEntries(kept) as JsonObject,
    ...(needed.length > 0 ? { required: needed } : {}),
  };
  const reached = reachedFrom(schema, isSchema($defs) ? $defs : {});
  return Object.keys(reached).length > 0 ? { ...schema, $defs: reached } : schema;
}

const DEFS = "#/$defs/";

/** The definitions that a schema reaches, in their order. */
function reachedFrom(schema: JsonSchema, $defs: JsonSchema): JsonObject {
  const reached = new Set<string>();
  const waiting: JsonSchema[] = [schema];
  for (let at = waiting.pop(); at; at = waiting.pop()) waiting.push(...targetsIn(at, $defs, reached));
  return Object.fromEntries(Object.entries($defs).filter(([name]) => reached.has(name))) as JsonObject;
}

/** The definitions that a schema refers to and that are not reached yet; they count as reached then. */
function targetsIn(schema: JsonSchema, $defs: JsonSchema, reached: Set<string>): readonly JsonSchema[] {
  return subschemas(schema).flatMap(({ schema: { $ref } }) => {
    const name = typeof $ref === "string" ? $ref.slice(DEFS.length) : "";
    const target = Object.hasOwn($defs, name) && !reached.has(name) ? $defs[name] : undefined;
    if (!isSchema(target)) return [];
    reached.add(name);
    return [target];
  });
}

/** The request without some arguments. */
function withoutArguments({ body, ...call }: HttpCall, names: ReadonlySet<string>): HttpCall {
  const { fields } = body ?? {};
  const kept = fields && Object.fromEntries(Object.entries(fields).filter(([argument]) => !names.has(argument)));
  const isGone = body?.whole !== undefined && names.has(body.whole);
  return {
    ...call,
    arguments: call.arguments.filter(({ argument }) => !names.has(argument)),
    ...(body && !isGone ? { body: { ...body, ...(kept ? { fields: kept } : {}) } } : {}),
  };
}
