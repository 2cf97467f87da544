/**
 * Logins of the console: a key is exchanged for a random id that a cookie holds. The state database knows its digest and the id of the
 * key, so that every instance knows the login; the key is asked for at each request, so that revoking it ends the login.
 */

import { randomBytes } from "node:crypto";
import { askKeys, type KeyCheck } from "../access/admission.js";
import { digestOf } from "../access/key-text.js";
import { keyPrincipal } from "../access/principal.js";
import type { Principal } from "../contract/handler.js";
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
  /** Exchanges a key; undefined where it is not live. */
  open(key: string): Promise<Login | undefined>;
  /** Who logged in, as long as the login and its key last. */
  principal(id: string): Promise<Principal | undefined>;
  close(id: string): Promise<void>;
}

/** What logins are made of. */
export interface LoginsParts {
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
}

/** The longest life of a login. */
const LIFE_MS = 12 * 3_600_000;
const ID_BYTES = 32;

/** Nothing is opened before somebody logs in. */
export function createLogins({ state, keys, clock }: LoginsParts): Logins {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    async open(key) {
      const live = await askKeys(keys.verify(key));
      if (!live) return undefined;
      const id = randomBytes(ID_BYTES).toString("base64url");
      const now = clock();
      const end = Math.min(now + LIFE_MS, live.expiresAt ?? Number.POSITIVE_INFINITY);
      const row = { digest: digestOf(id), key_id: live.keyId, expires_at: iso(end) };
      await (await state()).transaction("write", async (tx) => {
        await queries(tx).deleteFrom("logins").where("expires_at", "<=", iso(now)).execute();
        await queries(tx).insertInto("logins").values(row).execute();
      });
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
