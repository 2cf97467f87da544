/** Gives ops that declare no result the type that was learned from their calls. */

import { isLocked } from "../../runtime/contract/known-result.js";
import { normalizeLearned } from "../../runtime/contract/normal-schema.js";
import type { LearnedResult } from "../../runtime/contract/registry.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Extracted } from "../core/ir.js";
import { inputDigest } from "./freeze.js";
import { signaturesOf } from "./signature.js";

/** An entry of `definitions/learned/`. */
export interface LearnedOp {
  readonly result: LearnedResult;
  /** Digest of the input of the op when the type was learned. */
  readonly digest: string;
  /** Whether a person wrote it. */
  readonly isPinned: boolean;
  readonly place: Place;
}

/** The ops with their learned types. A type of an earlier definition is stale, and said to be. */
export function withLearned(
  ops: readonly Extracted[],
  learned: ReadonlyMap<string, LearnedOp>,
  report: Report,
): readonly Extracted[] {
  if (learned.size === 0) return ops;
  const known = new Set(ops.map(({ op }) => op));
  for (const [op, { place }] of learned) if (!known.has(op)) report.add("learned-unused", place, { op });
  return ops.map((one) => {
    const entry = learned.get(one.op);
    // What the server declares is a promise, what was seen is not.
    if (!entry || one.result) return one;
    const isStale = !entry.isPinned && entry.digest !== inputDigest(one.parameters);
    if (isStale) report.add("learned-stale", entry.place, { op: one.op });
    const marks = {
      ...(isStale ? { stale: true as const } : {}),
      ...(entry.isPinned ? { pinned: true as const } : {}),
    };
    return typed({ ...one, learned: { ...entry.result, ...marks } });
  });
}

/** With the type in the signatures, if programs are checked against it. */
function typed(one: Extracted): Extracted {
  const { learned } = one;
  if (!isLocked(learned)) return one;
  const output = normalizeLearned(learned.schema);
  return { ...one, signature: signaturesOf({ ...one, output }, one.parameter_list) };
}
