/**
 * Sign-ins that have begun: rows, so that any server takes the answer, for ten minutes and once, and only from the browser
 * that began.
 */

import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { nowIn } from "../state/job-table.js";
import type { State } from "../state/open.js";
import { type ConnectionAttemptRow, queries } from "../state/schema.js";
import { inOwnTransaction } from "./rows.js";
import type { Seal } from "./sealing.js";
import type { SignInAttempt } from "./sign-in.js";

/** Time in which a person signs in, in seconds. */
export const SIGN_IN_S = 600;
/** Most sign-ins of one principal at a time; the ones that began first end. */
const MAX_ATTEMPTS = 20;
const RANDOM_BYTES = 32;
/** The form of the cookie. */
const BROWSER = /^[\w-]{43}$/;

/** Whose connection a sign-in makes, and who began it. */
export type AttemptOf = Pick<ConnectionAttemptRow, "kind" | "principal" | "beginner" | "server" | "issuer">;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const placeOf = (digest: string, { kind, principal, server, issuer }: AttemptOf): readonly string[] => [
  ...["attempt", digest, kind, principal],
  ...[server, issuer],
];

/**
 * Stores a sign-in. Returns the value of the cookie for the browser.
 *
 * @param before the cookie that the browser has: it stays, so that sign-ins in several of its tabs end
 */
export async function storeAttempt(
  state: State,
  seal: Seal,
  {
    of,
    attempt,
    before,
  }: { readonly of: AttemptOf; readonly attempt: SignInAttempt; readonly before: string | undefined },
): Promise<string> {
  const isOurs = before !== undefined && BROWSER.test(before);
  const browser = isOurs ? before : randomBytes(RANDOM_BYTES).toString("base64url");
  const digest = digestOf(attempt.state);
  const now = nowIn(state);
  const row = {
    ...{ ...of, digest, browser: digestOf(browser) },
    ...seal.close(JSON.stringify(attempt), placeOf(digest, of)),
    expires_at: sql<number>`${now} + ${sql.lit(SIGN_IN_S * 1000)}`,
  };
  const store = async (tx: Parameters<typeof queries>[0]): Promise<void> => {
    const db = queries(tx);
    await db.deleteFrom("connection_attempts").where("expires_at", "<=", now).execute();
    const own = db.selectFrom("connection_attempts").where("beginner", "=", of.beginner);
    const latest = own
      .select("digest")
      .orderBy("expires_at", "desc")
      .limit(MAX_ATTEMPTS - 1);
    const old = db.deleteFrom("connection_attempts").where("beginner", "=", of.beginner);
    await old.where("digest", "not in", latest).execute();
    await db.insertInto("connection_attempts").values(row).execute();
  };
  // In order, so that no two sign-ins count the same earlier ones.
  await state.transaction("write", store, "connection attempts");
  return browser;
}

/** What a browser brings comes to. */
export type TakenAttempt =
  | { readonly kind: "taken"; readonly of: AttemptOf; readonly attempt: SignInAttempt }
  /** `check` is for the log. */
  | { readonly kind: "none"; readonly check: "state" | "browser" | "key" };

/**
 * Takes a sign-in, which is gone afterwards.
 *
 * @param browser the cookie of the browser; with that of another one, the sign-in stays
 */
export async function takeAttempt(
  state: State,
  seal: Seal,
  { given, browser }: { readonly given: string; readonly browser: string | undefined },
): Promise<TakenAttempt> {
  const digest = digestOf(given);
  const found = await state.transaction("read", (tx) =>
    queries(tx)
      .selectFrom("connection_attempts")
      .select("browser")
      .where("digest", "=", digest)
      .where("expires_at", ">", nowIn(state))
      .executeTakeFirst(),
  );
  if (!found) return { kind: "none", check: "state" };
  if (browser === undefined || digestOf(browser) !== found.browser) return { kind: "none", check: "browser" };
  const row = await inOwnTransaction(state, (db) =>
    db.deleteFrom("connection_attempts").where("digest", "=", digest).returningAll().executeTakeFirst(),
  );
  // Another answer may have taken it meanwhile.
  if (!row) return { kind: "none", check: "state" };
  const { kind, principal, beginner, server, issuer } = row;
  const of: AttemptOf = { kind, principal, beginner, server, issuer };
  const text = seal.open(row, placeOf(digest, of));
  if (text === undefined) return { kind: "none", check: "key" };
  return { kind: "taken", of, attempt: JSON.parse(text) as SignInAttempt };
}
