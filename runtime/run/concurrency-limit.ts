/** A concurrency limit with a queue in which callers take turns. */

/** A concurrency limit. */
export interface ConcurrencyLimit {
  /**
   * Whether further work of the caller could start at once, or wait in a queue of this length. A caller may have no more
   * waiting works than there are free places in the queue, so that another caller always finds a place.
   */
  hasRoom(length: number, caller?: string): boolean;
  /**
   * Runs work when its turn comes: next is the caller with the least running work, and among equals the one that was
   * served longest ago.
   *
   * @param caller id of a caller, which leaves one place to others if there are several; absent: without this
   * restriction
   * @throws errors of the work, and the reason of the signal if it aborts while the work waits
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal, caller?: string): Promise<T>;
}

/** Creates a limit of `width` concurrent works. */
export function concurrencyLimit(width: number): ConcurrencyLimit {
  /** Waiting work by caller; the next caller comes first. */
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
    // Moves the caller to the end.
    if (line.length > 0) lines.set(caller, line);
  };
  return {
    hasRoom(length, caller) {
      const free = [...lines.values()].reduce((left, line) => left - line.length, length);
      return !isFull(caller) || free > (caller === undefined ? 0 : (lines.get(caller)?.length ?? 0));
    },
    async pass(work, signal, caller) {
      if (isFull(caller)) await enter(signal, caller);
      else inside.push(caller);
      try {
        return await work();
      } finally {
        inside.splice(inside.indexOf(caller), 1);
        letNext();
      }
    },
  };
}
