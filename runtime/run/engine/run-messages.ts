/** Parses and validates messages from the process of a run. The guest may forge any of them. */

import type { Limits } from "../../config/run-settings.js";
import { MAX_TIMER_MS } from "../../contract/guard.js";
import type { Data, EngineStats, FailureKind, RunOutcome } from "../languages/language.js";
import { countValues, fromPlain, fromWire, WireError } from "./wire.js";

/** A message from the process. */
export type ProcessMessage =
  | {
      readonly t: "call";
      readonly id: number;
      readonly path: readonly string[];
      readonly args: readonly Data[];
      readonly kwargs: readonly (readonly [string, Data])[];
      readonly omitted?: readonly string[];
      readonly line?: number;
      /** Approximate size in the host's memory. */
      readonly bytes: number;
    }
  | { readonly t: "print"; readonly text: string }
  | { readonly t: "timer"; readonly id: number; readonly ms: number }
  /** It has received everything, and waits. */
  | { readonly t: "waiting" }
  | { readonly t: "late"; readonly line?: number }
  /** The memory is used up, even if the code catches the exception. */
  | { readonly t: "spent" }
  | { readonly t: "dead"; readonly why: string }
  | { readonly t: "done"; readonly body: Fields };

type Fields = Readonly<Record<string, unknown>>;

const MAX_PATH_LENGTH = 16;
/** Most values in one message: more take too much of the host's memory and time, however short they are. */
const MAX_VALUES = 1_000_000;
const VALUE_BYTES = 50;
const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function lineOf({ line }: Fields): { readonly line?: number } {
  return isCount(line) && line > 0 ? { line } : {};
}

const omittedIn = ({ omitted }: Fields): { readonly omitted?: readonly string[] } =>
  Array.isArray(omitted) && omitted.every(isText) ? { omitted } : {};

function callOf(body: Fields, bytes: number): ProcessMessage {
  const { id, path, args, kwargs } = body;
  if (!isCount(id) || !Array.isArray(path) || !path.every(isText) || path.length === 0 || path.length > MAX_PATH_LENGTH)
    throw new WireError("no call");
  if (!Array.isArray(args) || !Array.isArray(kwargs)) throw new WireError("no arguments");
  const named = kwargs.map((pair): readonly [string, Data] => {
    if (!Array.isArray(pair) || !isText(pair[0])) throw new WireError("no argument");
    return [pair[0], fromWire(pair[1])];
  });
  return {
    t: "call",
    id,
    path,
    args: args.map((arg) => fromWire(arg)),
    kwargs: named,
    bytes,
    ...omittedIn(body),
    ...lineOf(body),
  };
}

/** Parses one frame; throws {@link WireError} or SyntaxError if it is invalid. */
export function parseFrame(frame: Buffer): ProcessMessage {
  const values = countValues(frame);
  if (values > MAX_VALUES) return { t: "dead", why: "arguments" };
  const body: unknown = JSON.parse(frame.toString("utf8"));
  if (typeof body !== "object" || body === null) throw new WireError("no message");
  const fields = body as Fields;
  const { t, id, ms, s, why } = fields;
  if (t === "call") return callOf(fields, frame.length + values * VALUE_BYTES);
  if (t === "print" && isText(s) && s !== "") return { t, text: s };
  if (t === "timer" && isCount(id) && isCount(ms)) return { t, id, ms: Math.min(ms, MAX_TIMER_MS) };
  if (t === "late") return { t, ...lineOf(fields) };
  if (t === "spent" || t === "waiting") return { t };
  if (t === "dead" && isText(why)) return { t, why };
  if (t === "done") return { t, body: fields };
  throw new WireError("no message");
}

