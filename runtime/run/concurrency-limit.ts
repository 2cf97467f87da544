/** A concurrency limit with a queue in which callers take turns. */

/** Work of a caller, or of all. */
interface Load {
  readonly running: number;
  readonly waiting: number;
}

/** A concurrency limit. */
export interface ConcurrencyLimit {
  /**
   * Whether further work of the caller could start at once, or wait in a queue of this length. A caller may have no more
   * waiting works than there are free places in the queue, so that another caller always finds a place.
   */
  hasRoom(length: number, caller?: string): boolean;
  /** How much work of the caller runs and waits; absent: of all callers. */
  load(caller?: string): Load;
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
  const waitingOf = (caller: string | undefined): number => lines.get(caller)?.length ?? 0;
  const waiting = (): number => [...lines.values()].reduce((sum, line) => sum + line.length, 0);
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
      return !isFull(caller) || length - waiting() > (caller === undefined ? 0 : waitingOf(caller));
    },
    load(caller) {
      return caller === undefined
        ? { running: inside.length, waiting: waiting() }
        : { running: under(caller), waiting: waitingOf(caller) };
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

/** The limits of a {@link ConcurrencyLimit} and its queue, and what they bound. */
interface Bounds {
  readonly runs: number;
  readonly queue: number;
  readonly noun: readonly [one: string, several: string];
}

/**
 * Why a caller has no room: how much work is under way and waits, and whose share is used up. Where places of the queue are free, it is
 * the caller's own.
 *
 * @example
 * busyText(gate, "key_1", { runs: 4, queue: 2, noun: ["run", "runs"] })
 * // 3 runs of yours are under way and 1 waits: your share of limits.runs (4) and limits.queue (2) is used up
 */
export function busyText(gate: ConcurrencyLimit, caller: string | undefined, { runs, queue, noun }: Bounds): string {
  const isOwn = caller !== undefined && gate.load().waiting < queue;
  const { running, waiting } = gate.load(isOwn ? caller : undefined);
  const work = `${running} ${noun[running === 1 ? 0 : 1]}${isOwn ? " of yours" : ""} ${running === 1 ? "is" : "are"} under way`;
  const line = `${waiting} ${waiting === 1 ? "waits" : "wait"}`;
  const bound = `limits.runs (${runs}) and limits.queue (${queue})`;
  return `${work} and ${line}: ${isOwn ? `your share of ${bound} is used up` : `${bound} allow no more`}`;
}
