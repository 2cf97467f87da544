/** The search over real tools: minisearch gives the same scores, and the index that `generate` makes gives the same search. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestText } from "../../../runtime/contract/canonical.js";
import type { Registry, Tool } from "../../../runtime/contract/registry.js";
import { toolFields } from "../../../runtime/contract/search/entry-words.js";
import { readToolIndex, SEARCH_FILE, searchFile } from "../../../runtime/contract/search/search-file.js";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { hasCorpora } from "../../support/corpora.js";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";
import { randomOf, runs, shuffled } from "../../support/random.js";
import { referenceSearchOf, type Scoring, scoringOf } from "../../support/reference-words.js";
import { leaderboardQuestions, leaderboardTools, mistyped, serverTools } from "../../support/search-quality.js";

/** Both searches of 2,634 tools, asked 11,000 times, take five minutes on a busy machine. */
const SLOW = 900_000;
const WHY = hasCorpora ? "" : " (skipped: the corpora are not beside the checkout)";

/** A folder as `generate` writes it, with the index of these tools; returns the text of the lock. */
function generated(folder: string, tools: readonly Tool[]): string {
  const text = JSON.stringify(searchFile({ registry_version: "0", tools }));
  mkdirSync(join(folder, dirname(SEARCH_FILE)), { recursive: true });
  writeFileSync(join(folder, SEARCH_FILE), text);
  return `"${SEARCH_FILE}": "${digestText(text)}"`;
}

/** The search over some tools of a registry, with the index that was generated. */
async function loadedSearch(all: readonly Tool[], tools: readonly Tool[]): Promise<Scoring> {
  const folder = temporaryFolder();
  const lock = generated(folder, all);
  // Had the file not been used, this would throw.
  const unread = all.map((tool) => ({
    ...tool,
    get description(): string {
      return expect.unreachable("read again");
    },
  }));
  const { index, textOf } = await readToolIndex(folder, lock, { registry_version: "0", tools: unread });
  const entries = new Int32Array(index.texts).fill(-1);
  const places = new Map(all.map((tool, at) => [tool, unread[at]]));
  tools.forEach((tool, entry) => {
    entries[textOf.get(places.get(tool) ?? tool) ?? expect.unreachable()] = entry;
  });
  return scoringOf([{ index, entries }]);
}

/** Entries with their scores, the best first; of equal ones the first. */
const ranked = (search: Scoring, query: string): readonly (readonly [number, number])[] =>
  [...search(query)].sort(([a, one], [b, other]) => other - one || a - b);

const entriesOf = (found: readonly (readonly [number, number])[]): readonly number[] => found.map(([entry]) => entry);

/** Questions, names with letters wrong, and parts of names. */
function queriesFor(tools: readonly Tool[], questions: readonly string[], seed: number): readonly string[] {
  const random = randomOf(seed);
  const some = shuffled(tools, random).slice(0, runs(2000).numRuns);
  const named = some.flatMap(({ op, summary }) => [op, mistyped(op, 2, random), mistyped(summary, 3, random)]);
  return [...shuffled(questions, random).slice(0, runs(5000).numRuns), ...named];
}

async function compare(all: readonly Tool[], tools: readonly Tool[], queries: readonly string[]): Promise<void> {
  const index = indexWords(tools.map(toolFields));
  const ours = scoringOf([{ index, entries: Int32Array.from(tools.keys()) }]);
  const loaded = await loadedSearch(all, tools);
  const reference = referenceSearchOf(tools.map(toolFields));
  for (const query of queries) {
    const found = ranked(ours, query);
    const known = reference(query);
    const again = ranked(loaded, query);
    expect(entriesOf(again), query).toEqual(entriesOf(found));
    // Its words are in another order, and so are the numbers that are added.
    for (const [i, [, score]] of again.entries()) expect(score, query).toBeCloseTo(found[i]?.[1] ?? Number.NaN, 12);
    expect(entriesOf(found), query).toEqual(entriesOf(ranked(reference, query)));
    for (const [entry, score] of found) expect(score, query).toBeCloseTo(known.get(entry) ?? 0, 12);
  }
}

test("on the tools of this repository", async () => {
  const { tools }: Registry = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const queries = queriesFor(
    tools,
    tools.map(({ description }) => description),
    1,
  );
  expect(queries.length).toBeGreaterThan(100);
  await compare(tools, tools, queries);
});

describe.skipIf(!hasCorpora)(`on tools of others${WHY}`, () => {
  const questions = hasCorpora ? leaderboardQuestions().map(({ text }) => text) : [];
  const servers = hasCorpora ? serverTools().map(({ tool }) => tool) : [];

  test("of real servers", { tags: "slow", timeout: SLOW }, async () => {
    await compare(servers, servers, queriesFor(servers, questions, 2));
  });

  test("of real servers, of which a caller may see a part", { tags: "slow", timeout: SLOW }, async () => {
    const random = randomOf(3);
    const seen = servers.filter(() => random() < 0.3);
    await compare(servers, seen, queriesFor(seen, questions, 4));
  });

  test("of the Berkeley leaderboard", { tags: "slow", timeout: SLOW }, async () => {
    const tools = leaderboardTools().map(({ tool }) => tool);
    await compare(tools, tools, queriesFor(tools, questions, 5));
  });
});
