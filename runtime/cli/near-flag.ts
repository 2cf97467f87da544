/** Finds the flag that a misspelt one means, where unknown flags are accepted since they may be arguments. */

import { closest, editDistance } from "../contract/closest.js";

/** Letters of a flag for each that may be wrong. */
const LETTERS_PER_SLIP = 4;

/**
 * The flag that a word means; undefined if none is near enough, or it is one.
 *
 * @param word with its dashes, and maybe `=` and a value
 * @param flags with their dashes
 * @example
 * nearFlag("--toolz", ["--tools", "--url"]); // "--tools"
 */
export function nearFlag(word: string, flags: readonly string[]): string | undefined {
  const [, name] = /^--([^=]+)/.exec(word) ?? [];
  if (name === undefined) return undefined;
  const names = flags.map((one) => one.slice(2));
  const near = names.includes(name) ? undefined : closest(name, names);
  return near === undefined || editDistance(name, near) > name.length / LETTERS_PER_SLIP ? undefined : `--${near}`;
}
