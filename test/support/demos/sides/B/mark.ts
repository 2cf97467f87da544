/** One of two projects that a server swaps: everything in it carries the mark B. */

import { setTimeout as sleep } from "node:timers/promises";

export const pack = { summary: "The side B." };

/**
 * Tells the mark B; only its own is an argument.
 *
 * @kind read
 */
export function which({ side }: { side: "B" }): string {
  return `B${side}`;
}

/**
 * Tells the mark B under a name that only this side has.
 *
 * @kind read
 */
export function only_b(): string {
  return "B";
}

/**
 * Waits.
 *
 * @kind read
 */
export async function wait({ ms }: { ms: number }): Promise<string> {
  await sleep(ms);
  return "B";
}
