/** The migrations of the state database, in order. A released migration is never edited: add another one. */

import { type ColumnTypes, columnTypes, type Dialect } from "../contract/tables.js";

/** One migration: version, display name, and the statements for a dialect. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  statements(dialect: Dialect): readonly string[];
}

const ledgerTables = ({ text }: ColumnTypes): readonly string[] => [
  `create table ledger (caller ${text} not null, op ${text} not null, key ${text} not null, args_hash ${text} not null, status ${text} not null check (status in ('pending', 'succeeded')), envelope ${text}, owner ${text} not null, lease_until ${text} not null, created_at ${text} not null, expires_at ${text} not null, primary key (caller, op, key))`,
  "create index ledger_expiry on ledger (expires_at)",
];

const statTables = ({ text, sequence, clustered }: ColumnTypes): readonly string[] => [
  `create table stat_calls (seq ${sequence}, at ${text} not null, op ${text} not null, code ${text} not null, duration_ms double precision not null, chars_in bigint not null, chars_out bigint not null, calls integer not null, trace_id ${text} not null, caller ${text} not null, client ${text} not null)`,
  "create index stat_calls_at on stat_calls (at)",
  `create table stat_hours (hour ${text} not null, op ${text} not null, calls bigint not null, errors bigint not null, chars_in bigint not null, chars_out bigint not null, duration_ms double precision not null, first_at ${text} not null, last_at ${text} not null, buckets ${text} not null, primary key (hour, op))${clustered}`,
  `create table stat_counters (hour ${text} not null, name ${text} not null, value double precision not null, primary key (hour, name))${clustered}`,
];

/** Calls and runs by client; earlier records are counted into it. */
const clientTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table stat_clients (hour ${text} not null, client ${text} not null, op ${text} not null, calls bigint not null, errors bigint not null, primary key (hour, client, op))${clustered}`,
  "insert into stat_clients select substr(at, 1, 13), client, op, count(*), sum(case when code = '' then 0 else 1 end) from stat_calls group by 1, 2, 3",
];

/**
 * Index for sums by op: SQLite reads them in order from an index that covers all columns instead of sorting;
 * PostgreSQL hashes.
 */
const opIndex = (dialect: Dialect): readonly string[] =>
  dialect === "sqlite"
    ? ["create index stat_hours_op on stat_hours (op, hour, calls, errors, chars_in, chars_out, duration_ms)"]
    : [];

/**
 * API keys of servers that share a database, last uses of keys from any store, and the audit of refusals and admin
 * calls.
 */
const accessTables = ({ text, sequence, clustered }: ColumnTypes): readonly string[] => [
  `create table api_keys (key_id ${text} primary key, name ${text} not null, scope ${text} not null, access ${text} not null, digest ${text} not null, created_at ${text} not null, created_by ${text} not null, expires_at ${text}, revoked_at ${text})${clustered}`,
  `create table key_uses (key_id ${text} primary key, last_used_at ${text} not null)${clustered}`,
  `create table audit (seq ${sequence}, at ${text} not null, key_id ${text} not null, op ${text} not null, code ${text} not null, trace_id ${text} not null)`,
  "create index audit_at on audit (at)",
];

const secretTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table server_secrets (name ${text} primary key, value ${text} not null)${clustered}`,
];

/** Logins of the console: all instances recognise a cookie by its digest. */
const loginTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table logins (digest ${text} primary key, key_id ${text} not null, expires_at ${text} not null)${clustered}`,
  "create index logins_expiry on logins (expires_at)",
];

/** Versions of the tables of packs. */
const packVersions = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table pack_versions (pack ${text} not null, version integer not null, applied_at ${text} not null, primary key (pack, version))${clustered}`,
  ...FORMER.map(
    ({ version, name, pack }) =>
      `insert into pack_versions select '${pack}', 1, applied_at from migrations where version = ${version} and name = '${name}'`,
  ),
];

/**
 * Migrations that created the tables of packs, under the names that databases have recorded. Such a database keeps these
 * tables, as version 1 of the pack. Newer databases get them from the pack.
 */
