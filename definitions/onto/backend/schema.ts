/** The tables of the pack as types, and the queries of a transaction. */

import type { Generated, Kysely } from "kysely";
import type { Transaction } from "toolwright/codegen";
import type { EdgeKind, PLURALS } from "./model.js";

/** The value of a column; JSON is stored as text and booleans as 0 and 1, so that both databases store the same. */
export type Value = string | number | null;

/** A row of an entity table: the common columns, and those of its kind. */
export interface EntityRow {
  readonly id: string;
  readonly props: string;
  readonly version: number;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly [column: string]: Value;
}

/** A stored edge, in its canonical direction; `hidden` is 1 while one end is deleted. */
export interface EdgeRow {
  readonly id: string;
  readonly project_id: string;
  readonly src_kind: string;
  readonly src_id: string;
  readonly rel: string;
  readonly dst_kind: string;
  readonly dst_id: string;
  readonly props: string;
  readonly hidden: number;
  readonly created_by: string;
  readonly created_at: string;
}

/** One write, in the order of `seq`; `before` and `after` hold the columns that changed, as JSON. */
export interface ChangeRow {
  readonly seq: Generated<number>;
  readonly entity_kind: string;
  readonly entity_id: string;
  readonly op: string;
  readonly version: number | null;
  readonly actor: string;
  readonly trace_id: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly at: string;
}

/** The document tree of a project after one change. */
export interface TreeHistoryRow {
  readonly project_id: string;
  readonly tree_version: number;
  readonly tree: string;
  readonly change: string;
  readonly at: string;
}

/** A word of an entity: its count in the label, its count elsewhere, and the number of words of the whole text. */
export interface SearchWordRow {
  readonly project_id: string;
  readonly kind: string;
  readonly entity_id: string;
  readonly word: string;
  readonly label_count: number;
  readonly body_count: number;
  readonly length: number;
}

/** A trigram of an entity's label. */
export interface SearchGramRow {
  readonly project_id: string;
  readonly kind: string;
  readonly entity_id: string;
  readonly gram: string;
}

/**
 * Counts of live entities of a project by kind, state and facet (type key, or a risk's impact), and of their words;
 * updated by writes, so that no scan is needed.
 */
export interface CountRow {
  readonly project_id: string;
  readonly kind: string;
  readonly state_key: string;
  readonly facet: string;
  readonly live: number;
  readonly words: number;
}

/** Names of the entity tables. */
export type EntityTable = `onto_${(typeof PLURALS)[EdgeKind]}`;

/** The tables by name. */
type Database = Record<EntityTable, EntityRow> & {
  readonly onto_edges: EdgeRow;
  readonly onto_changes: ChangeRow;
  readonly onto_tree_history: TreeHistoryRow;
  readonly onto_search_words: SearchWordRow;
  readonly onto_search_grams: SearchGramRow;
  readonly onto_tallies: CountRow;
};

/** A query builder over the tables. */
export type Queries = Kysely<Database>;

/** The queries of a transaction. */
export const queries = (tx: Transaction): Queries => tx as unknown as Queries;
