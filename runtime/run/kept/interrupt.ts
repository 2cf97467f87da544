/** What ends a program from outside, and a program whose run is stopped. */

import { isToolFailure } from "../../contract/handler.js";
import type { KeepParts } from "./asking.js";
import type { Keeper } from "./keeper.js";
import { watchStop } from "./stop.js";

/** What ends a program from outside: its caller, a person who stops it, or a wait for one. */
export interface RunInterrupt {
  readonly signal: AbortSignal;
  isPaused(): boolean;
  isStopped(): boolean;
  /** What the caller of a stopped run is told. */
  stoppedBy(): string | undefined;
  pause(): void;
  stop(text: string): void;
  /** Listens to the caller no more. */
  release(): void;
}

/** Follows what ends a program. */
export function interruptOf(caller: AbortSignal | undefined): RunInterrupt {
  const ending = new AbortController();
  let isPaused = false;
  let stoppedBy: string | undefined;
  // One signal, since each takes a run longer than most of its steps.
  const cancel = (): void => ending.abort(caller?.reason);
  caller?.addEventListener("abort", cancel, { once: true });
  if (caller?.aborted) cancel();
  return {
    signal: ending.signal,
    isPaused: () => isPaused,
    isStopped: () => stoppedBy !== undefined,
    stoppedBy: () => stoppedBy,
    pause(): void {
      isPaused = true;
      ending.abort();
    },
    stop(text: string): void {
      stoppedBy ??= text;
      ending.abort(text);
    },
    release: () => caller?.removeEventListener("abort", cancel),
  };
}

/** Ends a program whose run is stopped. */
export function endStoppedProgram(keep: KeepParts, id: string, isStored: boolean, interrupt: RunInterrupt) {
  const watch = watchStop(keep, id, interrupt.stop);
  if (isStored) watch.begin();
  const unlessStopped = async <T>(step: () => Promise<T>): Promise<T> => {
    watch.begin();
    try {
      return await step();
    } catch (error) {
      // The row has refused the write: the program ends before it hears of that.
      if (isToolFailure(error) && error.code === "CONFLICT") await watch.look();
      throw error;
    }
  };
  const stoppable = (keeper: Keeper): Keeper => ({
    ...keeper,
    beforeWrite: () => unlessStopped(keeper.beforeWrite),
    permit: (asked) => unlessStopped(() => keeper.permit(asked)),
    outcomeUnknown: (asked) => unlessStopped(() => keeper.outcomeUnknown(asked)),
  });
  const stoppedText = async (): Promise<string | undefined> => {
    await watch.lookAgain();
    return interrupt.stoppedBy();
  };
  return { watch, stoppable, stoppedText };
}
