/**
 * The key that encrypts state which clients carry from one request to the next: created once for a state database, and
 * never disclosed.
 */

import { randomBytes } from "node:crypto";
import type { Transaction } from "../contract/handler.js";
import type { State } from "./open.js";
import { queries } from "./schema.js";

const NAME = "sealing";

/** Reads the key of a state database, or creates it. */
export async function sealingKey(state: State): Promise<string> {
  const known = await state.transaction("read", stored);
  return known ?? state.transaction("write", make);
}

const stored = async (tx: Transaction): Promise<string | undefined> =>
  (await queries(tx).selectFrom("server_secrets").select("value").where("name", "=", NAME).executeTakeFirst())?.value;

async function make(tx: Transaction): Promise<string> {
  const value = randomBytes(32).toString("base64url");
  // Another instance may have created it meanwhile.
  const row = queries(tx).insertInto("server_secrets").values({ name: NAME, value });
  await row.onConflict((conflict) => conflict.column("name").doNothing()).execute();
  return (await stored(tx)) ?? value;
}
