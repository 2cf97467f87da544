/** Ops that tests of a server can observe and block. */

import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "toolwright/codegen";

export const pack = { summary: "Calls to watch and to hold up." };

/**
 * Says what it was told.
 *
 * @kind read
 */
export function echo({ text }: { text: string }): string {
  return text;
}

/**
 * Reports progress step by step.
 *
 * @kind read
 */
export async function steps({ count }: { count: number }, ctx: Context): Promise<number> {
  for (let done = 1; done <= count; done++) {
    ctx.progress(done, count);
    await sleep(5);
  }
  return count;
}

/**
 * Writes `started` into a file, then waits until another file is there; writes `aborted` where it must not wait any longer.
 *
 * @kind read
 */
export async function hold({ file, until }: { file: string; until: string }, ctx: Context): Promise<string> {
  appendFileSync(file, "started\n");
  while (!(ctx.signal.aborted || existsSync(until))) await sleep(10);
  appendFileSync(file, ctx.signal.aborted ? "aborted\n" : "done\n");
  return "done";
}
