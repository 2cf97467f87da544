/** What is shown of a stored result: how much it is, its first items, and the line on which the rest begins. */

import { isExact, mapMembers, objectOf, writeJson } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import type { JsonValue } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { firstLines, jsonLineStarts, pagedLines } from "./result-text.js";

/** Most items, or lines, that are shown. */
const MAX_SHOWN = 10;

/** The beginning of a stored result. */
interface StoredStart {
  /** Items of the list that the result is, or that it mostly consists of. */
  readonly items?: number;
  /** The result with the first items of its list; text if not even one item fits. */
  readonly first: JsonValue;
  /** The line of the stored text on which the rest begins, from 1. */
  readonly next: number;
}

/** The list of a result, what comes before it in its JSON, and the same result with another list. */
interface Listed {
  readonly list: readonly JsonValue[];
  readonly before: string;
  /** Characters of everything beside the list. */
  readonly beside: number;
  with(list: readonly JsonValue[]): JsonValue;
}

/**
 * The start of a result.
 *
 * @param stored its text in lines, as it is stored
 * @param bytes that the start may have
 */
export function storedStart(value: JsonValue, stored: string, bytes: number): StoredStart {
  const listed = listedIn(value);
  const items = listed ? { items: listed.list.length } : {};
  const shown = listed ? fitting(listed, bytes) : [];
  if (listed && shown.length > 0) return { ...items, first: listed.with(shown), next: lineOf(value, listed, shown) };
  const short = shortStart(value, listed, bytes);
  // Since texts in it are cut, it is read again from its start.
  if (short !== undefined) return { ...items, first: short, next: 1 };
  const lines = pagedLines(stored).slice(0, MAX_SHOWN);
  const whole = fittingLines(lines, bytes);
  const text = whole.map((line, at) => (at === 0 || line.isContinued ? line.text : `\n${line.text}`)).join("");
  const first = whole.length > 0 ? text : firstLines(lines[0]?.text ?? "", 1, bytes);
  return { ...items, first, next: whole.length + 1 };
}

function listedIn(value: JsonValue): Listed | undefined {
  if (Array.isArray(value)) return { list: value, before: "[", beside: 2, with: (list) => list };
  if (!isObject(value) || isExact(value)) return undefined;
  const length = writeJson(value).length;
  let before = "{";
  for (const [name, member] of Object.entries(value)) {
    const written = writeJson(member);
    before += `${JSON.stringify(name)}:`;
    // The other members are shown beside its first items.
    if (Array.isArray(member) && written.length > length / 2)
      return {
        list: member,
        before: `${before}[`,
        beside: length - written.length,
        with: (list) =>
          objectOf(Object.entries(value).map(([one, other]) => [one, one === name ? list : other] as const)),
      };
    before += `${written},`;
  }
  return undefined;
}

/** The first items that fit. */
function fitting({ list, beside }: Listed, bytes: number): readonly JsonValue[] {
  const shown: JsonValue[] = [];
  let size = beside;
  for (const item of list.slice(0, MAX_SHOWN)) {
    size += Buffer.byteLength(writeJson(item)) + 1;
    if (size > bytes) break;
    shown.push(item);
  }
  return shown;
}

/** Characters to which texts are cut, and items of the list that are shown, in the order in which they are tried. */
const SHORTER = [MAX_SHOWN, 3, 1].flatMap((count) => [500, 100, 20].map((length) => ({ count, length })));

/** The result with the beginnings of its long texts and lists, each with `…` for its rest; undefined for a text, and if not even these fit. */
function shortStart(value: JsonValue, listed: Listed | undefined, bytes: number): JsonValue | undefined {
  if (typeof value !== "object" || value === null || isExact(value)) return undefined;
  for (const { count, length } of SHORTER) {
    const first = listed ? listed.with(listed.list.slice(0, count)) : value;
    const short = shortened(first, length) as JsonValue;
    if (Buffer.byteLength(writeJson(short)) <= bytes) return short;
  }
  return undefined;
}

function shortened(value: unknown, length: number): unknown {
  if (typeof value === "string") return clip(value, length);
  if (typeof value !== "object" || value === null) return value;
  const isLong = Array.isArray(value) && value.length > MAX_SHOWN;
  const first = isLong ? [...value.slice(0, MAX_SHOWN), "…"] : value;
  return mapMembers(first, (member) => shortened(member, length));
}

/** The line on which the item behind the shown ones begins. */
function lineOf(value: JsonValue, { before }: Listed, shown: readonly JsonValue[]): number {
  const place = shown.reduce<number>((at, item) => at + writeJson(item).length + 1, before.length);
  return jsonLineStarts(writeJson(value)).filter((start) => start <= place).length + 1;
}

function fittingLines<L extends { readonly text: string }>(lines: readonly L[], bytes: number): readonly L[] {
  const shown: L[] = [];
  let size = 0;
  for (const line of lines) {
    size += Buffer.byteLength(line.text) + 1;
    if (size > bytes) break;
    shown.push(line);
  }
  return shown;
}
