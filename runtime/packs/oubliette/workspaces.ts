/** The ops `oubliette.workspace.*`. */

import type { HostContext } from "../host.js";
import { isAfter, newId, type PageBounds, pageOfRows, projectRow, storeOf, workspaceRow } from "./store.js";
import type * as T from "./types.js";

/** `oubliette.workspace.create`. */
export async function createWorkspace(
  { project_id, name }: T.ProjectId & T.Name,
  ctx: HostContext,
): Promise<T.Workspace> {
  const store = storeOf(ctx);
  await projectRow(store, project_id, "keep");
  const workspace = { id: newId("workspace"), project_id, name, created_at: store.now };
  await store.db.insertInto("oubliette_workspaces").values(workspace).execute();
  return workspace;
}

/** `oubliette.workspace.list`. */
export async function listWorkspaces(
  { project_id, limit, cursor }: T.ProjectId & PageBounds,
  ctx: HostContext,
): Promise<T.WorkspaceList> {
  const store = storeOf(ctx);
  await projectRow(store, project_id);
  const rows = await store.db
    .selectFrom("oubliette_workspaces")
    .selectAll()
    .where("project_id", "=", project_id)
    .where(isAfter(cursor))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { items, next } = pageOfRows(rows, limit);
  return { workspaces: items, ...next };
}

/** `oubliette.workspace.delete`: its sessions are kept without a workspace. */
export async function deleteWorkspace({ workspace_id }: T.WorkspaceId, ctx: HostContext): Promise<T.WorkspaceGone> {
  const store = storeOf(ctx);
  // Rows are locked from the project downwards, so that no two writes wait for each other.
  await projectRow(store, (await workspaceRow(store, workspace_id)).project_id, "keep");
  const { id } = await workspaceRow(store, workspace_id, "change");
  const detached = await store.db
    .updateTable("oubliette_sessions")
    .set({ workspace_id: null })
    .where("workspace_id", "=", id)
    .executeTakeFirst();
  await store.db.deleteFrom("oubliette_workspaces").where("id", "=", id).execute();
  return { id, sessions_detached: Number(detached.numUpdatedRows) };
}
