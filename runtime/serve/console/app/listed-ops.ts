/** Prepares the index of the registry for lists: ops by pack and by group, and those that a filter leaves. */

import type { SeenCaller, SeenRegistry, VisiblePack } from "../visible-registry.js";
import { type EditorLanguage, editorLanguages } from "./languages.js";

/** An op in lists. */
export interface ListedOp {
  readonly op: string;
  readonly kind: "read" | "write";
  readonly summary: string;
}

/** A group of ops: it has ops or groups. */
export interface OpGroup {
  /** Its path without the name of the pack; that of the pack itself is empty. */
  readonly path: string;
  /** Last word of the path; `others` of the ops beside groups. */
  readonly name: string;
  /** How many ops it has, those of its groups included. */
  readonly size: number;
  readonly ops: readonly ListedOp[];
  readonly groups: readonly OpGroup[];
}

/** A pack in lists. */
export interface ListedPack {
  readonly name: string;
  readonly summary: string;
  readonly ops: readonly ListedOp[];
  /** The pack by group. */
  readonly top: OpGroup;
}

/** The index of a caller. */
export interface CallerIndex {
  readonly version: string;
  readonly caller: SeenCaller;
  /** Languages of programs; the first one is that of code without a fence. */
  readonly languages: readonly [EditorLanguage, ...EditorLanguage[]];
  readonly packs: readonly ListedPack[];
  /** All ops by path. */
  readonly ops: ReadonlyMap<string, ListedOp>;
}

/** Reads the index that the server sends. @param added - the languages of features */
export function callerIndex(
  { registry_version: version, caller, languages: names, packs: sent }: SeenRegistry,
  added?: readonly EditorLanguage[],
): CallerIndex {
  const packs = sent.map(listedPack);
  const languages = editorLanguages(names, added);
  return {
    version,
    caller,
    languages,
    packs,
    ops: new Map(packs.flatMap(({ ops }) => ops.map((one) => [one.op, one] as const))),
  };
}

function listedPack({ name, summary, groups, ops: sent }: VisiblePack): ListedPack {
  const members = new Map<string, ListedOp[]>(["", ...groups].map((path) => [path, []]));
  const ops = sent.map(([op, kind, about, group = -1]): ListedOp => {
    const one = { op, kind: kind === "r" ? "read" : "write", summary: about } as const;
    members.get(groups[group] ?? "")?.push(one);
    return one;
  });
  return { name, summary, ops, top: groupAt("", members) };
}

const OTHERS = "others";

/** A group with those below it. */
function groupAt(path: string, members: ReadonlyMap<string, readonly ListedOp[]>): OpGroup {
  const own = members.get(path) ?? [];
  const below = pathsBelow(path, [...members.keys()]).map((one) => groupAt(one, members));
  const name = path.slice(path.lastIndexOf(".") + 1);
  if (below.length === 0 || own.length === 0) return groupOf({ path, name, ops: own, groups: below });
  return groupOf({ path, name, ops: [], groups: [...below, groupOf({ path, name: OTHERS, ops: own, groups: [] })] });
}

const groupOf = (one: Omit<OpGroup, "size">): OpGroup => ({
  ...one,
  size: one.groups.reduce((sum, { size }) => sum + size, one.ops.length),
});

/** The paths of the groups of a group, in their order: those one name longer, also where only longer ones are there. */
function pathsBelow(path: string, all: readonly string[]): readonly string[] {
  const start = path === "" ? "" : `${path}.`;
  const names = all.filter((one) => one !== "" && one.startsWith(start)).map((one) => one.slice(start.length));
  return [...new Set(names.map((name) => `${start}${name.split(".", 1)[0]}`))];
}

/** Whether an op is in a group, or in one below it. */
export const isInGroup = ({ ops, groups }: OpGroup, op: string): boolean =>
  ops.some((one) => one.op === op) || groups.some((one) => isInGroup(one, op));

/** The groups of the ops that have each word of a filter in their path, their summary or their group. */
export function filteredGroups(group: OpGroup, filter: string): readonly OpGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const walk = (one: OpGroup): readonly OpGroup[] => {
    const left = one.ops.filter(({ op, summary }) => {
      const text = `${op} ${summary} ${one.path}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return [...(left.length === 0 ? [] : [groupOf({ ...one, ops: left, groups: [] })]), ...one.groups.flatMap(walk)];
  };
  return walk(group);
}

/** The first ops of groups, at most so many. */
export function firstOps(groups: readonly OpGroup[], most: number): readonly OpGroup[] {
  let left = most;
  return groups.flatMap((one) => {
    const ops = one.ops.slice(0, left);
    left -= ops.length;
    return ops.length === 0 ? [] : [{ ...one, ops }];
  });
}

/** `1 op`, `2,649 ops`. */
export const opCountText = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "op" : "ops"}`;
