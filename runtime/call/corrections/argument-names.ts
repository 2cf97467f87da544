/** Finds the argument that an unknown name means. */

import type { Tool } from "../../contract/registry.js";
import { mistyped, withoutPlural, wordsIn } from "../../contract/typo.js";

/** Names for the same argument, a set a line, the nearer ones first; one of them must be declared, and only one. */
const SAME: readonly (readonly string[])[] = `
query q search search_query search_term keyword keywords search_text
limit max_results page_size per_page max_items max_records num_results top_k count max first take page_limit
title name subject
path file_path file filename file_name
url link uri href
repo repository repo_name repository_name
owner org organization
ref branch
body content
body content description text details
body text comment message
message commit_message
state status state_key status_key
direction order sort_order sort_direction
due_at due_date due_on due deadline
label labels tag tags
username login user_name
to recipient recipients
from start start_date begin since
to until end end_date till
pull_number pull_request_number pr_number pull_request pr`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Last words of a name that say what kind of value it is, not which one. */
const KINDS: readonly (readonly string[])[] = [["id", "ids"], ["key"], ["number"], ["at", "on", "date", "time"]];
const KIND = new Set(KINDS.flat());

const lettersOf = (name: string): string => wordsIn(name).join("");
const stemOf = (name: string): string => wordsIn(name).map(withoutPlural).join(" ");
/** `due_date`, `due_at` → `due`; the name itself if nothing is left. */
function coreOf(name: string): string {
  const words = wordsIn(name);
  const core = words.filter((word, at) => at !== words.length - 1 || !KIND.has(word));
  return (core.length > 0 ? core : words).map(withoutPlural).join(" ");
}
const kindOf = (name: string): readonly string[] | undefined => {
  const last = wordsIn(name).at(-1) ?? "";
  return KINDS.find((kind) => kind.includes(last));
};

type Same = (name: string, candidate: string) => boolean;

/** Letters that a shortened word has at least. */
const MIN_SHORTENED = 3;

/** `desc` is short for `description`, `proj_id` for `project_id`; `name` is not short for `name_prefix`. */
const isShortened = (words: readonly string[], whole: readonly string[]): boolean =>
  words.length === whole.length &&
  words.every(
    (word, at) => word === whole[at] || (word.length >= MIN_SHORTENED && whole[at]?.startsWith(word) === true),
  );

/**
 * In this order: other letters or separators, the other number, the same words without the kind of value, without a
 * leading `is`, shortened words, written out words, a synonym, the same words behind others (`parent_id` for `new_parent_id`).
 */
const TESTS: readonly Same[] = [
  (name, candidate) => lettersOf(name) === lettersOf(candidate),
  (name, candidate) => stemOf(name) === stemOf(candidate),
  (name, candidate) => coreOf(name) === coreOf(candidate) && areKindsAlike(name, candidate),
  (name, candidate) => bareFlag(name) === bareFlag(candidate),
  (name, candidate) => isShortened(wordsIn(name), wordsIn(candidate)),
  (name, candidate) => isShortened(wordsIn(candidate), wordsIn(name)),
  ...SAME.map(
    (names): Same =>
      (name, candidate) =>
        names.includes(snake(name)) && names.includes(snake(candidate)),
  ),
  (name, candidate) => snake(candidate).endsWith(`_${snake(name)}`) && name !== "id",
];

/** `is_draft`, `isDraft` → `draft`. */
const bareFlag = (name: string): string => {
  const words = wordsIn(name);
  return (words[0] === "is" && words.length > 1 ? words.slice(1) : words).join("");
};

const snake = (name: string): string => wordsIn(name).join("_");

/** `task` and `task_id` are alike, `due_date` and `due_at`, too; `task_key` and `task_id` are not. */
const areKindsAlike: Same = (name, candidate) => {
  const [a, b] = [kindOf(name), kindOf(candidate)];
  return a === undefined || b === undefined || a === b;
};

/**
 * The free argument that a name means; undefined if there are none or several.
 *
 * @example nearestArgument("stateKey", ["state_key", "limit"]) // "state_key"
 */
export function nearestArgument(name: string, free: readonly string[]): string | undefined {
  if (lettersOf(name) === "") return free.find((candidate) => candidate === name);
  for (const test of TESTS) {
    const found = free.filter((candidate) => test(name, candidate));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return mistyped(name, free);
}

/** The only missing argument that is an id, for one that is called `id`: that of another argument may be another thing. */
export function missingId(name: string, missing: readonly string[]): string | undefined {
  const ids = snake(name) === "id" ? missing.filter((one) => wordsIn(one).at(-1) === "id") : [];
  return ids.length === 1 ? ids[0] : undefined;
}

/** Last words of names that tell one thing from the others of its kind. */
const IDENTIFIERS = new Set("id ids key number uuid ref slug".split(" "));

/** Whether a name says that its value is an id: `id`, `task_id`, `taskIds`. */
export const isIdName = (name: string): boolean => /^ids?$/.test(wordsIn(name).at(-1) ?? "");

/** The thing that a name identifies: `loan_id` → `loan`, `id` → nothing. */
function thingOf(name: string): readonly string[] {
  const words = wordsIn(name);
  return words.filter((word, at) => at !== words.length - 1 || !IDENTIFIERS.has(word)).map(withoutPlural);
}

/** The words for what an op is about: `order` of `shop.get_order`, `book` of `books.delete`. */
function ownThing({ op, group, entity }: OpNames): readonly string[] {
  const behindVerb = wordsIn(op.slice(op.lastIndexOf(".") + 1)).slice(1);
  const own = [...wordsIn(entity ?? ""), ...behindVerb];
  return (own.length > 0 ? own : wordsIn(group)).map(withoutPlural);
}

type OpNames = Pick<Tool, "op" | "group" | "entity">;

/**
 * Whether the value of one argument may be that of another which is not named alike: the id of one thing is neither the id of
 * another nor any other text.
 *
 * @example
 * mayMean("bookId", "id", { op: "books.delete", group: "books" }) // true
 * mayMean("loanId", "id", { op: "books.delete", group: "books" }) // false
 */
export function mayMean(name: string, other: string, tool: OpNames): boolean {
  if (!isIdName(name) && !isIdName(other)) return true;
  const isIdentified = IDENTIFIERS.has(wordsIn(other).at(-1) ?? "");
  const said = thingOf(name);
  if (said.length === 0) return isIdentified;
  const own = ownThing(tool);
  const meant = thingOf(other);
  const wanted = new Set(meant.length > 0 ? meant : own);
  const known = new Set([...wanted, ...wordsIn(tool.group).map(withoutPlural)]);
  return isIdentified && said.some((word) => wanted.has(word)) && said.every((word) => known.has(word));
}
