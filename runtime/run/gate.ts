/** Lets a number of works go on at once; the others wait in line, where callers take turns. */

/** A gate of a certain width. */
export interface Gate {
  /**
   * Whether another work of the caller could go on at once, or wait in a line of that length. A caller has no more in the line than
   * are free in it, so that however many fill it, another one finds a place.
   */
  hasRoom(length: number, caller?: string): boolean;
  /**
   * Does the work when it is its turn: next is that of the caller with the least under way, and among equals of the one that was let
   * through longest ago.
   *
   * @param caller who leaves one place to others, where there are several; absent for who need not
   * @throws what the work throws, and the reason of the signal where it is aborted while the work waits
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal, caller?: string): Promise<T>;
}

/** A gate that lets `width` works through at once. */
export function gateOf(width: number): Gate {
  /** What waits, by caller; whose turn it is comes first. */
  const lines = new Map<string | undefined, (() => void)[]>();
  const inside: (string | undefined)[] = [];
  const share = Math.max(1, width - 1);
  const under = (caller: string | undefined): number => inside.filter((one) => one === caller).length;
  const isFull = (caller: string | undefined): boolean =>
    inside.length >= width || (caller !== undefined && under(caller) >= share);
  const enter = (signal: AbortSignal | undefined, caller: string | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const line = lines.get(caller) ?? [];
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        inside.push(caller);
        resolve();
      };
      const leave = (): void => {
        line.splice(line.indexOf(go), 1);
        if (line.length === 0) lines.delete(caller);
        reject(signal?.reason);
      };
      if (!isFull(caller)) return go();
      signal?.addEventListener("abort", leave, { once: true });
      lines.set(caller, line);
      line.push(go);
      if (signal?.aborted) leave();
    });
  const letNext = (): void => {
    const free = [...lines].filter(([caller]) => !isFull(caller));
    const [next] = free.sort(([a], [b]) => under(a) - under(b));
    if (!next) return;
    const [caller, line] = next;
    lines.delete(caller);
    line.shift()?.();
    // Set again, it is the last.
    if (line.length > 0) lines.set(caller, line);
  };
  return {
    hasRoom(length, caller) {
      const free = [...lines.values()].reduce((left, line) => left - line.length, length);
      return !isFull(caller) || free > (caller === undefined ? 0 : (lines.get(caller)?.length ?? 0));
    },
    async pass(work, signal, caller) {
      await enter(signal, caller);
      try {
        return await work();
      } finally {
        inside.splice(inside.indexOf(caller), 1);
        letNext();
      }
    },
  };
}
