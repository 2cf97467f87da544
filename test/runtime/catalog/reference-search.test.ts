/** The search over real tools: the plain version of its formula gives the same order, and so does the index that `generate` makes. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { synonymsOf } from "../../../runtime/catalog/op-search.js";
import { digestText } from "../../../runtime/contract/canonical.js";
import type { Registry, Tool } from "../../../runtime/contract/registry.js";
import { readToolIndex, SEARCH_FILE, searchFile } from "../../../runtime/contract/search/search-file.js";
import { titleOf, toolFields, toolNames } from "../../../runtime/contract/search/tool-words.js";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { hasCorpora } from "../../support/corpora.js";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";
import { randomOf, runs, shuffled } from "../../support/random.js";
import { leaderboardQuestions, leaderboardTools, mistyped, serverTools } from "../../support/search/search-quality.js";
import { plainScoringOf, type Scoring, scoringOf } from "./plain-ranking.js";

/** The plain search of 2,634 tools reads all of them for every word. */
const SLOW = 900_000;
const WHY = hasCorpora ? "" : " (skipped: the corpora are not beside the checkout)";

const SYNONYMS = synonymsOf(new Map([["chore", "task"]]));

const entriesOf = (tools: readonly Tool[]) =>
  tools.map((tool) => ({ name: tool.op, title: titleOf(tool), names: toolNames(tool), fields: toolFields(tool) }));

/** The search over some tools of a registry, with the index that was generated. */
function loadedSearch(all: readonly Tool[], tools: readonly Tool[]): Scoring {
  const folder = temporaryFolder();
  const text = JSON.stringify(searchFile({ registry_version: "0", tools: all }));
  mkdirSync(join(folder, dirname(SEARCH_FILE)), { recursive: true });
  writeFileSync(join(folder, SEARCH_FILE), text);
  // Had the file not been used, this would throw.
  const unread = all.map((tool) => ({
    ...tool,
    get description(): string {
      return expect.unreachable("read again");
    },
  }));
  const lock = `"${SEARCH_FILE}": "${digestText(text)}"`;
  const { index } = readToolIndex(folder, lock, { registry_version: "0", tools: unread });
  const entries = new Int32Array(index.texts).fill(-1);
  tools.forEach((tool, entry) => {
    entries[all.indexOf(tool)] = entry;
  });
  return scoringOf([{ index, entries }], entriesOf(tools), SYNONYMS);
}

/** Questions, names with letters wrong, parts of names, and titles. */
function queriesFor(tools: readonly Tool[], questions: readonly string[], seed: number): readonly string[] {
  const random = randomOf(seed);
  const some = shuffled(tools, random).slice(0, runs(2000).numRuns);
  const named = some.flatMap(({ op, summary }) => [op, mistyped(op, 2, random), mistyped(summary, 3, random), summary]);
  return [...shuffled(questions, random).slice(0, runs(5000).numRuns), ...named];
}

function compare(all: readonly Tool[], tools: readonly Tool[], queries: readonly string[]): void {
  const index = indexWords(tools.map(toolFields));
  const ours = scoringOf([{ index, entries: Int32Array.from(tools.keys()) }], entriesOf(tools), SYNONYMS);
  const loaded = loadedSearch(all, tools);
  const plain = plainScoringOf(entriesOf(tools), () => true, SYNONYMS);
  for (const query of queries) {
    const found = ours(query);
    // Hidden tools change nothing, to the last bit.
    expect([...loaded(query)], query).toEqual([...found]);
    const known = plain(query);
    // Where no word is found, a mistyped name is.
    if (known.size === 0) continue;
    const scores = [...found].map(([entry, score]) => ({ score, plain: known.get(entry) ?? Number.NaN }));
    for (const one of scores) expect(one.score, query).toBeCloseTo(one.plain, 10);
    expect(found.size, query).toBe(known.size);
  }
}

test("on the tools of this repository", () => {
  const { tools }: Registry = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const queries = queriesFor(tools, tools.map(({ description }) => description.slice(0, 300)).slice(0, 30), 1);
  expect(queries.length).toBeGreaterThan(60);
  compare(tools, tools, queries);
  compare(
    tools,
    tools.filter((_, at) => at % 3 > 0),
    queries,
  );
});

test("impacts in 255 steps give the order of exact ones", () => {
  const { tools }: Registry = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const [rounded, exact] = [false, true].map((isExact) =>
    plainScoringOf(entriesOf(tools), () => true, SYNONYMS, isExact),
  );
  const queries = queriesFor(tools, [], 2);
  const changed = queries.filter((query) => {
    const [one, two] = [rounded, exact].map((scoring) => [...(scoring?.(query).keys() ?? [])].slice(0, 5));
    return one?.join() !== two?.join();
  });
  expect(changed.length / queries.length).toBeLessThan(0.05);
});

describe.skipIf(!hasCorpora)(`on tools of others${WHY}`, () => {
  const questions = hasCorpora ? leaderboardQuestions().map(({ text }) => text) : [];
  const servers = hasCorpora ? serverTools().map(({ tool }) => tool) : [];

  test("of real servers", { tags: "slow", timeout: SLOW }, () => {
    compare(servers, servers, queriesFor(servers, questions, 2));
  });

  test("of real servers, of which a caller may see a part", { tags: "slow", timeout: SLOW }, () => {
    const random = randomOf(3);
    const seen = servers.filter(() => random() < 0.3);
    compare(servers, seen, queriesFor(seen, questions, 4));
  });

  test("of the Berkeley leaderboard", { tags: "slow", timeout: SLOW }, () => {
    const tools = leaderboardTools().map(({ tool }) => tool);
    compare(tools, tools, queriesFor(tools, questions, 5));
  });
});
