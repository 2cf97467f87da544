/**
 * Busy polling: to look for a message for a moment before sleeping until it comes. To be woken takes a process as long as a
 * third of a short call, and to wake it takes the one that writes as long again.
 */

/** The moment, in milliseconds: some five times what it takes to be woken, because answers take their time, too. */
export const BUSY_POLL_MS = 0.1;

/** Most waits in a row without a poll. */
const MOST_SKIPPED = 31;

/** Chooses the waits that poll. */
export interface PollBackoff {
  /** Counts a wait; whether it polls. */
  next(): boolean;
  /** A wait has polled. @param isFound - whether the message came in the moment */
  polled(isFound: boolean): void;
}

/**
 * Polls fewer waits while messages take longer than the moment, so that a slow peer costs next to nothing: after a poll in
 * vain it skips 1 wait, then 3, 7, 15, and 31 from then on.
 */
export function pollBackoff(): PollBackoff {
  let skipped = 0;
  let left = 0;
  return {
    next: () => --left < 0,
    polled(isFound) {
      skipped = isFound ? 0 : Math.min(2 * skipped + 1, MOST_SKIPPED);
      left = skipped;
    },
  };
}

/** The waits for the messages of one peer. */
export interface PolledWaits {
  /** A message is expected. */
  begin(): void;
  /** One has come, or none is expected any more. */
  end(): void;
}

/**
 * Waits that poll by the event loop, which goes on turning in place of sleeping: everything else is done in its turn.
 *
 * @example
 * const waits = polledWaits();
 * pipe.on("data", (part) => {
 *   waits.end();
 *   pipe.write(answer(part));
 *   waits.begin();
 * });
 */
export function polledWaits(): PolledWaits {
  const backoff = pollBackoff();
  let until = 0;
  let turn: NodeJS.Immediate | undefined;
  const poll = (): void => {
    turn = performance.now() < until ? setImmediate(poll) : undefined;
    if (!turn) backoff.polled(false);
  };
  return {
    begin() {
      if (turn || !backoff.next()) return;
      until = performance.now() + BUSY_POLL_MS;
      turn = setImmediate(poll);
    },
    end() {
      if (!turn) return;
      clearImmediate(turn);
      turn = undefined;
      backoff.polled(true);
    },
  };
}
