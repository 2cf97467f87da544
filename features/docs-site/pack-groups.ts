/** Groups the ops of a pack for its page: a long pack as the directories of `tool_help` do, any other by entity. */

import { groupsIn, isLong, type OpPaths } from "../../runtime/contract/groups.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";

/** Values grouped by a key, in their given order. */
export function groupedBy<T>(values: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of values) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

/** Ops under a title; an empty title is that of ops in no group. */
export type TitledOps = readonly [title: string, tools: readonly Tool[]];

/** Returns a function that groups the ops of a pack. Groups that are made have no path that an op of the registry has. */
export function packGroups({
  tools: all,
}: Pick<Registry, "tools">): (pack: string, tools: readonly Tool[]) => readonly TitledOps[] {
  const paths = pathsOf(all);
  return (pack, tools) =>
    isLong({ path: pack, tools })
      ? groupsIn(paths, { path: pack, tools }).map(({ path, tools: members }) => [path.slice(pack.length + 1), members])
      : byEntity(tools);
}

/** Ops by their entity, those without one first. */
const byEntity = (tools: readonly Tool[]): readonly TitledOps[] =>
  [...groupedBy(tools, (one) => one.entity ?? "")].sort(([a], [b]) => (a < b ? -1 : 1));

function pathsOf(tools: readonly Tool[]): OpPaths {
  const exact = new Map(tools.map((tool) => [tool.op, tool]));
  const folded = new Map(tools.map((tool) => [tool.op.toLowerCase(), tool]));
  const names = new Set(tools.flatMap((tool) => [tool.tool_name, ...tool.aliases]));
  const prefixes = new Map(tools.flatMap(({ op }) => prefixesOf(op).map((prefix) => [prefix.toLowerCase(), prefix])));
  return {
    exact: (op) => exact.get(op),
    folded: (op) => folded.get(op.toLowerCase()),
    prefix: (path) => prefixes.get(path.toLowerCase()),
    isName: (name) => names.has(name),
  };
}

/** `a.b.c` is below `a.b` and `a`. */
const prefixesOf = (op: string): readonly string[] =>
  op
    .split(".")
    .slice(0, -1)
    .map((_, at, words) => words.slice(0, at + 1).join("."));
