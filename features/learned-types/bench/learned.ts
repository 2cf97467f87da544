/**
 * What learning and asking cost. Observing: the summary of one result of about 4 kB, with its hashes and the merge, beside reading
 * that result from JSON, in CPU of the process. Asking: o200k tokens of calls and replies until an answer is there, for thirty questions over a
 * result of 1,500 rows: with `ot.query`, and with the fewest pages or searches of `ot.result` from which a program computes the same answer.
 * Coverage: `coverage.ts`.
 */

import { deepStrictEqual } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { JsonValue, Tool } from "../../../runtime/contract/registry.js";
import type { HostContext } from "../../../runtime/packs/host.js";
import { queryResults } from "../../../runtime/packs/ot/query.js";
import { keepResult, type ResultPage, resultPage } from "../../../runtime/packs/ot/result.js";
import { fileResults } from "../../../runtime/run/results.js";
import {
  type Issue,
  LARGE_QUESTIONS,
  type LargeQuestion,
  largeRows,
  type Person,
} from "../../../test/bench/large-questions.js";
import { latencies, least, median, ratios, spreads } from "../../../test/bench/measure.js";
import { createReport, flags, shown, within } from "../../../test/bench/report.js";
import { hashingWith } from "../hashing.js";
import { summaryOf } from "../learner.js";
import { mergeOps } from "../op-summary.js";
import { coverage } from "./coverage.js";

const PAIRS = flags.quick ? 3 : 9;
/** Results of one batch that is timed. */
const BATCH = flags.quick ? 100 : 400;
/** What observing a result of 4 kB may take, in ms. */
const OBSERVE_MS = 1;
/** How many times fewer tokens a question takes with SQL, by the median. */
const FEWER = 10;
const ROWS = 1500;

const { add, finish } = createReport("learned", "CPU, and tokens");
const { issues, people } = largeRows(ROWS);

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Results of about 4 kB, each with other values. */
const results = Array.from({ length: BATCH }, (_, at) => ({
  items: issues.slice(at, at + 19),
  total: at,
  next: `page${at}`,
}));
const texts = results.map((one) => JSON.stringify(one));
const tool = {
  op: "bench.issue.list",
  parameters_schema: { type: "object", properties: { page: { type: "integer" }, full: { type: "boolean" } } },
} as unknown as Tool;

async function observing(): Promise<number> {
  const hashing = hashingWith("bench");
  const start = cpu();
  let merged: ReturnType<typeof summaryOf> | undefined;
  for (const [page, result] of results.entries()) {
    const call = { tool, args: { page }, result: result as unknown as JsonValue, caller: "bench" };
    const one = summaryOf(call, hashing, 1_800_000_000_000);
    merged = merged ? mergeOps(merged, one) : one;
  }
  return (cpu() - start) / BATCH;
}

async function reading(): Promise<number> {
  const start = cpu();
  for (const text of texts) JSON.parse(text);
  return (cpu() - start) / BATCH;
}

async function cost(): Promise<void> {
  await observing();
  const sides = await latencies(observing, reading, PAIRS);
  const [ours, peer] = [least(sides.ours), least(sides.peer)];
  const { minima, paired } = ratios(sides);
  const bytes = median(texts.map((text) => Buffer.byteLength(text)));
  const unsure = spreads(sides) && ours > OBSERVE_MS;
  add(
    {
      ...{
        goal: "K1",
        what: "observing a call / reading its result from JSON",
        verdict: unsure ? "inconclusive" : within(ours, OBSERVE_MS),
      },
      figures: `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}); ${shown(ours)} against ${shown(peer)} for ${(bytes / 1000).toFixed(1)} kB (goal ${OBSERVE_MS} ms)`,
    },
    sides,
  );
}

/** A caller with results of its own. */
function caller(root: string): HostContext {
  const output = { maxInlineSize: 50_000, resultTtl: 3600 };
  const settings = { run: { output, sanitizes: () => false } };
  const host = { results: fileResults(root, 3600, () => new Date()), project: { settings } };
  return { host, principal: { id: "bench" }, signal: new AbortController().signal } as unknown as HostContext;
}

const tokensOf = (call: string, reply: unknown): number => countTokens(call) + countTokens(JSON.stringify(reply));

/** Most lines that are asked for at once; a reply is cut to what fits. */
const LIMIT = 2000;

/** Reads pages until all lines are there, and gives the tokens and the rows on them. */
async function paged<T>(
  handle: string,
  search: string,
  ctx: HostContext,
): Promise<{ tokens: number; rows: readonly T[] }> {
  let tokens = 0;
  const rows: T[] = [];
  for (let offset = 1; ; ) {
    const page = (await resultPage({ handle, offset, limit: LIMIT, search, fuzzy: false }, ctx)) as ResultPage;
    const asked = search === "" ? "" : `, search='${search}'`;
    tokens += tokensOf(`ot.result(handle='${handle}', offset=${offset}, limit=${LIMIT}${asked})`, page);
    rows.push(...page.lines.map((line) => JSON.parse(line.replace(/^\[|[,\]]$/g, "").replace(/^\s+/, "")) as T));
    if (!page.has_more) return { tokens, rows };
    offset += page.returned;
  }
}

interface Handles {
  readonly r: string;
  readonly p: string;
}

/** Tokens of one question, with SQL and with pages; both answers are right. */
async function asked(
  question: LargeQuestion,
  { r, p }: Handles,
  ctx: HostContext,
): Promise<readonly [sql: number, pages: number]> {
  const { sql, search = "", joins } = question;
  const handle = joins ? { r, p } : r;
  const answer = await queryResults({ handle, sql, rows: "" }, ctx);
  const right = question.of(issues, people);
  deepStrictEqual(answer.rows, right, sql);
  const pages = await paged<Issue>(r, search, ctx);
  const others = joins ? await paged<Person>(p, "", ctx) : { tokens: 0, rows: [] };
  deepStrictEqual(question.of(pages.rows, others.rows), right, sql);
  return [
    tokensOf(`ot.query(${JSON.stringify(handle)}, ${JSON.stringify(sql)})`, answer),
    pages.tokens + others.tokens,
  ];
}

async function questions(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "bench-learned-"));
  try {
    const ctx = caller(root);
    const handles = { r: (await keepResult(issues, ctx)).handle, p: (await keepResult(people, ctx)).handle };
    const tokens: (readonly [number, number])[] = [];
    for (const one of LARGE_QUESTIONS) tokens.push(await asked(one, handles, ctx));
    const [sql, pages] = [tokens.map(([one]) => one), tokens.map(([, one]) => one)];
    const ratio = median(pages) / median(sql);
    add(
      {
        ...{ goal: "K2", what: `tokens to the right answer of ${tokens.length} questions: SQL / pages` },
        verdict: ratio >= FEWER ? "met" : "missed",
        figures: `${(median(sql) / median(pages)).toFixed(4)}; median ${median(sql)} against ${median(pages)}, at most ${Math.max(...sql)} against ${Math.max(...pages)}; fewer in ${tokens.filter(([a, b]) => a < b).length}`,
      },
      tokens,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
}

await cost();
await questions();
await coverage(add);
finish();
