/** The tables of statistics, which migrations 2 to 4 of the state database make. */

import type { Generated, Kysely } from "kysely";
import type { Transaction } from "../../runtime/contract/handler.js";
import type { RetainParts } from "../../runtime/state/retention.js";
import type { Database } from "../../runtime/state/schema.js";

/** One call of an op, or one run with its calls; kept for `stats.retention_days`. */
export interface StatCallRow {
  readonly seq: Generated<number>;
  readonly at: string;
  /** `@run` for a run. */
  readonly op: string;
  /** Error code; empty on success. */
  readonly code: string;
  readonly duration_ms: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly calls: number;
  readonly trace_id: string;
  readonly caller: string;
  readonly client: string;
}

/** All calls of an op in one hour (`2026-11-22T05`); `buckets` counts them by duration, as JSON. */
export interface StatHourRow {
  readonly hour: string;
  readonly op: string;
  readonly calls: number;
  readonly errors: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly duration_ms: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly buckets: string;
  /** Longest duration; null for hours before it was recorded. */
  readonly longest_ms: number | null;
}

/** Calls of an op by one client program in one hour; `client` is empty if it has no name. */
export interface StatClientRow extends Pick<StatHourRow, "hour" | "op" | "calls" | "errors"> {
  readonly client: string;
}

/** An hourly sum that belongs to no call. */
export interface StatCounterRow {
  readonly hour: string;
  readonly name: string;
  readonly value: number;
}

/** The tables of the feature beside those of the core. */
interface StatisticsDatabase extends Database {
  readonly stat_calls: StatCallRow;
  readonly stat_hours: StatHourRow;
  readonly stat_clients: StatClientRow;
  readonly stat_counters: StatCounterRow;
}

/** A query builder over them. */
export type StatisticsQueries = Kysely<StatisticsDatabase>;

/** The queries of a transaction. The only cast; takes the transaction that `State.transaction` passes. */
export const statisticsQueries = (tx: Transaction): StatisticsQueries => tx as unknown as StatisticsQueries;

/** The tables by age. */
export const STATISTICS: RetainParts["tables"] = [
  ["stat_calls", "at"],
  ["stat_hours", "hour"],
  ["stat_clients", "hour"],
  ["stat_counters", "hour"],
];
