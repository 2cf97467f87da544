/** The tables of the state database as types, the form of times in them, and the only function that turns a {@link Transaction} into queries. */

import type { Generated, Kysely } from "kysely";
import type { Transaction } from "../contract/handler.js";
import type {
  ApprovalRow,
  OutcomeRow,
  RunCallRow,
  RunDeliveriesRow,
  RunInnerRow,
  RunPlanRow,
  RunRow,
} from "./run-rows.js";

export type { ApprovalRow, OutcomeRow, RunInnerRow, RunPlanRow, RunRow } from "./run-rows.js";

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
  /** Null in rows of versions before families. */
  readonly family: string | null;
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
  /** Address of the client; empty for transports other than HTTP. */
  readonly address: string;
}

/** A secret of the server itself, which all instances over one database share. */
export interface ServerSecretRow {
  readonly name: string;
  readonly value: string;
}

/** A login of the console: digest of its cookie, id of its key or user, and expiry. */
export interface LoginRow {
  readonly digest: string;
  readonly key_id: string;
  readonly expires_at: string;
  /** What a user may do, as JSON; null for a key. */
  readonly granted: string | null;
}

/** An answer of an identity provider that has been taken: digest of its state, and expiry. */
export interface LoginAnswerRow {
  readonly digest: string;
  readonly expires_at: string;
}

/** The name of a user who has signed in at the console. */
export interface UserNameRow {
  readonly id: string;
  readonly name: string;
  readonly expires_at: string;
}

/** The version of a pack's tables. */
export interface PackVersionRow {
  readonly pack: string;
  readonly version: number;
  readonly applied_at: string;
}

/** A message to the servers that share the database; deleted after some minutes. */
export interface MessageRow {
  readonly id: string;
  readonly topic: string;
  /** Id of the server that it is for; empty: all of them. */
  readonly receiver: string;
  readonly payload: string;
  readonly at: Timestamp;
}

/** A question that waits for the answer of a client; the answer may arrive at any server. */
export interface QuestionRow {
  readonly id: string;
  /** Id of the server that asked. */
  readonly asker: string;
  readonly is_answered: boolean;
  readonly expires_at: Timestamp;
}

/** A server on this database. */
export interface ReplicaRow {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Digest of its configuration and registry. */
  readonly digest: string;
  /** Most connections of its pool. */
  readonly pool: number;
  readonly seen_at: Timestamp;
}

/** The token bucket of a key. */
export interface KeyRateRow {
  readonly key_id: string;
  readonly calls_left: number;
  /** Calls that were taken last. */
  readonly granted: number;
  /** Time of that allowance. */
  readonly at: Timestamp;
  /** Until when calls that a server has leased may be unused. */
  readonly leased_until: Timestamp;
}

/** A result that was too large for its reply. */
export interface ResultRow {
  readonly handle: string;
  /** Principal that may read it. */
  readonly caller: string;
  readonly op: string;
  readonly created_at: Timestamp;
  /** `infinity` if it is kept for good. */
  readonly expires_at: Timestamp;
  readonly total_lines: number;
  readonly size_bytes: number;
  readonly is_sanitized: boolean;
}

/** A part of the text of a result, compressed. */
export interface ResultChunkRow {
  readonly handle: string;
  readonly seq: number;
  readonly gz: Buffer;
}

/** A time of the database's clock; statements compute with it, so that clocks of servers do not matter. */
type Timestamp = Date;

/** A job. Times are milliseconds since the epoch, of the database's clock. */
export interface JobRow {
  readonly id: string;
  readonly kind: string;
  /** At most one job of a kind has it. */
  readonly unique_key: string | null;
  /** JSON. */
  readonly payload: string;
  /** Time from the end of a recurring job until it is due again. */
  readonly every_ms: number | null;
  readonly run_at: number;
  /** Attempts so far, the running one included. */
  readonly attempts: number;
  readonly max_attempts: number;
  /** The worker that runs it, and until when no other worker takes it. */
  readonly owner: string | null;
  readonly lease_until: number | null;
  /** Counts the leases. */
  readonly fence: number;
  readonly last_error: string | null;
  /** When its last attempt failed; null while it may run. */
  readonly dead_at: number | null;
}

