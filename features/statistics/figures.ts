/** Computes the figures of a period from hourly sums, and from single calls how often each op was used and by how many callers. */

import type { Transaction } from "../../runtime/contract/handler.js";
import type { ProgramLanguage } from "../../runtime/contract/program-language.js";
import { PYTHON_LANGUAGE } from "../../runtime/contract/python-language.js";
import {
  type LanguageRuns,
  type OpFigures,
  type OpStats,
  type OpUsage,
  PERIODS,
  type RunStats,
  type Stats,
  type StatsQuery,
} from "../../runtime/contract/statistics.js";
import { hourOf, iso } from "../../runtime/state/schema.js";
import { PROGRAMS, RUNS } from "./store.js";
import { type StatHourRow, statisticsQueries } from "./tables.js";

/** Least number of runs for a meaningful mean. */
const FEWEST_RUNS = 5;
const BYTES_A_TOKEN = 4;

/** Names of languages of programs, and what people call them. */
export type LanguageLabels = readonly Pick<ProgramLanguage, "name" | "label">[];

/** How the estimated figures are measured. */
export const FIGURE_RULES = {
  definitions: "tokens (o200k) of the tools behind the gateway less bytes/4 of the tools listed, once per connection",
  stored: "bytes kept by the result store less those that ot.result handed out, divided by 4",
  time_saved_ms: "calls beyond the first of each run times the mean duration of a run",
} as const;

const METHOD = `${Object.entries(FIGURE_RULES)
  .map(([name, rule]) => `${name}: ${rule}`)
  .join("; ")}; durations by the server's clock.`;

/** Reads the figures of a period. @param figures - of features; default: none */
export async function readStats(
  tx: Transaction,
  query: StatsQuery,
  figures: OpFigures = {},
  labels: LanguageLabels = [PYTHON_LANGUAGE],
): Promise<Stats> {
  if (query.caller !== undefined) return readOwn(tx, query, query.caller);
  const sums = await sumsOf(tx, query);
  const counters = await countersOf(tx, query);
  const calls = sums.filter(({ op }) => op !== RUNS);
  const runs = sums.filter(({ op }) => op === RUNS);
  return {
    period: query.period,
    start_time: await endOf(tx, query, "first_at"),
    end_time: await endOf(tx, query, "last_at"),
    ...countsOf(calls),
    runs: query.op === "" ? { ...runStats(runs), languages: languagesOf(counters, labels) } : null,
    tools: calls.map((one) => ({ ...opStats(one), ...countedOf(one.op, counters, figures) })),
    ...savedBy(counters, runs, query.op !== ""),
    method: METHOD,
  };
}

/** What features counted of an op. */
const countedOf = (op: string, counters: ReadonlyMap<string, number>, figures: OpFigures): Partial<OpStats> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([figure, counter]) => {
      const sum = counters.get(`${counter} ${op}`) ?? 0;
      return sum > 0 ? [[figure, sum]] : [];
    }),
  );

/** The figures of one caller, from its calls; figures of connections and results belong to no caller. */
async function readOwn(tx: Transaction, query: StatsQuery, caller: string): Promise<Stats> {
  const asked = statisticsQueries(tx)
    .selectFrom("stat_calls")
    .where("caller", "=", caller)
    .where("at", ">=", fromHour(query));
  const rows = await (query.op === "" ? asked : asked.where("op", "=", query.op))
    .select(({ fn, eb }) => [
      "op",
      fn.countAll<number>().as("calls"),
      fn.sum<number>(eb.case().when("code", "=", "").then(0).else(1).end()).as("errors"),
      fn.sum<number>("chars_in").as("chars_in"),
      fn.sum<number>("chars_out").as("chars_out"),
      fn.sum<number>("duration_ms").as("duration_ms"),
      fn.min("at").as("first_at"),
      fn.max("at").as("last_at"),
    ])
    .groupBy("op")
    .orderBy("op")
    .execute();
  const sums = rows.map(numbersOf);
  const calls = sums.filter(({ op }) => op !== RUNS);
  return {
    period: query.period,
    start_time: rows.map(({ first_at }) => first_at).sort()[0] ?? null,
    end_time:
      rows
        .map(({ last_at }) => last_at)
        .sort()
        .at(-1) ?? null,
    ...countsOf(calls),
    runs: query.op === "" ? runStats(sums.filter(({ op }) => op === RUNS)) : null,
    tools: calls.map(opStats),
    ...savedBy(new Map(), [], true),
    method: METHOD,
  };
}

/** The first hour of a period; empty for all hours. */
export const fromHour = ({ period, now }: StatsQuery): string =>
  Number.isFinite(PERIODS[period]) ? hourOf(now - PERIODS[period]) : "";

/** The sums of one op over a period. */
type OpSums = Omit<StatHourRow, "hour" | "first_at" | "last_at" | "buckets" | "longest_ms">;

/** Sums by op; the database adds them up. */
async function sumsOf(tx: Transaction, query: StatsQuery): Promise<readonly OpSums[]> {
  const hours = statisticsQueries(tx)
    .selectFrom("stat_hours")
    .select(({ fn }) => [
      "op",
      fn.sum<number>("calls").as("calls"),
      fn.sum<number>("errors").as("errors"),
      fn.sum<number>("chars_in").as("chars_in"),
      fn.sum<number>("chars_out").as("chars_out"),
      fn.sum<number>("duration_ms").as("duration_ms"),
    ])
    .where("hour", ">=", fromHour(query))
    .groupBy("op")
    .orderBy("op");
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  return rows.map(numbersOf);
}

