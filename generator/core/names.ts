/** Makes names safe, derives the identifiers of ops for all generated code, and gives the singular of English nouns in names. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { PYTHON_WORDS } from "../../runtime/contract/python-types.js";

/**
 * What cannot be in a name. Letters beyond U+FFFF are left out, since there are new ones in each version of Unicode, and the
 * middle dots of Katakana, which are letters since Unicode 15.1 only: Python takes them from 3.13 on.
 */
const UNSAFE = /[^\p{XID_Continue}]|[\u30fb\uff65]|[\u{10000}-\u{10ffff}]/gu;

/**
 * Python-safe name: letters and digits of every script stay, in the form in which Python compares names (NFKC); other characters
 * become `_`. A leading digit gets `_` before it, a Python keyword `_` after it.
 */
export function safeName(name: string): string {
  const cleaned = name.normalize("NFKC").replace(UNSAFE, "_") || "_";
  const started = /^[\p{XID_Start}_]/u.test(cleaned) ? cleaned : `_${cleaned}`;
  return PYTHON_WORDS.has(started) ? `${started}_` : started;
}

/** First segments of a path that help reserves, so that no pack is called like this. */
export const RESERVED_PACKS: ReadonlySet<string> = new Set(["root", "session", "read", "write"]);

/** Words of a name in any style: `getDocument_tree-2` is get, document, tree, 2. */
export function nameWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** A word with an upper-case first letter. */
export const capital = (word: string): string => (word[0]?.toUpperCase() ?? "") + word.slice(1);

/** `onto.task.create_or_attach` is `OntoTaskCreateOrAttach`; a segment of underscores stays, a leading digit gets `_`. */
function pascal(path: string): string {
  const segments = path.split(".").map((one) => one.split("_").map(capital).join("") || one);
  return segments.join("").replace(/^[^\p{XID_Start}_]/u, "_$&");
}

/** Names in lower case that generated modules use themselves. */
const TAKEN = ["makeregistry"] as const;

/** Identifiers of one op in generated TypeScript. */
export interface OpNames {
  /** `ontoTaskList`: descriptor and validator. */
  readonly value: string;
  /** `OntoTaskList`: stem of its types. */
  readonly type: string;
}

/**
 * Identifiers of every op: `onto.task.list` is `ontoTaskList` and `OntoTaskList`.
 *
 * Ops that would share an identifier (`a.b_c`, `a.b.c`) get `$` for their dots, which no op contains, so that names stay unique.
 */
export function opNames(ops: readonly string[]): ReadonlyMap<string, OpNames> {
  const sharing = new Map<string, number>(TAKEN.map((name) => [name, 1]));
  for (const op of ops) sharing.set(pascal(op).toLowerCase(), (sharing.get(pascal(op).toLowerCase()) ?? 0) + 1);
  const named = (op: string): OpNames => {
    const type = sharing.get(pascal(op).toLowerCase()) === 1 ? pascal(op) : `${op.replaceAll(".", "$")}$`;
    return { value: (type[0]?.toLowerCase() ?? "") + type.slice(1), type: capital(type) };
  };
  return new Map([...ops].sort(byCodeUnit).map((op) => [op, named(op)]));
}

/** Type name of a pack's handlers: `OntoHandlers`. */
export const handlersName = (pack: string): string => `${pascal(pack)}Handlers`;

/** Whether a text is a dotted path of identifiers, none of them a Python keyword: ops are called by path in `run()`. */
export const isOpPath = (text: string): boolean =>
  text.includes(".") && text.split(".").every((part) => part !== "" && safeName(part) === part);

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  (
    "analyses analysis|apis api|bonuses bonus|buses bus|caches cache|calories calorie|campuses campus|children child|cookies cookie|" +
    "cpus cpu|criteria criterion|gpus gpu|indices index|leaves leaf|matrices matrix|men man|menus menu|movies movie|people person|" +
    "phenomena phenomenon|shelves shelf|statuses status|taxis taxi|ties tie|vertices vertex|viruses virus|wives wife|women woman"
  )
    .split("|")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** Words that end in `s` and are not plurals, or have no singular in names. */
const UNCHANGED: ReadonlySet<string> = new Set(
  (
    "alias analytics atlas aws bias canvas credentials css details diagnostics dns docs gas graphics insights ios js kubernetes lens " +
    "logistics mathematics news os physics pos preferences rds redis rss series settings sms sns species sqs stats statistics tls " +
    "windows"
  ).split(" "),
);

/** Singular of a word in lower case; the word itself if it is no plural. `companies` is `company`, `status` stays. */
export function singular(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (UNCHANGED.has(word) || word.length < 3 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Whether a word is a plural that {@link singular} knows. */
export const isPlural = (word: string): boolean => singular(word) !== word;
