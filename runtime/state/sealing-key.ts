/** The secrets of the server itself: each is created once for a state database, and never disclosed. */

import { randomBytes } from "node:crypto";
import type { Transaction } from "../contract/handler.js";
import type { State } from "./open.js";
import { queries } from "./schema.js";

/** The key that encrypts state which clients carry from one request to the next. */
export const sealingKey = (state: State): Promise<string> => serverSecret(state, "sealing");

/** Reads a secret of a state database, or creates it. @param name - unique among the features */
export async function serverSecret(state: State, name: string): Promise<string> {
  const known = await state.transaction("read", (tx) => stored(tx, name));
  return known ?? state.transaction("write", (tx) => make(tx, name));
}

/** Reads a secret in a transaction, or creates it with what the transaction writes. */
export const secretWithin = async (tx: Transaction, name: string): Promise<string> =>
  (await stored(tx, name)) ?? make(tx, name);

const stored = async (tx: Transaction, name: string): Promise<string | undefined> =>
  (await queries(tx).selectFrom("server_secrets").select("value").where("name", "=", name).executeTakeFirst())?.value;

async function make(tx: Transaction, name: string): Promise<string> {
  const value = randomBytes(32).toString("base64url");
  // Another instance may have created it meanwhile.
  const row = queries(tx).insertInto("server_secrets").values({ name, value });
  await row.onConflict((conflict) => conflict.column("name").doNothing()).execute();
  return (await stored(tx, name)) ?? value;
}
