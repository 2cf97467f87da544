/**
 * The reloadable gateway of a process: serves the newest valid configuration. `ot.reload` and SIGHUP swap it in one
 * step; calls under way finish on the gateway that they began with, which is closed after the last of them.
 */

import { hint } from "../contract/own-command.js";
import { messageOf, stackOf } from "../contract/thrown.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import type { Gateway } from "./gateway.js";

/**
 * The gateway of a process, which can reload its configuration.
 *
 * @example
 * const answer = await live.within((gateway) => gateway.dispatch(request, principal));
 */
export interface Live {
  /** The gateway in force, for what is over at once, such as reading a setting. Work that waits takes {@link within}. */
  current(): Gateway;
  /** Does work on the gateway in force, which stays open until the work is done, also if another one is in force then. */
  within<T>(work: (gateway: Gateway) => Promise<T>): Promise<T>;
  /** Starts the Python engine in the background, also for each gateway that a reload brings. */
  warm(): void;
  /**
   * Reads everything again and swaps; after a fault everything stays unchanged.
   *
   * @returns `OK: …` or `Error: …`, the answer of `ot.reload`. Never rejects
   */
  reload(): Promise<string>;
  /** Calls back after each swap, and when clients should list everything again; the returned function stops that. */
  onSwap(listener: () => void): () => void;
  /** Calls back the listeners of `onSwap`: another server lists something else now. */
  changed(): void;
  /** Closes every gateway that is open. */
  close(): Promise<void>;
}

/** A newly opened gateway. */
export interface Opened {
  readonly gateway: Gateway;
  /** Definition files changed since the last `generate`. */
  readonly stale: readonly string[];
}

const staleNote = (files: string): string =>
  hint(
    `generated/ is older than ${files}: run "toolwright generate"`,
    `${files} changed: start "toolwright serve" again`,
  );

/** Serves a gateway, and after each reload the one that `open` returns. */
export function createLive(first: Gateway, open: () => Promise<Opened>): Live {
  const { current, within, warm, swap, closeAll } = generations(first);
  const listening = swapListeners();
  let isClosed = false;
  const step = async (): Promise<string> => {
    try {
      const { gateway, stale } = await open();
      if (isClosed) return await gateway.close().then(() => `${REFUSED}: the server is ending`);
      swap(gateway);
      listening.changed();
      if (stale.length > 0) gateway.log.warn(staleNote(stale.join(", ")));
      return DONE;
    } catch (error) {
      return refused(error, current());
    }
  };
  const steps = oneAfterTheOther(step);
  return {
    current,
    within,
    warm,
    reload: steps.next,
    ...listening,
    async close() {
      isClosed = true;
      await steps.last();
      await closeAll();
    },
  };
}

function swapListeners(): Pick<Live, "onSwap" | "changed"> {
  const listeners = new Set<() => void>();
  return {
    onSwap(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      for (const listener of listeners) listener();
    },
  };
}

/** Reloads a gateway. @throws UsageError with the reason for which nothing was reloaded */
export async function reloadOrThrow(live: Pick<Live, "reload">): Promise<void> {
  const answer = await live.reload();
  if (answer !== DONE) throw new UsageError(answer.replace(/^Error: /, ""));
}

const DONE = "OK: Configuration reloaded";
const REFUSED = "Error: Configuration not reloaded";

function refused(error: unknown, { log }: Gateway): string {
  if (!isUsageError(error)) log.error("not reloaded", { error: stackOf(error) });
  return `${REFUSED}: ${messageOf(error)}`;
}

/** Runs steps one at a time. Requests made while a step waits share it, since it will read the current files. */
function oneAfterTheOther(step: () => Promise<string>) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<string> | undefined;
  return {
    last: () => last,
    next(): Promise<string> {
      waiting ??= last.then(() => {
        waiting = undefined;
        return step();
      });
      last = waiting;
      return waiting;
    },
  };
}

/** The current gateway, and earlier ones with calls under way. */
function generations(first: Gateway) {
  const calls = new Map<Gateway, number>([[first, 0]]);
  let current = first;
  let isWarm = false;
  const closeIfDone = (gateway: Gateway): void => {
    if (gateway === current || calls.get(gateway) !== 0) return;
    calls.delete(gateway);
    gateway.close().catch((error: unknown) => current.log.error("not closed", { error: stackOf(error) }));
  };
  const count = (gateway: Gateway, by: number): void => {
    const under = calls.get(gateway);
    if (under !== undefined) calls.set(gateway, under + by);
  };
  return {
    current: () => current,
    async within<T>(work: (gateway: Gateway) => Promise<T>): Promise<T> {
      const gateway = current;
      count(gateway, 1);
      try {
        return await work(gateway);
      } finally {
        count(gateway, -1);
        closeIfDone(gateway);
      }
    },
    warm(): void {
      isWarm = true;
      current.warm();
    },
    swap(next: Gateway): void {
      const before = current;
      calls.set(next, 0);
      current = next;
      if (isWarm) next.warm();
      closeIfDone(before);
    },
    async closeAll(): Promise<void> {
      const open = [...calls.keys()];
      calls.clear();
      for (const gateway of open) await gateway.close();
    },
  };
}
