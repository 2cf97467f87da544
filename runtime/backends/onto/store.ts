/** What every function of the backend works with, and how it becomes a handler. The handlers run inside `ctx.tx`. */

import type { Context, Handler } from "../../contract/handler.js";
import { type EdgeRow, type EntityRow, type EntityTable, type Queries, queries } from "../../state/schema.js";
import { invalid } from "../refusal.js";
import { notFound } from "./errors.js";
import { idError, type Origin, SYSTEM } from "./id.js";
import { type EdgeKind, PLURALS } from "./model.js";

/** One op at work: its queries, who calls, the time it happens at. */
export interface Store {
  readonly db: Queries;
  readonly ctx: Context;
  /** One time for everything that the op writes. */
  readonly now: string;
  newId(kind: EdgeKind | "edge"): string;
}

/** A function of the backend: the work of one op, on a store. */
export type Work<A, R> = (store: Store, args: A) => Promise<R>;

/** What dispatch gets: a handler whose effect commits with `ctx.tx`. */
export interface TransactionalHandler<A, R, P = never> {
  readonly run: Handler<A, R>;
  readonly plan?: Handler<A, P>;
  readonly transactional: true;
}

function storeOf(ctx: Context, origin: Origin): Store {
  if (!ctx.tx) throw new Error("onto ops are transactional: dispatch has to give them ctx.tx");
  return { db: queries(ctx.tx), ctx, now: origin.now().toISOString(), newId: origin.newId };
}

/** Makes handlers of works, with a clock and a source of ids. */
export const binder =
  (origin: Origin = SYSTEM) =>
  <A, R, P = never>(run: Work<A, R>, plan?: Work<A, P>): TransactionalHandler<A, R, P> => ({
    run: (args, ctx) => run(storeOf(ctx, origin), args),
    ...(plan ? { plan: (args: A, ctx: Context) => plan(storeOf(ctx, origin), args) } : {}),
    transactional: true,
  });

/** The table that holds a kind. */
export const tableOf = (kind: EdgeKind): EntityTable => PLURALS[kind];

/** The project of a row; a project is its own. */
export const projectOf = (kind: EdgeKind, row: EntityRow): string =>
  kind === "project" ? row.id : String(row["project_id"]);

/** Whether the caller's grant covers a project. */
export function covers({ ctx }: Store, projectId: string): boolean {
  const { projects } = ctx.principal.grant;
  return projects === "*" || projects.includes(projectId);
}

/** The projects that a query is bound to: the one named, those of the grant, or all. */
export function projectsInScope({ ctx }: Store, projectId?: string): "*" | readonly string[] {
  return projectId === undefined ? ctx.principal.grant.projects : [projectId];
}

/** The row of a kind, live or not, whoever may see it. */
export async function findRow({ db }: Store, kind: EdgeKind, id: string): Promise<EntityRow | undefined> {
  const row = await db.selectFrom(tableOf(kind)).selectAll().where("id", "=", id).executeTakeFirst();
  return row as EntityRow | undefined;
}

/**
 * The live row of a kind that the caller may see.
 *
 * @param path the argument that refers to the row, where it is not the op's own object
 * @throws ToolFailure NOT_FOUND; VALIDATION_ERROR `pattern` when the id is of another kind
 */
export async function getRow(store: Store, kind: EdgeKind, id: string, path?: string): Promise<EntityRow> {
  const wrong = idError(kind, id, path ?? `${kind}_id`);
  if (wrong) invalid([wrong]);
  const row = await findRow(store, kind, id);
  const at = path === undefined ? {} : { path };
  if (!row || !covers(store, projectOf(kind, row))) notFound(kind, id, at);
  if (row.deleted_at !== null) notFound(kind, id, { ...at, deleted_at: row.deleted_at });
  return row;
}

/** The project of an op, when it names one. */
export const getProject = (store: Store, id: string): Promise<EntityRow> => getRow(store, "project", id);

/** The live edge that the caller may see. @throws ToolFailure NOT_FOUND */
export async function getEdge(store: Store, id: string): Promise<EdgeRow> {
  const edge = await store.db.selectFrom("edges").selectAll().where("id", "=", id).executeTakeFirst();
  if (edge?.hidden !== 0 || !covers(store, edge.project_id)) notFound("edge", id);
  return edge;
}
