/**
 * Values that a program gets from its writes and passes on, such as the id of what it has made. They differ from one run to
 * the next, so a plan has a label in their place: `‹onto.task.create#3.task.id›` is the `id` that the write at place 3 gives.
 */

import { randomBytes } from "node:crypto";
import { isExact } from "../../contract/exact-number.js";
import { escapePointer } from "../../contract/json-pointer.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";

/** Most values that are known. */
const MAX_LABELS = 5000;
/** Deepest member of an answer that is looked at. */
const MAX_DEPTH = 8;
/** A text of at least 8 characters, without spaces and with a digit, as ids and times are. */
const MADE = /^(?=.*\d)\S{8,200}$/;
/** A text that a program may as well make itself: a number, a date or a time. */
const PLAIN = /^[\d\s.,:/+TZ-]+$/;
/** Most labels for which one plain value may stand. */
const MAX_GUESSES = 5;
const ID_NAME = /^id$|_id$|Id$/;

/** The label of a member of an answer. */
export const labelOf = (op: string, place: string, path: string): string =>
  `‹${op}#${place}${path === "" ? "" : `.${path}`}›`;

/** Labels for which plain values may stand, by JSON Pointer. */
export type Guesses = Readonly<Record<string, readonly string[]>>;

/** The values of one program. */
export interface Labels {
  /**
   * Learns the values that a write has made: those of its answer that it was not given. A plain number or date gets no
   * label: a program may have it from elsewhere.
   */
  learn(write: { readonly op: string; readonly place: string; readonly args: JsonValue }, answer: JsonValue): void;
  /** Gives a value a label. */
  add(value: string | number, label: string): void;
  /** The value with labels in the place of values that are known; a text that looks like a label has `‹‹` in it. */
  apply<T extends JsonValue>(value: T): T;
  /** The labels for which plain values may stand, by JSON Pointer; undefined if there are none. */
  guesses(value: JsonValue): Guesses | undefined;
  /** Whether a value holds one of these. */
  holds(value: JsonValue, some: ReadonlySet<string | number>): boolean;
}

/** @param code of the program: what stands in it is not made by a write */
export function createLabels(code: string): Labels {
  const labels = new Map<string | number, string>();
  const plain = new Map<JsonValue, readonly string[]>();
  const add = (value: string | number, label: string): void => {
    if (labels.size < MAX_LABELS && !labels.has(value)) labels.set(value, label);
  };
  return {
    add,
    learn({ op, place, args }, answer) {
      const given = new Set<JsonValue>();
      eachLeaf(args, (_, value) => given.add(value));
      eachLeaf(answer, (path, value) => {
        if (given.has(value) || !isMade(path, value, code)) return;
        const label = labelOf(op, place, path.join("."));
        if (typeof value === "string" && !PLAIN.test(value)) add(value, label);
        else if (plain.has(value) || plain.size < MAX_LABELS)
          plain.set(value, [...(plain.get(value) ?? []), label].slice(0, MAX_GUESSES));
      });
    },
    guesses(value) {
      const found: Record<string, readonly string[]> = {};
      eachLeaf(value, (path, leaf) => {
        const some = labels.has(leaf as string | number) ? undefined : plain.get(leaf);
        if (some) found[path.map((name) => `/${escapePointer(name)}`).join("")] = some;
      });
      return Object.keys(found).length === 0 ? undefined : found;
    },
    apply: <T extends JsonValue>(value: T) => applied(labels, value) as T,
    holds(value, some) {
      let found = false;
      eachLeaf(value, (_, leaf) => {
        if (typeof leaf === "number") found ||= some.has(leaf);
        else if (typeof leaf === "string" && !found) found = [...some].some((one) => leaf.includes(String(one)));
      });
      return found;
    },
  };
}

/** Beginning of what stands in the place of labels while a text is searched: no text has it. */
const mark = randomBytes(12).toString("hex");
const MARKS = new RegExp(`${mark}(\\d+);`, "g");

/** A value with labels in the place of those that are known. */
function applied(labels: ReadonlyMap<string | number, string>, value: JsonValue): JsonValue {
  if (typeof value === "string") return inText(labels, value);
  if (typeof value === "number") return labels.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => applied(labels, one));
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, applied(labels, member as JsonValue)]),
  );
}

function inText(labels: ReadonlyMap<string | number, string>, text: string): string {
  const found: string[] = [];
  let rest = text;
  for (const [value, label] of labels)
    if (typeof value === "string" && rest.includes(value)) {
      rest = rest.replaceAll(value, `${mark}${found.length};`);
      found.push(label);
    }
  // A text of the program that looks like a label is none.
  return rest.replaceAll("‹", "‹‹").replaceAll(MARKS, (_, at: string) => found[Number(at)] ?? "");
}

function isMade(path: readonly string[], value: JsonValue, code: string): boolean {
  if (typeof value === "string") return MADE.test(value) && !code.includes(value);
  return typeof value === "number" && Number.isSafeInteger(value) && ID_NAME.test(path.at(-1) ?? "");
}

/** Visits the texts and numbers of a value, with their paths. */
export function eachLeaf(
  value: JsonValue,
  visit: (path: readonly string[], leaf: JsonValue) => void,
  path: readonly string[] = [],
): void {
  if (path.length > MAX_DEPTH) return;
  if (typeof value !== "object" || value === null || isExact(value)) {
    visit(path, value);
    return;
  }
  for (const [name, member] of Object.entries(value as JsonObject))
    eachLeaf(member as JsonValue, visit, [...path, name]);
}
