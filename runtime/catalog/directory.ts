/** Directories for help and refusals: the groups and ops below a prefix. */

import { byCodeUnit } from "../contract/canonical.js";
import { type HelpLevel, holdsOf, isLong, levelParts } from "../contract/groups.js";
import type { Kind, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import type { RegistryView } from "./registry.js";

/** Longest summary of an op and of a group, and longest usage, in characters. */
const MAX_SUMMARY_LENGTH = 60;
const MAX_GROUP_SUMMARY_LENGTH = 200;
const MAX_USAGE_LENGTH = 300;

/** A group of ops: its path and the number of its ops. */
interface GroupItem {
  readonly group: string;
  readonly ops: number;
  /** Words of what it has, in a long directory. */
  readonly holds?: string;
  readonly summary?: string;
}

/** One op in a directory. */
interface OpItem {
  readonly op: string;
  readonly kind: Tool["kind"];
  readonly summary: string;
  readonly denied?: true;
  readonly usage?: string;
}

/** An entry of a directory. */
export type DirectoryItem = GroupItem | OpItem;

/** Optional parts of an entry. */
export interface ItemOptions {
  /** Whether writes are marked as denied because `allow_write` is off. */
  readonly denied: boolean;
  /** Usage line of an op; undefined in short directories. */
  readonly usage?: (op: string) => string | undefined;
  /** Summary of a group; undefined in short directories. */
  readonly groupSummary?: (group: string) => string | undefined;
}

/** The packs, for answers without a better suggestion. */
export const topDirectory = (view: RegistryView): readonly DirectoryItem[] =>
  directoryItems(view, { path: "", tools: view.listed }, { denied: false });

/**
 * The entries of a level: of a long one its groups and the ops that are in none, of a pack its groups and ops, of any
 * other its ops.
 *
 * @param kind - only ops of this kind, in groups of this kind
 */
export function directoryItems(
  view: RegistryView,
  level: HelpLevel,
  options: ItemOptions,
  kind?: Kind,
): readonly DirectoryItem[] {
  const tools = level.tools.filter((tool) => kind === undefined || tool.kind === kind);
  const shown = { path: level.path, tools };
  if (!isLong(shown))
    return kind === undefined && !level.path.includes(".") ? children(shown, options) : opItems(tools, options);
  const { groups, alone } = levelParts(view, shown);
  const ofKind = kind === undefined ? "" : `.${kind}`;
  const items = [
    ...alone.map((tool) => opItem(tool, options)),
    ...groups.map((one) => longGroup(one, options, ofKind)),
  ];
  // Groups that are made come by size; those that paths have come by name, among the ops.
  return groups.every(({ path }) => view.below(path))
    ? items.sort((a, b) => byCodeUnit(nameOf(a), nameOf(b)))
    : [...items.slice(alone.length), ...items.slice(0, alone.length)];
}

const nameOf = (item: DirectoryItem): string => ("op" in item ? item.op : item.group);

function longGroup(group: HelpLevel, options: ItemOptions, ofKind: string): GroupItem {
  return { ...groupItem(`${group.path}${ofKind}`, group.tools.length, options), holds: holdsOf(group) };
}

/** Direct children of a prefix: groups and ops. */
function children({ path: prefix, tools }: HelpLevel, options: ItemOptions): readonly DirectoryItem[] {
  const start = prefix === "" ? 0 : prefix.length + 1;
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const end = tool.op.indexOf(".", start);
    const child = end < 0 ? tool.op : tool.op.slice(0, end);
    groups.set(child, [...(groups.get(child) ?? []), tool]);
  }
  const sorted = [...groups].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.flatMap(([path, members]) => {
    const own = members.filter(({ op }) => op === path).map((tool) => opItem(tool, options));
    const below = members.length - own.length;
    return below === 0 ? own : [...own, groupItem(path, below, options)];
  });
}

/** Every op of a level. */
export const opItems = (tools: readonly Tool[], options: ItemOptions): readonly DirectoryItem[] =>
  tools.map((tool) => opItem(tool, options));

function groupItem(group: string, ops: number, options: ItemOptions): GroupItem {
  const summary = options.groupSummary?.(group);
  return { group, ops, ...(summary === undefined ? {} : { summary: clip(summary, MAX_GROUP_SUMMARY_LENGTH) }) };
}

function opItem(tool: Tool, options: ItemOptions): OpItem {
  const usage = options.usage?.(tool.op);
  return {
    op: tool.op,
    kind: tool.kind,
    summary:
      tool.summary.length > MAX_SUMMARY_LENGTH
        ? `${tool.summary.slice(0, MAX_SUMMARY_LENGTH - 1).trimEnd()}…`
        : tool.summary,
    ...(options.denied && tool.kind === "write" ? { denied: true as const } : {}),
    ...(usage === undefined ? {} : { usage: clip(usage, MAX_USAGE_LENGTH) }),
  };
}
