/** API keys: verifies, creates, revokes, rotates and lists them. */

import { type Logger, ToolFailure, type Transaction } from "../contract/handler.js";
import { withinAtMost, withinStateMs } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import type { State } from "../state/open.js";
import { onceOpen } from "../state/open.js";
import { NO_RETENTION, type Retention } from "../state/retention.js";
import { type AuditEntry, createAccessLog } from "./access-log.js";
import { cachedStore } from "./key-cache.js";
import { fileStore } from "./key-file.js";
import {
  type IssuedKey,
  type KeyRequest,
  type Maker,
  makeFirst,
  makeKey,
  type Revocation,
  revokeKey,
  rotateKey,
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

export type { IssuedKey } from "./key-life.js";
export type { LiveKey } from "./key-store.js";

/** A key in a list: without digest or any part of its secret. */
export interface ShownKey extends Omit<KeyRecord, "digest" | "grant"> {
  readonly state: KeyState;
  /** Patterns to which the key is bound; absent: all. */
  readonly packs?: readonly string[];
  readonly ops?: readonly string[];
  /** Patterns of ops whose writes wait for an approval. */
  readonly approve?: readonly string[];
  /** To the minute; null if it was never used or the time is unknown. */
  readonly last_used_at: string | null;
}

/**
 * The keys of a project. All methods except `watch`, `audit` and `close` reject with KeysUnreadable if the store is
 * out of reach.
 */
export interface Keys {
  /** The live key of a text; undefined for a malformed, unknown, expired or revoked one. */
  verify(text: string): Promise<LiveKey | undefined>;
  /** As `verify`, by id, for a key that was verified before; `tx` is the transaction to query in. */
  still(keyId: string, tx?: Transaction): Promise<LiveKey | undefined>;
  /** Whether a key was ever made, live or not. */
  anyMade(): Promise<boolean>;
  /** Whether any key is live. */
  anyLive(): Promise<boolean>;
  /** Watches a key during work: the signal aborts when the key is revoked or expires. */
  watch(keyId: string): Watched;
  /**
   * Makes a key.
   *
   * @param maker the live key that makes it, whose scope and lifetime it may not exceed, or `local` for the owner of
   * the store
   * @throws ToolFailure VALIDATION_ERROR with field errors of `name`, `scope`, `expires_in_days`, `no_expiry`;
   * UNAUTHENTICATED if the maker is no longer live
   */
  create(wanted: KeyRequest, maker: Maker): Promise<IssuedKey>;
  /** Makes the first admin key. @throws ToolFailure CONFLICT while one is live */
  init(): Promise<IssuedKey>;
  /**
   * Revokes a key, and with `cascade` (default) all keys made by it, directly and indirectly.
   *
   * @returns ids of the keys that were not revoked before
   * @throws ToolFailure NOT_FOUND; UNAUTHENTICATED if the revoking key is no longer live
   */
  revoke(keyId: string, options?: Revocation): Promise<readonly string[]>;
  /**
   * Replaces a live key by a new one; the old key expires after `overlapMs` at the latest.
   *
   * @throws ToolFailure NOT_FOUND, and CONFLICT for a key that is not live
   */
  rotate(keyId: string, overlapMs?: number): Promise<IssuedKey>;
  /** Live keys, with `all` also the others; the oldest first. */
  list(options?: { readonly all?: boolean }): Promise<readonly ShownKey[]>;
  /** Records a refusal, a login, or a call of an admin op; in the background, and never fails. */
  audit(entry: AuditEntry): void;
  close(): Promise<void>;
}

/** Options of {@link openKeys}. */
export interface KeysOptions {
  readonly root: string;
  /** `state` of the configuration: with a `postgres://` URL the keys are stored there, else in `.onetool/keys`. */
  readonly url: string;
  /** The state database, opened on first use. */
  readonly state: () => Promise<State>;
  readonly projectExists: ProjectExists;
  readonly log: Logger;
  readonly clock?: () => number;
  /** Whether verifying a key counts as a use; default: true. */
  readonly countsUses?: boolean;
  /** Whether keys in a database are cached, as a server does: other servers send messages about changes; default: false. */
  readonly caches?: boolean;
  /** Time limit of a query of the key store; default 5 s. */
  readonly limitMs?: number;
  /** Deletes old entries of the audit; default: nothing does. */
  readonly retention?: Retention;
}

/** Opens the keys of a project. Reads nothing before the first query. */
export function openKeys(options: KeysOptions): Keys {
  const { state, projectExists, log, clock = Date.now } = options;
  const { countsUses = true, retention = NO_RETENTION, limitMs = LOCK_TIMEOUT_MS } = options;
  const asked = <T>(question: () => Promise<T>): Promise<T> => withinAtMost(limitMs, question);
  const { store, stop } = storeOf(options, () => watches.look());
  const accessLog = createAccessLog({ state, log, clock, retention });
  const live = liveKeys(store, clock);
  const reason = () => new ToolFailure("UNAUTHENTICATED", INVALID_KEY);
  // The checks go on long after the call that began the watch, so they have a deadline of their own.
  const watches = createWatches({ live: (keyIds) => withinStateMs(limitMs, () => live.byId(keyIds)), clock, reason });
  const used = (key: LiveKey | undefined): LiveKey | undefined => {
    if (key && countsUses) accessLog.used(key.keyId);
    return key;
  };
  // Edits read the clock under the lock, because waiting for it may take long.
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
        log.warn("the last uses of keys are unknown", { error: String(error) });
        return new Map<string, string>();
      });
      const shown = shownKeys(await store.all(), clock(), uses);
      return all ? shown : shown.filter((one) => one.state === "live");
    },
    audit: accessLog.audit,
    async close() {
      stop();
      watches.close();
      await accessLog.close();
    },
  };
}

/** @param changed called after keys have changed */
function storeOf({ root, url, state, caches = false }: KeysOptions, changed: () => void) {
  if (url === "" || !caches) return { store: url === "" ? fileStore(root) : rowStore(state), stop: () => undefined };
  const store = cachedStore(rowStore(state), changed);
  return { store, stop: onceOpen(state, store.follow) };
}

const shownKeys = (
  records: readonly KeyRecord[],
  now: number,
  uses: ReadonlyMap<string, string>,
): readonly ShownKey[] =>
  records.map(({ digest: _, grant: { packs, ops, approve }, ...record }) => ({
    ...record,
    ...(packs ? { packs } : {}),
    ...(ops ? { ops } : {}),
    ...(approve ? { approve } : {}),
    state: stateOf(record, now),
    last_used_at: uses.get(record.key_id) ?? null,
  }));

/** Finds live keys, and remembers when the keys it has seen expire. */
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
    /**
     * Does the same work for a known and an unknown key; `keyId` is that of a key that was once made, live or not.
     */
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
