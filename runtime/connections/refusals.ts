/**
 * Bounds how often tokens are replaced because a server refuses them: one that refuses every token would otherwise have
 * each call redeem another refresh token.
 */

/** Wait after a token was replaced until the next one is, doubled each time. */
const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
/** Most connections that are remembered. */
const MAX_KNOWN = 1000;

/** Counts refusals of the tokens of connections. */
export interface Refusals {
  /**
   * Says that a server has refused a token of a connection: whether it is to be replaced. Between two replacements in a row
   * the token is kept, so that calls fail with the refusal of the server.
   */
  isReplaced(connection: string): boolean;
  /** Says that the server takes the tokens of a connection. */
  taken(connection: string): void;
}

/** @param clock ms since the epoch */
export function createRefusals(clock: () => number): Refusals {
  const known = new Map<string, { readonly waitMs: number; readonly until: number }>();
  return {
    isReplaced(connection) {
      const now = clock();
      const before = known.get(connection);
      if (before && now < before.until) return false;
      // Without a refusal for as long as the wait was, it is the first wait again.
      const isInRow = before !== undefined && now < before.until + before.waitMs;
      const waitMs = isInRow ? Math.min(2 * before.waitMs, LONGEST_MS) : FIRST_MS;
      if (known.size >= MAX_KNOWN && !before) known.clear();
      known.set(connection, { waitMs, until: now + waitMs });
      return true;
    },
    taken: (connection) => void known.delete(connection),
  };
}
