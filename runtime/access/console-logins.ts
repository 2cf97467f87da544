/**
 * Logins of the console: a key, or the sign-in of a user, is exchanged for a random id in a cookie. The state database stores
 * its digest, so that every instance accepts the login. Each request checks the key, so that revoking it ends the login; the
 * feature that users sign in by decides how long it permits theirs.
 */

import { randomBytes } from "node:crypto";
import type { UserLogins } from "../config/sign-in-settings.js";
import type { Principal, Transaction } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { withinAtMost } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { iso, type LoginRow, queries } from "../state/schema.js";
import { LOGIN } from "./access-log.js";
import { askKeys, type KeyCheck } from "./admission.js";
import { secretDigest } from "./key-text.js";
import { keyPrincipal } from "./principal.js";

/** A new login. */
export interface Login {
  /** Value of the cookie: returned once, never stored. */
  readonly id: string;
  /** Expiry, in ms since the epoch. */
  readonly end: number;
}

/** The logins. All methods reject with a ToolFailure UNAVAILABLE if keys or state are out of reach. */
export interface Logins {
  /**
   * Logs in with a verified key; undefined if the key is no longer live. Ends the key's oldest logins if it has too
   * many.
   *
   * @param before - digests of the earlier logins of the browser, which end
   */
  open(keyId: string, before?: readonly string[]): Promise<Login | undefined>;
  /**
   * Logs in a user who has signed in; undefined if the permission has ended, or the sign-in was taken before. Ends the
   * user's oldest logins if there are too many.
   */
  openUser(user: SignedInUser, before?: readonly string[]): Promise<Login | undefined>;
  /**
   * The principal of a login, while the login and its key are valid.
   *
   * @param users - the sign-in in force; without it, the logins of users are over
   */
  principal(id: string, users?: UserLogins): Promise<Principal | undefined>;
  /** The same by the digest of the id, as a sign-in at a server remembers the login that began it. */
  ofDigest(digest: string, users?: UserLogins): Promise<Principal | undefined>;
  close(id: string): Promise<void>;
}

/** A user who has signed in. */
export interface SignedInUser {
  readonly id: string;
  /** When the permission ends, in ms since the epoch. */
  readonly until: number;
  /** The permission, as {@link UserLogins} reads it. */
  readonly granted: string;
  /** What else is stored with the login, before it; false if the sign-in was taken before. */
  take(tx: Transaction, now: number): Promise<boolean>;
}

/** Dependencies of the logins. */
export interface LoginsParts {
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Time limit of a query of the state database; default 5 s. */
  readonly limitMs?: number;
}

/** Lifetime of a login. */
const LIFE_MS = 12 * 3_600_000;
const ID_BYTES = 32;
/** Most concurrent logins of a key or a user. */
const MAX_LOGINS_PER_KEY = 20;

/** Opens the database only at the first login. */
export function createLogins({ limitMs = LOCK_TIMEOUT_MS, ...parts }: LoginsParts): Logins {
  const { open, openUser, ofDigest, close } = unboundedLogins(parts);
  return {
    open: (...given) => withinAtMost(limitMs, () => open(...given)),
    openUser: (...given) => withinAtMost(limitMs, () => openUser(...given)),
    principal: (id, users) => withinAtMost(limitMs, () => ofDigest(secretDigest(id), users)),
    ofDigest: (digest, users) => withinAtMost(limitMs, () => ofDigest(digest, users)),
    close: (id) => withinAtMost(limitMs, () => close(id)),
  };
}

function unboundedLogins({ state, keys, clock }: Omit<LoginsParts, "limitMs">): Omit<Logins, "principal"> {
  /** Stores a login that ends at a time or after {@link LIFE_MS}; undefined if the sign-in was taken before. */
  const store = async (caller: string, until: number, more: LoginParts): Promise<Login | undefined> => {
    const [id, now] = [randomBytes(ID_BYTES).toString("base64url"), clock()];
    const end = Math.min(now + LIFE_MS, until);
    const row = { digest: secretDigest(id), key_id: caller, expires_at: iso(end), granted: more.granted ?? null };
    // In order, so that no two logins count the same earlier ones.
    const isNew = await (await state()).transaction("write", (tx) => insert(tx, row, now, more), "logins");
    if (!isNew) return undefined;
    keys.audit({ keyId: caller, op: LOGIN, traceId: newTraceId() });
    return { id, end };
  };
  return {
    async open(keyId, before) {
      const live = await askKeys(keys.still(keyId));
      return live && store(keyId, live.expiresAt ?? Number.POSITIVE_INFINITY, { before });
    },
    async openUser({ id, until, ...user }, before) {
      return until <= clock() ? undefined : store(id, until, { before, ...user });
    },
    async ofDigest(digest, users) {
      const found = await (await state()).transaction("read", (tx) =>
        queries(tx).selectFrom("logins").selectAll().where("digest", "=", digest).executeTakeFirst(),
      );
      if (!found || Date.parse(found.expires_at) <= clock()) return undefined;
      if (found.granted !== null)
        return users?.loggedIn({ id: found.key_id, granted: found.granted, until: Date.parse(found.expires_at) });
      const live = await askKeys(keys.still(found.key_id));
      return live && keyPrincipal(live);
    },
    async close(id) {
      await (await state()).transaction("write", (tx) =>
        queries(tx).deleteFrom("logins").where("digest", "=", secretDigest(id)).execute(),
      );
    },
  };
}

/** What is stored of a login. */
interface LoginParts extends Partial<Pick<SignedInUser, "granted" | "take">> {
  /** Digests of the logins that it replaces. */
  readonly before?: readonly string[] | undefined;
}

/** Stores a login beside the latest ones of its caller; false if the sign-in was taken before. */
async function insert(
  tx: Transaction,
  row: LoginRow,
  now: number,
  { take, before = [] }: LoginParts,
): Promise<boolean> {
  const db = queries(tx);
  if (take && !(await take(tx, now))) return false;
  await db.deleteFrom("logins").where("expires_at", "<=", iso(now)).execute();
  if (before.length > 0) await db.deleteFrom("logins").where("digest", "in", before).execute();
  const latest = db
    .selectFrom("logins")
    .where("key_id", "=", row.key_id)
    .select("digest")
    .orderBy("expires_at", "desc")
    .limit(MAX_LOGINS_PER_KEY - 1);
  await db.deleteFrom("logins").where("key_id", "=", row.key_id).where("digest", "not in", latest).execute();
  await db.insertInto("logins").values(row).execute();
  return true;
}
