/**
 * Generated expressions and programs on the default engine against the machine's own Python: values, printed output and
 * types of exceptions are the same. `SCALE=1` takes 20,000 expressions and 500 programs, `SEED` others.
 */

import { describe, expect, test } from "vitest";
import { defaultReplies, type Reply } from "../../support/default-engine.js";
import { oneLiners } from "../../support/python-one-liners.js";
import { programs } from "../../support/python-programs.js";
import { randomOf, runs } from "../../support/random.js";
import { type Expected, expectations } from "../../support/run-corpus.js";

/** Where a reply differs from the machine's Python for a reason; `docs/python.md` lists those that hold for any Python. */
const REASONS: readonly (readonly [reason: string, isSo: (expected: Expected) => boolean])[] = [
  [
    "a whole number of more than 4300 digits is a result, if not a text",
    ({ failed }) => failed?.message.startsWith("Exceeds the limit (4300") === true,
  ],
  [
    "the machine's Python took too long, or too much memory",
    ({ failed }) => failed?.type === "TimeoutError" || failed?.type === "MemoryError",
  ],
  ["the depth at which recursion ends is a limit of its own", ({ failed }) => failed?.type === "RecursionError"],
];

/** Whether a reply is Python's: of an exception its type, since words change between versions. */
function isSame({ text }: Reply, { text: value, printed, failed }: Expected): boolean {
  if (!failed) return text === value;
  const before = printed === "" ? "" : `${printed}\n`;
  return text.startsWith(`${before}${failed.type}:`) || text === `${before}${failed.type}`;
}

interface Difference {
  readonly code: string;
  readonly ours: string;
  readonly theirs: unknown;
}

/** What differs, and a line on how many pieces of code went to which engine. */
async function compared(
  codes: readonly string[],
): Promise<{ readonly differ: readonly Difference[]; readonly monty: number }> {
  const replies = await defaultReplies(codes);
  const expected = expectations(codes);
  const differ = replies.flatMap((reply, i): readonly Difference[] => {
    const theirs = expected[i] as Expected;
    if (reply.by !== "monty" || isSame(reply, theirs) || REASONS.some(([, isSo]) => isSo(theirs))) return [];
    return [{ code: codes[i] ?? "", ours: reply.text, theirs: theirs.failed ?? theirs.text }];
  });
  const by = (engine: Reply["by"]): number => replies.filter((one) => one.by === engine).length;
  const later = replies.filter(({ feature }) => feature?.startsWith("after ")).length;
  process.stdout.write(
    `${codes.length} pieces of code: ${by("monty")} answered by Monty, ${by("cpython") - later} left to CPython, ${later} run again there, ${by("limit")} over a limit; ${differ.length} differ\n`,
  );
  return { differ, monty: by("monty") };
}

describe("the default engine answers as Python does", () => {
  test("expressions", { timeout: 3_600_000, tags: "slow" }, async () => {
    const { seed, numRuns } = runs(20_000);
    const codes = oneLiners(numRuns, randomOf(seed));
    const { differ, monty } = await compared(codes);
    expect(differ).toEqual([]);
    // Most of the others raise, which is CPython's to word.
    expect(monty).toBeGreaterThan(codes.length / 4);
  });

  test("programs", { timeout: 900_000, tags: "slow" }, async () => {
    const { seed, numRuns } = runs(500);
    const codes = programs(numRuns, randomOf(seed + 1));
    const { differ, monty } = await compared(codes);
    expect(differ).toEqual([]);
    expect(monty).toBeGreaterThan(codes.length / 4);
  });
});
