/**
 * Finds the ops that the side of a page lists: those of its pack, or of its entity if the pack is large, so that the size of a site
 * grows linearly.
 */

import type { Tool } from "../../runtime/contract/registry.js";
import type { Site } from "./site-model.js";

/** Most ops beside a page. */
export const MAX_NEIGHBOURS = 60;

/** A group of ops under a heading. */
export interface Group {
  readonly title: string;
  readonly tools: readonly { readonly op: string; readonly folder: string; readonly kind: string }[];
}

/** Returns a function that finds the ops beside the page of a tool. */
export function neighbours(site: Site): (tool: Tool) => readonly Group[] {
  const packs = groupedBy(site.registry.tools, (one) => one.group);
  const made = new Map<string, readonly Group[]>();
  return (tool) => {
    const pack = packs.get(tool.group) ?? [];
    const small = pack.length <= MAX_NEIGHBOURS;
    const key = small ? tool.group : `${tool.group} ${tool.entity ?? ""}`;
    const known = made.get(key);
    if (known) return known;
    const near = small ? pack : pack.filter((one) => one.entity === tool.entity).slice(0, MAX_NEIGHBOURS);
    const groups = byEntity(site, near);
    made.set(key, groups);
    return groups;
  };
}

/** Ops by their entity, those without one first. */
export function byEntity(site: Site, tools: readonly Tool[]): readonly Group[] {
  const groups = [...groupedBy(tools, (one) => one.entity ?? "")].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([title, members]) => ({
    title,
    tools: members.map(({ op, kind }) => ({ op, kind, folder: site.addresses.op(op) })),
  }));
}

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
