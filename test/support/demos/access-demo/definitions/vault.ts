/** Ops of every level, for tests of keys. */

import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "toolwright/codegen";

export const pack = { summary: "Notes and tokens of a vault." };

/**
 * Lists notes.
 *
 * @kind read
 * @op vault.list_notes
 */
export function list_notes(): string[] {
  return ["one", "two"];
}

/**
 * Adds a note.
 *
 * @kind write
 * @op vault.add_note
 */
export function add_note({ text, file }: { text: string; file: string }, ctx: Context): { by: string; text: string } {
  appendFileSync(file, `${ctx.principal.id}: ${text}\n`);
  return { by: ctx.principal.id, text };
}

/**
 * Makes a token.
 *
 * @kind write
 * @op vault.create_token
 * @access admin
 */
export function create_token({ name }: { name: string }): { token: string } {
  return { token: `token of ${name}` };
}

/**
 * Lists tokens.
 *
 * @kind read
 * @op vault.list_tokens
 * @access admin
 */
export function list_tokens(): string[] {
  return [];
}

/**
 * Writes `started` into a file, then waits until another file is there; writes `aborted` where it must not wait any longer.
 *
 * @kind read
 */
export async function hold_on({ file, until }: { file: string; until: string }, ctx: Context): Promise<string> {
  appendFileSync(file, "started\n");
  while (!(ctx.signal.aborted || existsSync(until))) await sleep(10);
  appendFileSync(file, ctx.signal.aborted ? "aborted\n" : "done\n");
  return "done";
}

/**
 * Tells what a child process would inherit.
 *
 * @kind read
 */
export function environment(): string[] {
  return Object.keys(process.env);
}
