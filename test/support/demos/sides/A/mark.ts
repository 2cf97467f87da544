/** One of two projects that a server swaps: everything in it carries the mark A. */

import { setTimeout as sleep } from "node:timers/promises";

export const pack = { summary: "The side A." };

/**
 * Tells the mark A; only its own is an argument.
 *
 * @kind read
 */
export function which({ side }: { side: "A" }): string {
  return `A${side}`;
}

/**
 * Tells the mark A under a name that only this side has.
 *
 * @kind read
 */
export function only_a(): string {
  return "A";
}

/**
 * Waits.
 *
 * @kind read
 */
export async function wait({ ms }: { ms: number }): Promise<string> {
  await sleep(ms);
  return "A";
}