const FORMER = [
  { version: 1, name: "ontology and ledger", pack: "onto" },
  { version: 6, name: "oubliette", pack: "oubliette" },
] as const;

/** The longest duration of each hour, by which percentiles are bounded; unknown for earlier hours. */
const longestDuration = (): readonly string[] => ["alter table stat_hours add column longest_ms double precision"];

/** The address of the client; earlier entries, and those of other transports than HTTP, have none. */
const auditAddress = ({ text }: ColumnTypes): readonly string[] => [
  `alter table audit add column address ${text} not null default ''`,
];

/**
 * What servers on one PostgreSQL share from moment to moment: messages, buckets of rates, pending questions, and the
 * servers themselves. Unlogged: a crash of the database empties these tables, and nothing of them outlives it. A SQLite
 * database belongs to one server, which keeps all of this in its memory.
 */
const sharedTables = (dialect: Dialect): readonly string[] => {
  if (dialect === "sqlite") return [];
  const { text } = columnTypes(dialect);
  return [
    `create unlogged table server_messages (id ${text} primary key, topic ${text} not null, receiver ${text} not null, payload ${text} not null, at timestamptz not null)`,
    "create index server_messages_at on server_messages (at)",
    `create unlogged table server_questions (id ${text} primary key, asker ${text} not null, is_answered boolean not null, expires_at timestamptz not null)`,
    `create unlogged table server_replicas (id ${text} primary key, name ${text} not null, version ${text} not null, digest ${text} not null, pool integer not null, seen_at timestamptz not null)`,
    `create unlogged table key_rates (key_id ${text} primary key, calls_left double precision not null, granted double precision not null, at timestamptz not null, leased_until timestamptz not null) with (fillfactor = 50)`,
  ];
};

/**
 * Jobs, and what the latest reading of each scheduled server has found. Times are milliseconds since the epoch, of the
 * database's clock.
 */
const jobTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table jobs (id ${text} primary key, kind ${text} not null, unique_key ${text}, payload ${text} not null, every_ms bigint, run_at bigint not null, attempts integer not null, max_attempts integer not null, owner ${text}, lease_until bigint, fence bigint not null, last_error ${text}, dead_at bigint, unique (kind, unique_key))`,
  "create index jobs_due on jobs (run_at) where dead_at is null",
  "create index jobs_leased on jobs (lease_until) where lease_until is not null",
  `create table server_drift (server ${text} primary key, checked_at bigint not null, findings ${text} not null)${clustered}`,
];

/**
 * Large results of runs, which any server on one PostgreSQL gives back. The text is in chunks of gzip. A SQLite database
 * belongs to one machine, which keeps large results as files.
 */
const resultTables = (dialect: Dialect): readonly string[] => {
  if (dialect === "sqlite") return [];
  const { text } = columnTypes(dialect);
  return [
    `create table results (handle ${text} primary key, caller ${text} not null, op ${text} not null, created_at timestamptz not null, expires_at timestamptz not null, total_lines integer not null, size_bytes bigint not null, is_sanitized boolean not null)`,
    "create index results_expiry on results (expires_at)",
    "create index results_caller on results (caller)",
    `create table result_chunks (handle ${text} not null references results (handle) on delete cascade, seq integer not null, gz bytea not null, primary key (handle, seq))`,
    // A chunk is compressed already.
    "alter table result_chunks alter column gz set storage external",
  ];
};

/** What results of ops look like, as JSON without values: a row for each op and digest of its input. */
const learnedTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table learned (op ${text} not null, digest ${text} not null, body ${text} not null, updated_at ${text} not null, primary key (op, digest))${clustered}`,
  "create index learned_updated on learned (updated_at)",
];

