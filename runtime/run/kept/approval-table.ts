/** The table of approvals: each is bound to a run, to the place of the call in it, and to the arguments. */

import type { Decider } from "../../config/approval-settings.js";
import type { Transaction } from "../../contract/handler.js";
import { type ApprovalRow, iso, queries } from "../../state/schema.js";
import { byPlace } from "../preview/plan.js";

/** What a call asks for. */
export type AskedApproval = Pick<
  ApprovalRow,
  | "run_id"
  | "place"
  | "op"
  | "args"
  | "args_hash"
  | "expires_at"
  | "kept_until"
  | "rule"
  | "rule_hash"
  | "deciders"
  | "planned"
>;

/** What a person has decided; `changed`: for other arguments; `too_many`: the caller has too many runs that wait. */
export type ApprovalStanding =
  | { readonly kind: "approved" | "expired" | "changed" | "too_many" }
  | { readonly kind: "waiting"; readonly isNew: boolean }
  | { readonly kind: "rejected"; readonly by: string; readonly reason: string };

/** Runs of one caller that may wait. */
export const MAX_WAITING_RUNS = 20;

/** The number of other runs of a caller that wait. */
async function waitingOf(tx: Transaction, caller: string, except: string, now: number): Promise<number> {
  const found = await queries(tx)
    .selectFrom("approvals")
    .innerJoin("runs", "runs.id", "approvals.run_id")
    .select(({ fn }) => fn.count<number>("approvals.run_id").distinct().as("count"))
    .where("runs.caller", "=", caller)
    .where("runs.id", "!=", except)
    .where("approvals.status", "=", "waiting")
    .where("approvals.expires_at", ">", iso(now))
    .executeTakeFirstOrThrow();
  return Number(found.count);
}

/** Asks for an approval, or says what has been decided about it. */
export async function askApproval(
  tx: Transaction,
  asked: AskedApproval,
  caller: string,
  now: number,
): Promise<ApprovalStanding> {
  if ((await waitingOf(tx, caller, asked.run_id, now)) >= MAX_WAITING_RUNS) return { kind: "too_many" };
  const row = { ...asked, status: "waiting" as const, decided_by: null, decided_at: null, reason: null };
  const insert = queries(tx)
    .insertInto("approvals")
    .values({ ...row, asked_at: iso(now) });
  const added = insert.onConflict((conflict) => conflict.columns(["run_id", "place"]).doNothing()).returning("place");
  const isNew = (await added.execute()).length > 0;
  const slot = queries(tx).selectFrom("approvals").selectAll().where("run_id", "=", asked.run_id);
  const known = await slot.where("place", "=", asked.place).executeTakeFirstOrThrow();
  if (known.args_hash !== asked.args_hash || known.op !== asked.op) return { kind: "changed" };
  if (known.status === "rejected") return { kind: "rejected", by: known.decided_by ?? "", reason: known.reason ?? "" };
  // Under another rule it is asked again, and other people may decide. Without a rule, the earlier question stands.
  if (asked.rule !== "" && known.rule_hash !== asked.rule_hash) {
    const again = { ...row, asked_at: iso(now) };
    await queries(tx)
      .updateTable("approvals")
      .set(again)
      .where("run_id", "=", asked.run_id)
      .where("place", "=", asked.place)
      .execute();
    return { kind: "waiting", isNew: true };
  }
  if (known.status === "approved") return { kind: "approved" };
  return known.expires_at <= iso(now) ? { kind: "expired" } : { kind: "waiting", isNew };
}

/** The approvals of a run, in the order of its calls. */
export async function approvalsOf(tx: Transaction, run_id: string): Promise<readonly ApprovalRow[]> {
  const rows = await queries(tx).selectFrom("approvals").selectAll().where("run_id", "=", run_id).execute();
  return rows.sort(byPlace);
}

/** The ids of runs that wait for a decision. */
export async function waitingRuns(tx: Transaction, now: number): Promise<ReadonlySet<string>> {
  const waiting = queries(tx).selectFrom("approvals").select("run_id").distinct().where("status", "=", "waiting");
  const outcomes = queries(tx).selectFrom("outcomes").select("run_id").distinct().where("status", "=", "waiting");
  const rows = [
    ...(await waiting.where("expires_at", ">", iso(now)).execute()),
    ...(await outcomes.where("expires_at", ">", iso(now)).execute()),
  ];
  return new Set(rows.map(({ run_id }) => run_id));
}

/** A decision of a person. */
export interface Decision {
  readonly status: "approved" | "rejected";
  readonly by: string;
  /** Where the person decides. */
  readonly via: Decider;
  readonly reason: string;
}

/** What was decided, and which calls wait for a decision elsewhere. */
export interface Decided {
  readonly done: readonly string[];
  readonly elsewhere: readonly { readonly place: string; readonly deciders: string }[];
  /** How many calls of the run still wait for a person. */
  readonly left: number;
}

/**
 * Decides about calls that wait.
 *
 * @param places - of the calls; empty: all that wait
 */
export async function decide(
  tx: Transaction,
  run_id: string,
  places: readonly string[],
  { status, by, via, reason }: Decision,
  now: number,
): Promise<Decided> {
  const rows = await queries(tx)
    .selectFrom("approvals")
    .select(["place", "deciders"])
    .where("run_id", "=", run_id)
    .where("status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .forUpdate()
    .execute();
  const asked = rows.sort(byPlace).filter(({ place }) => places.length === 0 || places.includes(place));
  const mine = asked.filter(({ deciders }) => deciders.split(" ").includes(via));
  const done = mine.map(({ place }) => place);
  const decision = { status, decided_by: by, decided_at: iso(now), reason };
  if (done.length > 0)
    await queries(tx)
      .updateTable("approvals")
      .set(decision)
      .where("run_id", "=", run_id)
      .where("place", "in", done)
      .execute();
  const unknown = await queries(tx)
    .selectFrom("outcomes")
    .select("place")
    .where("run_id", "=", run_id)
    .where("status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .execute();
  const left = rows.length - done.length + unknown.length;
  return { done, elsewhere: asked.filter((one) => !mine.includes(one)), left };
}
