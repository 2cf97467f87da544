/**
 * The order in which answers and ends of timers reach a program. Calls that run in parallel answer in any order, and a
 * program may depend on it (`asyncio.as_completed`), so running a program again needs the order of the first time.
 */

/** What reached a program: the answer of a call, or the end of a timer; each is counted from 1, in order of its start. */
export type Delivered = { readonly call: number } | { readonly timer: number };

/** One entry of the log. */
export type Delivery = Delivered & {
  /** The time that the program reads from then on, in milliseconds since 1970. */
  readonly now: number;
};

/** What a program computes depends on its code, the answers of its calls, the order of these, and this. */
export interface RunOrigin {
  /** The seed of its random numbers: 32 bytes in hexadecimal. */
  readonly seed: string;
  /** The time at its start, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** The log of one run. */
export interface DeliveryLog {
  /** All deliveries so far. */
  readonly deliveries: readonly Delivery[];
  /** Whether the log holds the end of a timer, which is delivered without waiting for the time then. */
  endedBefore(timer: number): boolean;
  /**
   * Delivers when it is the turn of `what`: after everything that the log holds before it; at once if the log does not
   * hold it and all of the log has been delivered.
   *
   * @param deliver - receives the time of the delivery
   */
  ready(what: Delivered, deliver: (now: number) => void): void;
}

interface Waiting {
  readonly what: Delivered;
  readonly deliver: (now: number) => void;
}

const keyOf = (what: Delivered): string => ("call" in what ? `c${what.call}` : `t${what.timer}`);

/**
 * A log of a program that reads the times of another run of it, as long as there are any.
 *
 * @param earlier - deliveries of the run that is repeated
 * @param timeOf - the time of a delivery, by its place from 0, in milliseconds since 1970; undefined: that of the clock
 */
export function timedLog(
  earlier: readonly Delivery[] = [],
  timeOf: (nth: number) => number | undefined = () => undefined,
): DeliveryLog {
  const log: DeliveryLog = deliveryLog(earlier, () => timeOf(log.deliveries.length) ?? Date.now());
  return log;
}

/**
 * A log that repeats earlier deliveries in their order, then goes on.
 *
 * @param earlier - deliveries of the run that is repeated
 * @param clock - the time of new deliveries, in milliseconds since 1970
 */
export function deliveryLog(earlier: readonly Delivery[] = [], clock: () => number = Date.now): DeliveryLog {
  const deliveries: Delivery[] = [...earlier];
  const known = new Set(earlier.map(keyOf));
  const waiting = new Map<string, Waiting>();
  let at = 0;
  const repeat = (): void => {
    for (let next = earlier[at]; next; next = earlier[at]) {
      const ready = waiting.get(keyOf(next));
      if (!ready) return;
      waiting.delete(keyOf(next));
      at += 1;
      ready.deliver(next.now);
    }
    for (const [key, { what, deliver }] of waiting) {
      waiting.delete(key);
      add(what, deliver);
    }
  };
  const add = (what: Delivered, deliver: Waiting["deliver"]): void => {
    const now = clock();
    deliveries.push({ ...what, now });
    deliver(now);
  };
  return {
    deliveries,
    endedBefore: (timer) => known.has(keyOf({ timer })),
    ready(what, deliver) {
      if (at >= earlier.length) add(what, deliver);
      else {
        waiting.set(keyOf(what), { what, deliver });
        repeat();
      }
    },
  };
}
