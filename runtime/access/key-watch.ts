/** Ends work under way when its key is revoked or expires: the store is looked at once a second while anything is watched. */

import { guardBy } from "../contract/guard.js";
import type { LiveKey } from "./key-store.js";

/** Work that goes on as long as its key is live. */
export interface Watched {
  readonly signal: AbortSignal;
  /** Ends the watch. */
  release(): void;
}

/** What watching needs of the keys. */
export interface WatchParts {
  /** Those that are live, of these ids; rejects where that cannot be said. */
  live(keyIds: readonly string[]): Promise<readonly LiveKey[]>;
  readonly clock: () => number;
  /** Why work ends. */
  readonly reason: () => Error;
}

/** Longest time between two looks. */
const LOOK_MS = 1000;

interface Entry {
  readonly keyId: string;
  readonly ended: AbortController;
}

/** Nothing is watched at first. */
export function createWatches({ live, clock, reason }: WatchParts) {
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  /** The next look is the earliest that anybody planned. */
  const plan = (ms: number): void => {
    const at = performance.now() + ms;
    if (entries.size === 0 || (timer !== undefined && due <= at)) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(guardBy(() => plan(LOOK_MS))(look), ms).unref();
  };
  const look = async (): Promise<void> => {
    timer = undefined;
    const watched = [...entries];
    const keys = await live([...new Set(watched.map(({ keyId }) => keyId))]).catch(() => undefined);
    // An outage says nothing of any key; the calls of dispatch report it.
    if (!keys) return plan(LOOK_MS);
    const stay = new Set(keys.map(({ keyId }) => keyId));
    for (const entry of watched) if (!stay.has(entry.keyId) && entries.delete(entry)) entry.ended.abort(reason());
    plan(untilNext(keys, clock()));
  };
  return {
    /** @param expiresAt ends the watch on time, without waiting for the next look */
    watch(keyId: string, expiresAt: number | undefined): Watched {
      const entry: Entry = { keyId, ended: new AbortController() };
      entries.add(entry);
      plan(untilNext(expiresAt === undefined ? [] : [{ expiresAt }], clock()));
      return { signal: entry.ended.signal, release: () => void entries.delete(entry) };
    },
    close(): void {
      clearTimeout(timer);
      entries.clear();
    },
  };
}

/** A look comes where a key expires, and after {@link LOOK_MS} at the latest. */
const untilNext = (keys: readonly Pick<LiveKey, "expiresAt">[], now: number): number =>
  Math.min(LOOK_MS, ...keys.map(({ expiresAt = Number.POSITIVE_INFINITY }) => Math.max(1, expiresAt - now)));
