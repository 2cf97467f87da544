/**
 * Aborts running work when its key is revoked or expires: checks the store once a second while any key is watched, and
 * when keys have changed.
 */

import { guardBy } from "../contract/guard.js";
import type { LiveKey } from "./key-store.js";

/** A watch on a key during work. */
export interface Watched {
  readonly signal: AbortSignal;
  /** Ends the watch. */
  release(): void;
}

/** Dependencies of the watches. */
export interface WatchParts {
  /** The live keys among these ids; rejects if the store is out of reach. */
  live(keyIds: readonly string[]): Promise<readonly LiveKey[]>;
  readonly clock: () => number;
  /** The abort reason. */
  readonly reason: () => Error;
}

/** Longest time between two checks. */
const LOOK_MS = 1000;

interface Entry {
  readonly keyId: string;
  readonly ended: AbortController;
}

/** Starts without watches. */
export function createWatches({ live, clock, reason }: WatchParts) {
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  /** Schedules a check, unless an earlier one is scheduled. */
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
    // An outage says nothing about any key; the calls of dispatch report it.
    if (!keys) return plan(LOOK_MS);
    const stay = new Set(keys.map(({ keyId }) => keyId));
    for (const entry of watched) if (!stay.has(entry.keyId) && entries.delete(entry)) entry.ended.abort(reason());
    plan(untilNext(keys, clock()));
  };
  return {
    /** @param expiresAt ends the watch on time, without waiting for the next check */
    watch(keyId: string, expiresAt: number | undefined): Watched {
      const entry: Entry = { keyId, ended: new AbortController() };
      entries.add(entry);
      plan(untilNext(expiresAt === undefined ? [] : [{ expiresAt }], clock()));
      return { signal: entry.ended.signal, release: () => void entries.delete(entry) };
    },
    /** Checks the watched keys now, since they may have changed. */
    look: () => plan(0),
    close(): void {
      clearTimeout(timer);
      entries.clear();
    },
  };
}

/** Time until the next check: when a key expires, and after {@link LOOK_MS} at the latest. */
const untilNext = (keys: readonly Pick<LiveKey, "expiresAt">[], now: number): number =>
  Math.min(LOOK_MS, ...keys.map(({ expiresAt = Number.POSITIVE_INFINITY }) => Math.max(1, expiresAt - now)));
