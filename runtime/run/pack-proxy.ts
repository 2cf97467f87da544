/** Exposes the ops of one caller to a program as packs: resolves calls, and executes them through dispatch. */

import { admits, propertiesOf } from "../call/arguments/schema.js";
import type { CallOptions, CallRecord, Dispatch } from "../call/call.js";
import { mayMean } from "../call/corrections/argument-names.js";
import { effectField } from "../call/corrections/effect.js";
import { isWithheld } from "../call/corrections/read-call.js";
import { meantOp } from "../catalog/op-words.js";
import type { RegistryView } from "../catalog/registry.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { isWaiting } from "../contract/envelope.js";
import type { CorrectedCall, Envelope, ErrorBody } from "../contract/error-body.js";
import type { Principal } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { placeholderName } from "../contract/placeholder.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { outcomeOfFailure, WITHOUT_EFFECT } from "../contract/write-outcome.js";
import { argumentsAsJson, bindArguments, parameterFor, renamedArguments } from "./call-arguments.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";
import { failureAsError, HostError } from "./engine/engine.js";
import { callDigest } from "./engine/journal.js";
import { jsonOfValue, valueOfJson } from "./json-values.js";
import type { AfterCalls } from "./kept/after-calls.js";
import { callPlace } from "./kept/places.js";
import type {
  ArgumentFault,
  BoundArguments,
  Data,
  HostCall,
  LanguageTexts,
  Namespace,
  PackTree,
} from "./languages/language.js";
import { newRunNotes, type RunNotes } from "./notes.js";
import { progressOf } from "./run-progress.js";

/** Dependencies of a proxy. */
export interface ProxyParts {
  readonly dispatch: Pick<Dispatch, "dispatch" | "index"> & Partial<Pick<Dispatch, "correct">>;
  readonly principal: Principal;
  /** The wording of failures. */
  readonly texts: LanguageTexts;
  readonly packs: PackTree;
  /** Paths of ops that can be called but are never listed. */
  readonly hidden: ReadonlySet<string>;
  readonly projects: ReadonlyMap<string, string>;
  /** Names with several possible ops. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Limits concurrent calls. */
  readonly gate: ConcurrencyLimit;
  /** Record of the calls; absent: recorded in the proxy only. */
  readonly record?: CallRecord;
  /** Beginning of the idempotency keys of the calls, which end in their ordinals; absent: calls have no keys. */
  readonly keyPrefix?: string | undefined;
  /** The calls of the failed run that the program corrects. */
  readonly earlier?: Pick<AfterCalls, "read"> | undefined;
  /** Options that the calls inherit from the call whose code makes them. */
  readonly options: CallOptions;
  /** Time limit of an op, in milliseconds. */
  limitMs(op: string): number;
}

/** The namespace of one run, and its calls. */
export interface PackProxy {
  readonly namespace: Namespace;
  /** Ops that ran, are running or may have had an effect, with their counts, in the order of their first call. */
  readonly calls: ReadonlyMap<string, number>;
  readonly record: Readonly<CallRecord>;
  readonly notes: RunNotes;
  /** The last op called. */
  last(): string | undefined;
  /** The lines that an error text adds to an exception with this message. */
  hintsOf(message: string): readonly string[];
  /** The op that a path without an op probably means. */
  meantOp(path: string): string | undefined;
}

/** A record without calls. */
export const newRecord = (): CallRecord => ({
  counts: new Map(),
  underWay: new Map(),
  called: new Set(),
  foreign: new Set(),
});

