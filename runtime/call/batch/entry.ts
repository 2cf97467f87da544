/** One entry of a batch: reads it and makes its call. */

import { type Help, isHelpFailure } from "../../catalog/help.js";
import type { RegistryView } from "../../catalog/registry.js";
import {
  attention,
  type Envelope,
  type ErrorBody,
  echo,
  errorBody,
  fieldErrorDetails,
  received,
} from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import { type FieldError, isToolFailure, type Principal } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { isObject, isTooDeep, own } from "../../contract/json.js";
import { readJson } from "../../contract/read-json.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { checkFields, type FieldRules, notAnObject, oneOf } from "../../contract/request-fields.js";
import type { CallOptions, Dispatch } from "../call.js";
import { readNames, readPair } from "../request-names.js";
import { findOp } from "../resolve.js";
import { type FindSource, referencedSources, referenceWarnings, resolveReferences } from "./references.js";

/** Services that a batch uses. */
export interface BatchServices {
  readonly dispatch: Dispatch;
  readonly help: Help;
  readonly clock: () => number;
  /** Entries whose calls go on at the same time in parallel mode. */
  readonly parallelCalls: number;
  readonly traceId?: () => string;
}

/** One batch. */
export interface BatchCall {
  readonly services: BatchServices;
  readonly principal: Principal;
  readonly options: CallOptions;
  readonly entries: readonly Entry[];
  readonly stopOnError: boolean;
}

/** An entry as it was read. */
export interface Entry {
  readonly index: number;
  readonly id: string | undefined;
  readonly type: "help" | "exec";
  /** The type as it was sent, if it differs. */
  readonly sentType: string | undefined;
  /** The fields of that tool: the entry without `id` and `type`. */
  readonly fields: JsonObject;
  /** Its op and arguments, however it names them. */
  readonly call: JsonObject;
  readonly errors: readonly FieldError[];
  /** How the entry was read, beside what dispatch says of its fields. */
  readonly warnings: readonly string[];
}

/** Identifies the entry of an answer; comes before the answer itself. */
export interface EntryResult extends JsonFields {
  readonly index: number;
  readonly id?: string;
  /** `help`, `exec`, or the unknown type that was sent. */
  readonly type: string;
  readonly ok: boolean;
  readonly skipped?: true;
}

interface JsonFields {
  readonly [field: string]: unknown;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

const FIELDS: FieldRules = new Map([
  ["type", oneOf("help", "exec")],
  [
    "id",
    {
      expected: "1 to 64 of A-Z a-z 0-9 _ -",
      form: true as const,
      accepts: (value: unknown) => typeof value === "string" && ID.test(value),
    },
  ],
]);

/** Makes the reader of entries. It never throws: faults are in `errors`. */
export const entryReader =
  (view: RegistryView) =>
  (value: JsonValue, index: number): Entry =>
    readEntry(view, value, index);

function readEntry(view: RegistryView, sent: JsonValue, index: number): Entry {
  const { request: value, warnings } = readPair(view, sent);
  if (!isObject(value))
    return {
      index,
      id: undefined,
      type: "exec",
      sentType: undefined,
      fields: {},
      call: {},
      errors: [notAnObject(value, `ops[${index}]`)],
      warnings,
    };
  const own = Object.entries(value);
  const fields = objectOf(own.filter(([name]) => !FIELDS.has(name)));
  const errors = checkFields(objectOf(own.filter(([name]) => FIELDS.has(name))), FIELDS, `ops[${index}].`);
  const { id, type } = value;
  const call = Object.hasOwn(fields, "path") ? fields : (readNames(view, fields).request as JsonObject);
  const names = ["op", "path"].filter((name) => Object.hasOwn(call, name));
  // Help takes no arguments, so an entry with some is a call, whatever it calls its op.
  const isCall = ["args", "arguments", "dry_run", "idempotency_key"].some((name) => Object.hasOwn(value, name));
  const implied = names.length === 1 ? (names[0] === "path" && !isCall ? "help" : "exec") : undefined;
  const known = type === "help" || type === "exec" ? type : implied;
  return {
    index,
    id: typeof id === "string" && ID.test(id) ? id : undefined,
    type: known ?? "exec",
    sentType: typeof type === "string" && type !== known ? echo(type) : undefined,
    fields,
    call,
    errors: known || errors.length > 0 ? errors : [noType(value, index)],
    warnings,
  };
}

const noType = (value: JsonObject, index: number): FieldError => ({
  path: `ops[${index}].type`,
  keyword: "required",
  message: `ops[${index}] does not say what it is`,
  expected: 'help or exec; without it, exactly one of "op" and "path"',
  received: received(value),
});

/** Findings for entries that cannot be called in parallel; an unknown op fails by itself and changes nothing. */
export function unfitForParallel(entries: readonly Entry[], view: RegistryView): readonly FieldError[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "exec" || entry.errors.length > 0) return [];
    const path = `ops[${entry.index}]`;
    const { op } = entry.call;
    const base = { path, keyword: "parallel", expected: "reads without references", received: echo(op) };
    const tool = typeof op === "string" ? findOp(view, op)?.tool : undefined;
    if (tool?.kind === "write") return [{ ...base, message: `${path} is a write` }];
    return sourcesOf(entry).length > 0 ? [{ ...base, message: `${path} refers to another entry` }] : [];
  });
}

