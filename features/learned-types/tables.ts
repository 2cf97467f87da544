/** The tables of learned types, which migrations 15 and 27 of the state database make. */

import type { Kysely } from "kysely";
import type { Transaction } from "../../runtime/contract/handler.js";
import type { RetainParts } from "../../runtime/state/retention.js";
import type { Database } from "../../runtime/state/schema.js";

/** What the results of an op look like. */
export interface LearnedRow {
  readonly op: string;
  /** Digest of the input of the op when it was called. */
  readonly digest: string;
  /** JSON, without values. */
  readonly body: string;
  readonly updated_at: string;
}

/** How often a caller's queries with a word led to an op, on one day. */
export interface HelpWordRow {
  readonly op: string;
  /** Hash of the word. */
  readonly stem_key: string;
  /** The word; null until several queries held it. */
  readonly stem: string | null;
  /** Hash of the caller. */
  readonly caller_key: string;
  /** `2026-11-22`. */
  readonly day: string;
  readonly count: number;
}

/** The tables of the feature beside those of the core. */
interface LearnedDatabase extends Database {
  readonly learned: LearnedRow;
  readonly help_words: HelpWordRow;
}

/** A query builder over them. */
export type LearnedQueries = Kysely<LearnedDatabase>;

/** The queries of a transaction. The only cast; takes the transaction that `State.transaction` passes. */
export const learnedQueries = (tx: Transaction): LearnedQueries => tx as unknown as LearnedQueries;

/** The tables by age: summaries of results, which are kept while their op is called, and words. */
export const LEARNED: RetainParts["tables"] = [
  ["learned", "updated_at"],
  ["help_words", "day"],
];
