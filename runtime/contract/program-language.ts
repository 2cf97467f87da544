/** What is said of a language of programs before its code is imported: data, and functions that write calls. */

import type { JsonObject, JsonValue, Tool } from "./registry.js";

/** A language of programs, as texts, the configuration and files name it. */
export interface ProgramLanguage {
  /** As `run.languages` has it. */
  readonly name: string;
  /** For people. */
  readonly label: string;
  /** Words that name it after the opening backticks of a code fence. */
  readonly words: readonly string[];
  /** The word that agents are told. */
  readonly fence: string;
  /** Endings of the names of its files. */
  readonly extensions: readonly string[];
  /** The signatures of ops that its authors are shown. */
  readonly signature: keyof Tool["signature"];
  /** Whether `run --types` prints declarations in it. */
  readonly hasTypes?: true;
  /** A call of an op. */
  call(op: string, args: JsonObject): string;
  /** A value as code. */
  literal(value: JsonValue): string;
  readonly wording: ProgramWording;
  /** Path of the worker that renders its snippets. Default: the worker of the core, which renders Python. */
  readonly snippetWorker?: () => Promise<string>;
}

/** How programs of a language are written, in what agents are told. */
export interface ProgramWording {
  /** End of the description of `run` where it is the only one. */
  readonly closing?: string;
  /** A call with placeholders, in the instructions of a server. */
  readonly form: string;
  /** What is said there of its calls beside their form; may be empty. */
  readonly calls: string;
  /** How a stored result is read on, in these instructions. */
  readonly result: string;
  /** How a tool is called, and several at once, in `ot.help`. */
  readonly page: readonly [one: string, several: string];
  /** What the skill says of its calls, in Markdown. */
  readonly inSkill?: string;
}

/** Languages, at least one; the first one is meant where code could be in any. */
export type Languages<L extends Pick<ProgramLanguage, "name"> = ProgramLanguage> = readonly [L, ...L[]];

/** A feature that adds languages of programs. */
export interface LanguageFeature {
  /** Languages of programs beside Python. Their code is imported when a program needs it. */
  readonly languages?: readonly ProgramLanguage[];
}

/**
 * The languages with these names, in their order, each once; names that no language has are left out. Without any, the first of all.
 *
 * @example
 * namedLanguages(["typescript"], allLanguages(features)).map(({ label }) => label) // ["TypeScript"]
 */
export function namedLanguages<L extends Pick<ProgramLanguage, "name">>(
  names: readonly string[],
  all: Languages<L>,
): Languages<L> {
  const [first, ...others] = [...new Set(names)].flatMap((name) => all.find((one) => one.name === name) ?? []);
  return first ? [first, ...others] : [all[0]];
}
