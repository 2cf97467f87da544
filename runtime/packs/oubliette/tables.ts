/** The tables of the pack `oubliette`, as statements and as types. */

import type { Kysely } from "kysely";
import type { Transaction } from "../../contract/handler.js";
import { type ColumnTypes, defineTables, type Tables } from "../../contract/tables.js";

/** Projects, workspaces, sessions and their events; deleting a project deletes its contents. */
const createTables = ({ text, clustered }: ColumnTypes): readonly string[] => {
  const of = (table: string, end: string) => `references oubliette_${table} (id) on delete ${end}`;
  const owned = `id ${text} primary key, project_id ${text} not null ${of("projects", "cascade")}`;
  const order = "(project_id, created_at desc, id desc)";
  return [
    `create table oubliette_projects (id ${text} primary key, name ${text} not null unique, description ${text} not null, created_at ${text} not null, updated_at ${text} not null)`,
    "create index oubliette_projects_recent on oubliette_projects (created_at desc, id desc)",
    `create table oubliette_workspaces (${owned}, name ${text} not null, created_at ${text} not null)`,
    `create index oubliette_workspaces_recent on oubliette_workspaces ${order}`,
    `create table oubliette_sessions (${owned}, workspace_id ${text} ${of("workspaces", "set null")}, title ${text} not null, status ${text} not null check (status in ('open', 'ended')), created_at ${text} not null, ended_at ${text}, last_index integer not null)`,
    `create index oubliette_sessions_recent on oubliette_sessions ${order}`,
    "create index oubliette_sessions_workspace on oubliette_sessions (workspace_id)",
    `create table oubliette_events (session_id ${text} not null ${of("sessions", "cascade")}, event_index integer not null, at ${text} not null, type ${text} not null, role ${text} not null, text ${text} not null, primary key (session_id, event_index))${clustered}`,
  ];
};

/** The tables by version. */
export const TABLES: Tables = defineTables({
  name: "oubliette",
  concurrent: true,
  versions: [{ version: 1, statements: createTables }],
});

/** A project of the pack `oubliette`. Times are ISO 8601 in UTC. */
export interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A workspace in a project of `oubliette`. */
export interface WorkspaceRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly created_at: string;
}

/** A session in a project of `oubliette`; `last_index` counts its events. */
export interface SessionRow {
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
export interface EventRow {
  readonly session_id: string;
  readonly event_index: number;
  readonly at: string;
  readonly type: "message";
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** A query builder over the tables. */
export type OublietteQueries = Kysely<{
  readonly oubliette_projects: ProjectRow;
  readonly oubliette_workspaces: WorkspaceRow;
  readonly oubliette_sessions: SessionRow;
  readonly oubliette_events: EventRow;
}>;

/** The queries of a transaction. */
export const oublietteQueries = (tx: Transaction): OublietteQueries => tx as unknown as OublietteQueries;
