/** Time limit and cancellation of one handler call. */

import type { Settings } from "../config/settings.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import { ToolFailure } from "../contract/handler.js";

/** Time limit of a call of an op. */
export const limitMs = ({ ops, callTimeoutMs }: Pick<Settings, "ops" | "callTimeoutMs">, op: string): number =>
  ops.get(op)?.deadline_ms ?? callTimeoutMs;

/** Part of the limit reserved for reporting that the state database did not answer, and its maximum. */
const KEPT_PART = 0.2;
const MAX_KEPT_MS = 500;

/**
 * How long a call may wait for the state database: a little less than its whole limit, so that the answer names the
 * cause.
 */
export const stateLimitMs = (ms: number): number => ms - Math.min(MAX_KEPT_MS, ms * KEPT_PART);

/** Effect of an abandoned write: rolled back, or unknown. */
type GivenUp = "none" | "unknown";

/** A running time limit. Call `end` in any case. */
export interface Limit {
  readonly ms: number;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborted at the deadline, or when the caller cancels. */
  readonly signal: AbortSignal;
  /**
   * Waits for the work, at most until the limit.
   *
   * @throws ToolFailure TIMEOUT or CANCELLED with `outcome`, which is left out for reads
   */
  race<T>(work: () => Promise<T>, outcome: GivenUp | undefined): Promise<T>;
  end(): void;
}

/** Why a call ends before its work: the reason of the signal. */
type Reason = "TIMEOUT" | "CANCELLED";

/**
 * Starts the time limit of one call.
 *
 * @param spentMs time that the call has already used
 */
export function startLimit(ms: number, now: number, caller?: AbortSignal, spentMs = 0): Limit {
  const ending = new AbortController();
  const { signal } = ending;
  /** Rejects each `race` that waits. */
  const waiting = new Set<(reason: Reason) => void>();
  const end = (reason: Reason): void => {
    // Before the handler's own listeners, so that its reaction to the abort is not taken for its failure.
    for (const abandon of waiting) abandon(reason);
    ending.abort(reason);
  };
  const cancel = (): void => end("CANCELLED");
  const timer = setTimeout(() => end("TIMEOUT"), Math.max(0, Math.min(ms - spentMs, MAX_TIMER_MS)));
  caller?.addEventListener("abort", cancel);
  if (caller?.aborted) cancel();
  return {
    ms,
    deadline: now + Math.max(0, Math.floor(ms - spentMs)),
    signal,
    async race(work, outcome) {
      if (signal.aborted) throw givenUp(signal.reason, ms, outcome === undefined ? undefined : "none");
      const made = work();
      return new Promise((resolve, reject) => {
        const abandon = (reason: Reason): void => reject(givenUp(reason, ms, outcome));
        waiting.add(abandon);
        made.finally(() => waiting.delete(abandon)).then(resolve, reject);
      });
    },
    end() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", cancel);
    },
  };
}

function givenUp(reason: Reason, ms: number, outcome: GivenUp | undefined): ToolFailure {
  const details = { limit_ms: ms, ...(outcome === undefined ? {} : { outcome }) };
  const effect =
    outcome === "unknown"
      ? " Whether it took effect is not known: read before trying again."
      : outcome === "none"
        ? " Nothing was changed."
        : "";
  return reason === "TIMEOUT"
    ? new ToolFailure("TIMEOUT", `The call took longer than ${ms} ms.${effect}`, details)
    : new ToolFailure("CANCELLED", `The call was cancelled.${effect}`, details);
}
