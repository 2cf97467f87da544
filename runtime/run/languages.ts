/** The languages that `run` accepts: one row each, each read into Python. */

import type { TextFault } from "./fault.js";
import { type Code, PYTHON_WORDS } from "./fence-processor.js";
import { isSnippet, readSnippetCall, type SnippetCall } from "./snippet-call.js";

/**
 * A language of `run`. It becomes Python before it runs, so that engines, names, limits and results are the same for every
 * language. Reading is pure: long code is read in a worker.
 *
 * @example
 * const CALLS: Language = {
 *   name: "calls",
 *   words: ["calls"],
 *   accepts: (_, fence) => fence === "calls",
 *   read: (text) => ({ kind: "code", code: text.replace(/^(\S+)$/gm, "$1()") }),
 * };
 */
export interface Language {
  readonly name: string;
  /** Words that name it after the opening backticks of a code fence. */
  readonly words: readonly string[];
  /**
   * Whether a command is in this language; the first row that accepts it reads it.
   *
   * @param text - the command without trigger and fence
   * @param fence - the word after the opening backticks; empty without one
   */
  accepts(text: string, fence: string): boolean;
  /** The Python code that the text becomes, the call of a snippet, or the fault in the text. */
  read(text: string): Code | SnippetCall | TextFault;
}

const SNIPPET: Language = { name: "snippet", words: [], accepts: isSnippet, read: readSnippetCall };

const PYTHON: Language = {
  name: "python",
  words: PYTHON_WORDS,
  accepts: () => true,
  read: (code) => ({ kind: "code", code }),
};

/** The languages in the order in which they are asked; Python takes what no other one accepts. */
export const LANGUAGES: readonly Language[] = [SNIPPET, PYTHON];

/** Reads a command in the first language that accepts it. */
export function readLanguage({ code, fence = "" }: Code, languages: readonly Language[]): ReturnType<Language["read"]> {
  const language = languages.find((one) => one.accepts(code, fence)) ?? PYTHON;
  return language.read(code);
}
