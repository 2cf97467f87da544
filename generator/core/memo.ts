/**
 * Results of steps that depend on one text only, such as the validator of a schema or the tokens of a text. Each is made
 * once in a build, and `generate` keeps those of its last build, so that the next one makes what changed.
 */

import { digestText } from "../../runtime/contract/canonical.js";

/** A step whose results are kept. */
export type Step = "fault" | "issues" | "tokens" | "type" | "validator";

/** The results of a build. */
export interface Memo {
  /** The result of a step for an input; undefined if it is not known. */
  find<T>(step: Step, input: string): T | undefined;
  /** Keeps a result, which must be JSON, and returns it. */
  keep<T>(step: Step, input: string, result: T): T;
  /** The results that this build has used, by step and digest of the input. */
  used(): readonly (readonly [key: string, result: unknown])[];
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
  const results = new Map<Step, Map<string, unknown>>();
  const of = (step: Step): Map<string, unknown> => {
    const known = results.get(step) ?? new Map<string, unknown>();
    results.set(step, known);
    return known;
  };
  const keep = <T>(step: Step, input: string, result: T): T => {
    of(step).set(input, result);
    return result;
  };
  return {
    keep,
    find<T>(step: Step, input: string): T | undefined {
      const known = of(step).get(input);
      // Digests take time, and most builds have no earlier results.
      if (known !== undefined || earlier.size === 0) return known as T | undefined;
      const result = earlier.get(keyOf(step, input));
      return result === undefined ? undefined : keep(step, input, result as T);
    },
    used: () =>
      [...results].flatMap(([step, known]) =>
        [...known].map(([input, result]) => [keyOf(step, input), result] as const),
      ),
  };
}

const keyOf = (step: Step, input: string): string => `${step} ${digestText(input)}`;
