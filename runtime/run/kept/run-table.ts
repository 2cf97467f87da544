/** The tables of runs that have written: one row for each run, its calls with their answers, and the order of these. */

import type { Transaction } from "../../contract/handler.js";
import {
  type ApprovalRow,
  iso,
  type OutcomeRow,
  queries,
  type RunInnerRow,
  type RunPlanRow,
  type RunRow,
} from "../../state/schema.js";
import type { Delivery } from "../engine/delivery-log.js";
import { approvalsOf, waitingRuns } from "./approval-table.js";
import { callPlace } from "./places.js";

/** How long a server owns a run, unless it says again that it still works on it. */
export const RUN_LEASE_MS = 30_000;
/** How long a run and its keys are kept. */
export const RUN_KEEP_MS = 7 * 86_400_000;

/**
 * Why a run goes on only if somebody asks for it: its caller has left it, its interpreter has stopped, it made other calls
 * than before, its ops or its code are not what they were, its caller has lost the permission, or the state database did
 * not answer in its time. `too_large`: its log is not kept, so it cannot go on when its server ends.
 */
export type Halt = "cancelled" | "crashed" | "diverged" | "stale" | "refused" | "outage" | "too_large";

/** A new part of the log. */
export interface LogPart {
  readonly calls: readonly KeptCall[];
  /** Deliveries from the place `from` on, counted from 0. */
  readonly deliveries: readonly Delivery[];
  readonly from: number;
  /** Of the programs of tools. */
  readonly inner: readonly InnerPart[];
}

/** A part of what the program of a tool has received. */
export type InnerPart = Pick<RunInnerRow, "place" | "seq" | "body">;

/** A call in the log. */
export interface KeptCall {
  readonly ordinal: number;
  readonly asked: string;
  /** Path of the op; empty if the name is not that of an op. */
  readonly op: string;
  /** Sealed; null while the call is under way. */
  readonly answer: string | null;
}

/** The driver of a run: another one has a higher epoch. */
export interface Driver {
  readonly id: string;
  readonly epoch: number;
}

/** Rows of one INSERT: SQLite bounds the values of a statement. */
const ROWS_AT_ONCE = 500;

/**
 * Adds the run; returns whether this driver owns it. It is there if an earlier attempt was not answered, and may have been
 * taken over since.
 */
export async function addRun(tx: Transaction, row: RunRow): Promise<boolean> {
  const { id, epoch, status: _, ...change } = row;
  const insert = queries(tx).insertInto("runs").values(row);
  const added = await insert
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .execute();
  return added.length > 0 || changeRun(tx, { id, epoch }, change);
}

/** Changes the row of a run while this driver owns it; returns whether it does. */
export async function changeRun(tx: Transaction, { id, epoch }: Driver, change: Partial<RunRow>): Promise<boolean> {
  const row = queries(tx).updateTable("runs").set(change).where("id", "=", id).where("epoch", "=", epoch);
  return (await row.where("status", "=", "running").returning("id").execute()).length > 0;
}

interface Said {
  readonly by: string;
  readonly reason: string;
}

/** Stops a run, with an answer that is sealed: what waits in it is withdrawn. */
export async function changeStopped(
  tx: Transaction,
  id: string,
  answer: string,
  said: Said,
  now: number,
): Promise<void> {
  const change = { status: "stopped" as const, answer, lease_until: iso(now) };
  await queries(tx).updateTable("runs").set(change).where("id", "=", id).execute();
  await dropLog(tx, id);
  await withdraw(tx, id, said, now);
}

/** Withdraws what waits in a run. */
export async function withdraw(tx: Transaction, id: string, { by, reason }: Said, now: number): Promise<void> {
  const db = queries(tx);
  const decided = { decided_by: by, decided_at: iso(now), reason };
  const approvals = db.updateTable("approvals").set({ status: "withdrawn", ...decided });
  await approvals.where("run_id", "=", id).where("status", "=", "waiting").execute();
  const outcomes = db.updateTable("outcomes").set({ status: "stop", ...decided });
  await outcomes.where("run_id", "=", id).where("status", "=", "waiting").execute();
}

/**
 * Adds a part of the log; answers of calls that are in it already are filled in. A part that was stored without an answer
 * of the database is stored again, with what is new.
 */
