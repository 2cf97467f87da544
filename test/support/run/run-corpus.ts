/** Snippets as language models write them, with the results of real Python. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../project.js";

const FOLDER = join(CHECKOUT, "test/runtime/run/corpus");

/** A snippet of the corpus. */
export interface Snippet {
  /** File and title: `tools: one call`. */
  readonly title: string;
  readonly code: string;
}

/** All snippets of the corpus. */
export const corpus = (): readonly Snippet[] => snippetsOf(FOLDER);

/** All snippets of a folder, in the order of its files; each starts after a line `#: title`. */
export function snippetsOf(folder: string): readonly Snippet[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".py"))
    .sort()
    .flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split(/^#: /m)
        .slice(1)
        .map((part) => {
          const end = part.indexOf("\n");
          return { title: `${name.slice(0, -3)}: ${part.slice(0, end)}`, code: part.slice(end + 1) };
        }),
    );
}

/** What real Python makes of a piece of code. */
export interface Expected {
  /** The reply: none where it failed. */
  readonly text?: string;
  readonly printed?: string;
  readonly failed?: { readonly type: string; readonly message: string; readonly line: number | null };
}

/** What real Python answers, as run's reply begins; a failure ends with the line of the code. */
export const referenceReplies = (codes: readonly string[]): readonly string[] =>
  expectations(codes).map((answer, i) => replyOf(answer, codes[i] ?? ""));

/** What real Python makes of each piece of code. */
export function expectations(codes: readonly string[]): readonly Expected[] {
  const { stdout, stderr, status } = spawnSync("python3", [join(CHECKOUT, "test/support/run/reference.py")], {
    input: JSON.stringify(codes),
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as readonly Expected[];
}

function replyOf({ text, printed = "", failed }: Expected, code: string): string {
  if (!failed) return text ?? "";
  const { type, message, line } = failed;
  const place = line === null ? "" : ` at line ${line}`;
  const error = `Error${place}: ${type}${message === "" ? "" : `: ${message}`}`;
  const shown = line === null ? [] : [`  ${line} | ${(code.split("\n")[line - 1] ?? "").trim()}`];
  return [...(printed === "" ? [] : [printed]), error, ...shown].join("\n");
}

/** Whether a reply is the one of real Python; what a failure adds on calls and next steps is not compared. */
export const isSame = (reply: string, expected: string): boolean =>
  reply === expected || (/^Error/m.test(expected) && reply.startsWith(`${expected}\n`));
