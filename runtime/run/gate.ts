/** Lets a number of works go on at once; the others wait in line. */

/** A gate of a certain width. */
export interface Gate {
  /** How many wait: of a caller, or in all. */
  waiting(caller?: string): number;
  /** Whether another work of the caller would have to wait. */
  isFull(caller?: string): boolean;
  /**
   * Does the work when it is its turn.
   *
   * @param caller who leaves one place to others, where there are several; absent for who need not
   * @throws what the work throws, and the reason of the signal where it is aborted while the work waits
   */
  pass<T>(work: () => Promise<T>, signal?: AbortSignal, caller?: string): Promise<T>;
}

interface Waiting {
  readonly caller: string | undefined;
  readonly go: () => void;
}

/** A gate that lets `width` works through at once. */
export function gateOf(width: number): Gate {
  const line: Waiting[] = [];
  const inside: (string | undefined)[] = [];
  const share = Math.max(1, width - 1);
  const isFull = (caller?: string): boolean =>
    inside.length >= width || (caller !== undefined && countOf(inside, caller) >= share);
  const enter = (signal: AbortSignal | undefined, caller: string | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        inside.push(caller);
        resolve();
      };
      const waiting = { caller, go };
      const leave = (): void => {
        line.splice(line.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      if (!isFull(caller)) return go();
      signal?.addEventListener("abort", leave, { once: true });
      line.push(waiting);
      if (signal?.aborted) leave();
    });
  return {
    waiting: (caller) =>
      caller === undefined
        ? line.length
        : countOf(
            line.map((one) => one.caller),
            caller,
          ),
    isFull,
    async pass(work, signal, caller) {
      await enter(signal, caller);
      try {
        return await work();
      } finally {
        inside.splice(inside.indexOf(caller), 1);
        const next = line.findIndex((one) => !isFull(one.caller));
        if (next >= 0) line.splice(next, 1)[0]?.go();
      }
    },
  };
}

const countOf = (callers: readonly (string | undefined)[], caller: string): number =>
  callers.filter((one) => one === caller).length;
