/** Compares two lists of tools: pairs each tool with its later form, and reports what changed for callers. */

import type { BreakingCatalogue, CataloguedRule } from "../../generator/core/breaking-rule.js";
import { loadChecks } from "../../generator/core/checker.js";
import type { Finding } from "../../runtime/contract/finding.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { ChangeFinder } from "./finders.js";
import { type About, findingBy, makeFinding, sortFindings } from "./finding.js";
import { compareTool } from "./tool.js";

/** A tool before and after. */
export interface ToolPair {
  readonly before: Tool;
  readonly after: Tool;
}

/** The tools of two lists: those on both sides, also if renamed, and those on one side only. */
export interface ToolPairs {
  readonly kept: readonly ToolPair[];
  readonly removed: readonly Tool[];
  readonly added: readonly Tool[];
}

/** {@link compareTools}, after the validators that it needs where a tool has changed are loaded. */
export async function comparedTools(
  before: readonly Tool[],
  after: readonly Tool[],
  finders: readonly ChangeFinder[] = [],
): Promise<readonly Finding[]> {
  if (pairTools(before, after).kept.some((pair) => !isSame(pair))) await loadChecks();
  return compareTools(before, after, finders);
}

/**
 * All changes between two lists of tools, at the default levels of the rules, without exceptions or tombstones.
 *
 * Pure, once validators are loaded: {@link comparedTools} loads them. Used for registries, and to compare the tools of a live server with the lock. The order of lists and keys is ignored.
 *
 * @param finders of other features; default: none
 */
export function compareTools(
  before: readonly Tool[],
  after: readonly Tool[],
  finders: readonly ChangeFinder[] = [],
): readonly Finding[] {
  const { kept, removed, added } = pairTools(before, after);
  return sortFindings([
    ...kept.flatMap((pair) => {
      if (isSame(pair)) return [];
      const about = aboutTool(pair.after);
      return [
        ...compareTool(pair.before, pair.after).map((found) => makeFinding(about, found)),
        ...finders.flatMap(({ rules, compare }) =>
          compare(pair.before, pair.after).map((found) => findingBy(ruleIn(rules, found.rule), about, found)),
        ),
      ];
    }),
    ...removed.map((one) => makeFinding(aboutTool(one), { rule: "tool-removed", before: one.tool_name })),
    ...added.map((one) => makeFinding(aboutTool(one), { rule: "tool-added", after: one.tool_name })),
    ...lostPaths(before, after),
  ]);
}

/** The rule of a code. @throws Error if the feature that found something does not declare it */
function ruleIn(rules: BreakingCatalogue, code: string): CataloguedRule {
  const rule = Object.hasOwn(rules, code) ? rules[code] : undefined;
  if (!rule) throw new Error(`a feature found ${code}, which is none of its breakingRules: declare it there`);
  return rule;
}

/** The part of a finding that identifies its tool. */
export const aboutTool = ({ op, tool_name, source }: Tool): About => ({ op, tool: tool_name, file: source.file });

/** Compares values, not digests: the digests in a registry from elsewhere may be wrong, and this is as fast. */
function isSame({ before, after }: ToolPair): boolean {
  try {
    return isEqual(before, after);
  } catch {
    return false; // Nested too deeply for the stack; the comparison reports it.
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  if (keys.length !== others.length || Array.isArray(a) !== Array.isArray(b)) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Values)[key], (b as Values)[key]));
}

type Values = Readonly<Record<string, unknown>>;

type KeyOf = (tool: Tool) => readonly string[];

/** Keys by which tools are paired, before and after. A key counts only if it identifies one tool on each side. */
const KEYS: readonly (readonly [KeyOf, KeyOf])[] = [
  [(one) => [one.op], (one) => [one.op]],
  [(one) => [one.op], (one) => one.aliases],
  [(one) => one.aliases, (one) => [one.op]],
  [(one) => [`${one.group}/${one.tool_name}`], (one) => [`${one.group}/${one.tool_name}`]],
  [(one) => [one.tool_name], (one) => [one.tool_name]],
  [(one) => [contentOf(one)], (one) => [contentOf(one)]],
];

/** What a renamed tool keeps: its pack, kind, input and description. */
const contentOf = (one: Tool): string => [one.group, one.kind, one.digest.input, one.description].join("\0");

/** Pairs tools by op, then by an alias for the old path, by name, and by content. */
export function pairTools(before: readonly Tool[], after: readonly Tool[]): ToolPairs {
  const left = new Set(before);
  const right = new Set(after);
  const kept: ToolPair[] = [];
  for (const [keysBefore, keysAfter] of KEYS) {
    const candidates = byKey(right, keysAfter);
    for (const [key, olds] of byKey(left, keysBefore)) {
      const [old, now] = [olds[0], candidates.get(key)?.[0]];
      const unique = olds.length === 1 && candidates.get(key)?.length === 1;
      if (!unique || !old || !now || !left.has(old) || !right.has(now)) continue;
      left.delete(old);
      right.delete(now);
      kept.push({ before: old, after: now });
    }
  }
  return { kept, removed: [...left], added: [...right] };
}

function byKey(tools: Iterable<Tool>, keysOf: KeyOf): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const one of tools)
    for (const key of keysOf(one)) {
      const group = groups.get(key);
      if (group) group.push(one);
      else groups.set(key, [one]);
    }
  return groups;
}

/** Help directories that no longer contain an op. The removed ops themselves are reported as tools. */
function lostPaths(before: readonly Tool[], after: readonly Tool[]): readonly Finding[] {
  const paths = pathsOf(after);
  const kept = new Set([...paths, ...directoriesOf(paths)]);
  return [...new Set(directoriesOf(pathsOf(before)))]
    .filter((path) => !kept.has(path))
    .map((path) => makeFinding({ op: path, tool: "", file: "" }, { rule: "help-path-removed", before: path }));
}

const pathsOf = (tools: readonly Tool[]): readonly string[] => tools.flatMap((one) => [one.op, ...one.aliases]);

/** `onto.task.list` lies in `onto` and `onto.task`. */
const directoriesOf = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => {
    const parts = path.split(".");
    return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("."));
  });
