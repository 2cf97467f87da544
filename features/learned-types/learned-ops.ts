/** Gives ops what was learned from their calls: a type, if they declare no result, and words by which callers look for them. */

import type { Place, Report } from "../../generator/core/diagnostic.js";
import type { Extracted } from "../../generator/core/ir.js";
import { inputDigest } from "../../generator/pass/freeze.js";
import { signaturesOf } from "../../generator/pass/signature.js";
import { isLocked } from "../../runtime/contract/known-result.js";
import { normalizeLearned } from "../../runtime/contract/normal-schema.js";
import type { LearnedResult } from "../../runtime/contract/registry.js";
import { stem } from "../../runtime/contract/search/stem.js";
import { LEARNED_RULES } from "./diagnostics.js";
import type { WordsEntry } from "./words-file.js";

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
  for (const [op, { place }] of learned)
    if (!known.has(op)) report.addOf("learned-unused", LEARNED_RULES["learned-unused"], place, { op });
  return ops.map((one) => {
    const entry = learned.get(one.op);
    // What the server declares is a promise, what was seen is not.
    if (!entry || one.result) return one;
    const isStale = !entry.isPinned && entry.digest !== inputDigest(one.parameters);
    if (isStale) report.addOf("learned-stale", LEARNED_RULES["learned-stale"], entry.place, { op: one.op });
    const marks = {
      ...(isStale ? { stale: true as const } : {}),
      ...(entry.isPinned ? { pinned: true as const } : {}),
    };
    return typed({ ...one, learned: { ...entry.result, ...marks } });
  });
}

/** An entry of a file of words. */
export interface LearnedOpWords {
  readonly entry: Omit<WordsEntry, "pinned">;
  /** Whether a person keeps it. */
  readonly isPinned: boolean;
  readonly place: Place;
}

/** The ops with the words by which callers look for them. */
export function withLearnedWords(
  ops: readonly Extracted[],
  words: ReadonlyMap<string, LearnedOpWords>,
  report: Report,
): readonly Extracted[] {
  if (words.size === 0) return ops;
  const known = new Set(ops.map(({ op }) => op));
  for (const [op, { place }] of words)
    if (!known.has(op)) report.addOf("words-unused", LEARNED_RULES["words-unused"], place, { op });
  return ops.map((one) => {
    const found = words.get(one.op);
    if (!found || Object.keys(found.entry.words).length === 0) return one;
    const { entry, isPinned, place } = found;
    const isStale = !isPinned && entry.digest !== inputDigest(one.parameters);
    if (isStale) report.addOf("words-stale", LEARNED_RULES["words-stale"], place, { op: one.op });
    // A person writes words, not stems.
    const stems = Object.entries(entry.words).map(([word, band]) => [isPinned ? stem(word) : word, band] as const);
    return { ...one, words: { words: Object.fromEntries(stems), ...(isStale ? { stale: true as const } : {}) } };
  });
}

/** With the type in the signatures, if programs are checked against it. */
function typed(one: Extracted): Extracted {
  const { learned } = one;
  if (!isLocked(learned)) return one;
  const output = normalizeLearned(learned.schema);
  return { ...one, signature: signaturesOf({ ...one, output }, one.parameter_list) };
}
