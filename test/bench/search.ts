/**
 * The search of `ot.help` beside plain engines. Tools: every different function of the Berkeley leaderboard's files at
 * hand, in one registry. Queries: the questions of its users that have an answer, word for word. Truth: the functions that the answer
 * calls, by name; where several have the name, any of them counts.
 *
 * Ours is `ot.help` itself, page and all, over names, descriptions and arguments. Plain minisearch and plain fuse.js have their own
 * settings and search the name and the description as the author wrote them; minisearch once more with the schema of the arguments as
 * JSON, as a third text. The same on the tools of real servers, whose names are asked for with a letter wrong. Time is wall time of
 * batches in turn. Titles of tools of the example and of servers are asked for word for word and as people write them. CPU time is that of
 * the search alone, without the page, of questions that were asked before. `--quick` takes fewer questions and 3 pairs.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { opSearchOf } from "../../runtime/catalog/op-search.js";
import { indexRegistry } from "../../runtime/catalog/registry.js";
import { digestText } from "../../runtime/contract/canonical.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { readToolIndex, SEARCH_FILE, searchFile, type ToolIndex } from "../../runtime/contract/search/search-file.js";
import { hasCorpora } from "../support/corpora.js";
import { CHECKOUT } from "../support/project.js";
import { randomOf, shuffled } from "../support/random.js";
import {
  type Finder,
  fuseFinder,
  helpFinder,
  leaderboardQuestions,
  leaderboardTools,
  minisearchFinder,
  mistyped,
  type Question,
  recall,
  registryOf,
  type Sought,
  serverTools,
} from "../support/search/search-quality.js";
import { byTitle, titleQuestions } from "../support/search/title-questions.js";
import { collectGarbage } from "../support/used.js";
import { latencies, least, ratios, spreads } from "./measure.js";
import { createReport, FOLDER, flags, shown, within } from "./report.js";

const SEED = 20261122;
const PAIRS = flags.quick ? 3 : 7;
/** Questions that are asked; all but for a quick look. */
const MOST = flags.quick ? 250 : Number.POSITIVE_INFINITY;
/** Questions of one batch that is timed. */
const BATCH = flags.quick ? 50 : 200;
/** Questions that plain fuse.js is asked: each takes it a fifth of a second. */
const FEW = flags.quick ? 10 : 100;
/** What `ot.help` may take for a query, in ms. */
const QUERY_MS = 2;
/** What the first query may take, in ms. */
const FIRST_MS = 50;
/** How much better than plain minisearch. */
const BETTER = 1.05;
/** Least recalls on the leaderboard, and among the first one and five for titles in each kind of question. */
const LEADERBOARD = { first: 0.73, five: 0.91 };
const TITLES: Readonly<Record<string, readonly [first: number, five: number]>> = {
  literal: [1, 1],
  "words left out": [0.67, 0.91],
  synonyms: [0.72, 0.92],
  question: [0.97, 0.99],
  "typing errors": [0.91, 0.97],
  "other order": [0.97, 0.99],
};
/** Titles that are asked for. */
const MOST_TITLES = 250;
/** CPU time of a question to 2,634 tools, in ms, and rounds of which the least counts. */
const CPU_MS = 0.11;
const CPU_ROUNDS = 11;

const { add, finish } = createReport("search", "wall time");

const all = <T>(list: readonly T[], count = Number.POSITIVE_INFINITY): readonly T[] =>
  shuffled(list, randomOf(SEED)).slice(0, count);

/** Milliseconds a question. */
async function timed(find: Finder, asked: readonly Question[]): Promise<number> {
  const start = performance.now();
  for (const { text } of asked) await find(text);
  return (performance.now() - start) / asked.length;
}

/** Two recalls of ours and of a plain engine, on the same questions; with `bound` the one among five is a goal. */
async function compare(sides: Both, asked: readonly Question[], what: string, bound?: number): Promise<void> {
  const { tools, ours, peer } = sides;
  const [mine, other] = [await recall(ours, tools, asked), await recall(peer, tools, asked)];
  const five = mine.five / other.five;
  const figures = (ratio: number, key: "first" | "five"): string =>
    `${ratio.toFixed(2)}; ${mine[key].toFixed(3)} against ${other[key].toFixed(3)}, ${asked.length} queries`;
  const verdict = bound === undefined ? "shown" : five >= bound ? "met" : "missed";
  const goal = bound === undefined ? "" : ` (goal ${bound})`;
  add({ goal: "S1", what: `recall@5 / ${what}`, figures: figures(five, "five") + goal, verdict });
  const first = mine.first / other.first;
  add({ goal: "S1", what: `recall@1 / ${what}`, figures: figures(first, "first"), verdict: "shown" });
  const time = `${(mine.ms / other.ms).toFixed(3)}; ${shown(mine.ms)} against ${shown(other.ms)}`;
  if (bound === undefined) add({ goal: "S2", what: `a query / ${what}`, figures: time, verdict: "shown" });
}

interface Both {
  readonly tools: readonly Sought[];
  readonly ours: Finder;
  readonly peer: Finder;
}

