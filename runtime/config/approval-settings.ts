/** The rules of `approve`: which writes wait for the approval of a person. */

import { durationMs } from "../contract/duration.js";
import { opGlob } from "../contract/op-glob.js";
import { UsageError } from "../contract/usage-error.js";

/** A rule as it is configured. */
export interface ApproveEntry {
  readonly ops: readonly string[];
  readonly unless?: { readonly callers?: readonly string[] };
  readonly expires?: string;
}

/** A rule in force. */
export interface ApprovalRule {
  /** Whether a call of the op by this caller waits for an approval. */
  applies(op: string, caller: string): boolean;
  /** How long the call waits, in milliseconds. */
  readonly expiresMs: number;
}

const DEFAULT_EXPIRY = "24h";
/** Longest wait: runs are kept as long. */
const MAX_EXPIRY_MS = 7 * 86_400_000;

/**
 * The rules, in order: the first that applies decides.
 *
 * @param placeOf - position of a rule's `expires`
 * @throws UsageError for an `expires` that is no duration up to 7d
 */
export const approvalRulesOf = (
  entries: readonly ApproveEntry[],
  placeOf: (index: number) => string,
): readonly ApprovalRule[] =>
  entries.map(({ ops, unless, expires = DEFAULT_EXPIRY }, index) => {
    const expiresMs = durationMs(expires);
    if (expiresMs === undefined || expiresMs > MAX_EXPIRY_MS)
      throw new UsageError(`${placeOf(index)} expires is ${expires}: write a number and s, m, h or d, up to 7d`);
    const matchers = ops.map(opGlob);
    const free = new Set(unless?.callers);
    return { expiresMs, applies: (op, caller) => !free.has(caller) && matchers.some((matches) => matches(op)) };
  });