/** How a server differed from its snapshot when a job read it last. */
export interface ServerDriftRow {
  readonly server: string;
  readonly checked_at: number;
  /** JSON. */
  readonly findings: string;
}

/** A connection to a server or API: encrypted tokens. */
export interface ConnectionRow {
  /** `shared`: of all callers; `own`: of one principal; `client`: how toolwright is registered at an issuer. */
  readonly kind: "shared" | "own" | "client";
  /** Id of the principal; empty for a shared one. */
  readonly principal: string;
  readonly server: string;
  readonly issuer: string;
  /** Base64. */
  readonly body: string;
  /** Id of the key that encrypts the body. */
  readonly key_id: string;
  /** Counts the changes of the body. */
  readonly version: number;
  /** The server that renews the tokens, and until when no other one does, in ms of the database's clock. */
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A sign-in at a server or API that has begun. */
export interface ConnectionAttemptRow {
  /** Digest of its state. */
  readonly digest: string;
  readonly kind: "shared" | "own";
  /** Whose connection it makes; empty for a shared one. */
  readonly principal: string;
  /** Who began it. */
  readonly beginner: string;
  readonly server: string;
  readonly issuer: string;
  /** Digest of the cookie of the browser that began it. */
  readonly browser: string;
  /** Encrypted, as in {@link ConnectionRow}. */
  readonly body: string;
  readonly key_id: string;
  /** Milliseconds of the database's clock. */
  readonly expires_at: number;
}

/** The time of the newest row of the database when it was last looked at. */
export interface NewestRow {
  readonly at: string;
  /** From which row on the times are in doubt; null if they are not. */
  readonly since: string | null;
  /** The newest row before that. */
  readonly before: string | null;
}

/** All tables of the core, by name. Packs and features have their own. */
export interface Database {
  readonly ledger: LedgerRow;
  readonly newest_row: NewestRow;
  readonly api_keys: ApiKeyRow;
  readonly key_uses: KeyUseRow;
  readonly audit: AuditRow;
  readonly server_secrets: ServerSecretRow;
  readonly logins: LoginRow;
  readonly login_answers: LoginAnswerRow;
  readonly user_names: UserNameRow;
  readonly pack_versions: PackVersionRow;
  readonly jobs: JobRow;
  readonly server_drift: ServerDriftRow;
  readonly connections: ConnectionRow;
  readonly connection_attempts: ConnectionAttemptRow;
  readonly runs: RunRow;
  readonly approvals: ApprovalRow;
  readonly outcomes: OutcomeRow;
  readonly run_calls: RunCallRow;
  readonly run_deliveries: RunDeliveriesRow;
  readonly run_inner: RunInnerRow;
  readonly run_plans: RunPlanRow;
  /** On PostgreSQL only, as those after it. */
  readonly server_messages: MessageRow;
  readonly server_questions: QuestionRow;
  readonly server_replicas: ReplicaRow;
  readonly key_rates: KeyRateRow;
  readonly results: ResultRow;
  readonly result_chunks: ResultChunkRow;
}

/** A query builder over all tables. */
export type Queries = Kysely<Database>;

/** The queries of a transaction. The only cast; takes the transaction that `State.transaction` passes. */
export const queries = (tx: Transaction): Queries => tx as unknown as Queries;

/** Length of the part of a time that identifies its hour. */
export const HOUR_LENGTH = "2026-11-22T05".length;

/** A time as stored in rows. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The hour of a time, by which statistics are summed: `2026-11-22T05`. */
export const hourOf = (ms: number): string => iso(ms).slice(0, HOUR_LENGTH);
