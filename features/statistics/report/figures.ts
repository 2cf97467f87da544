/** Figures of the HTML report beyond those of `ot.stats`, also from hourly sums and not from single calls. */

import { sql } from "kysely";
import type { Transaction } from "../../../runtime/contract/handler.js";
import type { OpFigures, Stats, StatsQuery } from "../../../runtime/contract/statistics.js";
import { HOUR_LENGTH } from "../../../runtime/state/schema.js";
import { BUCKET_BOUNDS, BUCKETS, type BucketCounts } from "../buckets.js";
import { fromHour, type LanguageLabels, readStats } from "../figures.js";
import { RUNS } from "../store.js";
import { type StatClientRow, statisticsQueries } from "../tables.js";

/** The calls of one hour, `2026-11-22T05`. */
export interface HourCalls {
  readonly hour: string;
  readonly calls: number;
  readonly errors: number;
}

/** The calls and runs of one client program. */
export interface ClientCalls {
  /** Empty if it has no name. */
  readonly client: string;
  readonly calls: number;
  readonly errors: number;
  readonly runs: number;
  /** Hour of the last call or run. */
  readonly last: string;
}

/** Data of the charts. */
export interface ChartFigures {
  readonly stats: Stats;
  /** Hours with calls, ascending. */
  readonly hours: readonly HourCalls[];
  /** Durations by op. */
  readonly durations: ReadonlyMap<string, BucketCounts>;
  /** The longest duration by op, in milliseconds; absent where it was not recorded for all calls. */
  readonly longest: ReadonlyMap<string, number>;
}

/** Everything that a report shows. */
export interface ReportFigures extends ChartFigures {
  readonly query: StatsQuery;
  /** Durations of runs. */
  readonly runDurations: BucketCounts;
  /** The longest duration of a run, if it is known. */
  readonly longestRun: number | undefined;
  /** Most calls first. */
  readonly clients: readonly ClientCalls[];
}

/** Reads the figures of a report. @param figures - of features; default: none */
export async function readReport(
  tx: Transaction,
  query: StatsQuery,
  figures?: OpFigures,
  labels?: LanguageLabels,
): Promise<ReportFigures> {
  const stats = await readStats(tx, query, figures, labels);
  const hours = await hoursOf(tx, query);
  const { counts: durations, longest } = await durationsOf(tx, query);
  const clients = await clientsOf(tx, query);
  const [runDurations, longestRun] = [durations.get(RUNS) ?? [], longest.get(RUNS)];
  durations.delete(RUNS);
  longest.delete(RUNS);
  return { query, stats, hours, durations, longest, runDurations, longestRun, clients };
}

/** Reads the data of the charts, for one caller if one is given. @param figures - of features; default: none */
export async function readCharts(
  tx: Transaction,
  query: StatsQuery,
  figures?: OpFigures,
  labels?: LanguageLabels,
): Promise<ChartFigures> {
  const stats = await readStats(tx, query, figures, labels);
  const { caller } = query;
  const own = caller === undefined ? undefined : { ...query, caller };
  const hours = await (own ? ownHours(tx, own) : hoursOf(tx, query));
  const { counts: durations, longest } = await (own ? ownDurations(tx, own) : durationsOf(tx, query));
  durations.delete(RUNS);
  longest.delete(RUNS);
  return { stats, hours, durations, longest };
}

/** Durations by op. */
interface Durations {
  readonly counts: Map<string, number[]>;
  readonly longest: Map<string, number>;
}

type OwnQuery = StatsQuery & { readonly caller: string };

/** The single calls of one caller; there are no sums by caller. */
function ownCalls(tx: Transaction, query: OwnQuery) {
  const { caller, op } = query;
  const calls = statisticsQueries(tx)
    .selectFrom("stat_calls")
    .where("caller", "=", caller)
    .where("at", ">=", fromHour(query));
  return (op === "" ? calls : calls.where("op", "=", op)).where("op", "!=", RUNS);
}

async function ownHours(tx: Transaction, query: OwnQuery): Promise<readonly HourCalls[]> {
  const hour = sql<string>`substr(${sql.ref("at")}, 1, ${sql.lit(HOUR_LENGTH)})`;
  const rows = await ownCalls(tx, query)
    .select(({ fn, eb }) => [
      hour.as("hour"),
      fn.countAll<number>().as("calls"),
      fn.sum<number>(eb.case().when("code", "=", "").then(0).else(1).end()).as("errors"),
    ])
    .groupBy(hour)
    .orderBy(hour)
    .execute();
  return rows.map(countsOf);
}

