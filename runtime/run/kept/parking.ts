/** Notices when a program cannot go on: all of its calls wait for approvals. */

/** The calls of a run that are under way. */
export interface Parking {
  /** A call begins; returns what ends it. */
  begin(key: string): () => void;
  /** A call waits for its approval. */
  waits(key: string): void;
}

/** Time for a program to make further calls, so that calls it makes together wait together. */
const SETTLE_MS = 250;

/** The call whose handler makes a call: keys of its calls begin with its own key and a dot. */
const parentOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf(".")));

/** @param park - called when all calls under way wait, once */
export function createParking(park: () => void): Parking {
  const open = new Set<string>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const isStuck = (): boolean => {
    const parents = new Set([...open].map(parentOf));
    return waiting.size > 0 && [...open].every((key) => waiting.has(key) || parents.has(key));
  };
  const look = (): void => {
    clearTimeout(timer);
    if (isStuck()) timer = setTimeout(() => isStuck() && park(), SETTLE_MS);
  };
  return {
    begin(key) {
      open.add(key);
      return () => {
        open.delete(key);
        waiting.delete(key);
        if (waiting.size > 0) look();
      };
    },
    waits(key) {
      waiting.add(key);
      look();
    },
  };
}