/** References inside `args`. */
const sourcesOf = (entry: Entry): readonly string[] => referencedSources(argumentsOf(entry));

/** The arguments; also those in a JSON text, because exec accepts one. Null if they are nested too deeply. */
function argumentsOf({ call }: Entry): JsonValue {
  const args = own(call, "args") ?? null;
  if (typeof args === "string") return parsed(args);
  return isTooDeep(args) ? null : args;
}

/** Warnings about arguments that are meant as references, and are texts. */
function textWarnings(entry: Entry, { entries }: BatchCall): readonly string[] {
  const earlier = entries.slice(0, entry.index);
  const names = new Set(earlier.flatMap(({ index, id }) => [String(index), ...(id === undefined ? [] : [id])]));
  return referenceWarnings(argumentsOf(entry), (name) => names.has(name));
}

function parsed(text: string): JsonValue {
  try {
    const value = readJson(text) as JsonValue;
    return isTooDeep(value) ? null : value;
  } catch {
    return null;
  }
}

const headOf = ({ index, id, type, sentType }: Entry) => ({
  index,
  ...(id === undefined ? {} : { id }),
  type: sentType ?? type,
});

/** The result of an entry that was not called. */
export function skipped(entry: Entry): EntryResult {
  const { op, path } = entry.call;
  const name = entry.type === "exec" ? { op: echo(op) } : { path: echo(path) };
  return { ...headOf(entry), ...name, ok: false, skipped: true };
}

/** Makes the call of one entry. `results` are those of earlier entries, which it may refer to. */
export async function callEntry(batch: BatchCall, entry: Entry, results: readonly EntryResult[]): Promise<EntryResult> {
  const { services, principal, options } = batch;
  const find = finder(batch.entries, results);
  if (entry.errors.length > 0) return { ...headOf(entry), ...(await broken(batch, entry, find)) };
  if (entry.type === "help") return helped(batch, entry);
  if (sourcesOf(entry).some((name) => find(name)?.ok === false)) return skipped(entry);
  const references = (args: JsonValue) => resolveReferences(args, find);
  // The batch reports its own progress, entry by entry.
  const own = { ...options, progress: undefined, references };
  const { meta, ...envelope } = await services.dispatch.dispatch(entry.fields, principal, own);
  const warnings = [...entry.warnings, ...textWarnings(entry, batch), ...meta.warnings];
  return { ...headOf(entry), ...envelope, meta: { ...meta, warnings } };
}

/** Answers a help entry. The payload has a `type` of its own, which becomes `help_type`. */
async function helped({ services, principal, options }: BatchCall, entry: Entry): Promise<EntryResult> {
  const refused = await services.dispatch.admit(principal).catch(refusalOf);
  if (refused)
    return { ...headOf(entry), ok: false, help_type: "error", path: echo(entry.fields["path"]), error: refused };
  const answer = services.help.help(entry.fields, principal, options.session);
  const { type, ...payload } = answer;
  return { ...headOf(entry), ok: !isHelpFailure(answer), help_type: type, ...payload };
}

/** The error body of a refusal; any other error is rethrown. */
function refusalOf(error: unknown): ErrorBody {
  if (!isToolFailure(error)) throw error;
  const { code, message, details } = error;
  return errorBody({ code, message, details: { ...details }, help_path: "root" });
}

/** Finds an earlier result by id, or by index if no entry has that id. Only entries that were called can be referred to. */
function finder(entries: readonly Entry[], results: readonly EntryResult[]): FindSource {
  return (name) => {
    const named = entries.find(({ id }) => id === name)?.index ?? (/^\d+$/.test(name) ? Number(name) : -1);
    const result = results[named];
    return result && { ok: result.ok, answer: result as unknown as JsonObject };
  };
}

/** The answer to an invalid entry, with the corrected call that a single call would get. */
async function broken({ services, principal }: BatchCall, entry: Entry, find: FindSource): Promise<Envelope> {
  const { errors, fields, type } = entry;
  const references = (args: JsonValue) => resolveReferences(args, find);
  const corrected = type === "exec" ? await services.dispatch.correct(fields, principal, { references }) : undefined;
  const error = errorBody({
    code: "VALIDATION_ERROR",
    message: attention(errors),
    details: fieldErrorDetails(errors),
    help_path: "root",
    corrected_call: corrected,
  });
  const meta = { trace_id: (services.traceId ?? newTraceId)(), latency_ms: 0, warnings: [] };
  return { op: echo(fields["op"]), ok: false, error, meta };
}
