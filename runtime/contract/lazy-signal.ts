/**
 * An `AbortSignal` that is made when it is needed. To make one and to add a listener takes longer than most short calls.
 */

/** What says that work is no longer wanted: an `AbortSignal`, or a {@link LazySignal}. */
export interface AbortSource {
  readonly aborted: boolean;
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
export class LazySignal implements AbortSource {
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;
  #listeners: readonly (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
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
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
    this.#listeners = [];
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (!this.#aborted) this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }
}

/** The signal of a source. */
export const signalOf = (source: AbortSignal | LazySignal): AbortSignal =>
  source instanceof LazySignal ? source.signal : source;
