/** One entry of a batch: what it asks for, and its answer. */

import { received } from "../arguments/received.js";
import { checkFields, type FieldRules, notAnObject, oneOf } from "../arguments/request.js";
import { objectOf } from "../contract/exact-number.js";
import { type FieldError, isToolFailure, type Principal } from "../contract/handler.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { type CallHooks, newTraceId } from "../dispatch/job.js";
import { findOp } from "../dispatch/resolve.js";
import type { Dispatch } from "../dispatch.js";
import { attention, type Envelope, type ErrorBody, echo, errorBody, fieldErrorDetails } from "../envelope.js";
import { type Help, isHelpFailure } from "../help.js";
import { isObject, isTooDeep, own } from "../json.js";
import type { RegistryView } from "../registry.js";
import { type FindSource, referencedSources, resolveReferences } from "./references.js";

/** What a batch runs its entries with. */
export interface BatchKit {
  readonly dispatch: Dispatch;
  readonly help: Help;
  readonly clock: () => number;
  /** Entries that run at once in parallel mode. */
  readonly parallelCalls: number;
  readonly traceId?: () => string;
}

/** An entry as it was sent, sorted out. */
export interface Entry {
  readonly index: number;
  readonly id: string | undefined;
  readonly type: "help" | "exec";
  /** The fields of that tool: the entry without `id` and `type`. */
  readonly fields: JsonObject;
  readonly errors: readonly FieldError[];
}

/** Which entry an answer belongs to, before the answer itself. */
export interface EntryResult extends JsonFields {
  readonly index: number;
  readonly id?: string;
  readonly type: "help" | "exec";
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

/** Sorts out one entry. Nothing is thrown: what is wrong with it is in `errors`. */
export function readEntry(value: JsonValue, index: number): Entry {
  if (!isObject(value))
    return { index, id: undefined, type: "exec", fields: {}, errors: [notAnObject(value, `ops[${index}]`)] };
  const own = Object.entries(value);
  const fields = objectOf(own.filter(([name]) => !FIELDS.has(name)));
  const errors = checkFields(objectOf(own.filter(([name]) => FIELDS.has(name))), FIELDS, `ops[${index}].`);
  const { id, type } = value;
  const names = ["op", "path"].filter((name) => Object.hasOwn(value, name));
  const implied = names.length === 1 ? (names[0] === "path" ? "help" : "exec") : undefined;
  const known = type === "help" || type === "exec" ? type : implied;
  return {
    index,
    id: typeof id === "string" && ID.test(id) ? id : undefined,
    type: known ?? "exec",
    fields,
    errors: known || errors.length > 0 ? errors : [noType(value, index)],
  };
}

const noType = (value: JsonObject, index: number): FieldError => ({
  path: `ops[${index}].type`,
  keyword: "required",
  message: `ops[${index}] does not say what it is`,
  expected: 'help or exec; without it, exactly one of "op" and "path"',
  received: received(value),
});

/** Entries that cannot run beside others, named; an unknown op fails by itself and changes nothing. */
export function unfitForParallel(entries: readonly Entry[], view: RegistryView): readonly FieldError[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "exec" || entry.errors.length > 0) return [];
    const path = `ops[${entry.index}]`;
    const { op } = entry.fields;
    const base = { path, keyword: "parallel", expected: "reads without references", received: echo(op) };
    const tool = typeof op === "string" ? findOp(view, op)?.tool : undefined;
    if (tool?.kind === "write") return [{ ...base, message: `${path} is a write` }];
    return sourcesOf(entry).length > 0 ? [{ ...base, message: `${path} refers to another entry` }] : [];
  });
}

/** References inside `args`, in a JSON text too, since exec accepts one. */
function sourcesOf({ fields }: Entry): readonly string[] {
  const args = own(fields, "args");
  if (typeof args !== "string") return isTooDeep(args) ? [] : referencedSources(args);
  return args.includes('"$ref"') ? referencedSources(parsed(args)) : [];
}

function parsed(text: string): JsonValue {
  try {
    const value = readJson(text) as JsonValue;
    return isTooDeep(value) ? null : value;
  } catch {
    return null;
  }
}

const headOf = ({ index, id, type }: Entry) => ({ index, ...(id === undefined ? {} : { id }), type });

/** The result of an entry that did not run. */
export function skipped(entry: Entry): EntryResult {
  const { op, path } = entry.fields;
  const name = entry.type === "exec" ? { op: echo(op) } : { path: echo(path) };
  return { ...headOf(entry), ...name, ok: false, skipped: true };
}

/** Runs one entry. `results` are those of the entries before it, which it may refer to. */
export async function runEntry(
  kit: BatchKit,
  entry: Entry,
  entries: readonly Entry[],
  results: readonly EntryResult[],
  principal: Principal,
  hooks: CallHooks,
): Promise<EntryResult> {
  const find = finder(entries, results);
  if (entry.errors.length > 0) return { ...headOf(entry), ...(await broken(kit, entry, principal, find)) };
  if (entry.type === "help") return helped(kit, entry, principal, hooks);
  if (sourcesOf(entry).some((name) => find(name)?.ok === false)) return skipped(entry);
  const references = (args: JsonValue) => resolveReferences(args, find);
  // The batch reports its own progress, entry by entry.
  const { progress: _, ...rest } = hooks;
  const envelope = await kit.dispatch.dispatch(entry.fields, principal, { ...rest, references });
  return { ...headOf(entry), ...envelope };
}

/** The payload says what it is in `type`, which the entry needs for itself; here it is `help_type`. */
async function helped(kit: BatchKit, entry: Entry, principal: Principal, { session }: CallHooks): Promise<EntryResult> {
  const refused = await kit.dispatch.admit(principal).catch(refusalOf);
  if (refused)
    return { ...headOf(entry), ok: false, help_type: "error", path: echo(entry.fields["path"]), error: refused };
  const answer = kit.help.help(entry.fields, principal, session);
  const { type, ...payload } = answer;
  return { ...headOf(entry), ok: !isHelpFailure(answer), help_type: type, ...payload };
}

/** The body of a refusal; any other fault passes. */
function refusalOf(error: unknown): ErrorBody {
  if (!isToolFailure(error)) throw error;
  const { code, message, details } = error;
  return errorBody({ code, message, details: { ...details }, help_path: "root" });
}

/** By id first; an index where no entry is so called. Only what has run can be referred to. */
function finder(entries: readonly Entry[], results: readonly EntryResult[]): FindSource {
  return (name) => {
    const named = entries.find(({ id }) => id === name)?.index ?? (/^\d+$/.test(name) ? Number(name) : -1);
    const result = results[named];
    return result && { ok: result.ok, answer: result as unknown as JsonObject };
  };
}

/** An entry that names an op gets the call to copy, as that call would get it alone. */
async function broken(kit: BatchKit, entry: Entry, principal: Principal, find: FindSource): Promise<Envelope> {
  const { errors, fields, type } = entry;
  const references = (args: JsonValue) => resolveReferences(args, find);
  const corrected = type === "exec" ? await kit.dispatch.correct(fields, principal, { references }) : undefined;
  const error = errorBody({
    code: "VALIDATION_ERROR",
    message: attention(errors),
    details: fieldErrorDetails(errors),
    help_path: "root",
    corrected_call: corrected,
  });
  const meta = { trace_id: (kit.traceId ?? newTraceId)(), latency_ms: 0, warnings: [] };
  return { op: echo(fields["op"]), ok: false, error, meta };
}
