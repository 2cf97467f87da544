/**
 * Reads the members of a `tools/call` result, also where a server departs from the protocol: what can be read is read, and
 * the caller is warned of each departure. `docs/reference/tolerated-answers.md` lists them.
 */

import { isExact } from "../contract/exact-number.js";
import { isObject, kindOf } from "../contract/json.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";

/** The members of a result. */
export interface AnswerParts {
  /** Blocks, and what stands in their place: a text, a number, a list, an object without `type`. */
  readonly content: readonly JsonValue[];
  /** Undefined if there is none. */
  readonly structured: JsonValue | undefined;
  readonly isError: boolean;
  readonly meta: JsonObject | undefined;
  /** Departures from the protocol, each as the end of "the server answers the tool …". */
  readonly faults: readonly string[];
  /** Whether it holds nothing that can be read. */
  readonly isUnreadable: boolean;
}

/** Member under which a result that is no object passes through the SDK, which takes objects only. */
export const BARE_RESULT = "toolwright:bare_result";

const KINDS: Readonly<Record<string, string>> = {
  null: "null",
  string: "a text",
  number: "a number",
  boolean: "a boolean",
  array: "a list",
  object: "an object",
};
const nameOf = (value: unknown): string => KINDS[kindOf(value)] ?? "of an unknown type";

/** Members of a result in the versions of the protocol. */
const MEMBERS: ReadonlySet<string> = new Set([
  ...["content", "structuredContent", "isError", "_meta", "toolResult", "resultType", BARE_RESULT],
]);

/**
 * Reads a result.
 *
 * @param isNewer whether the server speaks the newer protocol, in which structured content may be any value
 * @example
 * readAnswer({ content: null, structuredContent: { id: 77 } }, false).faults; // ["with content that is null"]
 */
export function readAnswer(answer: Readonly<Record<string, unknown>>, isNewer: boolean): AnswerParts {
  const faults: string[] = [];
  const result = unwrapped(answer as JsonObject, faults);
  const items = contentOf(result["content"], result === answer ? faults : []);
  const structured = structuredOf(result, isNewer, faults);
  const isOdd = isNewer && isOddType(result["resultType"], faults);
  const failure = failureIn(result["isError"], faults);
  const others = Object.entries(result).filter(([name]) => !MEMBERS.has(name));
  // Some servers answer with their data itself.
  const isPlain = items.length === 0 && (structured ?? null) === null && others.length > 0;
  if (others.length > 0)
    faults.push(isPlain ? "with an object that is not a result" : `with unknown members${namesIn(others)}`);
  const content = isPlain ? [Object.fromEntries(others)] : [...items, ...failure.reasons];
  return {
    content,
    structured,
    isError: failure.isError,
    meta: isObject(result["_meta"]) ? result["_meta"] : undefined,
    faults: [...new Set(faults)],
    isUnreadable: (isOdd || result["content"] === null) && content.length === 0 && (structured ?? null) === null,
  };
}

/** Whether a result is of another type than a complete one. */
function isOddType(type: JsonValue | undefined, faults: string[]): boolean {
  if (type === undefined || type === "complete") return false;
  const isPlain = typeof type === "string" && PLAIN_NAME.test(type);
  faults.push(
    type === "input_required"
      ? "with resultType input_required, and asks nothing"
      : `with resultType that is ${isPlain ? type : nameOf(type)}`,
  );
  return true;
}

/** A result that is no object as one; a list of blocks is its `content`. */
function unwrapped(answer: JsonObject, faults: string[]): JsonObject {
  const value = answer[BARE_RESULT];
  if (value === undefined) return answer;
  faults.push(`with a result that is ${nameOf(value)}`);
  const isContent = Array.isArray(value) && value.some(isLikeBlock);
  return { content: isContent || value === null ? value : [value] };
}

/** The items of `content`; one that is no list is an item. */
function contentOf(given: JsonValue | undefined, faults: string[]): readonly JsonValue[] {
  if (given === undefined || !Array.isArray(given)) {
    faults.push(given === undefined ? "without content" : `with content that is ${nameOf(given)}`);
    return given === undefined || given === null ? [] : [given];
  }
  for (const item of given)
    if (!isLikeBlock(item)) faults.push(`with content that holds ${nameOf(item)} in place of a block`);
  return given.filter((item: JsonValue) => item !== null);
}

const isLikeBlock = (item: unknown): boolean =>
  isObject(item) && (typeof item["type"] === "string" || typeof item["text"] === "string");

/** The structured value, or the `toolResult` of a protocol that is gone. A text of an object or a list is what it says. */
function structuredOf(result: JsonObject, isNewer: boolean, faults: string[]): JsonValue | undefined {
  const { structuredContent: given, toolResult } = result;
  if (toolResult !== undefined) faults.push("with toolResult, which the protocol no longer has");
  const isOld = given === undefined;
  const value = isOld ? toolResult : given;
  if (!isOld && !isNewer && !isObject(value)) faults.push(`with structuredContent that is ${nameOf(value)}`);
  return typeof value === "string" && (isOld || !isNewer) ? (collectionIn(value) ?? value) : value;
}

/** The object or list that a text is as JSON; undefined for any other text. */
export function collectionIn(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const YES: ReadonlySet<unknown> = new Set([1, "1", "true", "yes"]);
const NO: ReadonlySet<unknown> = new Set([0, "0", "", "false", "no", "none", "null"]);

/** Whether the tool failed; a flag that says neither yes nor no is a reason. */
function failureIn(flag: JsonValue | undefined, faults: string[]) {
  if (flag === undefined || flag === null || typeof flag === "boolean") return { isError: flag === true, reasons: [] };
  faults.push(`with isError that is ${nameOf(flag)}`);
  const plain = isExact(flag) ? Number(flag) : typeof flag === "string" ? flag.trim().toLowerCase() : flag;
  const isKnown = YES.has(plain) || NO.has(plain);
  return { isError: !NO.has(plain), reasons: isKnown ? [] : [flag] };
}

/** Most names that a warning lists. Names may be text that gives orders to the model: plain ones are told only. */
const MAX_NAMES = 5;
const PLAIN_NAME = /^[\w$.-]{1,40}$/;

function namesIn(members: readonly (readonly [string, unknown])[]): string {
  const plain = members.map(([name]) => name).filter((name) => PLAIN_NAME.test(name));
  return plain.length === 0 ? "" : `: ${plain.slice(0, MAX_NAMES).join(", ")}`;
}