export async function addLog(tx: Transaction, run_id: string, part: LogPart, expires_at: string): Promise<void> {
  const { calls, deliveries, from, inner } = part;
  for (let at = 0; at < calls.length; at += ROWS_AT_ONCE)
    await queries(tx)
      .insertInto("run_calls")
      .values(calls.slice(at, at + ROWS_AT_ONCE).map((call) => ({ run_id, expires_at, ...call })))
      .onConflict((conflict) =>
        conflict.columns(["run_id", "ordinal"]).doUpdateSet((eb) => ({ answer: eb.ref("excluded.answer") })),
      )
      .execute();
  for (let at = 0; at < inner.length; at += ROWS_AT_ONCE)
    await queries(tx)
      .insertInto("run_inner")
      .values(inner.slice(at, at + ROWS_AT_ONCE).map((one) => ({ run_id, expires_at, ...one })))
      .onConflict((conflict) =>
        conflict.columns(["run_id", "place", "seq"]).doUpdateSet((eb) => ({ body: eb.ref("excluded.body") })),
      )
      .execute();
  if (deliveries.length === 0) return;
  const row = { run_id, seq: from, body: JSON.stringify(deliveries), expires_at };
  await queries(tx)
    .insertInto("run_deliveries")
    .values(row)
    .onConflict((conflict) => conflict.columns(["run_id", "seq"]).doUpdateSet({ body: row.body }))
    .execute();
}

/** Deletes the log of a run. */
export async function dropLog(tx: Transaction, run_id: string): Promise<void> {
  await queries(tx).deleteFrom("run_calls").where("run_id", "=", run_id).execute();
  await queries(tx).deleteFrom("run_deliveries").where("run_id", "=", run_id).execute();
  await queries(tx).deleteFrom("run_inner").where("run_id", "=", run_id).execute();
}

/** The plan of a run, if it has one. */
export const planRowOf = (tx: Transaction, run_id: string): Promise<RunPlanRow | undefined> =>
  queries(tx).selectFrom("run_plans").selectAll().where("run_id", "=", run_id).executeTakeFirst();

/** A run with its log. */
export interface KeptRun {
  readonly row: RunRow;
  readonly calls: readonly KeptCall[];
  readonly deliveries: readonly Delivery[];
  readonly inner: readonly InnerPart[];
}

/** Reads a run with its log. */
export async function readRun(tx: Transaction, id: string): Promise<KeptRun | undefined> {
  const db = queries(tx);
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) return undefined;
  const calls = await db
    .selectFrom("run_calls")
    .select(["ordinal", "asked", "op", "answer"])
    .where("run_id", "=", id)
    .orderBy("ordinal")
    .execute();
  const parts = await db.selectFrom("run_deliveries").select("body").where("run_id", "=", id).orderBy("seq").execute();
  const inner = await db
    .selectFrom("run_inner")
    .select(["place", "seq", "body"])
    .where("run_id", "=", id)
    .orderBy("seq")
    .execute();
  return { row, calls, inner, deliveries: parts.flatMap(({ body }) => JSON.parse(body) as Delivery[]) };
}

/**
 * Takes a run over, if no server works on it.
 *
 * @param mine - an earlier claim of this driver that the database has not confirmed
 * @returns the new driver; undefined if a server works on it, or it has ended
 */
export async function claimRun(
  tx: Transaction,
  id: string,
  now: number,
  mine: RunClaim | undefined,
): Promise<RunClaim | undefined> {
  const lease_until = iso(now + RUN_LEASE_MS);
  const [claimed] = await queries(tx)
    .updateTable("runs")
    .set((eb) => ({ epoch: eb("epoch", "+", 1), lease_until, halted: null }))
    .where("id", "=", id)
    .where("status", "=", "running")
    .where(({ and, eb, or }) =>
      or([
        eb("lease_until", "<=", iso(now)),
        ...(mine ? [and([eb("epoch", "=", mine.epoch), eb("lease_until", "=", mine.lease_until)])] : []),
      ]),
    )
    .where("expires_at", ">", iso(now))
    .returning("epoch")
    .execute();
  return claimed && { id, epoch: claimed.epoch, lease_until };
}

/** What a driver has claimed. */
export interface RunClaim extends Driver {
  readonly lease_until: string;
}

/** A run as an operator sees it. Times are ISO 8601 in UTC. */
export interface ShownRun {
  readonly id: string;
  /**
   * `interrupted`: its server has ended, or the caller has left it; it can be resumed. `paused`: it waits for approvals.
   */
  readonly status: RunRow["status"] | "interrupted" | "paused";
  readonly caller: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** Why it goes on only if somebody asks for it. */
  readonly halted?: Halt;
}

/** Runs that a listing shows. */
const MAX_LISTED = 1000;

/** The status of a run: a running one whose lease has ended is interrupted. */
export const statusOf = ({ status, lease_until }: RunRow, now: number): ShownRun["status"] =>
  status === "running" && lease_until <= iso(now) ? "interrupted" : status;

