/** Time limit and cancellation of one handler call. */

import type { Settings } from "../config/settings.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import { ToolFailure } from "../contract/handler.js";
import type { AbortSource } from "../contract/lazy-signal.js";

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
export const startLimit = (ms: number, now: number, caller?: AbortSource, spentMs = 0): Limit =>
  new RunningLimit(ms, now, caller, spentMs);

/** A class, since V8 makes an object literal with a getter slowly. */
class RunningLimit implements Limit {
  readonly ms: number;
  readonly deadline: number;
  readonly #caller: AbortSource | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #cancel = (): void => this.#abort("CANCELLED");
  /** Rejects each `race` that waits. */
  readonly #abandon = new Set<(reason: Reason) => void>();
  /** Made for a handler that asks for the signal: most ask for none. */
  #controller: AbortController | undefined;
  #reason: Reason | undefined;

  constructor(ms: number, now: number, caller: AbortSource | undefined, spentMs: number) {
    this.ms = ms;
    this.deadline = now + Math.max(0, Math.floor(ms - spentMs));
    this.#caller = caller;
    const left = Math.max(0, Math.min(ms - spentMs, MAX_TIMER_MS));
    this.#timer = setTimeout(() => this.#abort("TIMEOUT"), left);
    caller?.addEventListener("abort", this.#cancel);
    if (caller?.aborted) this.#cancel();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  race<T>(work: () => Promise<T>, outcome: GivenUp | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const { ms } = this;
      if (this.#reason !== undefined) throw givenUp(this.#reason, ms, outcome === undefined ? undefined : "none");
      const abandon = (why: Reason): void => reject(givenUp(why, ms, outcome));
      this.#abandon.add(abandon);
      // `Promise.race` would make three promises more.
      work().then(
        (value) => {
          this.#abandon.delete(abandon);
          resolve(value);
        },
        (error: unknown) => {
          this.#abandon.delete(abandon);
          reject(error);
        },
      );
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#cancel);
  }

  #abort(reason: Reason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    // `race` rejects before the handler's own listeners run, so that its reaction to the abort is not taken for its failure.
    for (const abandon of this.#abandon) abandon(reason);
    this.#controller?.abort(reason);
  }
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
