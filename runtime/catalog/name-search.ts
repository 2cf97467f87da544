/** Finds entries by their names, whole, in part or mistyped. */

import { closest, editDistance } from "../contract/closest.js";

/** Longest name that is looked for, and what may be a mistyped one: it is compared letter by letter with all of them. */
const MAX_NAME_LENGTH = 200;
const MISTYPED_NAME = /^[\w.-]{3,64}$/;
/** A name of several words: such a one is mistyped if a letter is wrong, two from so many letters on, although other names have its words. */
const SEVERAL_WORDS = /[a-z0-9][._-][a-z0-9]|[a-z][A-Z]/;
const MIN_NEAR = 8;
const TWO_WRONG = 12;

/** Entries that a name finds. */
export interface NamedEntries {
  readonly equal: readonly number[];
  readonly like: readonly number[];
  /** Those whose name has other letters in few places, where no name holds it and its words are found. */
  readonly near: readonly number[];
}

/** Finds entries by their names: those whose name is a query, and others whose name holds it or is mistyped in it. */
export function nameSearch(names: readonly string[]): (text: string, isMistyped: boolean) => NamedEntries {
  const lower = names.map((name) => name.toLowerCase());
  const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
  const numbered = (isMeant: (name: string) => boolean): readonly number[] =>
    lower.flatMap((name, entry) => (isMeant(name) ? [entry] : []));
  return (text, isMistyped) => {
    if (text === "" || text.length > MAX_NAME_LENGTH || /\s/.test(text)) return { equal: [], like: [], near: [] };
    const wanted = text.toLowerCase();
    const like = numbered((name) => name.includes(wanted));
    const equal = like.filter((entry) => lower[entry] === wanted || lastOf(lower[entry] ?? "") === wanted);
    if (like.length > 0 || !MISTYPED_NAME.test(wanted)) return { equal, like, near: [] };
    if (!isMistyped) return { equal, like, near: SEVERAL_WORDS.test(text) ? numbered(nearTo(wanted)) : [] };
    const near = closest(wanted, new Set(lower.flatMap((name) => [name, ...name.split(".")]))) ?? "";
    return { equal, like: numbered((name) => name === near || name.split(".").includes(near)), near: [] };
  };
}

/** Tests whether a name, or the part behind its last dot, is nearly another one. Separators do not count. */
function nearTo(wanted: string): (name: string) => boolean {
  const letters = (name: string): string => name.replaceAll(/[._-]/g, "");
  const sought = letters(wanted);
  const most = sought.length < TWO_WRONG ? 1 : 2;
  const isNear = (name: string): boolean =>
    Math.abs(name.length - sought.length) <= most && editDistance(sought, name) <= most;
  return (name) =>
    sought.length >= MIN_NEAR && (isNear(letters(name)) || isNear(letters(name.slice(name.lastIndexOf(".") + 1))));
}
