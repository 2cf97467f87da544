/**
 * Results of steps that depend on one text only, such as the validator of a schema or the tokens of a text. Each is made
 * once in a build, and `generate` keeps those of its last build, so that the next one makes what changed.
 */

import { digestText } from "../../runtime/contract/canonical.js";

/** A step whose results are kept. */
export type MemoStep = "fault" | "issues" | "tokens" | "type" | "validator";

/**
 * The input of a step that depends on a value: its JSON, or, where JSON does not hold the value, as for 1e400, a text that
 * says so. No two values share a text.
 */
export function stepInput(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON has null for what it does not hold.
  if (!/(?:^|[:,[])null/.test(text)) return text;
  let isHeld = true;
  const marked = JSON.stringify(value, function (this: unknown, _key, one: unknown) {
    if (typeof one === "string") return one.startsWith(MARK) ? `${MARK}"${one}` : one;
    const isOdd = one === undefined ? Array.isArray(this) : typeof one === "number" && !Number.isFinite(one);
    if (!isOdd) return one;
    isHeld = false;
    return `${MARK}${one}`;
  });
  return isHeld ? text : `${MARK}${marked}`;
}

/** Begins what JSON does not hold. A text of JSON has this character only in its escaped form. */
const MARK = "\u0000";

/** Whether a result that an earlier build has kept is one of its step. */
const isResult: Readonly<Record<MemoStep, (result: unknown) => boolean>> = {
  fault: Array.isArray,
  issues: Array.isArray,
  tokens: Number.isInteger,
  type: (result) => typeof result === "string",
  validator: (result) => typeof result === "string",
};

/** The results of a build. */
export interface Memo {
  /** The result of a step for an input; undefined if it is not known. */
  find<T>(step: MemoStep, input: string): T | undefined;
  /** Keeps a result, and returns it. */
  keep<T>(step: MemoStep, input: string, result: T): T;
  /** The results that this build has used and JSON holds, by step and digest of the input. */
  used(): readonly (readonly [key: string, result: unknown])[];
  /** Whether this build has used a result of an earlier one. */
  reused(): boolean;
}

/**
 * Begins without results, or with those of an earlier build.
 *
 * @param earlier by step and digest of the input
 * @example
 * const memo = createMemo();
 * const tokens = memo.find<number>("tokens", text) ?? memo.keep("tokens", text, count(text));
 */
export function createMemo(earlier: ReadonlyMap<string, unknown> = new Map()): Memo {
  const results = new Map<MemoStep, Map<string, unknown>>();
  const of = (step: MemoStep): Map<string, unknown> => {
    const known = results.get(step) ?? new Map<string, unknown>();
    results.set(step, known);
    return known;
  };
  let isReused = false;
  const keep = <T>(step: MemoStep, input: string, result: T): T => {
    of(step).set(input, result);
    return result;
  };
  return {
    keep,
    find<T>(step: MemoStep, input: string): T | undefined {
      const known = of(step).get(input);
      // Digests take time, and most builds have no earlier results.
      if (known !== undefined || earlier.size === 0) return known as T | undefined;
      const result = earlier.get(keyOf(step, input));
      if (!isResult[step](result)) return undefined;
      isReused = true;
      return keep(step, input, result as T);
    },
    reused: () => isReused,
    used: () =>
      [...results].flatMap(([step, known]) =>
        [...known].flatMap(([input, result]) => (input.includes(MARK) ? [] : [[keyOf(step, input), result] as const])),
      ),
  };
}

const keyOf = (step: MemoStep, input: string): string => `${step} ${digestText(input)}`;