/** Words by which callers looked for ops: words as hashes until several queries held them, callers as hashes. */
const helpWords = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table help_words (op ${text} not null, stem_key ${text} not null, stem ${text}, caller_key ${text} not null, day ${text} not null, count integer not null, primary key (op, stem_key, caller_key, day))${clustered}`,
  "create index help_words_caller on help_words (caller_key, day)",
  "create index help_words_day on help_words (day)",
];

/**
 * What a user who logged in through an identity provider may do, as JSON; null for a key. An answer of a provider is
 * taken once: its digest stays until it could no longer be taken anyway.
 */
const userLogins = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `alter table logins add column granted ${text}`,
  `create table login_answers (digest ${text} primary key, expires_at ${text} not null)${clustered}`,
];

/** Connections to servers and APIs, encrypted. `lease_until` is in milliseconds of the database's clock. */
const connectionTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table connections (kind ${text} not null, principal ${text} not null, server ${text} not null, issuer ${text} not null, body ${text} not null, key_id ${text} not null, version integer not null, lease_owner ${text}, lease_until bigint, created_at ${text} not null, updated_at ${text} not null, primary key (kind, principal, server, issuer))${clustered}`,
  `create table connection_attempts (digest ${text} primary key, kind ${text} not null, principal ${text} not null, beginner ${text} not null, server ${text} not null, issuer ${text} not null, browser ${text} not null, body ${text} not null, key_id ${text} not null, expires_at bigint not null)${clustered}`,
];

/** Runs of programs that have written something: with them, any server goes on with a run whose server has ended. */
const runTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table runs (id ${text} primary key, caller ${text} not null, principal ${text} not null, command ${text} not null, code_hash ${text} not null, engine ${text} not null, origin ${text} not null, record ${text} not null, status ${text} not null, epoch integer not null, lease_until ${text} not null, answer ${text}, created_at ${text} not null, expires_at ${text} not null)${clustered}`,
  "create index runs_expiry on runs (expires_at)",
  `create table run_calls (run_id ${text} not null, ordinal integer not null, asked ${text} not null, op ${text} not null, answer ${text}, expires_at ${text} not null, primary key (run_id, ordinal))${clustered}`,
  "create index run_calls_expiry on run_calls (expires_at)",
  `create table run_deliveries (run_id ${text} not null, seq integer not null, body ${text} not null, expires_at ${text} not null, primary key (run_id, seq))${clustered}`,
  "create index run_deliveries_expiry on run_deliveries (expires_at)",
];

/** Calls of runs that wait for the approval of a person. */
const approvalTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table approvals (run_id ${text} not null, place ${text} not null, op ${text} not null, args ${text} not null, args_hash ${text} not null, status ${text} not null, asked_at ${text} not null, decided_by ${text}, decided_at ${text}, reason ${text}, expires_at ${text} not null, kept_until ${text} not null, primary key (run_id, place))${clustered}`,
  "create index approvals_kept on approvals (kept_until)",
];

/** Under which rule a call waits, and where a person may decide: words with spaces between them. */
const approvalRules = ({ text }: ColumnTypes): readonly string[] => [
  `alter table approvals add column rule ${text} not null default ''`,
  `alter table approvals add column rule_hash ${text} not null default ''`,
  `alter table approvals add column deciders ${text} not null default 'console cli'`,
];

/** Why a run goes on only if somebody asks for it; and the runs that are under way, or wait. */
const haltedRuns = ({ text }: ColumnTypes): readonly string[] => [
  `alter table runs add column halted ${text}`,
  "create index runs_open on runs (lease_until) where status = 'running'",
];

/** Writes of runs with an unknown outcome. */
const outcomeTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table outcomes (run_id ${text} not null, place ${text} not null, op ${text} not null, args ${text} not null, status ${text} not null, asked_at ${text} not null, decided_by ${text}, decided_at ${text}, reason ${text}, expires_at ${text} not null, kept_until ${text} not null, primary key (run_id, place))${clustered}`,
  "create index outcomes_kept on outcomes (kept_until)",
];

/** Plans of runs that are held to them, and what was planned in the place of a call that waits. */
const planTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table run_plans (run_id ${text} primary key, body ${text} not null, progress ${text}, expires_at ${text} not null)${clustered}`,
  "create index run_plans_expiry on run_plans (expires_at)",
  `alter table approvals add column planned ${text}`,
];

