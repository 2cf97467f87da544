/** Makes the summary of one result. Takes time and memory in proportion to its bounds, not to the result. */

import { isDataLike } from "../../runtime/contract/data-keys.js";
import { isExact } from "../../runtime/contract/exact-number.js";
import {
  ALL_FORMATS,
  BOUNDS,
  type Bounds,
  boundedRecord,
  DATA_KEYS,
  EMPTY,
  type Fact,
  FORMATS,
  fitted,
  type JsonType,
  type Key,
  type Node,
  type Summary,
  TYPES,
} from "./summary.js";

/** Items of a list, and members of an object, that are looked at. */
const MAX_ITEMS = 200;
/** Values of a result that are looked at: about 256 kB of JSON. */
const MAX_VALUES = 10_000;
/** Longest text whose format is looked at, in characters. */
const MAX_FORMAT_LENGTH = 64;

/** A call as the summary shows it. */
export interface Observed {
  /** Fingerprint of the arguments. */
  readonly call: string;
  /** The id under which a key is counted. */
  readonly idOf: (key: string) => string;
  /** Texts in the arguments of the call: a key that is one of them may be data, so this call does not speak for its name. */
  readonly texts?: ReadonlySet<string>;
}

/** Values at one place of one result. */
interface Place {
  readonly counts: Map<JsonType, number>;
  formats: number;
  readonly keys: Map<string, Place>;
  items: Place | undefined;
  /** Whether members of an object were left out: a key that was not seen may be there. */
  isPartial: boolean;
}

const place = (): Place => ({
  counts: new Map(),
  formats: ALL_FORMATS,
  keys: new Map(),
  items: undefined,
  isPartial: false,
});

/** The type of a value, as JSON has it. */
export function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return isExact(value) ? "number" : "object";
  if (typeof value === "string") return "string";
  return typeof value === "boolean" ? "boolean" : "number";
}

/** The summary of a result. */
export function observe(value: unknown, observed: Observed, bounds: Bounds = BOUNDS): Summary {
  const root = place();
  add(root, value, { left: MAX_VALUES }, bounds.depth);
  return fitted({ depth: bounds.depth, root: nodeOf(root, observed, bounds) }, bounds);
}

function add(at: Place, value: unknown, work: { left: number }, depth: number): void {
  work.left--;
  const type = typeOf(value);
  at.counts.set(type, (at.counts.get(type) ?? 0) + 1);
  if (type === "string") at.formats &= formatsOf(value as string, at.formats);
  if (depth === 0) return;
  if (type === "array") addItems(at, value as readonly unknown[], work, depth);
  else if (type === "object") addMembers(at, value as Readonly<Record<string, unknown>>, work, depth);
}

function addItems(at: Place, list: readonly unknown[], work: { left: number }, depth: number): void {
  if (list.length === 0) return;
  at.items ??= place();
  const end = Math.min(list.length, MAX_ITEMS);
  for (let i = 0; i < end && work.left > 0; i++) add(at.items, list[i], work, depth - 1);
}

function addMembers(at: Place, object: Readonly<Record<string, unknown>>, work: { left: number }, depth: number): void {
  let count = 0;
  for (const key of Object.keys(object)) {
    if (object[key] === undefined) continue;
    if (count++ >= MAX_ITEMS || work.left <= 0) {
      at.isPartial = true;
      return;
    }
    const name = isDataLike(key) ? DATA_KEYS : key;
    let below = at.keys.get(name);
    if (!below) {
      below = place();
      at.keys.set(name, below);
    }
    add(below, object[key], work, depth - 1);
  }
}

function formatsOf(text: string, candidates: number): number {
  if (candidates === 0 || text.length > MAX_FORMAT_LENGTH) return 0;
  let bits = 0;
  for (let i = 0; i < FORMATS.length; i++) if (candidates & (1 << i) && FORMATS[i]?.[1].test(text)) bits |= 1 << i;
  return bits;
}

function nodeOf(at: Place, observed: Observed, bounds: Bounds, isSaid = false): Node {
  const seen = isSaid ? [] : [observed.call];
  const types: Partial<Record<JsonType, Fact>> = {};
  for (const type of TYPES) {
    const n = at.counts.get(type);
    if (n !== undefined && n > 0) types[type] = { n, calls: 1, seen };
  }
  const objects = at.counts.get("object") ?? 0;
  const keys = new Map<string, Key>();
  for (const [name, below] of at.keys) {
    const isAbsent = !at.isPartial && total(below) < objects;
    keys.set(name === DATA_KEYS ? name : observed.idOf(name), {
      absent: isAbsent ? { calls: 1, seen } : { calls: 0, seen: [] },
      node: nodeOf(below, observed, bounds, observed.texts?.has(name)),
    });
  }
  // Within one call, a fact of several keys is a fact of one call.
  const members = objects > 0 ? { members: boundedRecord(keys, bounds, Math.max) } : {};
  const items = at.items ? { items: nodeOf(at.items, observed, bounds) } : {};
  return { ...EMPTY, types, formats: at.formats, ...members, ...items };
}

const total = ({ counts }: Place): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
