/** What the HTML report says beside the figures of `ot.stats`: read from the sums by hour too, never from single calls. */

import type { Transaction } from "../../contract/handler.js";
import { queries, type StatClientRow } from "../../state/schema.js";
import { BUCKETS, type BucketCounts } from "../buckets.js";
import { fromHour, readStats, type Stats, type StatsQuery } from "../figures.js";
import { RUNS } from "../store.js";

/** The calls of one hour, `2026-11-22T05`. */
export interface HourCalls {
  readonly hour: string;
  readonly calls: number;
  readonly errors: number;
}

/** The calls and runs of one client program. */
export interface ClientCalls {
  /** Empty where it has no name. */
  readonly client: string;
  readonly calls: number;
  readonly errors: number;
  readonly runs: number;
  /** Hour of the last call or run. */
  readonly last: string;
}

/** Everything that a report shows. */
export interface ReportFigures {
  readonly query: StatsQuery;
  readonly stats: Stats;
  /** Hours with calls, ascending. */
  readonly hours: readonly HourCalls[];
  /** Durations by op. */
  readonly durations: ReadonlyMap<string, BucketCounts>;
  /** Durations of runs. */
  readonly runDurations: BucketCounts;
  /** Most calls first. */
  readonly clients: readonly ClientCalls[];
}

/** Reads the figures of a report. */
export async function readReport(tx: Transaction, query: StatsQuery): Promise<ReportFigures> {
  const stats = await readStats(tx, query);
  const hours = await hoursOf(tx, query);
  const durations = await durationsOf(tx, query);
  const clients = await clientsOf(tx, query);
  const runDurations = durations.get(RUNS) ?? [];
  durations.delete(RUNS);
  return { query, stats, hours, durations, runDurations, clients };
}

async function hoursOf(tx: Transaction, query: StatsQuery): Promise<readonly HourCalls[]> {
  const hours = queries(tx)
    .selectFrom("stat_hours")
    .select(({ fn }) => ["hour", fn.sum<number>("calls").as("calls"), fn.sum<number>("errors").as("errors")])
    .where("hour", ">=", fromHour(query))
    .where("op", "!=", RUNS)
    .groupBy("hour")
    .orderBy("hour");
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  return rows.map(({ hour, calls, errors }) => ({ hour, calls: Number(calls), errors: Number(errors) }));
}

async function durationsOf(tx: Transaction, query: StatsQuery): Promise<Map<string, BucketCounts>> {
  const hours = queries(tx).selectFrom("stat_hours").select(["op", "buckets"]).where("hour", ">=", fromHour(query));
  const rows = await (query.op === "" ? hours : hours.where("op", "=", query.op)).execute();
  const sums = new Map<string, number[]>();
  for (const { op, buckets } of rows) {
    const sum = sums.get(op) ?? Array.from({ length: BUCKETS }, () => 0);
    sums.set(op, sum);
    for (const [at, count] of (JSON.parse(buckets) as readonly number[]).entries()) sum[at] = (sum[at] ?? 0) + count;
  }
  return sums;
}

async function clientsOf(tx: Transaction, query: StatsQuery): Promise<readonly ClientCalls[]> {
  const hours = queries(tx)
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

/** The rows of a client: its calls, and its runs. */
function withRow(
  before: ClientCalls | undefined,
  row: Omit<StatClientRow, "op"> & { readonly is_run: unknown },
): ClientCalls {
  const { client, hour } = row;
  const { calls = 0, errors = 0, runs = 0, last = "" } = before ?? {};
  const later = [hour, last].sort().at(-1) ?? "";
  // SQLite says 1 where PostgreSQL says true.
  if (row.is_run) return { client, calls, errors, runs: runs + Number(row.calls), last: later };
  return { client, calls: calls + Number(row.calls), errors: errors + Number(row.errors), runs, last: later };
}
