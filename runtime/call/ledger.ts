/** The idempotency ledger: records which writes with an idempotency key ran, and their answers. */

import type { Transaction } from "../contract/handler.js";
import { iso, type LedgerRow, queries } from "../state/schema.js";

/** Identity of a call with an idempotency key. */
export interface LedgerSlot {
  readonly caller: string;
  readonly op: string;
  readonly key: string;
}

/** A claim on a slot. */
export interface Claim extends LedgerSlot {
  readonly hash: string;
  /** The trace id of the call that holds the lease. */
  readonly owner: string;
  readonly now: number;
  /** How long its answer can be replayed at least: until a server deletes the row. */
  readonly keepMs: number;
}

/** Rows of the ledger. Every method runs in the given transaction. */
export interface Ledger {
  /** Claims the slot, or returns the row that occupies it. */
  reserve(tx: Transaction, claim: Claim): Promise<LedgerRow | undefined>;
  /** Takes over a pending row whose lease has expired. */
  takeOver(tx: Transaction, claim: Claim): Promise<void>;
  /** Changes the end of the lease. */
  renew(tx: Transaction, claim: Claim, until: number): Promise<void>;
  /** Stores the envelope for later calls. */
  succeed(tx: Transaction, claim: Claim, envelope: string): Promise<void>;
  /** Frees the slot after a failure. */
  release(tx: Transaction, claim: Claim): Promise<void>;
}

/** Duration of a claim, unless it is renewed. */
export const LEASE_MS = 10_000;

/** The ledger in the state database. */
export const sqlLedger: Ledger = {
  async reserve(tx, claim) {
    const { caller, op, key } = claim;
    const done = await queries(tx)
      .insertInto("ledger")
      .values({ ...rowOf(claim), created_at: iso(claim.now), expires_at: iso(claim.now + claim.keepMs) })
      // On PostgreSQL this waits for a claim that another transaction has not committed yet.
      .onConflict((conflict) => conflict.columns(["caller", "op", "key"]).doNothing())
      .executeTakeFirst();
    if (Number(done.numInsertedOrUpdatedRows ?? 0) > 0) return undefined;
    const slot = queries(tx).selectFrom("ledger").selectAll();
    // Locked, so that one of several calls that find an expired lease takes it over.
    return slot.where("caller", "=", caller).where("op", "=", op).where("key", "=", key).forUpdate().executeTakeFirst();
  },
  async takeOver(tx, claim) {
    const { caller, op, key } = claim;
    const slot = queries(tx).updateTable("ledger").set(rowOf(claim));
    await slot.where("caller", "=", caller).where("op", "=", op).where("key", "=", key).execute();
  },
  async renew(tx, claim, until) {
    await owned(tx, claim, { lease_until: iso(until) });
  },
  async succeed(tx, claim, envelope) {
    await owned(tx, claim, { status: "succeeded", envelope });
  },
  async release(tx, claim) {
    const { caller, op, key, owner } = claim;
    const slot = queries(tx).deleteFrom("ledger").where("caller", "=", caller).where("op", "=", op);
    await slot.where("key", "=", key).where("owner", "=", owner).execute();
  },
};

const rowOf = ({ caller, op, key, hash, owner, now }: Claim) => ({
  caller,
  op,
  key,
  args_hash: hash,
  status: "pending" as const,
  envelope: null,
  owner,
  lease_until: iso(now + LEASE_MS),
});

/** Changes the row only while this call owns it: a lease that was taken over belongs to another call. */
async function owned(tx: Transaction, claim: Claim, change: Partial<LedgerRow>): Promise<void> {
  const { caller, op, key, owner } = claim;
  const slot = queries(tx).updateTable("ledger").set(change).where("caller", "=", caller).where("op", "=", op);
  await slot.where("key", "=", key).where("owner", "=", owner).execute();
}

/** What an existing row means for a new call. */
export type LedgerVerdict = "replay" | "take_over" | "different_arguments" | "in_flight" | "outcome_unknown";

/**
 * Decides how a call with an idempotency key goes on: it runs, gets the stored answer, or CONFLICT.
 *
 * @param repeatable whether carrying it out again has no second effect: it is transactional, or its key is passed on
 */
export function ledgerVerdict(row: LedgerRow, claim: Claim, repeatable: boolean): LedgerVerdict {
  if (row.args_hash !== claim.hash) return "different_arguments";
  if (row.status === "succeeded") return "replay";
  if (row.lease_until > iso(claim.now)) return "in_flight";
  return repeatable ? "take_over" : "outcome_unknown";
}
