/**
 * Summaries of results: what types and keys the results of an op had, and in how many calls, but none of their values.
 *
 * {@link mergeNodes} is commutative and associative, so that servers may merge in any order. Counts only add up, sets only
 * grow, and every bound replaces a part by a smaller one that later merges keep: the summary of many calls is the same
 * however they were grouped.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";

/** Types of JSON values. */
export const TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;

/** A type of JSON values. */
export type JsonType = (typeof TYPES)[number];

/** Fingerprints of the arguments of at most two different calls; `many` for more of them. */
export type Seen = readonly string[] | "many";

/** How often something was seen. */
export interface Fact {
  /** Values. */
  readonly n: number;
  /** Calls, including those with the same arguments. */
  readonly calls: number;
  readonly seen: Seen;
}

/** What is known about the values at one place of a result. */
export interface Node {
  readonly types: Readonly<Partial<Record<JsonType, Fact>>>;
  /** Bits of {@link FORMATS} that all texts have. */
  readonly formats: number;
  /** The members of objects. */
  readonly members?: Members;
  /** The items of lists. */
  readonly items?: Node;
}

/** Members by the id of their key, or one node for all of them if there are too many keys. */
export type Members =
  | { readonly kind: "record"; readonly keys: ReadonlyMap<string, Key> }
  | { readonly kind: "map"; readonly value: Node };

/** The id of all keys that look like data, such as ids and dates. */
export const DATA_KEYS = "*";

/** A key of objects. */
export interface Key {
  /** Absent until three different calls had the key. */
  readonly name?: string;
  /** Calls in which at least one object had no such key. */
  readonly absent: Omit<Fact, "n">;
  readonly node: Node;
}

/** A summary with the depth to which it is kept. */
export interface Summary {
  readonly depth: number;
  readonly root: Node;
}

/** Bounds of a summary. */
export interface Bounds {
  /** Keys of a record; with more, it becomes a map. */
  readonly keys: number;
  readonly depth: number;
  /** Weight of a summary (see {@link weightOf}); with more, it is kept less deeply. */
  readonly weight: number;
}

/** The bounds in use. */
export const BOUNDS: Bounds = { keys: 128, depth: 12, weight: 20_000 };

/** Texts that have a format; bit `1 << i` stands for entry `i`. */
export const FORMATS: readonly (readonly [name: string, form: RegExp])[] = [
  ["date-time", /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/],
  ["date", /^\d{4}-\d\d-\d\d$/],
  ["uri", /^[a-z][a-z0-9+.-]*:\/\/\S+$/i],
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["uuid", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
];

/** All formats: the value before any text was seen. */
export const ALL_FORMATS = (1 << FORMATS.length) - 1;

/** Most fingerprints of {@link Seen}. */
const MAX_SEEN = 2;

/** The calls of either. */
export function seenBy(a: Seen, b: Seen): Seen {
  if (a === "many" || b === "many") return "many";
  const all = [...new Set([...a, ...b])].sort(byCodeUnit);
  return all.length > MAX_SEEN ? "many" : all;
}

/** How calls are counted together: those of different calls add up, those within one call do not. */
export type Counting = (a: number, b: number) => number;

/** Adds the counts of different calls. */
export const adding: Counting = (a, b) => a + b;

/** Merges two facts; either may be absent. */
function mergeFacts(a: Fact | undefined, b: Fact | undefined, count: Counting): Fact | undefined {
  if (!a || !b) return a ?? b;
  return { n: a.n + b.n, calls: count(a.calls, b.calls), seen: seenBy(a.seen, b.seen) };
}

/**
 * Merges what two sets of calls have shown of one place.
 *
 * @param count how calls are counted; default: as different calls
 */
export function mergeNodes(a: Node, b: Node, bounds: Bounds, count: Counting = adding): Node {
  const types: Partial<Record<JsonType, Fact>> = {};
  for (const type of TYPES) {
    const fact = mergeFacts(a.types[type], b.types[type], count);
    if (fact) types[type] = fact;
  }
  const members = mergeMembers(a, b, bounds, count);
  const items = a.items && b.items ? mergeNodes(a.items, b.items, bounds, count) : (a.items ?? b.items);
  return { types, formats: a.formats & b.formats, ...(members ? { members } : {}), ...(items ? { items } : {}) };
}

function mergeMembers(a: Node, b: Node, bounds: Bounds, count: Counting): Members | undefined {
  if (!a.members || !b.members) return a.members ?? b.members;
  if (a.members.kind === "map" || b.members.kind === "map") {
    const [one, other] = [oneValue(a.members, bounds, count), oneValue(b.members, bounds, count)];
    return one && other ? { kind: "map", value: mergeNodes(one, other, bounds, count) } : mapOf(one ?? other);
  }
  const [left, right] = [a.members.keys, b.members.keys];
  const keys = new Map<string, Key>();
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    const [one, other] = [left.get(id), right.get(id)];
    keys.set(id, one && other ? mergeKeys(one, other, bounds, count) : lonely(one, a, other, b, count));
  }
  return boundedRecord(keys, bounds, count);
}

