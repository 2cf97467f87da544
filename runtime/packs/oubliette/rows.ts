/** Rows of the pack `oubliette` by id, as far as the caller may see them. */

import { covers, type Kind, notFound, type Store } from "./store.js";
import type { ProjectRow, SessionRow, WorkspaceRow } from "./tables.js";

/** @throws ToolFailure NOT_FOUND */
export async function projectRow(store: Store, id: string): Promise<ProjectRow> {
  const row = await store.db.selectFrom("oubliette_projects").selectAll().where("id", "=", id).executeTakeFirst();
  return seen(store, "project", id, row, row?.id);
}

/** @throws ToolFailure NOT_FOUND */
export async function workspaceRow(store: Store, id: string): Promise<WorkspaceRow> {
  const row = await store.db.selectFrom("oubliette_workspaces").selectAll().where("id", "=", id).executeTakeFirst();
  return seen(store, "workspace", id, row, row?.project_id);
}

/** @throws ToolFailure NOT_FOUND */
export async function sessionRow(store: Store, id: string): Promise<SessionRow> {
  const row = await store.db.selectFrom("oubliette_sessions").selectAll().where("id", "=", id).executeTakeFirst();
  return seen(store, "session", id, row, row?.project_id);
}

const seen = <R>(store: Store, kind: Kind, id: string, row: R | undefined, projectId: string | undefined): R =>
  row !== undefined && projectId !== undefined && covers(store, projectId) ? row : notFound(kind, id);
