/**
 * Caches the records of keys in a server. Messages of the servers that share the database say which keys have changed;
 * where these are not pushed, a record is read again after a second.
 */

import { rememberNewest } from "../catalog/session.js";
import type { State } from "../state/open.js";
import type { KeyRecord, KeyStore } from "./key-store.js";

/** A store that caches while it follows the messages of a database. */
export interface CachedStore extends KeyStore {
  /** Starts to cache; the returned function stops that. */
  follow(state: Pick<State, "notifier">): () => void;
}

/** Keys in the cache. */
const MAX_KEYS = 10_000;
/**
 * How long a record counts: while changes are pushed, since a change by hand sends no message; and otherwise, which is less
 * than a second with the check itself.
 */
const PUSHED_MS = 10_000;
const UNPUSHED_MS = 900;

interface Entry {
  readonly record: KeyRecord;
  /** When its reading began. */
  readonly at: number;
}

/**
 * Creates an empty cache.
 *
 * @param changed called after keys have changed, or may have
 * @param clock monotonic clock, in milliseconds
 */
export function cachedStore(store: KeyStore, changed: () => void, clock = () => performance.now()): CachedStore {
  const entries = new Map<string, Entry>();
  let longestMs = (): number => 0;
  /** Counts changes: what was read before one may be outdated. */
  let changes = 0;
  const drop = (keyIds: Iterable<string>): void => {
    changes++;
    for (const keyId of keyIds) entries.delete(keyId);
    changed();
  };
  const fresh = (keyId: string): readonly KeyRecord[] => {
    const entry = entries.get(keyId);
    return entry && clock() - entry.at < longestMs() ? [entry.record] : [];
  };
  return {
    ...store,
    async read(keyIds, tx) {
      const found = keyIds.flatMap(fresh);
      // A transaction locks the rows that it reads.
      if (!tx && found.length === keyIds.length) return found;
      const [at, before] = [clock(), changes];
      const records = await store.read(keyIds, tx);
      if (!tx && changes === before)
        for (const record of records) rememberNewest(entries, record.key_id, { record, at }, MAX_KEYS);
      return records;
    },
    async change(edit) {
      try {
        return await store.change(edit);
      } finally {
        drop([...entries.keys()]);
      }
    },
    follow({ notifier }) {
      longestMs = () => (notifier.isPushed() ? PUSHED_MS : UNPUSHED_MS);
      const stops = [
        notifier.on("keys", (payload) => drop(payload.split(" "))),
        notifier.onGap(() => drop([...entries.keys()])),
      ];
      return () => {
        longestMs = () => 0;
        for (const stop of stops) stop();
      };
    },
  };
}