const mapOf = (value: Node | undefined): Members => ({ kind: "map", value: value ?? EMPTY });

/** A node of nothing. */
export const EMPTY: Node = { types: {}, formats: ALL_FORMATS };

/** A record, or a map if it has too many keys. */
export function boundedRecord(keys: ReadonlyMap<string, Key>, bounds: Bounds, count: Counting): Members {
  const record: Members = { kind: "record", keys };
  return keys.size <= bounds.keys ? record : mapOf(oneValue(record, bounds, count));
}

/** Merges all members into one node; undefined if the object has no members. */
export function oneValue(members: Members, bounds: Bounds, count: Counting = adding): Node | undefined {
  if (members.kind === "map") return members.value;
  let value: Node | undefined;
  for (const { node } of members.keys.values()) value = value ? mergeNodes(value, node, bounds, count) : node;
  return value;
}

const mergeKeys = (a: Key, b: Key, bounds: Bounds, count: Counting): Key =>
  keyOf(a.name ?? b.name, addAbsent(a.absent, b.absent, count), mergeNodes(a.node, b.node, bounds, count));

/** A key that only one side has: in the calls of the other side, all objects were without it. */
function lonely(one: Key | undefined, a: Node, other: Key | undefined, b: Node, count: Counting): Key {
  const [key, without] = one ? [one, b] : [other as Key, a];
  const objects = without.types.object;
  return objects ? keyOf(key.name, addAbsent(key.absent, objects, count), key.node) : key;
}

const addAbsent = (a: Omit<Fact, "n">, b: Omit<Fact, "n">, count: Counting): Omit<Fact, "n"> => ({
  calls: count(a.calls, b.calls),
  seen: seenBy(a.seen, b.seen),
});

const keyOf = (name: string | undefined, absent: Omit<Fact, "n">, node: Node): Key => ({
  ...(name === undefined ? {} : { name }),
  absent,
  node,
});

/** Merges two summaries, and keeps the result as deeply as the bounds allow. */
export function mergeSummaries(a: Summary, b: Summary, bounds: Bounds = BOUNDS): Summary {
  const depth = Math.min(a.depth, b.depth);
  return fitted({ depth, root: mergeNodes(cut(a.root, depth), cut(b.root, depth), bounds) }, bounds);
}

/** The summary to the largest depth at which it fits its weight. */
export function fitted({ depth, root }: Summary, bounds: Bounds): Summary {
  for (let levels = Math.min(depth, bounds.depth); ; levels--) {
    const kept = cut(root, levels);
    if (levels === 0 || weightOf(kept, bounds) <= bounds.weight) return { depth: levels, root: kept };
  }
}

/** A node without what is deeper than a number of levels. */
function cut(node: Node, depth: number): Node {
  const { types, formats, members, items } = node;
  if (depth === 0) return { types, formats };
  return {
    ...{ types, formats },
    ...(members ? { members: cutMembers(members, depth - 1) } : {}),
    ...(items ? { items: cut(items, depth - 1) } : {}),
  };
}

function cutMembers(members: Members, depth: number): Members {
  if (members.kind === "map") return { kind: "map", value: cut(members.value, depth) };
  return {
    kind: "record",
    keys: new Map([...members.keys].map(([id, key]) => [id, { ...key, node: cut(key.node, depth) }])),
  };
}

/**
 * The weight of a node: never less after a merge. So a map weighs more than the largest record that it may have been.
 */
export function weightOf({ members, items }: Node, bounds: Bounds): number {
  let weight = 1 + (items ? weightOf(items, bounds) : 0);
  if (members?.kind === "map") weight += (bounds.keys + 1) * weightOf(members.value, bounds);
  else if (members) for (const { node } of members.keys.values()) weight += weightOf(node, bounds);
  return weight;
}