/** Form of a class name: it may be any text in Python, and must fit on one line. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]{0,99}$/u;
const MAX_MESSAGE_LENGTH = 10_000;
const FAILURES: readonly unknown[] = ["syntax", "runtime", "timeout", "memory"] satisfies FailureKind[];

/** Why a run failed. */
export interface RunFailure {
  readonly kind: FailureKind;
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

function failureOf({ error, kind, message, column, ...rest }: Fields, limits: Limits): RunFailure {
  const place = { ...lineOf(rest), ...(isCount(column) ? { column } : {}) };
  if (kind === "timeout") return { ...cpuUsed(limits), ...place };
  if (kind === "memory") return { ...memoryUsed(limits), ...place };
  if (!isText(error) || !isText(message) || !FAILURES.includes(kind)) throw new WireError("no failure");
  const name = NAME.test(error) ? error : "Exception";
  return { kind: kind as FailureKind, name, message: message.slice(0, MAX_MESSAGE_LENGTH), ...place };
}

/** The outcome of a run, from its last message. */
export function runOutcome(body: Fields, limits: Limits, stats: EngineStats): RunOutcome {
  const failed = (failure: RunFailure): RunOutcome => ({ ok: false, ...failure, stats });
  const { json, outcome, str, timers } = body;
  if (body["large"] === true) return failed(tooLarge(limits));
  if ("error" in body) return failed(failureOf(body, limits));
  if (!isText(json) || (outcome !== "value" && outcome !== "none" && outcome !== "novalue"))
    throw new WireError("no outcome");
  const text = isText(str) ? { str } : {};
  if (Math.max(Buffer.byteLength(json), Buffer.byteLength(text.str ?? "")) > limits.resultBytes)
    return failed(tooLarge(limits));
  const sent = "value" in body ? fromWire(body["value"]) : undefined;
  const magic = (name: string) => (name in body ? { [name]: fromWire(body[name]) } : {});
  return {
    ok: true,
    outcome,
    // Parsed on demand: the reply uses the text, and a large value would be parsed for nothing.
    get value() {
      return sent === undefined ? valueOfText(json) : sent;
    },
    ...{ json, ...text, ...magic("format"), ...magic("sanitize"), ...(isCount(timers) ? { timers } : {}), stats },
  };
}

function valueOfText(json: string): Data {
  try {
    return fromPlain(JSON.parse(json));
  } catch {
    return json;
  }
}

const MB = 1024 * 1024;
function amount(bytes: number): string {
  const unit = bytes % MB === 0 || bytes % 1_000_000 !== 0 ? MB : 1_000_000;
  return bytes < unit ? `${bytes} bytes` : `${Number((bytes / unit).toFixed(1))} MB`;
}
const span = (ms: number) => (ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`);

/** Failures of limits. */
export const cpuUsed = ({ cpuMs }: Limits): RunFailure => ({
  kind: "timeout",
  name: "TimeoutError",
  message: `the code used its ${span(cpuMs)} of CPU time`,
});
/** The run took too long, including its tool calls. */
export const wallUsed = ({ wallMs }: Limits): RunFailure => ({
  kind: "timeout",
  name: "TimeoutError",
  message: `the run took longer than ${span(wallMs)}`,
});
/** No process was free in time. Nothing has run, so the same code may be sent again. */
export const noProcess = ({ wallMs }: Limits, process: string): RunFailure => ({
  kind: "crashed",
  name: "TimeoutError",
  message: `the run took longer than ${span(wallMs)} (limits.wall_ms) while it waited for ${process}`,
});
/** The interpreter may not grow further. */
export const memoryUsed = ({ memoryBytes }: Limits): RunFailure => ({
  kind: "memory",
  name: "MemoryError",
  message: `the code needs more than ${amount(memoryBytes)}`,
});
const output = (message: string): RunFailure => ({ kind: "output", name: "OutputError", message });
/** The run printed too much. */
export const printedTooMuch = ({ printBytes }: Limits): RunFailure => output(`printed more than ${amount(printBytes)}`);
const tooLarge = ({ resultBytes }: Limits): RunFailure => output(`result larger than ${amount(resultBytes)}`);
/** The run called too many tools. */
export const calledTooOften = ({ hostCalls }: Limits): RunFailure =>
  output(`more than ${hostCalls} tool calls in one run`);
/** The arguments take too much of the host's memory. */
export const ARGUMENTS_TOO_LARGE: RunFailure = output("the arguments of tool calls are too large");
/** The caller disconnected. */
export const CANCELLED: RunFailure = {
  kind: "cancelled",
  name: "CancelledError",
  message: "the client cancelled the run",
};
/** The process ended by itself, or sent an invalid message. */
export const CRASHED: RunFailure = { kind: "crashed", name: "EngineError", message: "the interpreter stopped" };
