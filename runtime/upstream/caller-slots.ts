/** Connections of single callers, for servers that are called with the tokens of each. */

import type { UpstreamServer } from "./servers.js";

/** A connection of a caller. */
interface Held {
  release(): Promise<void>;
}

/** The connections of callers. */
export interface CallerSlots<T extends Held> {
  /** Uses the connection of the caller of a server. */
  use<R>(server: UpstreamServer, work: (own: T) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Most connections that are kept; of those that nobody uses, the ones that were used first end. */
const MAX_KEPT = 500;

/** @param take opens a connection, or takes one of the pool */
export function createCallerSlots<T extends Held>(take: (server: UpstreamServer) => T): CallerSlots<T> {
  const kept = new Map<string, { readonly own: T; uses: number }>();
  const trim = (): void => {
    for (const [key, { own, uses }] of kept) {
      if (kept.size <= MAX_KEPT) return;
      if (uses > 0) continue;
      kept.delete(key);
      void own.release().catch(() => undefined);
    }
  };
  return {
    async use(server, work) {
      const key = JSON.stringify([server.name, server.caller?.key]);
      const slot = kept.get(key) ?? { own: take(server), uses: 0 };
      // The last of a map was used last.
      kept.delete(key);
      kept.set(key, slot);
      slot.uses++;
      trim();
      try {
        return await work(slot.own);
      } finally {
        slot.uses--;
      }
    },
    close: async () => {
      const all = [...kept.values()];
      kept.clear();
      await Promise.all(all.map(({ own }) => own.release()));
    },
  };
}
