/** Converts the end of a guest, a result or an exception, to the outcome of a run. */

import { type Frame, Monty, MontyError } from "@pydantic/monty";
import type { Limits } from "../../config/run-settings.js";
import { textRepr } from "../python-text.js";
import type { Value } from "./engine.js";
import { failureOf, type Raised } from "./monty-faults.js";
import { MARK } from "./monty-prelude.js";
import { isTooLarge, toValue } from "./monty-values.js";
import { type End, type Failure, type Finished, megabytes, outOfTime, overLimit } from "./monty-wire.js";

/** The context for interpreting the end of a guest. */
interface Ending {
  readonly code: string;
  readonly limits: Limits;
  readonly isOp: (path: readonly string[]) => boolean;
  readonly linesBefore: number;
  /** CPU time up to now, in milliseconds. */
  readonly spent: number;
  readonly hosted?: Hosted;
}

/** An exception that was raised for the host, and its intended type. */
export interface Hosted {
  readonly raised: string;
  readonly message: string;
  readonly meant: string;
}

/** Tolerance: Monty measures slightly more than the driver, including the time between two slices. */
const CLOCK_TOLERANCE_MS = 100;

const OUTCOMES: ReadonlySet<unknown> = new Set(["value", "none", "novalue", "large"]);

/** Parses the value that the code returned: the tuple of `__ret`, or the one behind the code. */
export function finishedOf(output: unknown, limits: Limits): End {
  const tooLarge = overLimit(`result larger than ${megabytes(limits.resultBytes)}`);
  const [mark, outcome, raw, json, str, format, sanitize] = Array.isArray(output) ? output : [];
  // Code may return a tuple of the same form.
  if (mark !== MARK || !OUTCOMES.has(outcome)) return finishedOf([MARK, "value", output], limits);
  if (outcome === "large") return tooLarge;
  if ([json, str].some((text) => typeof text === "string" && Buffer.byteLength(text) > limits.resultBytes))
    return tooLarge;
  try {
    const bounds = () => ({ depth: limits.resultDepth, left: limits.resultBytes * 4, tooDeep: "cut" as const });
    const magic = (key: "format" | "sanitize", value: unknown): Partial<Record<typeof key, Value>> =>
      value === null || value === undefined ? {} : { [key]: toValue(value, bounds()) };
    return {
      ok: true,
      outcome: outcome as Finished["outcome"],
      value: toValue(raw, bounds()),
      ...(typeof json === "string" ? { json: withExactFloats(json) } : {}),
      ...(typeof str === "string" ? { str } : {}),
      ...magic("format", format),
      ...magic("sanitize", sanitize),
    };
  } catch (error) {
    if (isTooLarge(error)) return tooLarge;
    throw error;
  }
}

const LONG_FLOAT = /\d\.\d/;
/** A text or a float. No float begins inside of digits: a long whole number is read once. */
const TEXT_OR_FLOAT = /"(?:[^"\\]|\\.)*"|(?<!\d)-?\d+\.\d+(?![\d.eE])/g;

/**
 * Corrects floats: of two shortest texts that are equally near, Python and JavaScript print the even one, Monty does
 * not.
 */
const withExactFloats = (json: string): string =>
  LONG_FLOAT.test(json)
    ? json.replace(TEXT_OR_FLOAT, (one) => {
        if (one.startsWith('"') || one.length < 17) return one;
        const text = String(Number(one));
        return /^-?\d+\.\d+$/.test(text) ? text : one;
      })
    : json;

/** The failure for this exception. */
export function raisedFailure(error: unknown, ending: Ending): Failure {
  if (!(error instanceof MontyError))
    return { ok: false, kind: "runtime", pyType: "RuntimeError", message: "a value could not cross into the code" };
  const { typeName, message } = error.exception;
  const { limits, spent, hosted } = ending;
  if (
    typeName === "TimeoutError" &&
    message.startsWith("time limit exceeded: ") &&
    spent + CLOCK_TOLERANCE_MS >= limits.cpuMs
  )
    return { ...outOfTime(limits.cpuMs), ...placeOf(error, ending) };
  const isHosted = hosted?.raised === typeName && hosted.message === message;
  // `json.JSONDecodeError` includes its module.
  const pyType = isHosted ? hosted.meant : typeName.slice(typeName.lastIndexOf(".") + 1);
  const raised: Raised = {
    pyType,
    message: pyType === "KeyError" ? keyText(error, isHosted) : message,
    ...placeOf(error, ending),
  };
  return failureOf(raised, megabytes(limits.memoryBytes), ending.isOp);
}

type Place = Pick<Raised, "line" | "column">;

/**
 * Texts that Monty's KeyErrors contain for keys other than strings: Monty gives the bare key, so a string of this form
 * is mistaken for such a key, unless it came from the host.
 */
const BARE_KEY = /^(?:-?\d[\d.]*|\(.*\)|None|True|False|b?['"].*)$/s;

/** The repr of the key, which is the text of a KeyError; empty for one without a key. */
function keyText(error: MontyError, isHosted: boolean): string {
  const { message } = error.exception;
  if (isHosted) return textRepr(message);
  if (message === "") return tracebackOf(error).endsWith(":") ? textRepr("") : "";
  return BARE_KEY.test(message) ? message : textRepr(message);
}

/** The innermost frame in the guest's own lines. */
export function placeOf(error: MontyError, { code, linesBefore }: Pick<Ending, "code" | "linesBefore">): Place {
  if (error.exception.typeName === "SyntaxError") return syntaxPlace(error, code, linesBefore);
  const lines = code.split("\n").length;
  const frame = framesOf(error)
    .map((one) => ({ line: one.line - linesBefore, column: one.column }))
    .findLast(({ line }) => line >= 1 && line <= lines);
  return frame ?? {};
}

/** The place in the code alone, because the code behind it moves the place of an open bracket. */
function syntaxPlace(error: MontyError, code: string, linesBefore: number): Place {
  try {
    new Monty(code);
  } catch (alone) {
    const [frame] = alone instanceof MontyError ? framesOf(alone) : [];
    if (frame) return { line: frame.line, column: frame.column };
  }
  const [frame] = framesOf(error);
  const line = frame && Math.min(Math.max(1, frame.line - linesBefore), code.split("\n").length);
  return frame && line ? { line, column: frame.column } : {};
}

/**
 * The frames of an error. The wrapper shows those of runtime errors only; those of a syntax error are in the wrapped
 * object.
 */
function framesOf(error: MontyError): readonly Frame[] {
  return nativeOf(error)?.traceback?.() ?? [];
}

const tracebackOf = (error: MontyError): string => nativeOf(error)?.display?.("traceback").trimEnd() ?? "";

interface Native {
  traceback?(): readonly Frame[];
  display?(format: string): string;
}

const nativeOf = (error: MontyError): Native | undefined => (error as unknown as { readonly _native?: Native })._native;
