/** Prepares the index of the registry for lists: ops by pack and by entity. */

import type { SeenCaller, SeenRegistry } from "../visible-registry.js";

/** An op in lists. */
export interface ListedOp {
  readonly op: string;
  readonly kind: "read" | "write";
  readonly summary: string;
  /** Empty for none. */
  readonly entity: string;
}

/** A pack in lists. */
export interface ListedPack {
  readonly name: string;
  readonly summary: string;
  readonly ops: readonly ListedOp[];
}

/** The index of a caller. */
export interface Listed {
  readonly version: string;
  readonly caller: SeenCaller;
  readonly packs: readonly ListedPack[];
  /** All ops by path. */
  readonly ops: ReadonlyMap<string, ListedOp>;
}

/** Reads the index that the server sends. */
export function listed({ registry_version: version, caller, packs: sent }: SeenRegistry): Listed {
  const packs = sent.map(({ name, summary, ops }) => ({
    name,
    summary,
    ops: ops.map(
      ([op, kind, about, entity = ""]): ListedOp => ({
        op,
        kind: kind === "r" ? "read" : "write",
        summary: about,
        entity,
      }),
    ),
  }));
  return { version, caller, packs, ops: new Map(packs.flatMap(({ ops }) => ops.map((one) => [one.op, one] as const))) };
}

/** The ops of a pack by entity; those without one come under an empty name. */
export function byEntity(ops: readonly ListedOp[]): ReadonlyMap<string, readonly ListedOp[]> {
  const groups = new Map<string, ListedOp[]>();
  for (const one of ops) {
    const others = groups.get(one.entity);
    if (others) others.push(one);
    else groups.set(one.entity, [one]);
  }
  return groups;
}

/** `1 op`, `2,649 ops`. */
export const opsIn = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "op" : "ops"}`;
