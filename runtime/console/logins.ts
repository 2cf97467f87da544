/**
 * Logins of the console: a key is exchanged for a random id that a cookie holds. The state database knows its digest and the id of the
 * key, so that every instance knows the login; the key is asked for at each request, so that revoking it ends the login.
 */

import { randomBytes } from "node:crypto";
import { LOGIN } from "../access/access-log.js";
import { askKeys, type KeyCheck } from "../access/admission.js";
import { digestOf } from "../access/key-text.js";
import { keyPrincipal } from "../access/principal.js";
import type { Principal } from "../contract/handler.js";
import { newTraceId } from "../dispatch/job.js";
import { withinAtMost } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { queries } from "../state/schema.js";

/** A login that was just made. */
export interface Login {
  /** What the cookie holds: told once, never kept. */
  readonly id: string;
  /** Until when, in ms since the epoch. */
  readonly end: number;
}

/** Who is logged in. All of it rejects with a ToolFailure UNAVAILABLE where keys or state are out of reach. */
export interface Logins {
  /** Logs in with a key that was shown; undefined where it is not live any more. The key's earliest logins end where it has too many. */
  open(keyId: string): Promise<Login | undefined>;
  /** Who logged in, as long as the login and its key last. */
  principal(id: string): Promise<Principal | undefined>;
  close(id: string): Promise<void>;
}

/** What logins are made of. */
export interface LoginsParts {
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Longest that a question may wait for the state database; default 5 s. */
  readonly limitMs?: number;
}

/** The longest life of a login. */
const LIFE_MS = 12 * 3_600_000;
const ID_BYTES = 32;
/** Logins that a key has at once. */
const MOST = 20;

/** Nothing is opened before somebody logs in. */
export function createLogins({ limitMs = LOCK_TIMEOUT_MS, ...parts }: LoginsParts): Logins {
  const { open, principal, close } = unboundedLogins(parts);
  return {
    open: (keyId) => withinAtMost(limitMs, () => open(keyId)),
    principal: (id) => withinAtMost(limitMs, () => principal(id)),
    close: (id) => withinAtMost(limitMs, () => close(id)),
  };
}

function unboundedLogins({ state, keys, clock }: Omit<LoginsParts, "limitMs">): Logins {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    async open(keyId) {
      const live = await askKeys(keys.still(keyId));
      if (!live) return undefined;
      const id = randomBytes(ID_BYTES).toString("base64url");
      const now = clock();
      const end = Math.min(now + LIFE_MS, live.expiresAt ?? Number.POSITIVE_INFINITY);
      const row = { digest: digestOf(id), key_id: keyId, expires_at: iso(end) };
      await (await state()).transaction("write", async (tx) => {
        const db = queries(tx);
        await db.deleteFrom("logins").where("expires_at", "<=", iso(now)).execute();
        const own = db.selectFrom("logins").where("key_id", "=", keyId);
        const latest = own
          .select("digest")
          .orderBy("expires_at", "desc")
          .limit(MOST - 1);
        await db.deleteFrom("logins").where("key_id", "=", keyId).where("digest", "not in", latest).execute();
        await db.insertInto("logins").values(row).execute();
      });
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
