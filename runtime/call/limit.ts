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

/** Why a call ends before its work. */
type Reason = "TIMEOUT" | "CANCELLED";

/**
 * Starts the time limit of one call.
 *
 * @param spentMs time that the call has already used
 */
export function startLimit(ms: number, now: number, caller?: AbortSignal, spentMs = 0): Limit {
  // Most handlers ask for no signal, and to create one takes longer than all else that is done here.
  let controller: AbortController | undefined;
  let reason: Reason | undefined;
  const abandoned = new Set<(reason: Reason) => void>();
  const abort = (why: Reason): void => {
    if (reason !== undefined) return;
    reason = why;
    // Those who wait come before the handler's own listeners, so that its reaction to the abort is not taken for its failure.
    for (const abandon of abandoned) abandon(why);
    controller?.abort(why);
  };
  const cancel = (): void => abort("CANCELLED");
  const timer = setTimeout(abort, Math.max(0, Math.min(ms - spentMs, MAX_TIMER_MS)), "TIMEOUT");
  caller?.addEventListener("abort", cancel, { once: true });
  if (caller?.aborted) cancel();
  return {
    ms,
    deadline: now + Math.max(0, Math.floor(ms - spentMs)),
    get signal() {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    async race(work, outcome) {
      if (reason !== undefined) throw givenUp(reason, ms, outcome === undefined ? undefined : "none");
      let abandon: (reason: Reason) => void = () => undefined;
      const aborted = new Promise<never>((_, reject) => {
        abandon = (why) => reject(givenUp(why, ms, outcome));
      });
      abandoned.add(abandon);
      try {
        return await Promise.race([work(), aborted]);
      } finally {
        abandoned.delete(abandon);
      }
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
