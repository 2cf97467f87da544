/** `ot.help` finds at least what plain minisearch finds, for functions and questions from elsewhere. */

import { describe, expect, test } from "vitest";
import { hasCorpus } from "../../../support/generator-bfcl.js";
import { randomOf, shuffled } from "../../../support/random.js";
import {
  helpFinder,
  leaderboardQuestions,
  leaderboardTools,
  minisearchFinder,
  mistyped,
  recall,
} from "../../../support/search-quality.js";

const WHY = hasCorpus ? "" : " (skipped: the corpora are not beside the checkout)";

describe.skipIf(!hasCorpus)(`search on functions of the Berkeley leaderboard${WHY}`, () => {
  const tools = hasCorpus ? leaderboardTools() : [];
  const help = helpFinder(tools);

  test("of 250 questions more are answered among five than by plain minisearch, by a twentieth", {
    tags: "slow",
  }, async () => {
    const asked = shuffled(leaderboardQuestions(), randomOf(6)).slice(0, 250);
    const [ours, peer] = [await recall(help, tools, asked), await recall(minisearchFinder(tools), tools, asked)];
    expect(ours.five / peer.five).toBeGreaterThanOrEqual(1.05);
    expect(ours.five).toBeGreaterThan(0.8);
  });

  test("names of eight letters and more are found with one of them wrong", { tags: "full" }, async () => {
    const random = randomOf(7);
    const named = shuffled(tools, random).filter(({ name }) => name.length >= 8);
    const asked = named.slice(0, 120).map(({ name }) => ({ text: mistyped(name, 1, random), names: [name] }));
    expect((await recall(help, tools, asked)).five).toBeGreaterThan(0.9);
  });
});