/** What the programs of tools that a run calls have received: a row for each part that was stored. */
const innerTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table run_inner (run_id ${text} not null, place ${text} not null, seq integer not null, body ${text} not null, expires_at ${text} not null, primary key (run_id, place, seq))${clustered}`,
  "create index run_inner_expiry on run_inner (expires_at)",
];

/** Which run has gone on after a failed one. */
const runsAfter = ({ text }: ColumnTypes): readonly string[] => [`alter table runs add column next_run ${text}`];

/** Families of keys; the family of an earlier key is that of its maker. */
const keyFamilies = ({ text }: ColumnTypes): readonly string[] => [`alter table api_keys add column family ${text}`];

/** What is known of the newest row, in one row; the time of a new database is when it was made. */
const newestRow = (dialect: Dialect): readonly string[] => {
  const { text } = columnTypes(dialect);
  const now =
    dialect === "sqlite"
      ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
      : `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return [
    `create table newest_row (at ${text} not null primary key, since ${text}, before ${text})`,
    `insert into newest_row (at) select coalesce(max(at), ${now}) from (select max(at) as at from stat_calls union all select max(at) from audit union all select max(created_at) from ledger union all select max(created_at) from runs union all select max(asked_at) from approvals) as times`,
  ];
};

/** Names of users who have signed in at the console. */
const userNameTable = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table user_names (id ${text} primary key, name ${text} not null, expires_at ${text} not null)${clustered}`,
  "create index user_names_expiry on user_names (expires_at)",
];

/** All migrations, ascending. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "ledger", statements: (dialect) => ledgerTables(columnTypes(dialect)) },
  { version: 2, name: "statistics", statements: (dialect) => statTables(columnTypes(dialect)) },
  { version: 3, name: "statistics by client", statements: (dialect) => clientTables(columnTypes(dialect)) },
  { version: 4, name: "statistics by op", statements: opIndex },
  { version: 5, name: "keys and audit", statements: (dialect) => accessTables(columnTypes(dialect)) },
  { version: 6, name: "moved to the pack oubliette", statements: () => [] },
  { version: 7, name: "secrets of the server", statements: (dialect) => secretTables(columnTypes(dialect)) },
  { version: 8, name: "logins", statements: (dialect) => loginTables(columnTypes(dialect)) },
  { version: 9, name: "versions of pack tables", statements: (dialect) => packVersions(columnTypes(dialect)) },
  { version: 10, name: "longest durations", statements: longestDuration },
  { version: 11, name: "addresses in the audit", statements: (dialect) => auditAddress(columnTypes(dialect)) },
  { version: 12, name: "shared by servers", statements: sharedTables },
  { version: 13, name: "jobs", statements: (dialect) => jobTables(columnTypes(dialect)) },
  { version: 14, name: "large results", statements: resultTables },
  { version: 15, name: "learned types", statements: (dialect) => learnedTable(columnTypes(dialect)) },
  { version: 16, name: "logins of users", statements: (dialect) => userLogins(columnTypes(dialect)) },
  { version: 17, name: "connections", statements: (dialect) => connectionTable(columnTypes(dialect)) },
  { version: 18, name: "runs", statements: (dialect) => runTables(columnTypes(dialect)) },
  { version: 19, name: "approvals", statements: (dialect) => approvalTable(columnTypes(dialect)) },
  { version: 20, name: "rules of approvals", statements: (dialect) => approvalRules(columnTypes(dialect)) },
  { version: 21, name: "halted runs", statements: (dialect) => haltedRuns(columnTypes(dialect)) },
  { version: 22, name: "unknown outcomes", statements: (dialect) => outcomeTable(columnTypes(dialect)) },
  { version: 23, name: "plans of runs", statements: (dialect) => planTable(columnTypes(dialect)) },
  { version: 24, name: "programs of tools", statements: (dialect) => innerTable(columnTypes(dialect)) },
  { version: 25, name: "families of keys", statements: (dialect) => keyFamilies(columnTypes(dialect)) },
  { version: 26, name: "time of the newest row", statements: newestRow },
  { version: 27, name: "words of help", statements: (dialect) => helpWords(columnTypes(dialect)) },
  { version: 28, name: "runs after failed runs", statements: (dialect) => runsAfter(columnTypes(dialect)) },
  { version: 29, name: "names of users", statements: (dialect) => userNameTable(columnTypes(dialect)) },
];
