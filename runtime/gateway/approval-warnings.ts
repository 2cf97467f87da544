/** What is probably a mistake in the rules of `approve`: rules and patterns that never apply, conditions without effect. */

import { selectorOf } from "../config/approval-settings.js";
import type { ConfigPath } from "../config/settings.js";
import { closest } from "../contract/closest.js";
import { opGlob } from "../contract/op-glob.js";
import type { Registry, Tool } from "../contract/registry.js";
import type { ApproveEntry } from "../contract/settings/entries.js";
import { conditionWarnings } from "./condition-warnings.js";

/** A warning, and the value that it is about. */
export type ApprovalWarning = readonly [path: ConfigPath, what: string];

/** The warnings about all rules. Patterns that match nothing are those of {@link unmatched}. */
export function approvalWarnings(entries: readonly ApproveEntry[], { tools }: Registry): readonly ApprovalWarning[] {
  const writes = tools.filter(({ kind }) => kind !== "read");
  return entries.flatMap((entry, i) => {
    const selected = writes.filter(selectorOf(entry));
    const conditions = entry.when ? conditionWarnings(entry.when, selected) : [];
    return [
      ...readsOnly(entry, tools).map(([j, what]): ApprovalWarning => [["approve", i, "ops", j], what]),
      ...neverApplies(entries, i, writes, selected).map((what): ApprovalWarning => [["approve", i], what]),
      ...conditions.map((what): ApprovalWarning => [["approve", i, "when"], what]),
      ...callers(entry).map(([j, what]): ApprovalWarning => [["approve", i, "unless", "callers", j], what]),
    ];
  });
}

/** Patterns with reads alone. */
function readsOnly({ ops = [] }: ApproveEntry, tools: readonly Tool[]): readonly (readonly [number, string])[] {
  return ops.flatMap((pattern, j) => {
    const matches = opGlob(pattern);
    const matched = tools.filter(({ op }) => matches(op));
    return matched.length === 0 || matched.some(({ kind }) => kind !== "read")
      ? []
      : [[j, `is ${JSON.stringify(pattern)}, which matches reads only: they need no approval`]];
  });
}

/** Why a rule has no op that it decides about, although its patterns match writes. */
function neverApplies(
  entries: readonly ApproveEntry[],
  index: number,
  writes: readonly Tool[],
  selected: readonly Tool[],
): readonly string[] {
  const { ops, destructive, unless } = entries[index] ?? {};
  if (selected.length === 0) {
    if (destructive === undefined || !writes.some(selectorOf(ops ? { ops } : {}))) return [];
    return [`never applies: ${destructive ? "none" : "each"} of the writes that it matches may delete or overwrite`];
  }
  const own = unless?.callers ?? [];
  const deciding = entries
    .slice(0, index)
    .map((entry, at) => ({ ...entry, name: `approve[${at}]`, selects: selectorOf(entry) }))
    .filter((entry) => !entry.when && (entry.unless?.callers ?? []).every((one) => own.includes(one)));
  const firsts = selected.map((tool) => deciding.find(({ selects }) => selects(tool))?.name);
  if (firsts.includes(undefined)) return [];
  const names = [...new Set(firsts)];
  return [
    `never applies: ${names.join(", ")} before it ${names.length === 1 ? "decides" : "decide"} about all of its ops`,
  ];
}

/** Callers that are patterns, or nearly the owner of the machine. */
function callers({ unless }: ApproveEntry): readonly (readonly [number, string])[] {
  return (unless?.callers ?? []).flatMap((caller, j) => {
    if (caller.includes("*")) return [[j, `is ${JSON.stringify(caller)}: name callers by their ids, not by patterns`]];
    return caller !== "local" && closest(caller, ["local"])
      ? [[j, `is ${JSON.stringify(caller)}; did you mean "local"?`]]
      : [];
  });
}
