/** Directories for help and refusals: the groups and ops below a prefix. */

import { byCodeUnit } from "../contract/canonical.js";
import type { Tool } from "../contract/registry.js";
import type { RegistryView } from "./registry.js";

/** Longest summary in a directory, in characters. */
const MAX_SUMMARY_LENGTH = 60;

/** A group of ops: its prefix and the number of its ops. */
interface GroupItem {
  readonly group: string;
  readonly ops: number;
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
export const topDirectory = (view: RegistryView): readonly DirectoryItem[] => children(view, "", { denied: false });

/** Direct children of a prefix: groups and ops. */
export function children(view: RegistryView, prefix: string, options: ItemOptions): readonly DirectoryItem[] {
  const start = prefix === "" ? 0 : prefix.length + 1;
  const groups = new Map<string, Tool[]>();
  for (const tool of view.below(prefix) ?? []) {
    const end = tool.op.indexOf(".", start);
    const child = end < 0 ? tool.op : tool.op.slice(0, end);
    groups.set(child, [...(groups.get(child) ?? []), tool]);
  }
  const sorted = [...groups].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.flatMap(([path, tools]) => {
    const own = tools.filter(({ op }) => op === path).map((tool) => opItem(tool, options));
    const below = tools.length - own.length;
    return below === 0 ? own : [...own, groupItem(path, below, options)];
  });
}

/** Every op of a subtree, optionally of one kind. */
export function subtree(
  view: RegistryView,
  prefix: string,
  options: ItemOptions,
  kind?: Tool["kind"],
): readonly DirectoryItem[] {
  const tools = (view.below(prefix) ?? []).filter((tool) => kind === undefined || tool.kind === kind);
  return tools.map((tool) => opItem(tool, options));
}

function groupItem(group: string, ops: number, options: ItemOptions): GroupItem {
  const summary = options.groupSummary?.(group);
  return { group, ops, ...(summary === undefined ? {} : { summary }) };
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
    ...(usage === undefined ? {} : { usage }),
  };
}
