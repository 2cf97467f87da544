/** Names that code may use for ops: aliases, packs, and bare tool names. */

import { ownFirst } from "../catalog/registry.js";

/** The names that a caller can use. */
export interface Names {
  /** Alias to dotted path, chains already followed (`followAliases`). */
  readonly aliases: ReadonlyMap<string, string>;
  /** First segments of the ops. */
  readonly packs: ReadonlySet<string>;
  /** Bare tool name to its possible paths; with several it is ambiguous (`bareNames`). */
  readonly bare: ReadonlyMap<string, readonly string[]>;
}

/** The properties of an op that determine its bare names. */
export interface NamedOp {
  /** `brave.web_search` */
  readonly path: string;
  /** `list_onto_tasks` */
  readonly source?: string;
  /** Whether its pack ships with the package; a project's own op takes precedence. */
  readonly shipped?: boolean;
}

/** Aliases with all chains followed, or the cycle in one of them. */
export function followAliases(
  aliases: ReadonlyMap<string, string>,
):
  | { readonly kind: "aliases"; readonly aliases: ReadonlyMap<string, string> }
  | { readonly kind: "cycle"; readonly cycle: readonly string[] } {
  const followed = new Map<string, string>();
  for (const alias of aliases.keys()) {
    const seen = [alias];
    let target = aliases.get(alias) ?? alias;
    for (let next = aliases.get(target); next !== undefined; next = aliases.get(target)) {
      const start = seen.indexOf(target);
      if (start >= 0) return { kind: "cycle", cycle: [...seen.slice(start), target] };
      seen.push(target);
      target = next;
    }
    followed.set(alias, target);
  }
  return { kind: "aliases", aliases: followed };
}

/**
 * The bare names of ops: the source tool's name first, then the path with underscores, then the last segment. A name
 * of a better kind has no other meaning; a last segment that several ops share is ambiguous. A project's own names
 * precede those of the package, so that adding a shipped pack changes no name.
 */
export function bareNames(ops: Iterable<NamedOp>): ReadonlyMap<string, readonly string[]> {
  const all = [...ops];
  const found = new Map<string, readonly string[]>();
  const kinds: readonly ((op: NamedOp) => string | undefined)[] = [
    ({ source }) => source,
    ({ path }) => (path.includes(".") ? path.replaceAll(".", "_") : undefined),
    ({ path }) => path.slice(path.lastIndexOf(".") + 1),
  ];
  for (const nameOf of kinds) {
    const named = new Map<string, NamedOp[]>();
    for (const op of all) {
      const name = nameOf(op);
      if (name !== undefined && !found.has(name)) named.set(name, [...(named.get(name) ?? []), op]);
    }
    for (const [name, sharing] of named)
      found.set(name, [...new Set(ownFirst(sharing, ({ shipped }) => shipped === true).map(({ path }) => path))]);
  }
  return found;
}
