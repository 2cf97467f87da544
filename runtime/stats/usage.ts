/** How often ops were called, and by how many callers. */

import type { Transaction } from "../contract/handler.js";
import { iso, queries } from "../state/schema.js";

/** Recorded calls of one op. */
export interface OpUsage {
  readonly calls: number;
  /** Different callers: API keys, and this machine as one. */
  readonly callers: number;
}

/**
 * Recorded calls by op since a time, in milliseconds since the epoch.
 *
 * @example
 * const usage = await state.transaction("read", (tx) => readUsage(tx, Date.now() - 30 * 86_400_000));
 */
export async function readUsage(tx: Transaction, since: number): Promise<ReadonlyMap<string, OpUsage>> {
  const rows = await queries(tx)
    .selectFrom("stat_calls")
    .where("at", ">=", iso(since))
    .select(({ fn }) => ["op", fn.countAll<number>().as("calls"), fn.count<number>("caller").distinct().as("callers")])
    .groupBy("op")
    .orderBy("op")
    .execute();
  return new Map(rows.map(({ op, calls, callers }) => [op, { calls: Number(calls), callers: Number(callers) }]));
}
