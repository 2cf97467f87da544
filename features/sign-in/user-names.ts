/**
 * Names of people who have signed in at the console, for display beside their ids, which decide: a provider may let people
 * choose their names, and two may have the same.
 */

import { isKeyId } from "../../runtime/access/key-text.js";
import { LOCAL_ID } from "../../runtime/access/principal.js";
import { visibleText } from "../../runtime/contract/message-text.js";
import { clip } from "../../runtime/contract/scrub.js";
import type { State } from "../../runtime/state/open.js";
import { iso, type Queries, queries } from "../../runtime/state/schema.js";
import type { Claims } from "./token-claims.js";

/** Claims of an ID token that name a person (OpenID Connect Core, 5.1), the best first; `sub` is always there. */
const NAMES = ["name", "preferred_username", "email", "sub"];
/** Longest name, in characters. */
const MAX_LENGTH = 80;
/** How long a name is kept after the last login, in milliseconds. */
const KEEP_MS = 30 * 86_400_000;
/** Most ids that are looked up at once. */
const MAX_ASKED = 500;

/** The name of a person in the claims of a verified ID token, on one line; undefined for claims without any. */
export function personName(claims: Claims): string | undefined {
  const texts = NAMES.flatMap((name) => {
    const given = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return typeof given === "string" && given.trim() !== "" ? [given.trim()] : [];
  });
  return texts[0] === undefined ? undefined : clip(visibleText(texts[0]), MAX_LENGTH);
}

/** Keeps the name of a user, in place of an earlier one. */
export async function keepName(db: Queries, { id, name }: UserName, now: number): Promise<void> {
  const row = { id, name, expires_at: iso(now + KEEP_MS) };
  await db
    .insertInto("user_names")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ name: row.name, expires_at: row.expires_at }))
    .execute();
}

/** A user with a name. */
export interface UserName {
  readonly id: string;
  readonly name: string;
}

/** Keys and the owner of the machine have no name here. */
const isUser = (id: string): boolean => id !== "" && id !== LOCAL_ID && !isKeyId(id);

/** The names that are known of some ids. */
export async function userNames(state: State, ids: Iterable<string>): Promise<Readonly<Record<string, string>>> {
  const asked = [...new Set(ids)].filter(isUser).slice(0, MAX_ASKED);
  if (asked.length === 0) return {};
  const rows = await state.transaction("read", (tx) =>
    queries(tx).selectFrom("user_names").select(["id", "name"]).where("id", "in", asked).execute(),
  );
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
