/** Writes that a caller may have to repeat: each records in a file of the test that it ran. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Context, fail } from "toolwright/codegen";

export const pack = { summary: "Lines of a journal." };

/** How many lines a file has. */
const lineCount = (file: string): number => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);

/**
 * Adds a line.
 *
 * @kind write
 */
export function append({ file, text }: { file: string; text: string }): { line: number } {
  appendFileSync(file, `${text}\n`);
  return { line: lineCount(file) };
}

/**
 * Adds a line, then waits until another file is there.
 *
 * @kind write
 */
export async function append_slowly(
  { file, until }: { file: string; until: string },
  { signal }: Context,
): Promise<{ line: number }> {
  appendFileSync(file, "slow\n");
  const line = lineCount(file);
  while (!signal.aborted && !existsSync(until)) await sleep(10);
  return { line };
}

/**
 * Adds a line; the first time it says that it could not.
 *
 * @kind write
 */
export function append_at_last({ file }: { file: string }): { line: number } {
  appendFileSync(file, "tried\n");
  const line = lineCount(file);
  return line === 1 ? fail("UNAVAILABLE", "The journal is closed for now.") : { line };
}
