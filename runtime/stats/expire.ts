/** What is older than its retention goes, without holding anybody up. */

import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import type { Transaction } from "../contract/handler.js";
import type { State } from "../state/open.js";
import { queries } from "../state/schema.js";
import { hourOf, iso } from "./store.js";

/** Tables that are kept for a time, and the column that says when. */
const AGEING = [
  ["stat_calls", "at"],
  ["stat_hours", "hour"],
  ["stat_clients", "hour"],
  ["stat_counters", "hour"],
] as const;

/** Rows of one deletion: measured at a few milliseconds. */
const PER_DELETION = 5000;

/**
 * Deletes what is older than a time: not much in one transaction, and others have their turn in between.
 *
 * @param signal ends it early, with at least one transaction done
 */
export async function expire(state: Pick<State, "transaction">, before: number, signal?: AbortSignal): Promise<void> {
  for (const ageing of AGEING) {
    const end = ageing[1] === "at" ? iso(before) : hourOf(before);
    while (await state.transaction("write", (tx) => deleteSome(tx, ageing, end))) {
      if (signal?.aborted) return;
      await turn();
    }
  }
}

/** Deletes the oldest rows before a time; says whether there may be more. */
async function deleteSome(tx: Transaction, [table, column]: (typeof AGEING)[number], end: string): Promise<boolean> {
  const db = queries(tx);
  const time = sql.ref<string>(column);
  const next = await db
    .selectFrom(table)
    .select(time.as("time"))
    .where(time, "<", end)
    .orderBy(time)
    .offset(PER_DELETION)
    .limit(1)
    .executeTakeFirst();
  await db
    .deleteFrom(table)
    .where(time, next ? "<=" : "<", next?.time ?? end)
    .execute();
  return next !== undefined;
}
