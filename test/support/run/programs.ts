/** Programs that agents write over tools, with the outcomes that real Python gives them over the same tools. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../project.js";
import { type Expected, type Snippet, snippetsOf } from "./run-corpus.js";

const FOLDER = join(CHECKOUT, "test/runtime/run/programs");

/** Where the outcomes are: made by `UPDATE=1` with the machine's `python3`, never by an engine of ours. */
export const OUTCOMES = join(FOLDER, "outcomes.json");

/** An outcome: of failures about arguments the class and the line, since their words are the gateway's own. */
export type Outcome = Omit<Expected, "failed"> & {
  readonly failed?: { readonly type: string; readonly message?: string; readonly line: number | null };
};

/** All programs, in the order of their files. `<Title>` in their code stands for the id of what has that title. */
export const programs = (): readonly Snippet[] => snippetsOf(FOLDER);

/** Outcomes by title. */
export const outcomes = (): Readonly<Record<string, Outcome>> => JSON.parse(readFileSync(OUTCOMES, "utf8"));

/** Code with the ids of a world. */
export const placed = (code: string, ids: ReadonlyMap<string, string>): string =>
  code.replace(/"<([^">]+)>"/g, (whole, title: string) => (ids.has(title) ? `"${ids.get(title)}"` : whole));

/** Text without what differs between two worlds: ids. */
export function told(text: string, ids: ReadonlyMap<string, string>): string {
  const titles = new Map([...ids].map(([title, id]) => [id, title]));
  return text.replace(/\b[a-z]{2,5}_[a-z0-9]{16}\b/g, (id) => `<${titles.get(id) ?? "id"}>`);
}

/** Whether a reply of `run` is that of real Python: all of it, or of a failure what stands before the advice. */
export function isReplyOf(reply: string, { text, printed = "", failed }: Outcome): boolean {
  if (!failed) return reply === text;
  const place = failed.line === null ? "" : ` at line ${failed.line}`;
  const begin = `${printed === "" ? "" : `${printed}\n`}Error${place}: ${failed.type}`;
  if (!reply.startsWith(begin)) return false;
  const rest = reply.slice(begin.length);
  return failed.message === undefined ? /^(:|\n|$)/.test(rest) : rest.startsWith(worded(failed.message));
}

const worded = (message: string): string => (message === "" ? "" : `: ${message}`);
