/** What one connection remembers: which help it has read, and which calls keep failing. */

/** Entries that a session keeps of each kind; the oldest goes first. */
const MOST = 500;

/** Memory of one stdio or socket connection. Over HTTP there is none. */
export interface Session {
  /** Op to usage, of the ops whose help was read under this registry version. */
  usages(version: string): ReadonlyMap<string, string>;
  /** Remembers that the help of an op was read. */
  read(version: string, op: string, usage: string): void;
  /** Counts a failing call and says how often it has failed now. */
  failed(call: string): number;
}

/** Starts a session. */
export function createSession(): Session {
  let known = "";
  const usage = new Map<string, string>();
  const failures = new Map<string, number>();
  // A new registry may have changed every usage line, so none of the old ones is shown any more.
  const under = (version: string): Map<string, string> => {
    if (version !== known) usage.clear();
    known = version;
    return usage;
  };
  return {
    usages: under,
    read: (version, op, line) => remember(under(version), op, line, MOST),
    failed(call) {
      const times = (failures.get(call) ?? 0) + 1;
      remember(failures, call, times, MOST);
      return times;
    },
  };
}

/** Sets an entry as the newest one and drops the oldest entries over the limit. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}