/** PostgreSQL returns sums of integers as decimal text. */
const numbersOf = ({ op, ...sums }: OpSums): OpSums => ({
  op,
  calls: Number(sums.calls),
  errors: Number(sums.errors),
  chars_in: Number(sums.chars_in),
  chars_out: Number(sums.chars_out),
  duration_ms: Number(sums.duration_ms),
});

/** The first or the last time of a period; reads only the first or the last hour, which contains it. */
async function endOf(tx: Transaction, query: StatsQuery, column: "first_at" | "last_at"): Promise<string | null> {
  const hours = statisticsQueries(tx).selectFrom("stat_hours").where("hour", ">=", fromHour(query));
  const asked = query.op === "" ? hours : hours.where("op", "=", query.op);
  const order = column === "first_at" ? "asc" : "desc";
  const hour = await asked.select("hour").orderBy("hour", order).limit(1).executeTakeFirst();
  if (!hour) return null;
  const times = asked.where("hour", "=", hour.hour).select(column).orderBy(column, order).limit(1);
  return (await times.executeTakeFirst())?.[column] ?? null;
}

async function countersOf(tx: Transaction, query: StatsQuery): Promise<ReadonlyMap<string, number>> {
  const rows = await statisticsQueries(tx)
    .selectFrom("stat_counters")
    .select(({ fn }) => ["name", fn.sum<number>("value").as("sum")])
    .where("hour", ">=", fromHour(query))
    .groupBy("name")
    .execute();
  return new Map(rows.map(({ name, sum }) => [name, Number(sum)]));
}

const total = (rows: readonly OpSums[], key: "calls" | "errors" | "chars_in" | "chars_out" | "duration_ms"): number =>
  rows.reduce((sum, row) => sum + row[key], 0);

const rounded = (value: number): number => Math.round(value * 10) / 10;

type Counts = Pick<OpStats, "total_calls" | "success_count" | "error_count" | "success_rate">;

function countsOf(rows: readonly OpSums[]): Counts {
  const calls = total(rows, "calls");
  const errors = total(rows, "errors");
  return {
    total_calls: calls,
    success_count: calls - errors,
    error_count: errors,
    success_rate: calls === 0 ? 0 : rounded(((calls - errors) / calls) * 100),
  };
}

const opStats = (sums: OpSums): OpStats => ({
  tool: sums.op,
  ...countsOf([sums]),
  chars_in: sums.chars_in,
  chars_out: sums.chars_out,
  total_duration_ms: Math.round(sums.duration_ms),
  avg_duration_ms: rounded(sums.duration_ms / sums.calls),
});

const runStats = (rows: readonly OpSums[]): RunStats => ({
  total: total(rows, "calls"),
  failed: total(rows, "errors"),
  duration_ms: Math.round(total(rows, "duration_ms")),
  chars_in: total(rows, "chars_in"),
  chars_out: total(rows, "chars_out"),
});

/** The figures of programs by language. */
function languagesOf(counters: ReadonlyMap<string, number>, labels: LanguageLabels): readonly LanguageRuns[] {
  const start = `${PROGRAMS.total} `;
  const names = [...counters.keys()].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []));
  const sum = (counter: string, language: string): number => counters.get(`${counter} ${language}`) ?? 0;
  const found = names.sort().map((name) => ({
    language: labels.find((one) => one.name === name)?.label ?? name,
    total: sum(PROGRAMS.total, name),
    failed: sum(PROGRAMS.failed, name),
    refused: sum(PROGRAMS.refused, name),
  }));
  return found.sort((a, b) => b.total - a.total);
}

/** Figures of connections and results, which belong to no single op. */
function savedBy(
  counters: ReadonlyMap<string, number>,
  runs: readonly OpSums[],
  isOfOneOp: boolean,
): Pick<Stats, "context_saved" | "definitions" | "stored" | "time_saved_ms"> {
  if (isOfOneOp) return { context_saved: null, definitions: null, stored: null, time_saved_ms: null };
  const definitions = counters.get("definition_tokens") ?? null;
  const kept = (counters.get("stored_bytes") ?? 0) - (counters.get("handed_bytes") ?? 0);
  const stored = Math.max(0, Math.round(kept / BYTES_A_TOKEN));
  const { total: count, duration_ms } = runStats(runs);
  const mean = duration_ms / count;
  return {
    context_saved: (definitions ?? 0) + stored,
    definitions,
    stored,
    time_saved_ms: count < FEWEST_RUNS ? null : Math.round((counters.get("extra_calls") ?? 0) * mean),
  };
}

/**
 * Recorded calls by op since a time, in milliseconds since the epoch.
 *
 * @example
 * const usage = await state.transaction("read", (tx) => readUsage(tx, Date.now() - 30 * 86_400_000));
 */
export async function readUsage(tx: Transaction, since: number): Promise<ReadonlyMap<string, OpUsage>> {
  const rows = await statisticsQueries(tx)
    .selectFrom("stat_calls")
    .where("at", ">=", iso(since))
    .select(({ fn }) => ["op", fn.countAll<number>().as("calls"), fn.count<number>("caller").distinct().as("callers")])
    .groupBy("op")
    .orderBy("op")
    .execute();
  return new Map(rows.map(({ op, calls, callers }) => [op, { calls: Number(calls), callers: Number(callers) }]));
}
