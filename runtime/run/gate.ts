/** Lets a number of works go on at once; the others wait in line. */

/** A gate of a certain width. */
export interface Gate {
  /** How many wait. */
  waiting(): number;
  /** Whether another work would have to wait. */
  isFull(): boolean;
  /**
   * Does the work when it is its turn.
   *
   * @throws what the work throws, and the reason of the signal where it is aborted while the work waits
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A gate that lets `width` works through at once. */
export function gateOf(width: number): Gate {
  const line: (() => void)[] = [];
  let inside = 0;
  const enter = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        inside += 1;
        resolve();
      };
      const leave = (): void => {
        line.splice(line.indexOf(go), 1);
        reject(signal?.reason);
      };
      if (inside < width) return go();
      signal?.addEventListener("abort", leave, { once: true });
      line.push(go);
      if (signal?.aborted) leave();
    });
  return {
    waiting: () => line.length,
    isFull: () => inside >= width,
    async pass(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        inside -= 1;
        line.shift()?.();
      }
    },
  };
}
