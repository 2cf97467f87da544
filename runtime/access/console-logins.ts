/**
 * Logins of the console: a key, or a sign-in at an identity provider, is exchanged for a random id in a cookie. The state
 * database stores its digest, so that every instance accepts the login. Each request checks the key, so that revoking it
 * ends the login; a change of what the configuration grants ends the logins of users.
 */

import { randomBytes } from "node:crypto";
import type { OauthSettings } from "../config/oauth-settings.js";
import { digest } from "../contract/canonical.js";
import type { Grant, Principal, Transaction } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { withinAtMost } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { iso, type LoginRow, queries } from "../state/schema.js";
import { LOGIN } from "./access-log.js";
import { askKeys, type KeyCheck } from "./admission.js";
import { secretDigest } from "./key-text.js";
import { keyPrincipal, userPrincipal } from "./principal.js";
import { keepName } from "./user-names.js";

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
   * Logs in a user who has signed in; undefined if the permission has ended, or the answer of the provider was taken
   * before. Ends the user's oldest logins if there are too many.
   */
  openUser(user: SignedInUser, oauth: OauthSettings, before?: readonly string[]): Promise<Login | undefined>;
  /**
   * The principal of a login, while the login and its key are valid.
   *
   * @param oauth - the identity providers in force; a login through another one, or with other grants, is over
   */
  principal(id: string, oauth?: OauthSettings): Promise<Principal | undefined>;
  /** The same by the digest of the id, as a sign-in at a server remembers the login that began it. */
  ofDigest(digest: string, oauth?: OauthSettings): Promise<Principal | undefined>;
  close(id: string): Promise<void>;
}

/** A user who has signed in at an identity provider. */
export interface SignedInUser {
  readonly principal: Principal;
  readonly issuer: string;
  /** What the provider calls the person; default: nothing is known. */
  readonly name?: string | undefined;
  /** Identifies the answer of the provider. */
  readonly answer: string;
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
/** How long the answers of providers are remembered: longer than one can be taken. */
const ANSWER_MS = 3_600_000;

/** Opens the database only at the first login. */
export function createLogins({ limitMs = LOCK_TIMEOUT_MS, ...parts }: LoginsParts): Logins {
  const { open, openUser, ofDigest, close } = unboundedLogins(parts);
  return {
    open: (...given) => withinAtMost(limitMs, () => open(...given)),
    openUser: (...given) => withinAtMost(limitMs, () => openUser(...given)),
    principal: (id, oauth) => withinAtMost(limitMs, () => ofDigest(secretDigest(id), oauth)),
    ofDigest: (digest, oauth) => withinAtMost(limitMs, () => ofDigest(digest, oauth)),
    close: (id) => withinAtMost(limitMs, () => close(id)),
  };
}

function unboundedLogins({ state, keys, clock }: Omit<LoginsParts, "limitMs">): Omit<Logins, "principal"> {
  /** Stores a login that ends at a time or after {@link LIFE_MS}; undefined if the answer was taken before. */
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
    async openUser({ principal: { id, grant, until = 0 }, issuer, answer, name }, oauth, before) {
      if (until <= clock()) return undefined;
      const granted = { grant, issuer, basis: basisOf(oauth, issuer) } satisfies Granted;
      return store(id, until, { before, granted: JSON.stringify(granted), answer: secretDigest(answer), name });
    },
    async ofDigest(digest, oauth) {
      const found = await (await state()).transaction("read", (tx) =>
        queries(tx).selectFrom("logins").selectAll().where("digest", "=", digest).executeTakeFirst(),
      );
      if (!found || Date.parse(found.expires_at) <= clock()) return undefined;
      if (found.granted !== null) return oauth && userOf(found.key_id, found.granted, found.expires_at, oauth);
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
interface LoginParts {
  /** Digests of the logins that it replaces. */
  readonly before?: readonly string[] | undefined;
  /** Of a user. */
  readonly granted?: string;
  /** Digest of the answer of the provider to a user. */
  readonly answer?: string;
  /** Name of a user. */
  readonly name?: string | undefined;
}

/** What a user may do, and by which settings. */
interface Granted {
  readonly grant: Grant;
  readonly issuer: string;
  readonly basis: string;
}

/** Stores a login beside the latest ones of its caller; false if the answer was taken before. */
async function insert(
  tx: Transaction,
  row: LoginRow,
  now: number,
  { answer, before = [], name }: LoginParts,
): Promise<boolean> {
  const db = queries(tx);
  if (answer !== undefined) {
    await db.deleteFrom("login_answers").where("expires_at", "<=", iso(now)).execute();
    const taken = db.insertInto("login_answers").values({ digest: answer, expires_at: iso(now + ANSWER_MS) });
    const first = taken.onConflict((conflict) => conflict.column("digest").doNothing()).returning("digest");
    if (!(await first.executeTakeFirst())) return false;
  }
  await db.deleteFrom("logins").where("expires_at", "<=", iso(now)).execute();
  if (before.length > 0) await db.deleteFrom("logins").where("digest", "in", before).execute();
  const latest = db
    .selectFrom("logins")
    .where("key_id", "=", row.key_id)
    .select("digest")
    .orderBy("expires_at", "desc")
    .limit(MAX_LOGINS_PER_KEY - 1);
  await db.deleteFrom("logins").where("key_id", "=", row.key_id).where("digest", "not in", latest).execute();
  if (name !== undefined) await keepName(db, { id: row.key_id, name }, now);
  await db.insertInto("logins").values(row).execute();
  return true;
}

/** What the grants of an issuer depend on; its secrets are no part of it. */
function basisOf({ resource, issuers }: OauthSettings, name: string): string {
  const { principal, rules, login } = issuers.find(({ issuer }) => issuer === name) ?? {};
  return digest([resource, name, principal ?? "", rules ?? [], login?.clientId ?? ""]);
}

function userOf(id: string, text: string, end: string, oauth: OauthSettings): Principal | undefined {
  const { grant, issuer, basis } = JSON.parse(text) as Granted;
  return basis === basisOf(oauth, issuer) ? userPrincipal({ id, grant, until: Date.parse(end) }) : undefined;
}
