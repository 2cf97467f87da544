/** Notices when a program cannot go on: all of its calls wait for approvals. */

import { setTimeout as sleep } from "node:timers/promises";
import { WAITS } from "../../contract/envelope.js";
import { ToolFailure } from "../../contract/handler.js";

/** The calls of a run that are under way. */
export interface Parking {
  /** A call begins; returns what ends it. */
  begin(key: string): () => void;
  /** A call waits for its approval. */
  waits(key: string): void;
}

/** Time for a handler to make further calls. */
const HANDLER_MS = 250;

/** The call whose handler makes a call: keys of its calls begin with its own key and a dot. */
const parentOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf(".")));

/**
 * Watches the calls of a run.
 *
 * @param settled - resolves when the program makes no further call, so that calls it makes together wait together
 * @param park - called when all calls under way wait, once
 */
export function createParking(settled: () => Promise<void>, park: () => void): Parking {
  const open = new Set<string>();
  const waiting = new Set<string>();
  let isLooking = false;
  const parentsOf = (): ReadonlySet<string> => new Set([...open].map(parentOf));
  const isStuck = (): boolean => {
    const parents = parentsOf();
    return waiting.size > 0 && [...open].every((key) => waiting.has(key) || parents.has(key));
  };
  const look = async (): Promise<void> => {
    if (isLooking || !isStuck()) return;
    isLooking = true;
    const before = waiting.size;
    await settled();
    const parents = parentsOf();
    if ([...open].some((key) => parents.has(key))) await sleep(HANDLER_MS);
    isLooking = false;
    if (waiting.size !== before || !isStuck()) await look();
    else park();
  };
  return {
    begin(key) {
      open.add(key);
      return () => {
        open.delete(key);
        waiting.delete(key);
        if (waiting.size > 0) void look();
      };
    },
    waits(key) {
      waiting.add(key);
      void look();
    },
  };
}

/** Waits until the program pauses. @throws ToolFailure CANCELLED then */
export const untilPaused = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void =>
      reject(new ToolFailure("CANCELLED", "the program waits for an approval", { reason: WAITS }));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