async function ownDurations(tx: Transaction, query: OwnQuery): Promise<Durations> {
  const whens = BUCKET_BOUNDS.map((bound, at) => sql`when duration_ms <= ${sql.lit(bound)} then ${sql.lit(at)}`);
  const bucket = sql<number>`case ${sql.join(whens, sql` `)} else ${sql.lit(BUCKET_BOUNDS.length)} end`;
  const rows = await ownCalls(tx, query)
    .select(({ fn }) => [
      "op",
      bucket.as("bucket"),
      fn.countAll<number>().as("calls"),
      fn.max<number>("duration_ms").as("longest"),
    ])
    .groupBy(["op", bucket])
    .execute();
  const [counts, longest] = [new Map<string, number[]>(), new Map<string, number>()];
  for (const { op, bucket: at, calls, longest: ms } of rows) {
    countsFor(counts, op)[Number(at)] = Number(calls);
    longest.set(op, Math.max(longest.get(op) ?? 0, Number(ms)));
  }
  return { counts, longest };
}

/** The counts of an op; creates them if needed. */
function countsFor(sums: Map<string, number[]>, op: string): number[] {
  const counts = sums.get(op) ?? Array.from({ length: BUCKETS }, () => 0);
  sums.set(op, counts);
  return counts;
}

/** PostgreSQL returns counts as text. */
const countsOf = ({ hour, calls, errors }: HourCalls): HourCalls => ({
  hour,
  calls: Number(calls),
  errors: Number(errors),
});

async function hoursOf(tx: Transaction, query: StatsQuery): Promise<readonly HourCalls[]> {
  const hours = statisticsQueries(tx)
    .selectFrom("stat_hours")
    .select(({ fn }) => ["hour", fn.sum<number>("calls").as("calls"), fn.sum<number>("errors").as("errors")])
    .where("hour", ">=", fromHour(query))
    .where("op", "!=", RUNS)
    .groupBy("hour")
    .orderBy("hour");
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  return rows.map(countsOf);
}

async function durationsOf(tx: Transaction, query: StatsQuery): Promise<Durations> {
  const hours = statisticsQueries(tx)
    .selectFrom("stat_hours")
    .select(["op", "buckets", "longest_ms"])
    .where("hour", ">=", fromHour(query));
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  const [counts, longest] = [new Map<string, number[]>(), new Map<string, number>()];
  for (const { op, buckets, longest_ms } of rows) {
    const sum = countsFor(counts, op);
    for (const [at, count] of (JSON.parse(buckets) as readonly number[]).entries()) sum[at] = (sum[at] ?? 0) + count;
    longest.set(op, Math.max(longest.get(op) ?? 0, longest_ms ?? Number.POSITIVE_INFINITY));
  }
  for (const [op, ms] of longest) if (!Number.isFinite(ms)) longest.delete(op);
  return { counts, longest };
}

async function clientsOf(tx: Transaction, query: StatsQuery): Promise<readonly ClientCalls[]> {
  const hours = statisticsQueries(tx)
    .selectFrom("stat_clients")
    .select(({ fn, eb }) => [
      "client",
      eb("op", "=", RUNS).as("is_run"),
      fn.sum<number>("calls").as("calls"),
      fn.sum<number>("errors").as("errors"),
      fn.max("hour").as("hour"),
    ])
    .where("hour", ">=", fromHour(query))
    .groupBy(["client", "is_run"])
    .orderBy("client");
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  const clients = new Map<string, ClientCalls>();
  for (const row of rows) clients.set(row.client, withRow(clients.get(row.client), row));
  return [...clients.values()].sort((a, b) => b.calls - a.calls);
}

/** Adds a row to the figures of a client: calls or runs. */
function withRow(
  before: ClientCalls | undefined,
  row: Omit<StatClientRow, "op"> & { readonly is_run: unknown },
): ClientCalls {
  const { client, hour } = row;
  const { calls = 0, errors = 0, runs = 0, last = "" } = before ?? {};
  const later = [hour, last].sort().at(-1) ?? "";
  // 1 in SQLite, true in PostgreSQL.
  if (row.is_run) return { client, calls, errors, runs: runs + Number(row.calls), last: later };
  return { client, calls: calls + Number(row.calls), errors: errors + Number(row.errors), runs, last: later };
}
