/** The word search beside one that reads every text: random texts and queries, the same scores to the last bit. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { keepBest } from "../../../runtime/catalog/best.js";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { plainScoringOf } from "../../support/plain-words.js";
import { runs } from "../../support/random.js";
import { scoringOf } from "../../support/reference-words.js";

const WORDS =
  "list create created version installed install project projects message massages url getHTTPUrl naïve x1 the of calculate calculator".split(
    " ",
  );
const text = (maxLength: number) => fc.array(fc.constantFrom(...WORDS), { maxLength }).map((words) => words.join(" "));
const fields = fc.record({ name: text(3), description: text(12), args: text(8), values: text(3) });
/** Some of them mistyped, one of these near to two words; some unknown. */
const asked = fc
  .array(fc.constantFrom(...WORDS, "calcualte", "instaled", "mossage", "unheard", "crated"), { maxLength: 6 })
  .map((words) => words.join(" "));

const numbers = (values: Iterable<readonly [number, number]>) => [...values].sort(([a], [b]) => a - b);

test("it gives the scores of the plain one, whatever was asked before", () => {
  const texts = fc.array(fc.tuple(fields, fc.boolean()), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.array(asked, { minLength: 1, maxLength: 5 }), (all, queries) => {
      const index = indexWords(all.map(([one]) => one));
      const seen = all.flatMap(([, isSeen], at) => (isSeen ? [at] : []));
      const entries = Int32Array.from(all, (_, at) => seen.indexOf(at));
      const ours = scoringOf([{ index, entries }]);
      const plain = plainScoringOf(
        all.map(([one]) => one),
        (at) => all[at]?.[1] ?? false,
      );
      for (const query of queries) {
        const found = [...ours(query)].map(([entry, score]) => [seen[entry] ?? -1, score] as const);
        expect(numbers(found)).toEqual(numbers(plain(query)));
      }
    }),
    runs(2000),
  );
});

test("the best are the first of all in order", () => {
  const scores = fc.array(fc.constantFrom(0.1, 0.2, 0.3, 0.4, 0.5), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 20 }), fc.integer(), (all, most, seed) => {
      const scored = all.map((score, number) => ({ number, score }));
      const best = keepBest(most);
      const turned = Math.abs(seed) % Math.max(1, all.length);
      for (const { number, score } of [...scored.slice(turned), ...scored.slice(0, turned)]) best.add(number, score);
      const sorted = scored.sort((a, b) => b.score - a.score || a.number - b.number);
      expect(best.kept()).toEqual(sorted.slice(0, most));
      expect(best.count()).toBe(all.length);
    }),
    runs(2000),
  );
});
