/**
 * Look-ups in a registry, with one view per kind of grant: a view contains only the ops that the caller may see. Names
 * that lead only to other ops, such as directories, aliases and snippets, are hidden too.
 */

import type { Settings } from "../config/settings.js";
import { grantKey, isVisible } from "../contract/grant.js";
import type { Grant } from "../contract/handler.js";
import { shortVersion } from "../contract/help.js";
import type { Registry, Tool } from "../contract/registry.js";
import { RESULT_TOOL, readsResults } from "../contract/result-tool.js";

/** A name that leads to an op. */
interface Named {
  readonly name: string;
  readonly tool: Tool;
}

/** The part of a registry that one kind of grant can see. Immutable. */
export interface RegistryView {
  /** The ops that help shows: all but `hidden` ones. */
  readonly listed: readonly Tool[];
  /** The op with exactly this path. */
  exact(op: string): Tool | undefined;
  /** The op with this path when letter case is ignored, if no other op is {@link alike}. */
  folded(op: string): Tool | undefined;
  /**
   * Ops with exactly this tool name, alone or behind its pack, or with this declared or configured alias; else, if one has it in
   * another letter case, all that are {@link alike}. Several if a name repeats.
   */
  named(name: string): readonly Tool[];
  /** The ops with this path or name when letter case and signs are ignored; such a spelling that means several is ambiguous. */
  alike(name: string): readonly Tool[];
  /** Whether a tool or an alias has exactly this name: then no repair may read it as another op. */
  isName(name: string): boolean;
  isListed(op: string): boolean;
  /** Listed ops below a prefix (`""` is the root), by op; undefined if there are no such ops. */
  below(prefix: string): readonly Tool[] | undefined;
  /** The prefix in its own letter case. */
  prefix(path: string): string | undefined;
  /** All prefixes of listed ops, by path. */
  readonly prefixes: readonly string[];
}

/** An indexed registry. */
export interface RegistryIndex {
  readonly registry: Registry;
  /** `registry_version` in the form that answers use. */
  readonly version: string;
  view(grant: Grant): RegistryView;
}

/** Most views that are kept for later grants: grants may name any patterns. */
const MAX_VIEWS = 100;

/** Indexes a registry. Views are built on first use, one for all grants that see the same by the same rule. */
export function indexRegistry(registry: Registry, settings: Pick<Settings, "ops" | "aliases">): RegistryIndex {
  const views = new Map<string, RegistryView>();
  const results = registry.tools.find(({ op }) => op === RESULT_TOOL.op) ?? RESULT_TOOL;
  // Every caller may read what was stored for it.
  const unlisted = readsResults(results) ? [results] : [];
  const ofGrants = new WeakMap<Grant, RegistryView>();
  const viewOf = (grant: Grant): RegistryView => {
    const key = grantKey(grant);
    const known = views.get(key);
    if (known) return known;
    const seen = registry.tools.filter((tool) => isVisible(tool, grant));
    const made = buildView(
      seen,
      settings,
      unlisted.filter((tool) => !seen.includes(tool)),
    );
    const [oldest] = views.keys();
    if (views.size >= MAX_VIEWS && oldest !== undefined) views.delete(oldest);
    views.set(key, made);
    return made;
  };
  return {
    registry,
    version: shortVersion(registry.registry_version),
    view(grant) {
      const known = ofGrants.get(grant);
      if (known) return known;
      const view = viewOf(grant);
      ofGrants.set(grant, view);
      return view;
    },
  };
}

/** @param unlisted ops that can be called by their paths, and are shown nowhere */
function buildView(
  tools: readonly Tool[],
  settings: Pick<Settings, "ops" | "aliases">,
  unlisted: readonly Tool[],
): RegistryView {
  const listed = tools.filter((tool) => settings.ops.get(tool.op)?.hidden !== true);
  const exact = new Map([...tools, ...unlisted].map((tool) => [tool.op, tool]));
  const folded = group(tools.map((tool) => ({ name: tool.op.toLowerCase(), tool })));
  const named = namesOf(tools, exact, settings.aliases);
  const names = group(named);
  const foldedNames = group(named.map(({ name, tool }) => ({ name: name.toLowerCase(), tool })));
  const shown = new Set(listed.map((tool) => tool.op));
  const below = group(listed.flatMap((tool) => prefixesOf(tool.op).map((name) => ({ name, tool }))));
  const prefixes = [...below.keys()].filter((prefix) => prefix !== "");
  const foldedPrefixes = new Map(prefixes.map((prefix) => [prefix.toLowerCase(), prefix]));
  const only = (found: readonly Tool[] | undefined) => (found?.length === 1 ? found[0] : undefined);
  let spellings: ReadonlyMap<string, readonly Tool[]> | undefined;
  const alike = (name: string): readonly Tool[] => {
    spellings ??= group(
      [...named, ...tools.map((tool) => ({ name: tool.op, tool }))].map((one) => ({
        ...one,
        name: withoutSigns(one.name),
      })),
    );
    return ownFirst(spellings.get(withoutSigns(name)) ?? [], isShipped);
  };
  const recased = (name: string): readonly Tool[] => {
    const found = ownFirst(foldedNames.get(name.toLowerCase()) ?? [], isShipped);
    return found.length === 0 ? found : [...new Set([...alike(name), ...found])];
  };
  return {
    listed,
    exact: (op) => exact.get(op),
    folded: (op) => {
      const tool = only(folded.get(op.toLowerCase()));
      return tool && only(alike(op)) === tool ? tool : undefined;
    },
    named: (name) => (names.has(name) ? ownFirst(names.get(name) ?? [], isShipped) : recased(name)),
    alike,
    isName: (name) => names.has(name),
    isListed: (op) => shown.has(op),
    below: (prefix) => below.get(prefix) ?? (prefix === "" ? [] : undefined),
    prefix: (path) => (below.has(path) ? path : foldedPrefixes.get(path.toLowerCase())),
    prefixes,
  };
}

