/** The calls that wait for a person, for all who show them: the command line, the console, notifications, the agent. */

import type { Decider } from "../../config/approval-settings.js";
import { digest } from "../../contract/canonical.js";
import type { Transaction } from "../../contract/handler.js";
import type { JsonObject } from "../../contract/registry.js";
import type { State } from "../../state/open.js";
import { type ApprovalRow, iso, queries } from "../../state/schema.js";
import { runSeal } from "./log-text.js";

/** A call that waits for a person. Times are ISO 8601 in UTC. */
export interface WaitingCall {
  /** Names the question: a call that is asked about again, under another rule, has another id. */
  readonly id: string;
  readonly run: string;
  /** `approval`: a person approves or rejects it. `outcome`: a person says whether it happened. */
  readonly kind: "approval" | "outcome";
  /** Who began the run. */
  readonly caller: string;
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
  /** The rule that asks, such as `approve[0]`; empty for an outcome. */
  readonly rule: string;
  /** Where a person may decide. */
  readonly by: readonly Decider[];
  readonly asked_at: string;
  readonly expires_at: string;
}

/** Calls that a listing shows. */
const MAX_SHOWN = 1000;

const COLUMNS = ["run_id", "caller", "place", "op", "args", "asked_at", "expires_at"] as const;

const ID_LENGTH = 16;

/** The id of a question about a call of a run. */
export const questionId = (
  asked: Pick<ApprovalRow, "run_id" | "place" | "asked_at"> & { rule_hash?: string },
): string => `ap_${digest([asked.run_id, asked.place, asked.asked_at, asked.rule_hash ?? ""]).slice(0, ID_LENGTH)}`;

interface Only {
  /** Who began the run. */
  readonly caller?: string;
  readonly run?: string;
}

/** The calls that wait, the one that waits longest first. */
export async function waitingCalls(state: State, now: number, only: Only = {}): Promise<readonly WaitingCall[]> {
  const seal = await runSeal(state);
  const rows = await state.transaction("read", (tx) => waitingRows(tx, now, only));
  return rows
    .sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1))
    .slice(0, MAX_SHOWN)
    .map(({ run_id, place, args, deciders, rule_hash, ...row }) => ({
      ...row,
      id: questionId({ ...row, run_id, place, rule_hash }),
      run: run_id,
      call: place,
      args: JSON.parse(seal.open(args)) as JsonObject,
      by: deciders.split(" ") as Decider[],
    }));
}

/** The rows of both tables, at most {@link MAX_SHOWN} of each. */
async function waitingRows(tx: Transaction, now: number, { caller, run }: Only) {
  const runs = queries(tx)
    .selectFrom("runs")
    .select(["id", "caller"])
    .where("status", "=", "running")
    .$if(caller !== undefined, (some) => some.where("caller", "=", caller ?? ""))
    .$if(run !== undefined, (some) => some.where("id", "=", run ?? ""))
    .as("waiting_runs");
  const approvals = await queries(tx)
    .selectFrom("approvals")
    .innerJoin(runs, "waiting_runs.id", "approvals.run_id")
    .select([...COLUMNS, "rule", "rule_hash", "deciders"])
    .where("approvals.status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .orderBy("asked_at")
    .orderBy("place")
    .limit(MAX_SHOWN)
    .execute();
  const outcomes = await queries(tx)
    .selectFrom("outcomes")
    .innerJoin(runs, "waiting_runs.id", "outcomes.run_id")
    .select(COLUMNS)
    .where("outcomes.status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .orderBy("asked_at")
    .orderBy("place")
    .limit(MAX_SHOWN)
    .execute();
  return [
    ...approvals.map((row) => ({ ...row, kind: "approval" as const })),
    ...outcomes.map((row) => ({ ...row, kind: "outcome" as const, rule: "", rule_hash: "", deciders: "console cli" })),
  ];
}
