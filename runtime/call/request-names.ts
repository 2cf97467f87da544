/**
 * Reads requests that name their fields otherwise: `arguments` is `args`, `tool` is `op`, and arguments may stand beside the op.
 * Only if the op is named exactly, no field has two candidates, and every value stays as it was sent.
 */

import type { RegistryView } from "../catalog/registry.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { objectOf } from "../contract/exact-number.js";
import { isObject, own } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { otherName, otherNamesOf } from "../contract/request-fields.js";
import { effectField } from "./corrections/effect.js";

/** A request with its fields under their own names, and a warning about each that had another one. */
interface NamedRequest {
  readonly request: unknown;
  readonly warnings: readonly string[];
}

/** The fields of a call. */
const FIELDS: ReadonlySet<string> = new Set(["op", "args", "idempotency_key", "dry_run"]);

/** The warning that a field was read as another one. */
export const readAs = (sent: string, field: string): string => `request_read: ${sent} was read as ${field}`;

/** The request as it was meant; one that leaves a doubt stays as it is, and is refused. */
export function readNames(view: RegistryView, request: unknown): NamedRequest {
  const asSent = { request, warnings: [] };
  if (!isObject(request) || Object.keys(request).every((name) => FIELDS.has(name))) return asSent;
  const opName = Object.hasOwn(request, "op") ? "op" : otherName(request, "op");
  const op = opName === undefined ? undefined : request[opName];
  const tool = typeof op === "string" ? view.exact(op) : undefined;
  if (opName === undefined || !tool) return asSent;
  const others = Object.entries(request).filter(([name]) => name !== opName && !FIELDS.has(name));
  const given = others.length === 0 ? { warnings: [] } : argumentsIn(request, others, tool);
  if (!given) return asSent;
  const own = Object.entries(request).filter(([name]) => name !== "op" && FIELDS.has(name));
  return {
    request: objectOf([["op", tool.op], ...("args" in given ? [["args", given.args] as const] : []), ...own]),
    warnings: [...(opName === "op" ? [] : [readAs(opName, "op")]), ...given.warnings],
  };
}

/** The ops that a request names exactly in the fields for one, by field; an argument of the op is no such field. */
export function namedOps(view: RegistryView, request: JsonObject): ReadonlyMap<string, string> {
  const toolIn = (name: string): Tool | undefined => {
    const value = own(request, name);
    return typeof value === "string" ? view.exact(value) : undefined;
  };
  const schema = toolIn("op")?.parameters_schema;
  const isArgument = (name: string): boolean => schema !== undefined && acceptedNames(schema).declared.has(name);
  const fields = ["op", ...otherNamesOf("op").filter((name) => !isArgument(name))];
  return new Map(fields.flatMap((name) => (toolIn(name) ? [[name, String(request[name])] as const] : [])));
}

/** The call of a list of an op and its arguments, `["pack.op", {…}]`; anything else as it was sent. */
export function readPair(view: RegistryView, sent: JsonValue): NamedRequest {
  const [op, args = {}, ...others] = Array.isArray(sent) ? (sent as readonly JsonValue[]) : [];
  const tool = typeof op === "string" ? view.exact(op) : undefined;
  if (!tool || !isObject(args) || others.length > 0) return { request: sent, warnings: [] };
  return { request: { op: tool.op, args }, warnings: [readAs("a list", "op and args")] };
}

interface Given {
  readonly args?: JsonValue;
  readonly warnings: readonly string[];
}

/** The arguments of a request in fields that it does not have; undefined if they may be something else. */
function argumentsIn(
  request: JsonObject,
  others: readonly (readonly [string, JsonValue])[],
  tool: Tool,
): Given | undefined {
  if (Object.hasOwn(request, "args")) return undefined;
  const { declared } = acceptedNames(tool.parameters_schema);
  const [[name, value] = ["", null]] = others;
  const isHolder = otherNamesOf("args").includes(name);
  if (others.length === 1 && isHolder && !declared.has(name)) return { args: value, warnings: [readAs(name, "args")] };
  const isArgument = ([one]: readonly [string, JsonValue]): boolean =>
    declared.has(one) && effectField(one) === undefined && !otherNamesOf("args").includes(one);
  if (!others.every(isArgument)) return undefined;
  return { args: objectOf(others), warnings: others.map(([one]) => readAs(one, `args.${one}`)) };
}
