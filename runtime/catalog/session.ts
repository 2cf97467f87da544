/** State of one connection: the help it has read, and the calls that keep failing. */

/** Entries of each kind that a session keeps; the oldest is removed first. */
const MAX_SESSION_ENTRIES = 500;

/** State of one stdio or socket connection. HTTP has no session. */
export interface Session {
  /** Op to usage, for the ops whose help was read under this registry version. */
  usages(version: string): ReadonlyMap<string, string>;
  /** Records that the help of an op was read. */
  read(version: string, op: string, usage: string): void;
  /** Counts a failed call and returns how often it has failed. */
  failed(call: string): number;
  /** Records that a call of an op failed so often that it is not to be sent again. */
  gaveUp(op: string): void;
  /** Whether that was recorded of an op. */
  isGivenUp(op: string): boolean;
}

/** Starts a session. */
export function startSession(): Session {
  let known = "";
  const usage = new Map<string, string>();
  const failures = new Map<string, number>();
  const givenUp = new Map<string, true>();
  // A new registry may have changed every usage line, so the old ones are dropped.
  const under = (version: string): Map<string, string> => {
    if (version !== known) usage.clear();
    known = version;
    return usage;
  };
  return {
    usages: under,
    read: (version, op, line) => rememberNewest(under(version), op, line, MAX_SESSION_ENTRIES),
    failed(call) {
      const times = (failures.get(call) ?? 0) + 1;
      rememberNewest(failures, call, times, MAX_SESSION_ENTRIES);
      return times;
    },
    gaveUp: (op) => rememberNewest(givenUp, op, true, MAX_SESSION_ENTRIES),
    isGivenUp: (op) => givenUp.has(op),
  };
}

/** Sets an entry as the newest one and drops the oldest entries over the limit. */
export function rememberNewest<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}
