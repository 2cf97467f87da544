/** The rules of `approve`: which writes wait for the approval of a person, and who may decide. */

import { digest } from "../contract/canonical.js";
import { durationMs } from "../contract/duration.js";
import { opGlob } from "../contract/op-glob.js";
import type { JsonObject, JsonSchema, Tool } from "../contract/registry.js";
import type { DECIDERS } from "../contract/settings/approvals.js";
import type { ApproveEntry } from "../contract/settings/entries.js";
import { UsageError } from "../contract/usage-error.js";

/** Where a person decides. */
export type Decider = (typeof DECIDERS)[number];

/** A rule in force. */
export interface ApprovalRule {
  /** Where it is written, such as `approve[0]`. */
  readonly name: string;
  /** What is written there; absent for the rule of a plan. */
  readonly entry?: ApproveEntry;
  /** Digest of what it says: an approval under another rule does not count. */
  readonly hash: string;
  /** Whether it is about calls of the op by this caller. */
  selects(tool: Pick<Tool, "op" | "annotations">, caller: string): boolean;
  /** Whether the arguments are of the kind that waits; absent: all are. */
  readonly fits?: ((args: JsonObject) => boolean) | undefined;
  /** The schema behind `fits`, and its place in the configuration. */
  readonly when?: { readonly schema: JsonSchema; readonly place: string } | undefined;
  /** Who may decide. */
  readonly by: readonly Decider[];
  /** How long the call waits, in milliseconds. */
  readonly expiresMs: number;
}

const DEFAULT_EXPIRY = "24h";
const DEFAULT_BY: readonly Decider[] = ["console", "cli"];
/** Longest wait: runs are kept as long. */
const MAX_EXPIRY_MS = 7 * 86_400_000;

/**
 * The rules, in order: the first that applies decides. {@link withConditions} compiles their conditions.
 *
 * @param placeOf - position of a rule
 * @throws UsageError for an `expires` that is no duration up to 7d, and a `by` that names nobody who can decide
 */
export const approvalRulesOf = (
  entries: readonly ApproveEntry[],
  placeOf: (index: number) => string,
): readonly ApprovalRule[] => entries.map((entry, index) => ruleOf(entry, `approve[${index}]`, placeOf(index)));

function ruleOf(entry: ApproveEntry, name: string, place: string): ApprovalRule {
  const { when, unless, by = DEFAULT_BY, expires = DEFAULT_EXPIRY } = entry;
  const expiresMs = durationMs(expires);
  if (expiresMs === undefined || expiresMs > MAX_EXPIRY_MS)
    throw new UsageError(`${place} expires is ${expires}: write a number and s, m, h or d, up to 7d`);
  // Not every client shows forms.
  if (!by.some((one) => DEFAULT_BY.includes(one)))
    throw new UsageError(`${place} by names nobody who can decide: write console, cli or both`);
  if (unless && (unless.callers ?? []).length === 0)
    throw new UsageError(`${place} unless names no caller: leave it out, or name callers`);
  const isSelected = selectorOf(entry);
  const free = new Set(unless?.callers);
  return {
    name,
    entry,
    hash: digest(entry as unknown as JsonObject),
    selects: (tool, caller) => !free.has(caller) && isSelected(tool),
    ...(when === undefined ? {} : { when: { schema: when, place } }),
    by,
    expiresMs,
  };
}

/** Whether the selectors of a rule fit an op. */
export function selectorOf({
  ops,
  destructive,
}: Pick<ApproveEntry, "ops" | "destructive">): (tool: Pick<Tool, "op" | "annotations">) => boolean {
  const matchers = ops?.map(opGlob);
  return ({ op, annotations }) =>
    (matchers === undefined || matchers.some((matches) => matches(op))) &&
    (destructive === undefined || annotations.destructiveHint === destructive);
}

/** Matchers of the patterns that a key carries, as a rule. */
export function ruleOfKey(patterns: readonly string[]): ApprovalRule {
  return ruleOf({ ops: patterns }, "key", "the key");
}

/**
 * Compiles the conditions on arguments.
 *
 * @throws UsageError for a `when` that is no JSON Schema, or has a pattern that some texts make slow
 */
export async function withConditions(rules: readonly ApprovalRule[]): Promise<readonly ApprovalRule[]> {
  if (!rules.some(({ when }) => when)) return rules;
  const { conditionOf } = await import("./approval-conditions.js");
  return rules.map((rule) =>
    rule.when ? { ...rule, fits: conditionOf(rule.when.schema, `${rule.when.place} ${rule.name}.when`) } : rule,
  );
}