async function speed(ours: Finder, peer: Finder, asked: readonly Question[], what: string): Promise<void> {
  const raw = await latencies(
    () => timed(ours, asked),
    () => timed(peer, asked),
    PAIRS,
  );
  const { minima, paired } = ratios(raw);
  const ms = least(raw.ours);
  const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}); ${shown(ms)} against ${shown(least(raw.peer))} (goal ${QUERY_MS} ms)`;
  const verdict = spreads(raw) && ms > QUERY_MS ? "inconclusive" : within(ms, QUERY_MS);
  add({ goal: "S2", what, figures, verdict, ratio: Math.min(minima, paired) }, raw);
}

/** Recalls of titles, in each kind of question. */
async function onTitles(tools: readonly Tool[], what: string): Promise<void> {
  const sought = byTitle(tools);
  const find = helpFinder(sought);
  for (const [kind, asked] of titleQuestions(tools, MOST_TITLES, SEED)) {
    const { first, five } = await recall(find, sought, asked);
    const [leastFirst, leastFive] = TITLES[kind] ?? [0, 0];
    const figures = `${first.toFixed(3)}/${five.toFixed(3)}, ${asked.length} titles (goal ${leastFirst}/${leastFive})`;
    const verdict = first >= leastFirst && five >= leastFive ? "met" : "missed";
    add({ goal: "S1", what: `titles of ${what}, ${kind}`, figures, verdict });
  }
}

/** CPU time of the search alone, of questions that were asked before. */
function cpuTime(tools: readonly Sought[]): void {
  const settings = { ops: new Map(), aliases: new Map(), synonyms: new Map() };
  const view = indexRegistry(registryOf(tools), settings).view({ level: "admin", projects: "*" });
  const search = opSearchOf(view, { settings });
  const asked = leaderboardQuestions();
  const rounds = Array.from({ length: flags.quick ? 3 : CPU_ROUNDS }, () => {
    const start = process.cpuUsage();
    for (const { text } of asked) search(text, 20);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000 / asked.length;
  });
  const ms = Math.min(...rounds);
  const figures = `${ms.toFixed(3)} ms, ${asked.length} questions (goal ${CPU_MS} ms)`;
  add({ goal: "S2", what: `CPU of a question to ${tools.length} tools`, figures, verdict: within(ms, CPU_MS) });
}

async function onLeaderboard(): Promise<void> {
  const [tools, known] = [leaderboardTools(), leaderboardQuestions()];
  const asked = all(known, MOST);
  process.stdout.write(`${tools.length} functions, ${asked.length} of ${known.length} questions\n`);
  const [ours, peer] = [helpFinder(tools), minisearchFinder(tools)];
  const { first: one, five } = await recall(ours, tools, asked);
  const figures = `${one.toFixed(3)}/${five.toFixed(3)}, ${asked.length} queries (goal ${LEADERBOARD.first}/${LEADERBOARD.five})`;
  const verdict = one >= LEADERBOARD.first && five >= LEADERBOARD.five ? "met" : "missed";
  add({ goal: "S1", what: "recall@1/recall@5", figures, verdict });
  await compare({ tools, ours, peer }, asked, "plain minisearch", BETTER);
  await speed(ours, peer, all(known, BATCH), "a query / plain minisearch");
  const whole = minisearchFinder(tools, true);
  await compare({ tools, ours, peer: whole }, asked, "plain minisearch that has the arguments");
  await compare({ tools, ours, peer: fuseFinder(tools) }, all(known, FEW), "plain fuse.js");
}

/** Heap in MB, without what is no longer used. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

/** The index of tools, in a folder as `generate` writes it. */
function generatedIndex(tools: readonly Sought[]): () => ToolIndex {
  const folder = join(FOLDER, "index");
  const registry = registryOf(tools);
  const text = JSON.stringify(searchFile(registry));
  mkdirSync(join(folder, dirname(SEARCH_FILE)), { recursive: true });
  writeFileSync(join(folder, SEARCH_FILE), text);
  return () => readToolIndex(folder, `"${SEARCH_FILE}": "${digestText(text)}"`, registry);
}

/** Time and memory of the first question. */
async function first(ours: Finder): Promise<{ readonly ms: number; readonly mb: number }> {
  const before = heap();
  const start = performance.now();
  await ours("anything");
  const ms = performance.now() - start;
  return { ms, mb: heap() - before };
}

/** The first question with the index that `generate` wrote, and without it. */
async function firstQuestion(tools: readonly Sought[]): Promise<Finder> {
  const ours = helpFinder(tools, generatedIndex(tools));
  const loaded = await first(ours);
  const read = await first(helpFinder(tools));
  const figures = ({ ms, mb }: typeof loaded): string => `${shown(ms)}, ${mb.toFixed(0)} MB`;
  const what = `first query of ${tools.length} tools of servers`;
  const goal = `${figures(loaded)} (goal ${FIRST_MS} ms)`;
  add({ goal: "S3", what, figures: goal, verdict: within(loaded.ms, FIRST_MS) });
  add({ goal: "S3", what: `${what}, without help/search.json`, figures: figures(read), verdict: "shown" });
  return ours;
}

async function onServers(): Promise<void> {
  const tools = serverTools();
  const ours = await firstQuestion(tools);
  await onTitles(
    tools.map(({ tool }) => tool),
    "servers",
  );
  cpuTime(tools);
  await speed(
    ours,
    minisearchFinder(tools),
    all(leaderboardQuestions(), BATCH),
    "a question to them / plain minisearch",
  );
  const random = randomOf(SEED);
  const named = all(tools).filter(({ name }) => name.length >= 8);
  const asked = named.slice(0, FEW).map(({ name }) => ({ text: mistyped(name, 1, random), names: [name] }));
  await compare({ tools, ours, peer: fuseFinder(tools) }, asked, "plain fuse.js, names of theirs with a letter wrong");
}

const example: Registry = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
await onTitles(example.tools, "the example");
if (hasCorpora) {
  await onLeaderboard();
  await onServers();
} else add({ goal: "S1", what: "the search", figures: "the corpora are not beside the checkout", verdict: "absent" });
finish();
