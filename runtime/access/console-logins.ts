/**
 * Logins of the console: a key is exchanged for a random id in a cookie. The state database stores its digest and the
 * id of the key, so that every instance accepts the login; each request checks the key, so that revoking it ends the
 * login.
 */

import { randomBytes } from "node:crypto";
import type { Principal, Transaction } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { withinAtMost } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { iso, queries } from "../state/schema.js";
import { LOGIN } from "./access-log.js";
import { askKeys, type KeyCheck } from "./admission.js";
import { digestOf } from "./key-text.js";
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
   */
  open(keyId: string): Promise<Login | undefined>;
  /** The principal of a login, while the login and its key are valid. */
  principal(id: string): Promise<Principal | undefined>;
  close(id: string): Promise<void>;
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
/** Most concurrent logins of a key. */
const MAX_LOGINS_PER_KEY = 20;

/** Opens the database only at the first login. */
export function createLogins({ limitMs = LOCK_TIMEOUT_MS, ...parts }: LoginsParts): Logins {
  const { open, principal, close } = unboundedLogins(parts);
  return {
    open: (keyId) => withinAtMost(limitMs, () => open(keyId)),
    principal: (id) => withinAtMost(limitMs, () => principal(id)),
    close: (id) => withinAtMost(limitMs, () => close(id)),
  };
}

function unboundedLogins({ state, keys, clock }: Omit<LoginsParts, "limitMs">): Logins {
  return {
    async open(keyId) {
      const live = await askKeys(keys.still(keyId));
      if (!live) return undefined;
      const id = randomBytes(ID_BYTES).toString("base64url");
      const now = clock();
      const end = Math.min(now + LIFE_MS, live.expiresAt ?? Number.POSITIVE_INFINITY);
      const row = { digest: digestOf(id), key_id: keyId, expires_at: iso(end) };
      const store = async (tx: Transaction): Promise<void> => {
        const db = queries(tx);
        await db.deleteFrom("logins").where("expires_at", "<=", iso(now)).execute();
        const own = db.selectFrom("logins").where("key_id", "=", keyId);
        const latest = own
          .select("digest")
          .orderBy("expires_at", "desc")
          .limit(MAX_LOGINS_PER_KEY - 1);
        await db.deleteFrom("logins").where("key_id", "=", keyId).where("digest", "not in", latest).execute();
        await db.insertInto("logins").values(row).execute();
      };
      // In order, so that no two logins count the same earlier ones.
      await (await state()).transaction("write", store, "logins");
      keys.audit({ keyId, op: LOGIN, traceId: newTraceId() });
      return { id, end };
    },
    async principal(id) {
      const found = await (await state()).transaction("read", (tx) =>
        queries(tx).selectFrom("logins").selectAll().where("digest", "=", digestOf(id)).executeTakeFirst(),
      );
      if (!found || Date.parse(found.expires_at) <= clock()) return undefined;
      const live = await askKeys(keys.still(found.key_id));
      return live && keyPrincipal(live);
    },
    async close(id) {
      await (await state()).transaction("write", (tx) =>
        queries(tx).deleteFrom("logins").where("digest", "=", digestOf(id)).execute(),
      );
    },
  };
}