/** A run without what its program is. */
const shownRun = (row: RunRow, waiting: ReadonlySet<string>, now: number): ShownRun => {
  const { id, caller, created_at, expires_at } = row;
  const status = statusOf(row, now);
  const isPaused = status === "interrupted" && waiting.has(id);
  const halted = row.status === "running" && row.halted !== null ? { halted: row.halted as Halt } : {};
  return { id, status: isPaused ? "paused" : status, caller, created_at, expires_at, ...halted };
};

/** The runs, the latest first; those that one of `callers` began, if given. */
export async function listRuns(
  tx: Transaction,
  now: number,
  callers?: readonly string[],
): Promise<readonly ShownRun[]> {
  const all = queries(tx).selectFrom("runs").selectAll().orderBy("created_at", "desc").orderBy("id").limit(MAX_LISTED);
  const rows = await (callers === undefined ? all : all.where("caller", "in", callers)).execute();
  const waiting = await waitingRuns(tx, now);
  return rows.map((row) => shownRun(row, waiting, now));
}

/** The first of the runs of a caller that have the program of a later one, and wait for a person; undefined if there is none. */
export async function earlierWaiting(tx: Transaction, id: string, now: number): Promise<string | undefined> {
  const db = queries(tx);
  const own = await db
    .selectFrom("runs")
    .select(["caller", "code_hash", "created_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!own) return undefined;
  const found = await db
    .selectFrom("runs")
    .innerJoin("approvals", "approvals.run_id", "runs.id")
    .select("runs.id")
    .where("runs.caller", "=", own.caller)
    .where("runs.code_hash", "=", own.code_hash)
    .where("runs.created_at", "<", own.created_at)
    .where("runs.status", "=", "running")
    .where("approvals.status", "=", "waiting")
    .where("approvals.expires_at", ">", iso(now))
    .orderBy("runs.created_at")
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

/** A run with its calls and approvals, as an operator sees it. */
export interface RunDetails extends ShownRun, Pick<RunRow, "record"> {
  readonly calls: readonly { readonly ordinal: number; readonly op: string; readonly status: "done" | "under way" }[];
  readonly approvals: readonly ApprovalRow[];
  /** Writes whose outcome was unknown. */
  readonly outcomes: readonly OutcomeRow[];
  /** The plan to which the run is held, if it is. */
  readonly plan: RunPlanRow | undefined;
  /** Places of those of the approvals and outcomes whose writes were made. */
  readonly made: ReadonlySet<string>;
}

/** A run with its calls and approvals; undefined if there is none. */
export async function showRun(tx: Transaction, id: string, now: number): Promise<RunDetails | undefined> {
  const found = await readRun(tx, id);
  if (!found) return undefined;
  const calls = found.calls.flatMap(({ ordinal, op, answer }) =>
    op === "" ? [] : [{ ordinal, op, status: answer === null ? ("under way" as const) : ("done" as const) }],
  );
  const shown = shownRun(found.row, await waitingRuns(tx, now), now);
  const outcomes = await queries(tx)
    .selectFrom("outcomes")
    .selectAll()
    .where("run_id", "=", id)
    .orderBy("asked_at")
    .execute();
  const plan = await planRowOf(tx, id);
  const approvals = await approvalsOf(tx, id);
  const made = await madeOf(tx, found.row, [...approvals, ...outcomes]);
  return { ...shown, record: found.row.record, made, calls, approvals, outcomes, plan };
}

/** The places of those of the calls that were made. */
async function madeOf(
  tx: Transaction,
  { id, caller }: RunRow,
  calls: readonly Pick<ApprovalRow | OutcomeRow, "place" | "op">[],
): Promise<ReadonlySet<string>> {
  if (calls.length === 0) return new Set();
  const ops = [...new Set(calls.map(({ op }) => op))];
  const rows = await queries(tx)
    .selectFrom("ledger")
    .select("key")
    .where("caller", "=", caller)
    .where("op", "in", ops)
    .where(
      "key",
      "in",
      calls.map(({ place }) => `${id}:${place}`),
    )
    .where("status", "=", "succeeded")
    .execute();
  return new Set(rows.map(({ key }) => callPlace({ key })));
}

/** Deletes a run that no server works on. */
export async function dropRun(tx: Transaction, id: string, now: number): Promise<"done" | "running" | "not found"> {
  const row = await queries(tx).selectFrom("runs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (!row) return "not found";
  if (statusOf(row, now) === "running") return "running";
  await dropLog(tx, id);
  await queries(tx).deleteFrom("approvals").where("run_id", "=", id).execute();
  await queries(tx).deleteFrom("outcomes").where("run_id", "=", id).execute();
  await queries(tx).deleteFrom("run_plans").where("run_id", "=", id).execute();
  await queries(tx).deleteFrom("runs").where("id", "=", id).execute();
  return "done";
}
