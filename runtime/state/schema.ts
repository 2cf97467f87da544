/** The tables of the state database as types, and the only function that turns a {@link Transaction} into queries. */

import type { Generated, Kysely } from "kysely";
import type { Transaction } from "../contract/handler.js";

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

/** One call with an idempotency key. Times are ISO 8601 in UTC. */
export interface LedgerRow {
  readonly caller: string;
  readonly op: string;
  readonly key: string;
  readonly args_hash: string;
  readonly status: "pending" | "succeeded";
  readonly envelope: string | null;
  readonly owner: string;
  readonly lease_until: string;
  readonly created_at: string;
  readonly expires_at: string;
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
export interface TallyRow {
  readonly project_id: string;
  readonly kind: string;
  readonly state_key: string;
  readonly facet: string;
  readonly live: number;
  readonly words: number;
}

/** One call of an op, or one run of Python with its calls; kept for `stats.retention_days`. */
export interface StatCallRow {
  readonly seq: Generated<number>;
  readonly at: string;
  /** `@run` for a run. */
  readonly op: string;
  /** Error code; empty on success. */
  readonly code: string;
  readonly duration_ms: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly calls: number;
  readonly trace_id: string;
  readonly caller: string;
  readonly client: string;
}

/** All calls of an op in one hour (`2026-11-22T05`); `buckets` counts them by duration, as JSON. */
export interface StatHourRow {
  readonly hour: string;
  readonly op: string;
  readonly calls: number;
  readonly errors: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly duration_ms: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly buckets: string;
}

/** Calls of an op by one client program in one hour; `client` is empty if it has no name. */
export interface StatClientRow extends Pick<StatHourRow, "hour" | "op" | "calls" | "errors"> {
  readonly client: string;
}

/** An hourly sum that belongs to no call. */
export interface StatCounterRow {
  readonly hour: string;
  readonly name: string;
  readonly value: number;
}

/** A checkpoint may truncate the log; a file truncated by another program is unreadable. */
export interface ApiKeyRow {
  readonly key_id: string;
  readonly name: string;
  readonly scope: string;
  readonly access: string;
  readonly digest: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** The last use of a key, to the minute. */
export interface KeyUseRow {
  readonly key_id: string;
  readonly last_used_at: string;
}

/** A refusal, or a call of an admin op; kept as long as statistics. */
export interface AuditRow {
  readonly seq: Generated<number>;
  readonly at: string;
  /** Empty for a call without a key. */
  readonly key_id: string;
  readonly op: string;
  /** Error code; empty on success. */
  readonly code: string;
  readonly trace_id: string;
}

/** A project of the pack `oubliette`. Times are ISO 8601 in UTC. */
export interface OublietteProjectRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A workspace in a project of `oubliette`. */
export interface OublietteWorkspaceRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly created_at: string;
}

/** A session in a project of `oubliette`; `last_index` counts its events. */
export interface OublietteSessionRow {
  readonly id: string;
  readonly project_id: string;
  readonly workspace_id: string | null;
  readonly title: string;
  readonly status: "open" | "ended";
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly last_index: number;
}

/** An event of a session. */
export interface OublietteEventRow {
  readonly session_id: string;
  readonly event_index: number;
  readonly at: string;
  readonly type: "message";
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** A secret of the server itself, which all instances over one database share. */
export interface ServerSecretRow {
  readonly name: string;
  readonly value: string;
}

/** A login of the console: digest of its cookie, id of its key, and expiry. */
export interface LoginRow {
  readonly digest: string;
  readonly key_id: string;
  readonly expires_at: string;
}

/** Names of the entity tables. */
export type EntityTable =
  | "projects"
  | "tasks"
  | "goals"
  | "plans"
  | "documents"
  | "milestones"
  | "risks"
  | "requirements"
  | "metrics"
  | "sources";

/** All tables, by name. */
export type Database = Record<EntityTable, EntityRow> & {
  readonly edges: EdgeRow;
  readonly changes: ChangeRow;
  readonly tree_history: TreeHistoryRow;
  readonly ledger: LedgerRow;
  readonly search_words: SearchWordRow;
  readonly search_grams: SearchGramRow;
  readonly tallies: TallyRow;
  readonly stat_calls: StatCallRow;
  readonly stat_hours: StatHourRow;
  readonly stat_clients: StatClientRow;
  readonly stat_counters: StatCounterRow;
  readonly api_keys: ApiKeyRow;
  readonly key_uses: KeyUseRow;
  readonly audit: AuditRow;
  readonly oubliette_projects: OublietteProjectRow;
  readonly oubliette_workspaces: OublietteWorkspaceRow;
  readonly oubliette_sessions: OublietteSessionRow;
  readonly oubliette_events: OublietteEventRow;
  readonly server_secrets: ServerSecretRow;
  readonly logins: LoginRow;
};

/** A query builder over all tables. */
export type Queries = Kysely<Database>;

/** The queries of a transaction. The only cast; takes the transaction that `State.transaction` passes. */
export const queries = (tx: Transaction): Queries => tx as unknown as Queries;
