/** Hides names that lead only to ops that a caller may not see, such as directories, aliases and snippets. */

import type { Registry, Tool } from "../contract/registry.js";
import type { RegistryView } from "./registry.js";

/** Whether a path is an op that the caller may not see, or a prefix of such ops only. */
export function isHiddenName(path: string, { tools }: Pick<Registry, "tools">, view: RegistryView): boolean {
  const meant = tools.filter(({ op }) => op === path || op.startsWith(`${path}.`));
  return meant.length > 0 && !meant.some(({ op }) => view.exact(op));
}

/** All names under which code may call an op. */
const namesOf = ({ op, tool_name, aliases }: Tool): readonly string[] => [
  op,
  op.replaceAll(".", "_"),
  tool_name,
  ...aliases,
];

/** The ops, and the aliases of paths to them; chains of aliases are followed. */
interface Named extends Pick<Registry, "tools"> {
  readonly aliases: ReadonlyMap<string, string>;
}

/** Removes the entries whose text names an op that the caller may not see. */
export function withoutHiddenNames<T>(
  entries: ReadonlyMap<string, T>,
  textOf: (entry: T) => string,
  { tools, aliases }: Named,
  view: RegistryView,
): ReadonlyMap<string, T> {
  const unseen = tools.filter(({ op }) => !view.exact(op));
  if (unseen.length === 0) return entries;
  const seen = new Set(tools.filter(({ op }) => view.exact(op)).flatMap(namesOf));
  const hidden = [...aliases].filter(([, path]) => isHiddenName(path, { tools }, view)).map(([name]) => name);
  const names = new Set([...unseen.flatMap(namesOf), ...hidden].filter((name) => !seen.has(name)));
  const isOpen = (entry: T): boolean => {
    const words = textOf(entry).match(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu) ?? [];
    return !words.some((word) =>
      names.has(startsOf(word).findLast((start) => names.has(start) || seen.has(start)) ?? ""),
    );
  };
  return new Map([...entries].filter(([, entry]) => isOpen(entry)));
}

/** `a.b.c` → `a`, `a.b`, `a.b.c`. */
const startsOf = (path: string): readonly string[] => {
  const segments = path.split(".");
  return segments.map((_, at) => segments.slice(0, at + 1).join("."));
};