/** Makes the namespace of one run. */
export function createPackProxy(parts: ProxyParts): PackProxy {
  const { dispatch, principal, packs, hidden, projects } = parts;
  const view = dispatch.index.view(principal.grant);
  const { record = newRecord() } = parts;
  const { count, uncount, ended } = countingIn(record);
  const hints = new Map<string, readonly string[]>();
  let last: string | undefined;
  const keyOf = keysOf(parts);
  const shared = sharedOptions(parts.options, record);
  const { progress } = parts.options;
  const notes = newRunNotes();
  const call = async (host: HostCall): Promise<Data> => {
    const key = keyOf(host);
    const tool = view.exact(host.path.join("."));
    if (!tool) throw failureAsError(parts.texts.unknownPath(host.path, parts, parts.ambiguous));
    const bound = await boundOf(tool, host, parts, hints);
    const args = sentArguments(tool, bound, parts);
    count(key, tool.op);
    last = tool.op;
    const told = progress && progressOf(tool.op, progress);
    const note = notes.begins(tool, args);
    const options = { ...shared, signal: host.signal, key: key.key, progress: told };
    const made = (own: CallOptions) => dispatch.dispatch({ op: tool.op, args }, principal, own);
    const envelope = earlierRead(tool, host, parts) ?? (await passed(parts, tool, options, made));
    if (isWithoutEffect(tool, envelope) || isWaiting(envelope)) uncount(key, tool.op);
    // A call that was given up is made again when the run goes on.
    if (!host.signal.aborted) ended(key);
    if (!envelope.ok) throw await raisedFor(envelope.error, { tool, bound, host }, parts, hints);
    record.called.add(tool.op);
    const omitted = (host.omitted ?? []).map((name) => `${name} was undefined, and was left out`);
    note(envelope.result, [...renamedArguments(bound), ...omitted, ...envelope.meta.warnings]);
    return valueOfJson(envelope.result);
  };
  return {
    namespace: { packs, hidden, projects, call },
    calls: record.counts,
    record,
    notes,
    last: () => last,
    hintsOf: (text) => hints.get(text) ?? [],
    meantOp: (path) => wholeOp(view, path),
  };
}

/** Whether a call has failed and did nothing. A read that came as far as its handler counts as made. */
function isWithoutEffect({ kind }: Tool, envelope: Envelope): boolean {
  if (envelope.ok) return false;
  const { code, details } = envelope.error;
  return kind === "read" ? WITHOUT_EFFECT.has(code) : outcomeOfFailure(code, details["outcome"]) === "none";
}

/** The answer to a read of the failed run that the program corrects; undefined if the read is made now. */
function earlierRead({ kind, op }: Tool, host: HostCall, { earlier }: ProxyParts): Envelope | undefined {
  const known = kind === "read" ? earlier?.read(op, callDigest(host)) : undefined;
  if (known === undefined) return undefined;
  return { op, ok: true, result: jsonOf(known) ?? null, meta: { trace_id: "", latency_ms: 0, warnings: [] } };
}

/** The op that a path means, if the path says nothing else. */
function wholeOp(view: RegistryView, path: string): string | undefined {
  const meant = meantOp(view, path);
  const isWhole = meant && Object.keys(meant.args).length === 0 && view.isListed(meant.tool.op);
  return isWhole ? meant.tool.op : undefined;
}

/** The failure of a call as the program is told; stores the call that was probably meant as its hint. */
async function raisedFor(
  error: ErrorBody,
  { tool, bound, host }: { readonly tool: Tool; readonly bound: BoundArguments; readonly host: HostCall },
  parts: ProxyParts,
  hints: Map<string, readonly string[]>,
): Promise<HostError> {
  const raised = failureAsError(parts.texts.failed({ tool, bound, error, limitMs: parts.limitMs(tool.op) }));
  const wrapped = onlyObject(tool, host);
  const corrected = wrapped ? await correctedCall(tool, wrapped, parts) : error.corrected_call;
  const hint = hintOf(tool, corrected, parts) ?? nextOf(error) ?? (isForLater(error) ? LATER : undefined);
  if (hint !== undefined) hints.set(raised.message, [hint]);
  return raised;
}

/** The options of all calls; a call has its own signal, key and progress. */
const sharedOptions = (options: CallOptions, record: CallRecord): CallOptions => {
  const own = { signal: undefined, key: undefined, parked: undefined, progress: undefined };
  return { ...options, ...own, record, isProgram: true };
};

/** Makes a call when the limit has room for it. While it waits for an approval, other calls have its room. */
async function passed(
  { gate }: ProxyParts,
  { kind }: Tool,
  options: CallOptions & Pick<HostCall, "signal">,
  make: (options: CallOptions) => Promise<Envelope>,
): Promise<Envelope> {
  const { signal } = options;
  const end = options.key === undefined ? undefined : options.run?.begin(options.key);
  // A read waits for no approval.
  if (kind === "read") return gate.pass(() => make(options), signal).finally(end);
  let parked = (): void => undefined;
  const leaves = new Promise<void>((resolve) => {
    parked = resolve;
  });
  let made: Promise<Envelope> | undefined;
  const work = (): Promise<Envelope | void> => {
    made = make({ ...options, parked });
    return Promise.race([made, leaves]);
  };
  try {
    return (await gate.pass(work, signal)) ?? (await (made as Promise<Envelope> | undefined)) ?? never();
  } finally {
    end?.();
  }
}

