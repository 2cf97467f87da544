/** API keys: who has a live one, and their making and ending. */

import { type Logger, ToolFailure, type Transaction } from "../contract/handler.js";
import { withinAtMost, withinMs } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { type AuditEntry, createAccessLog } from "./access-log.js";
import { fileStore } from "./key-file.js";
import {
  type Made,
  type Maker,
  makeFirst,
  makeKey,
  type Revocation,
  revokeKey,
  rotateKey,
  type Wanted,
} from "./key-life.js";
import { rowStore } from "./key-rows.js";
import {
  endOf,
  INVALID_KEY,
  type KeyRecord,
  type KeyState,
  type KeyStore,
  type LiveKey,
  stateOf,
} from "./key-store.js";
import { hasDigest, NO_DIGEST, parseKey } from "./key-text.js";
import { createWatches, type Watched } from "./key-watch.js";
import { checkScope, type ProjectExists } from "./scope.js";

export type { Made } from "./key-life.js";
export type { LiveKey } from "./key-store.js";

/** A key as it is listed: never its digest, never any part of its secret. */
export interface ShownKey extends Omit<KeyRecord, "digest" | "grant"> {
  readonly state: KeyState;
  /** To the minute; null where it was never used, or nobody can say. */
  readonly last_used_at: string | null;
}

/** The keys of a project. All of it but `watch`, `audit` and `close` rejects with KeysUnreadable where the store is out of reach. */
export interface Keys {
  /** The live key behind a text; undefined for a malformed, unknown, expired or revoked one. */
  verify(text: string): Promise<LiveKey | undefined>;
  /** As `verify`, for a key that was verified before, by its id; `tx` is the transaction in which it is asked. */
  still(keyId: string, tx?: Transaction): Promise<LiveKey | undefined>;
  /** Whether a key was ever made, live or not. */
  anyMade(): Promise<boolean>;
  /** Whether any key is live. */
  anyLive(): Promise<boolean>;
  /** Aborts when the key is revoked or expires while work is under way. */
  watch(keyId: string): Watched;
  /**
   * Makes a key.
   *
   * @param maker the live key that makes it, which it neither outranks nor outlives, or `local` for the owner of the store
   * @throws ToolFailure VALIDATION_ERROR with field errors of `name`, `scope`, `expires_in_days`, `no_expiry`;
   *   UNAUTHENTICATED where the maker is not live any more
   */
  create(wanted: Wanted, maker: Maker): Promise<Made>;
  /** The first admin key. @throws ToolFailure CONFLICT while one is live */
  init(): Promise<Made>;
  /**
   * Revokes a key, and with `cascade` (default) all that were made by it, and by those.
   *
   * @returns ids of those that were not revoked before
   * @throws ToolFailure NOT_FOUND; UNAUTHENTICATED where the key that revokes it is not live any more
   */
  revoke(keyId: string, options?: Revocation): Promise<readonly string[]>;
  /**
   * A new key in place of a live one, which expires after `overlapMs` at the latest.
   *
   * @throws ToolFailure NOT_FOUND, and CONFLICT for a key that is not live
   */
  rotate(keyId: string, overlapMs?: number): Promise<Made>;
  /** Live keys, with `all` the others too; the oldest first. */
  list(options?: { readonly all?: boolean }): Promise<readonly ShownKey[]>;
  /** Writes down a refusal, a login, or a call of an admin op; in the background, and never fails. */
  audit(entry: AuditEntry): void;
  close(): Promise<void>;
}

/** What keys are made of. */
export interface KeysOptions {
  readonly root: string;
  /** `state` of the configuration: with a `postgres://` URL the keys live there, else in `.onetool/keys`. */
  readonly url: string;
  /** The state database, opened when something has to be written or read there. */
  readonly state: () => Promise<State>;
  readonly projectExists: ProjectExists;
  readonly log: Logger;
  readonly clock?: () => number;
  /** Whether a key that is verified counts as used; default: it does. */
  readonly countsUses?: boolean;
  /** Longest that a question about a key may wait for the store; default 5 s. */
  readonly limitMs?: number;
  /** How long the audit is kept (`stats.retention_days`). */
  readonly retentionDays?: number;
}

const RETENTION_DAYS = 90;

