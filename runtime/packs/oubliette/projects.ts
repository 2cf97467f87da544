/** The ops `oubliette.project.*`. */

import { type SqlBool, sql } from "kysely";
import { askKeys } from "../../access/admission.js";
import { fieldError, invalid } from "../../contract/error-body.js";
import { fail, type Transaction } from "../../contract/handler.js";
import { isUniqueViolation } from "../../state/failure.js";
import type { HostContext } from "../host.js";
import { idPatterns, isAfter, newId, type PageBounds, pageOfRows, projectRow, type Store, storeOf } from "./store.js";
import { TABLES } from "./tables.js";
import type * as T from "./types.js";

/** `oubliette.project.create`. */
export async function createProject(
  { name, description = "" }: T.Name & T.Description,
  ctx: HostContext,
): Promise<T.OublietteProject> {
  const { db, now } = storeOf(ctx);
  const project = { id: newId("project"), name, description, created_at: now, updated_at: now };
  const made = await db
    .insertInto("oubliette_projects")
    .values(project)
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return Number(made.numInsertedOrUpdatedRows ?? 0) === 1 ? project : taken(name);
}

const taken = (name: string): never =>
  fail("CONFLICT", `There is a project ${name} already. Choose another name.`, { name });

/** `oubliette.project.list`. */
export async function listProjects(
  { name_contains = "", limit, cursor }: T.ProjectQuery & PageBounds,
  ctx: HostContext,
): Promise<T.ProjectList> {
  const { db } = storeOf(ctx);
  const { projects } = ctx.principal.grant;
  // Only ASCII letters are case-insensitive, since both databases agree on those.
  const part = name_contains.replace(/[\\%_]/g, "\\$&").replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const named = db
    .selectFrom("oubliette_projects")
    .selectAll()
    .where(({ fn }) => sql<SqlBool>`${fn("lower", ["name"])} like ${`%${part}%`} escape '\\'`)
    .where(isAfter(cursor));
  const own = projects === "*" ? named : named.where("id", "in", [...projects, ""]);
  const rows = await own
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { items, next } = pageOfRows(rows, limit);
  return { projects: items, ...next };
}

/** `oubliette.project.options`. */
export const OPTIONS: T.Options = {
  scopes: ["admin", "write", "read", "admin:ro", "project:ID", "project:ID:ro"],
  limits: {
    list_limit: 200,
    name_characters: 80,
    title_characters: 200,
    description_characters: 2000,
    message_bytes: 65_536,
    key_days: 3650,
  },
  id_patterns: idPatterns,
};

/** `oubliette.project.get`. */
export async function getProject({ project_id }: T.ProjectId, ctx: HostContext): Promise<T.ProjectInFull> {
  const store = storeOf(ctx);
  const project = await projectRow(store, project_id);
  return {
    ...project,
    open_sessions: await open(store, project_id),
    workspaces: (await inside(store, project_id)).workspaces,
  };
}

const sessionsOf = ({ db }: Store, projectId: string) =>
  db.selectFrom("oubliette_sessions").where("project_id", "=", projectId);

async function open(store: Store, projectId: string): Promise<number> {
  const sessions = sessionsOf(store, projectId).where("status", "=", "open");
  return Number((await sessions.select(({ fn }) => fn.countAll().as("count")).executeTakeFirstOrThrow()).count);
}

/** `oubliette.project.update`. */
export async function updateProject(
  { project_id, ...change }: T.ProjectId & Partial<T.Name> & T.Description,
  ctx: HostContext,
): Promise<T.OublietteProject> {
  const store = storeOf(ctx);
  const project = await projectRow(store, project_id, "change");
  const { name = project.name } = change;
  if (Object.keys(change).length === 0)
    invalid([
      fieldError("", "at_least_one_change", "there is nothing to change", "at least one of name, description", ""),
    ]);
  const { db, now } = store;
  const other = db.selectFrom("oubliette_projects").select("id").where("name", "=", name).where("id", "<>", project_id);
  if (await other.executeTakeFirst()) taken(name);
  await db
    .updateTable("oubliette_projects")
    .set({ ...change, updated_at: now })
    .where("id", "=", project_id)
    .execute()
    // Another write may take the name meanwhile.
    .catch((error: unknown) => (isUniqueViolation(error) ? taken(name) : Promise.reject(error)));
  return { ...project, ...change, updated_at: now };
}

/** Counts what deleting a project would also delete. */
async function inside(store: Store, projectId: string): Promise<Omit<T.Deleted["deleted"], "keys">> {
  const { db } = store;
  const { fn } = db;
  const of = (table: "oubliette_sessions" | "oubliette_workspaces") =>
    db
      .selectFrom(table)
      .where("project_id", "=", projectId)
      .select(fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
  const events = sessionsOf(store, projectId).select(fn.sum("last_index").as("count")).executeTakeFirstOrThrow();
  const [sessions, workspaces, all] = [await of("oubliette_sessions"), await of("oubliette_workspaces"), await events];
  return { sessions: Number(sessions.count), workspaces: Number(workspaces.count), events: Number(all.count ?? 0) };
}

/** The preview of `oubliette.project.delete`. */
export const planDeletion = ({ project_id }: T.ProjectId, ctx: HostContext): Promise<T.Deleted> =>
  deletion(project_id, ctx, "read", async () => undefined);

/**
 * `oubliette.project.delete`: deletes the rows in one transaction, then revokes the keys, which have no access without
 * them.
 *
 * A key that deletes its own project is revoked last and without waiting, since its calls end with it.
 */
export async function deleteProject({ project_id }: T.ProjectId, ctx: HostContext): Promise<T.Deleted> {
  const answer = await deletion(project_id, ctx, "write", async ({ db }) => {
    await db.deleteFrom("oubliette_projects").where("id", "=", project_id).execute();
  });
  const { principal, host, log } = ctx;
  const keys = await keysOf(project_id, ctx);
  for (const key of keys.filter((one) => one !== principal.id)) await askKeys(host.keys.revoke(key));
  if (keys.includes(principal.id))
    host.keys.revoke(principal.id).catch((error: unknown) => log.warn("key not revoked", { error: String(error) }));
  return answer;
}

async function deletion(
  projectId: string,
  ctx: HostContext,
  mode: "read" | "write",
  remove: (store: Store) => Promise<void>,
): Promise<T.Deleted> {
  const keys = (await keysOf(projectId, ctx)).length;
  return ctx.host.transaction({ principal: ctx.principal, tables: TABLES }, mode, async (tx: Transaction) => {
    const store = storeOf(ctx, tx);
    const { id } = await projectRow(store, projectId, mode === "write" ? "change" : undefined);
    // No message is added between the count and the deletion.
    if (mode === "write") await sessionsOf(store, id).select("id").orderBy("id").forUpdate().execute();
    const deleted = await inside(store, id);
    await remove(store);
    return { id, deleted: { ...deleted, keys } };
  });
}

/** Ids of the live keys for this project alone. */
async function keysOf(projectId: string, { host }: HostContext): Promise<readonly string[]> {
  const scopes = [`project:${projectId}`, `project:${projectId}:ro`];
  const keys = await askKeys(host.keys.list());
  return keys.filter(({ scope, state }) => state === "live" && scopes.includes(scope)).map(({ key_id }) => key_id);
}
