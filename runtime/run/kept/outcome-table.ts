/**
 * The table of writes with an unknown outcome: their server ended while they were under way, and they
 * may not be repeated. A person finds out and says so; the ledger then gives that answer, or lets the call through again.
 */

import type { SuccessEnvelope } from "../../contract/error-body.js";
import { writeJson } from "../../contract/exact-number.js";
import type { Transaction } from "../../contract/handler.js";
import type { JsonValue } from "../../contract/registry.js";
import { iso, type OutcomeRow, queries } from "../../state/schema.js";
import { changeStopped } from "./run-table.js";

/** What a write of unknown outcome asks with. */
export type OutcomeQuestion = Pick<
  OutcomeRow,
  "run_id" | "place" | "op" | "args" | "asked_at" | "expires_at" | "kept_until"
>;

/** Asks what has become of a write; again, if it was to be retried and its server has ended again. Returns whether it is asked anew. */
export async function askOutcome(tx: Transaction, asked: OutcomeQuestion): Promise<boolean> {
  const row = { ...asked, status: "waiting" as const, decided_by: null, decided_at: null, reason: null };
  const asks = await queries(tx)
    .insertInto("outcomes")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["run_id", "place"]).doUpdateSet(row).where("outcomes.status", "!=", "waiting"),
    )
    .returning("place")
    .execute();
  return asks.length > 0;
}

/** What a person says about a write: it happened, it is to be sent again, or the run is to stop. */
export type Resolution =
  | { readonly kind: "happened"; readonly result: JsonValue }
  | { readonly kind: "retry" }
  /** `answer`: sealed. */
  | { readonly kind: "stop"; readonly answer: string };

/** Who says so, and why. */
export interface Resolver {
  readonly by: string;
  readonly reason: string;
}

/** What came of it: `running`: a server works on the run. */
export type OutcomeResolution = "done" | "running" | "not waiting";

/** Resolves the outcome of a write. */
export async function resolveOutcome(
  tx: Transaction,
  { id, place }: { readonly id: string; readonly place: string },
  resolution: Resolution,
  { by, reason }: Resolver,
  now: number,
): Promise<OutcomeResolution> {
  const db = queries(tx);
  const run = await db.selectFrom("runs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (run?.status === "running" && run.lease_until > iso(now)) return "running";
  const change = { status: resolution.kind, decided_by: by, decided_at: iso(now), reason };
  const [asked] = await db
    .updateTable("outcomes")
    .set(change)
    .where("run_id", "=", id)
    .where("place", "=", place)
    .where("status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .returning("op")
    .execute();
  if (!run || !asked) return "not waiting";
  if (resolution.kind === "stop") await changeStopped(tx, id, resolution.answer, { by, reason }, now);
  else await settle(tx, { caller: run.caller, op: asked.op, key: `${id}:${place}` }, resolution);
  return "done";
}

type Slot = Readonly<Record<"caller" | "op" | "key", string>>;

/** Stores the answer of a write that happened; frees its slot otherwise. */
async function settle(
  tx: Transaction,
  { caller, op, key }: Slot,
  resolution: Exclude<Resolution, { kind: "stop" }>,
): Promise<void> {
  const db = queries(tx);
  if (resolution.kind === "retry") {
    const row = db.deleteFrom("ledger").where("caller", "=", caller).where("op", "=", op).where("key", "=", key);
    await row.where("status", "=", "pending").execute();
    return;
  }
  const meta = { trace_id: "", latency_ms: 0, warnings: [SAID] };
  const envelope: SuccessEnvelope = { op, ok: true, result: resolution.result, meta };
  const row = db.updateTable("ledger").set({ status: "succeeded", envelope: writeJson(envelope) });
  await row.where("caller", "=", caller).where("op", "=", op).where("key", "=", key).execute();
}

const SAID = "outcome_resolved: a person says that it happened";
