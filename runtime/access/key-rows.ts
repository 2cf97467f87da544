/** The key store in a database that servers share: a revocation takes effect on all servers at their next check. */

import { isToolFailure, type Transaction } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import type { State } from "../state/open.js";
import { type ApiKeyRow, queries } from "../state/schema.js";
import { isGrant } from "./key-file-format.js";
import { type KeyEdit, type KeyRecord, type KeyStore, KeysUnreadable } from "./key-store.js";

/** The key store of a database, which is opened by the first query. */
export function rowStore(state: () => Promise<State>): KeyStore {
  const within = async <T>(
    mode: "read" | "write",
    work: (tx: Transaction) => Promise<T>,
    open?: Transaction,
  ): Promise<T> => {
    try {
      return await (open ? work(open) : (await state()).transaction(mode, work, mode === "write" ? "keys" : undefined));
    } catch (error) {
      throw outage(error);
    }
  };
  return {
    read: (keyIds, open) => within("read", (tx) => readIn(tx, keyIds, open !== undefined), open),
    all: () => within("read", allIn),
    anyMade: () => within("read", anyIn),
    anyLive: (now) => within("read", (tx) => anyLiveIn(tx, new Date(now).toISOString())),
    async change<T>(edit: (records: readonly KeyRecord[]) => KeyEdit<T>): Promise<T> {
      const work = async (tx: Transaction) => {
        const outcome = outcomeOf(edit, await allIn(tx));
        const put = "change" in outcome ? outcome.change.put : [];
        for (const record of put) await putIn(tx, record);
        const payload = put.map(({ key_id }) => key_id).join(" ");
        if (put.length > 0) await (await state()).send(tx, { topic: "keys", payload });
        return outcome;
      };
      const done = await within("write", work);
      if ("thrown" in done) throw done.thrown;
      return done.change.value;
    },
  };
}

/** Runs an edit and returns what it throws, so that only failures of the database count as outages. */
function outcomeOf<T>(
  edit: (records: readonly KeyRecord[]) => KeyEdit<T>,
  records: readonly KeyRecord[],
): { readonly change: KeyEdit<T> } | { readonly thrown: unknown } {
  try {
    return { change: edit(records) };
  } catch (thrown) {
    return { thrown };
  }
}

/** UNAVAILABLE; if it is unknown whether a change took effect, the original failure. */
function outage(error: unknown): Error {
  if (isToolFailure(error) && "outcome" in (error.details ?? {})) return error;
  const what = messageOf(error);
  return new KeysUnreadable(`the keys cannot be reached: ${what}`, "check the database that `state` names", {
    cause: error,
  });
}

/** @param lock holds up a revocation until the end of the transaction, so that no write commits after it */
async function readIn(tx: Transaction, keyIds: readonly string[], lock: boolean): Promise<readonly KeyRecord[]> {
  const asked = queries(tx).selectFrom("api_keys").selectAll().where("key_id", "in", keyIds);
  const rows = await (lock ? asked.forShare() : asked).execute();
  return rows.map(recordOf);
}

async function allIn(tx: Transaction): Promise<readonly KeyRecord[]> {
  const rows = await queries(tx).selectFrom("api_keys").selectAll().orderBy("created_at").orderBy("key_id").execute();
  return rows.map(recordOf);
}

const anyIn = async (tx: Transaction): Promise<boolean> =>
  (await queries(tx).selectFrom("api_keys").select("key_id").limit(1).executeTakeFirst()) !== undefined;

async function anyLiveIn(tx: Transaction, now: string): Promise<boolean> {
  const row = await queries(tx)
    .selectFrom("api_keys")
    .select("key_id")
    .where("revoked_at", "is", null)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function putIn(tx: Transaction, record: KeyRecord): Promise<void> {
  const row = rowOfKey(record);
  const { key_id: _, ...rest } = row;
  await queries(tx)
    .insertInto("api_keys")
    .values(row)
    .onConflict((conflict) => conflict.column("key_id").doUpdateSet(rest))
    .execute();
}

/** The row of a key. */
export const rowOfKey = ({ grant, family, ...record }: KeyRecord): ApiKeyRow => ({
  ...record,
  family: family ?? null,
  access: JSON.stringify(grant),
});

/** The record of a row, which has no family if an earlier version wrote it; undefined if it holds no grant. */
export function keyOfRow({ access, family, ...row }: ApiKeyRow): KeyRecord | undefined {
  const grant: unknown = JSON.parse(access);
  return isGrant(grant) ? { ...row, ...(typeof family === "string" ? { family } : {}), grant } : undefined;
}

function recordOf(row: ApiKeyRow): KeyRecord {
  const record = keyOfRow(row);
  if (!record) throw new Error(`the row of the key ${row.key_id} holds no grant`);
  return record;
}
