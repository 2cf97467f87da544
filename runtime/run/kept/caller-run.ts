/** Reads a run for the caller who began it. */

import type { LastingCaller } from "../../access/former-keys.js";
import type { State } from "../../state/open.js";
import { iso, queries, type RunRow } from "../../state/schema.js";
import { approvalsOf } from "./approval-table.js";
import { runSeal } from "./log-text.js";
import { isRunOf } from "./stored-run.js";

/** A run, as its caller sees it. Times are ISO 8601 in UTC. */
export interface CallerRun extends Pick<RunRow, "id" | "status"> {
  /** What it has answered; empty as long as it runs. */
  readonly text: string;
  readonly createdAt: string;
  /** When it was last seen to change. */
  readonly changedAt: string;
  readonly expiresAt: string;
  /** Why it goes on only if somebody asks for it. */
  readonly halted?: string;
}

/** A run of the caller that is kept; undefined if there is none. */
export async function readCallerRun(
  state: State,
  id: string,
  caller: LastingCaller,
  now: number,
): Promise<CallerRun | undefined> {
  const seal = await runSeal(state);
  return state.transaction("read", async (tx) => {
    const row = await queries(tx).selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
    if (!row || !isRunOf(row, caller) || row.expires_at <= iso(now)) return undefined;
    const approvals = row.status === "running" ? await approvalsOf(tx, id) : [];
    const times = approvals.flatMap(({ asked_at, decided_at }) => [asked_at, decided_at ?? asked_at]);
    const ended = row.status === "running" ? [] : [row.lease_until];
    return {
      id,
      status: row.status,
      text: row.answer === null ? "" : seal.open(row.answer),
      createdAt: row.created_at,
      changedAt: [row.created_at, ...times, ...ended].reduce((last, one) => (one > last ? one : last)),
      expiresAt: row.expires_at,
      ...(row.halted === null ? {} : { halted: row.halted }),
    };
  });
}
