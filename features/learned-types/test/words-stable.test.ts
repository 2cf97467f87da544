/** Traffic alone changes no file of words: `learn` again over the same rows, and over twice the traffic within the bands. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { WORD_BANDS } from "../../../runtime/contract/learned-words.js";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { randomOf, runs, shuffled } from "../../../test/support/random.js";
import { mergedWords } from "../learn-words.js";
import type { HelpWordRow } from "../tables.js";
import { judgeWords } from "../words/judged-words.js";
import { readWordsFile, type WordsEntry, wordsText } from "../words-file.js";

const OPS = ["shop.pulls.list", "shop.book.get", "shop.shelf.clear"];
const TOOLS = OPS.map((op) => toolOf({ op, tool: op, kind: "read", schema: { type: "object" } }));
const [FADED, TODAY] = ["2026-08-01", "2026-11-22"];
/** Callers of a word whose band stays when each asks twice, or four times and counts three times. */
const CALLERS: readonly (readonly [least: number, most: number])[] = [
  [1, 1],
  [3, 3],
  [10, 14],
  [30, 49],
  [100, 120],
];

const wordOf = (at: number): string => `w${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`;

/** The rows of a word: each caller asked so many times, on the day or on several. */
function rowsOf(op: string, stem: string, callers: number, times: number, days: readonly string[]): HelpWordRow[] {
  return Array.from({ length: callers }, (_, who) => who).flatMap((who) =>
    Array.from({ length: times }, (_, at) => ({
      ...{ op, stem_key: `k ${stem}`, stem, caller_key: `caller ${who}` },
      ...{ day: days[at % days.length] ?? TODAY, count: 1 },
    })),
  );
}

const learned = (rows: readonly HelpWordRow[], before: string | undefined): string => {
  const callers = { countedAs: (key: string) => key, needed: undefined, local: "local" };
  const old: ReadonlyMap<string, WordsEntry> = before === undefined ? new Map() : readWordsFile(before);
  const judged = judgeWords(rows, FADED, callers);
  return wordsText(mergedWords(TOOLS, old, { judged, learns: new Set(OPS), firstFound: () => undefined }).entries);
};

const word = fc.record({
  op: fc.constantFrom(...OPS),
  callers: fc.constantFrom(...CALLERS).chain(([min, max]) => fc.integer({ min, max })),
});

test("the same traffic, and twice as much within the bands, gives the same bytes", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 60 }), fc.nat(), (words, seed) => {
      const random = randomOf(seed);
      const traffic = (times: number, days: readonly string[]) =>
        shuffled(
          words.flatMap(({ op, callers }, at) => rowsOf(op, wordOf(at), callers, times, days)),
          random,
        );
      const first = learned(traffic(1, [TODAY]), undefined);
      expect(learned(traffic(1, [TODAY]), first)).toBe(first);
      expect(learned(traffic(2, [TODAY, "2026-11-23"]), first)).toBe(first);
      // Anew, so that the file before is not the reason.
      expect(learned(traffic(2, [TODAY, "2026-11-23"]), undefined)).toBe(first);
      const proposed = words.filter(({ callers }) => callers >= WORD_BANDS[0]).length;
      expect(Object.values(JSON.parse(first).ops as object).flatMap((one) => Object.keys(one.words))).toHaveLength(
        proposed,
      );
    }),
    runs(2000),
  );
});