const isShipped = ({ source }: Tool): boolean => source.shipped === true;

/** `h.Get-State` → `hgetstate`. */
const withoutSigns = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "");

/** The name of a tool behind its pack: that of its op, and that of its source if it is another one. */
export const namesInPacks = ({ group: pack, source, tool_name }: Tool): readonly string[] =>
  [...new Set([pack, source.pack ?? pack])].map((one) => `${one}.${tool_name}`);

function group(entries: readonly Named[]): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const { name, tool } of entries) {
    const members = groups.get(name);
    if (!members) groups.set(name, [tool]);
    else if (!members.includes(tool)) members.push(tool);
  }
  return groups;
}

function namesOf(
  tools: readonly Tool[],
  exact: ReadonlyMap<string, Tool>,
  aliases: ReadonlyMap<string, string>,
): readonly Named[] {
  const declared = tools.flatMap((tool) =>
    [tool.tool_name, ...namesInPacks(tool), ...tool.aliases].map((name) => ({ name, tool })),
  );
  const configured = [...aliases.keys()].flatMap((name) => {
    const tool = exact.get(followAlias(name, aliases));
    return tool ? [{ name, tool }] : [];
  });
  return [...declared, ...configured];
}

/** An alias may lead to another alias; the number of aliases bounds every chain and every cycle. */
function followAlias(name: string, aliases: ReadonlyMap<string, string>): string {
  let at = name;
  for (let step = 0; step < aliases.size; step++) at = aliases.get(at) ?? at;
  return at;
}

/**
 * Prefers a project's own tools; those of shipped packs count only if there are no others. So adding a shipped pack
 * changes the meaning of no name.
 */
export function ownFirst<T>(sharing: readonly T[], isShipped: (one: T) => boolean): readonly T[] {
  const own = sharing.filter((one) => !isShipped(one));
  return own.length > 0 ? own : sharing;
}

/** The listed ops that a name may mean; an exact name before other spellings. */
export function namesakesOf(view: RegistryView, name: string): readonly string[] {
  const named = view.named(name);
  return (named.length > 0 ? named : view.alike(name)).flatMap(({ op }) => (view.isListed(op) ? [op] : []));
}

/** `a.b.c` → `""`, `a`, `a.b`. */
function prefixesOf(op: string): readonly string[] {
  const segments = op.split(".");
  return segments.map((_, length) => segments.slice(0, length).join("."));
}

/** Characters of a path that are searched for a known group. */
const MAX_PATH_LENGTH = 1_000;

/**
 * The help path for an op or a path that may not exist: the path if it is listed, else its longest listed prefix, else
 * `root`.
 */
export function helpPath(view: RegistryView, path: string): string {
  if (view.isListed(path)) return path;
  const known = prefixesOf(`${path.slice(0, MAX_PATH_LENGTH)}.`)
    .map((prefix) => (prefix === "" ? undefined : view.prefix(prefix)))
    .filter((prefix) => prefix !== undefined);
  return known.at(-1) ?? "root";
}

/** Whether a path is an op that the caller may not see, or a prefix of such ops only. */
export function isHiddenName(path: string, { tools }: Pick<Registry, "tools">, view: RegistryView): boolean {
  const meant = tools.filter(({ op }) => op === path || op.startsWith(`${path}.`));
  return meant.length > 0 && !meant.some(({ op }) => view.exact(op));
}

/** All names under which code may call an op. */
const codeNames = ({ op, tool_name, aliases }: Tool): readonly string[] => [
  op,
  op.replaceAll(".", "_"),
  tool_name,
  ...aliases,
];

/** The ops, and the aliases of paths to them; chains of aliases are followed. */
interface PathNames extends Pick<Registry, "tools"> {
  readonly aliases: ReadonlyMap<string, string>;
}

/** Removes the entries whose text names an op that the caller may not see. */
export function withoutHiddenNames<T>(
  entries: ReadonlyMap<string, T>,
  textOf: (entry: T) => string,
  { tools, aliases }: PathNames,
  view: RegistryView,
): ReadonlyMap<string, T> {
  const unseen = tools.filter(({ op }) => !view.exact(op));
  if (unseen.length === 0) return entries;
  const seen = new Set(tools.filter(({ op }) => view.exact(op)).flatMap(codeNames));
  const hidden = [...aliases].filter(([, path]) => isHiddenName(path, { tools }, view)).map(([name]) => name);
  const names = new Set([...unseen.flatMap(codeNames), ...hidden].filter((name) => !seen.has(name)));
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
