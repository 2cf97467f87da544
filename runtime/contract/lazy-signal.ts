/** An `AbortSignal` that is made when it is needed: to make and to hear one takes longer than all else that a short call does. */

/** What waits for the end of work: an `AbortSignal`, or a {@link LazySignal}. */
export interface Ending {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * Ends work, as an `AbortController` does.
 *
 * @example
 * const ending = new LazySignal();
 * ending.addEventListener("abort", () => stop());
 * ending.abort("no longer wanted");
 */
export class LazySignal implements Ending {
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The signal. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends the work. Only the first call counts. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#listeners = [];
    this.#controller?.abort(reason);
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (!this.#aborted) this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }
}

/** The signal of an ending. */
export const signalOf = (ending: AbortSignal | LazySignal): AbortSignal =>
  ending instanceof LazySignal ? ending.signal : ending;