/** Opens the keys of a project. Nothing is read before somebody asks. */
export function openKeys(options: KeysOptions): Keys {
  const { root, url, state, projectExists, log, clock = Date.now } = options;
  const { countsUses = true, retentionDays = RETENTION_DAYS, limitMs = LOCK_TIMEOUT_MS } = options;
  const asked = <T>(question: () => Promise<T>): Promise<T> => withinAtMost(limitMs, question);
  const store = url === "" ? fileStore(root) : rowStore(state);
  const accessLog = createAccessLog({ state, log, clock, retentionDays });
  const live = liveKeys(store, clock);
  const reason = () => new ToolFailure("UNAUTHENTICATED", INVALID_KEY);
  // It looks again and again, long after the call that began the watch.
  const watches = createWatches({ live: (keyIds) => withinMs(limitMs, () => live.byId(keyIds)), clock, reason });
  const used = (key: LiveKey | undefined): LiveKey | undefined => {
    if (key && countsUses) accessLog.used(key.keyId);
    return key;
  };
  // The time is asked for under the lock, which may be long in coming.
  return {
    async verify(text) {
      const { key, keyId } = await asked(() => live.behind(text));
      if (!key && countsUses) accessLog.refused(keyId);
      return used(key);
    },
    still: async (keyId, tx) => used((await asked(() => live.byId([keyId], tx)))[0]),
    anyMade: () => asked(async () => store.anyMade()),
    anyLive: () => asked(async () => store.anyLive(clock())),
    watch: (keyId) => watches.watch(keyId, live.endOf(keyId)),
    async create(wanted, maker) {
      const scope = await checkScope(wanted.scope, projectExists);
      return store.change((records) => makeKey(records, { wanted, scope, maker, now: clock() }));
    },
    init: () => store.change((records) => makeFirst(records, clock())),
    revoke: (keyId, options) => store.change((records) => revokeKey(records, { keyId, now: clock(), ...options })),
    rotate: (keyId, overlapMs) => store.change((records) => rotateKey(records, keyId, clock(), overlapMs)),
    async list({ all = false } = {}) {
      const uses = await accessLog.uses().catch((error: unknown) => {
        log.warn("when keys were used is not known", { error: String(error) });
        return new Map<string, string>();
      });
      const shown = shownKeys(await store.all(), clock(), uses);
      return all ? shown : shown.filter((one) => one.state === "live");
    },
    audit: accessLog.audit,
    async close() {
      watches.close();
      await accessLog.close();
    },
  };
}

const shownKeys = (
  records: readonly KeyRecord[],
  now: number,
  uses: ReadonlyMap<string, string>,
): readonly ShownKey[] =>
  records.map(({ digest: _, grant: __, ...record }) => ({
    ...record,
    state: stateOf(record, now),
    last_used_at: uses.get(record.key_id) ?? null,
  }));

/** Which keys are live; remembers when those that it has seen expire. */
function liveKeys(store: KeyStore, clock: () => number) {
  const ends = new Map<string, number>();
  const liveKey = (record: KeyRecord): LiveKey | undefined => {
    if (stateOf(record, clock()) !== "live") return undefined;
    const { key_id: keyId, grant } = record;
    const end = endOf(record);
    ends.set(keyId, end);
    return { keyId, grant, expiresAt: end === Number.POSITIVE_INFINITY ? undefined : end };
  };
  return {
    /** Does the same work for a key that is known and for one that is not; the id is that of a key that was made, live or not. */
    async behind(text: string): Promise<{ readonly key?: LiveKey | undefined; readonly keyId?: string }> {
      const parsed = parseKey(text);
      if (!parsed) return {};
      const [record] = await store.read([parsed.keyId]);
      const isSame = hasDigest(parsed.secret, record?.digest ?? NO_DIGEST);
      return record && isSame ? { key: liveKey(record), keyId: record.key_id } : {};
    },
    async byId(keyIds: readonly string[], tx?: Transaction): Promise<readonly LiveKey[]> {
      if (keyIds.length === 0) return [];
      return (await store.read(keyIds, tx)).flatMap((record) => liveKey(record) ?? []);
    },
    endOf: (keyId: string): number | undefined => ends.get(keyId),
  };
}