const never = (): never => {
  throw new Error("a call that was made has no answer");
};

/** Makes the keys of calls, each as soon as the call is made: calls without a journal are counted here. */
function keysOf({ keyPrefix }: ProxyParts): (host: HostCall) => { readonly key?: string } {
  let made = 0;
  return ({ ordinal = ++made }) => (keyPrefix === undefined ? {} : { key: `${keyPrefix}${ordinal}` });
}

/** What to do, where the call itself is not to be corrected. */
const nextOf = ({ details: { next } }: ErrorBody): string | undefined =>
  typeof next === "string" ? `Next: ${next}` : undefined;

/** What to do where a service failed, and the code is right. */
export const LATER = "Next: send the code again later; nothing in it is to be corrected.";

const SERVICE_CODES: ReadonlySet<string> = new Set(["UNAVAILABLE", "TIMEOUT", "RATE_LIMITED"]);
/** Whether a service failed in a way that may pass without a change of the project and without a sign-in. */
const isForLater = ({ code, details, message }: ErrorBody): boolean =>
  SERVICE_CODES.has(code) &&
  !("file" in details || "secret" in details || message.includes("To do: ") || message.includes("is not configured")) &&
  !/^[a-z_]+$/.test(String(details["reason"] ?? ""));

/** Binds the arguments; stores the call that was probably meant, or the valid names, as the hint of a failure about them. */
async function boundOf(tool: Tool, host: HostCall, parts: ProxyParts, hints: Map<string, readonly string[]>) {
  const bound = bindArguments(tool, host);
  if (!("kind" in bound)) return bound;
  const failure = parts.texts.argumentFault(tool, bound);
  const given = onlyObject(tool, host) ?? givenArguments(tool, host);
  const corrected = given && (await correctedCall(tool, given, parts));
  const hint = hintOf(tool, corrected, parts) ?? namesHint(tool, host, bound);
  if (hint !== undefined) hints.set(failure.message, [hint]);
  throw failureAsError(failure);
}

/** The arguments as JSON, where JSON can hold them. */
function sentArguments(tool: Tool, bound: BoundArguments, { texts }: ProxyParts): JsonObject {
  try {
    return argumentsAsJson(bound);
  } catch (error) {
    throw error instanceof HostError ? failureAsError(texts.unsendable(tool, error.failure)) : error;
  }
}

/** The valid names, for a failure about another one. */
function namesHint(tool: Tool, { positional, named }: HostCall, fault: ArgumentFault): string | undefined {
  if (fault.kind !== "unexpected") return undefined;
  const isFlag = ([name, value]: readonly [string, Data]): boolean =>
    effectField(name) !== undefined || (tool.kind === "write" && isWithheld(name, jsonOf(value) ?? null));
  const hasEffect = fault.meant === undefined && named.some(isFlag);
  if (hasEffect) return NO_EFFECT;
  const names = tool.parameters.map(({ name }) => name);
  const absent = tool.parameters
    .slice(positional.length)
    .filter(({ name }) => named.every(([given]) => given !== name));
  if (absent.length === 0) return "Next: leave it out";
  const needed = absent.filter(({ required }) => required).map(({ name }) => name);
  // The id of another thing is not the value of what is missing.
  const isOther = needed.length > 0 && absent.every(({ name }) => !mayMean(fault.key, name, tool));
  return `Next: ${isOther ? `leave out ${fault.key} and give ${needed.join(", ")}` : `use ${names.join(", ")}`}`;
}

/** The call that `tool_exec` would offer for these arguments. It is not carried out. */
const correctedCall = async ({ op }: Tool, args: JsonObject, { dispatch, principal }: ProxyParts) =>
  dispatch.correct?.({ op, args }, principal);

/** The only argument of a call if it is an object and the first parameter takes none: the arguments themselves. */
function onlyObject(
  { parameters, parameters_schema: schema }: Tool,
  { positional, named }: HostCall,
): JsonObject | undefined {
  const [first] = parameters;
  const property = first && propertiesOf(schema).get(first.original);
  const value = positional.length === 1 && named.length === 0 ? jsonOf(positional[0]) : undefined;
  return isObject(value) && !(property && admits(property, value, schema)) ? value : undefined;
}

/** The arguments by the names that the call gives them; undefined if one has two values, or one that JSON cannot hold. */
function givenArguments(
  { parameters, parameters_schema: schema }: Tool,
  { positional, named }: HostCall,
): JsonObject | undefined {
  const { accepts } = acceptedNames(schema);
  const all = [
    ...positional.map((value, at) => [parameters[at]?.original, value] as const),
    ...named.map(([name, value]) => [parameterFor(parameters, name, accepts)?.original ?? name, value] as const),
  ];
  const entries = all.flatMap(([name, value]) => {
    const json = jsonOf(value);
    return name === undefined || json === undefined ? [] : [[name, json] as const];
  });
  const isWhole = entries.length === all.length && new Set(entries.map(([name]) => name)).size === all.length;
  return isWhole ? Object.fromEntries(entries) : undefined;
}

function jsonOf(value: Data | undefined): JsonValue | undefined {
  try {
    return value === undefined ? undefined : jsonOfValue(value, "argument");
  } catch {
    return undefined;
  }
}

/** What a program cannot say of a call: without it, the call would do more than it is meant to. */
const NO_EFFECT = "Next: call tool_exec, which takes dry_run and idempotency_key; calls in a program have neither";

/** Longest call that a message shows, in characters. */
const MAX_CALL_LENGTH = 500;

/** The line for the call that was probably meant: the call as code, or where to make it if it has an effect that code cannot state. */
function hintOf(tool: Tool, corrected: CorrectedCall | undefined, { texts }: ProxyParts): string | undefined {
  if (corrected?.op === tool.op && (corrected.dry_run ?? corrected.idempotency_key) !== undefined) return NO_EFFECT;
  const meant = meantCall(tool, corrected, texts);
  return meant === undefined ? undefined : `Did you mean: ${meant}`;
}

/** The call that was probably meant, as code; undefined if a part of it must be filled in. */
function meantCall(tool: Tool, corrected: CorrectedCall | undefined, texts: LanguageTexts): string | undefined {
  if (!corrected || corrected.op !== tool.op || holdsPlaceholder(corrected.args)) return undefined;
  const { accepts } = acceptedNames(tool.parameters_schema);
  const named = Object.entries(corrected.args).map(([original, value]) => {
    const name = tool.parameters.find((one) => one.original === original)?.name;
    return [name ?? (accepts(original) ? original : undefined), value] as const;
  });
  if (named.some(([name]) => name === undefined)) return undefined;
  const text = texts.call(tool.op, Object.fromEntries(named));
  return text.length > MAX_CALL_LENGTH ? undefined : text;
}

const holdsPlaceholder = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some((one) => holdsPlaceholder(one as JsonValue))
    : placeholderName(value) !== undefined;

/** The key of a call, if it has one. */
interface Keyed {
  readonly key?: string;
}

/** The call of the program to which a call belongs, and whether it is that call. */
function ordinalOf({ key }: Keyed): { readonly ordinal: string; readonly isOwn: boolean } | undefined {
  const [ordinal, ...parts] = key === undefined ? [] : callPlace({ key }).split(".");
  return ordinal === undefined ? undefined : { ordinal, isOwn: parts.length === 0 };
}

/** Counts calls in a record. */
function countingIn({ counts, underWay }: CallRecord) {
  return {
    count(key: Keyed, op: string): void {
      counts.set(op, (counts.get(op) ?? 0) + 1);
      const of = ordinalOf(key);
      if (of) underWay.set(of.ordinal, [...(underWay.get(of.ordinal) ?? []), op]);
    },
    uncount(key: Keyed, op: string): void {
      withoutCount(counts, op);
      const of = ordinalOf(key);
      const ops = of && underWay.get(of.ordinal);
      if (of && ops) underWay.set(of.ordinal, ops.toSpliced(ops.indexOf(op), 1));
    },
    ended(key: Keyed): void {
      const of = ordinalOf(key);
      if (of?.isOwn) underWay.delete(of.ordinal);
    },
  };
}

/** The counts without calls that are under way. */
export function countsOfEnded({ counts, underWay }: CallRecord): ReadonlyMap<string, number> {
  const left = new Map(counts);
  for (const ops of underWay.values()) for (const op of ops) withoutCount(left, op);
  return left;
}

function withoutCount(counts: CallRecord["counts"], op: string): void {
  const count = (counts.get(op) ?? 1) - 1;
  if (count > 0) counts.set(op, count);
  else counts.delete(op);
}
