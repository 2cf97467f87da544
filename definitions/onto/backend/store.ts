/**
 * The store that every function of the backend uses, and the conversion of these functions to handlers, which run
 * inside `ctx.tx`.
 */

import { type Context, type Handler, invalid } from "toolwright/codegen";
import { notFound } from "./errors.js";
import { idError, type Origin, SYSTEM, seededIds } from "./id.js";
import { type EdgeKind, PLURALS } from "./model.js";
import { type EdgeRow, type EntityRow, type EntityTable, type Queries, queries } from "./schema.js";

/** The context of one op: queries, caller, and time. */
export interface Store {
  readonly db: Queries;
  readonly ctx: Context;
  /** The time of all writes of the op. */
  readonly now: string;
  newId(kind: EdgeKind | "edge"): string;
  /**
   * Present if the op writes: holds the project that it has locked. Writes of one project run one after another, because
   * its tree, its counts and the parents of its entities depend on what was read before; other projects do not wait.
   */
  readonly lock?: { projectId?: string };
}

/** A function of the backend: the work of one op. */
export type Work<A, R> = (store: Store, args: A) => Promise<R>;

/** A handler for dispatch, whose writes commit with `ctx.tx`. */
export interface TransactionalHandler<A, R, P = never> {
  readonly run: Handler<A, R>;
  readonly plan?: Handler<A, P>;
  readonly transactional: true;
}

function storeOf(ctx: Context, origin: Origin): Store {
  if (!ctx.tx) throw new Error("onto ops are transactional: dispatch has to give them ctx.tx");
  // Tests give ids of their own.
  const newId = ctx.seed === undefined || origin !== SYSTEM ? origin.newId : seededIds(ctx.seed);
  return { db: queries(ctx.tx), ctx, now: origin.now().toISOString(), newId };
}

/** Converts backend functions to handlers, with a clock and an id generator: those that read, and those that write. */
export const binder = (origin: Origin = SYSTEM) => ({
  reads: <A, R>(run: Work<A, R>): TransactionalHandler<A, R> => ({
    run: (args, ctx) => run(storeOf(ctx, origin), args),
    transactional: true,
  }),
  writes: <A, R, P = never>(run: Work<A, R>, plan?: Work<A, P>): TransactionalHandler<A, R, P> => ({
    run: (args, ctx) => run({ ...storeOf(ctx, origin), lock: {} }, args),
    ...(plan ? { plan: (args: A, ctx: Context) => plan(storeOf(ctx, origin), args) } : {}),
    transactional: true,
  }),
});

/** The table of a kind. */
export const tableOf = (kind: EdgeKind): EntityTable => `onto_${PLURALS[kind]}`;

/** The project of a row; a project belongs to itself. */
export const projectOf = (kind: EdgeKind, row: EntityRow): string =>
  kind === "project" ? row.id : String(row["project_id"]);

/** Whether the caller's grant covers a project. */
export function covers({ ctx }: Store, projectId: string): boolean {
  const { projects } = ctx.principal.grant;
  return projects === "*" || projects.includes(projectId);
}

/** The projects in scope of a query: the given one, those of the grant, or all. */
export function projectsInScope({ ctx }: Store, projectId?: string): "*" | readonly string[] {
  return projectId === undefined ? ctx.principal.grant.projects : [projectId];
}

/** The row of a kind, live or deleted, without an access check. */
export async function findRow({ db }: Store, kind: EdgeKind, id: string): Promise<EntityRow | undefined> {
  const row = await db.selectFrom(tableOf(kind)).selectAll().where("id", "=", id).executeTakeFirst();
  return row as EntityRow | undefined;
}

/**
 * Refuses a project that is deleted, or that the caller may not see, for an op that only reads.
 *
 * @throws ToolFailure as {@link getRow}
 */
export async function requireProject(store: Store, id: string): Promise<void> {
  refuseOtherKind("project", id);
  const live = store.db.selectFrom("onto_projects").select("deleted_at").where("id", "=", id);
  const found = await live.executeTakeFirst();
  if (!found || !covers(store, id)) notFound("project", id);
  if (found.deleted_at !== null) notFound("project", id, { deleted_at: found.deleted_at });
}

/** @param path - the argument that refers to the row */
function refuseOtherKind(kind: EdgeKind, id: string, path = `${kind}_id`): void {
  const wrong = idError(kind, id, path);
  if (wrong) invalid([wrong]);
}

/**
 * The live row of a kind that the caller may see.
 *
 * @param path - the argument that refers to the row, if it is not the op's own object
 * @throws ToolFailure NOT_FOUND; VALIDATION_ERROR `pattern` for an id of another kind
 */
export async function getRow(store: Store, kind: EdgeKind, id: string, path?: string): Promise<EntityRow> {
  refuseOtherKind(kind, id, path);
  const found = await findRow(store, kind, id);
  // Another write may have changed the row while this one waited for the project.
  const row = found && (await lockProject(store, projectOf(kind, found))) ? await findRow(store, kind, id) : found;
  const at = path === undefined ? {} : { path };
  if (!row || !covers(store, projectOf(kind, row))) notFound(kind, id, at);
  if (row.deleted_at !== null) notFound(kind, id, { ...at, deleted_at: row.deleted_at });
  return row;
}

/**
 * Locks the project of a write, the first one that it names: a link into another project is refused anyway, and two
 * writes that each lock two projects could wait for each other.
 *
 * @returns whether the project was locked now, so that what was read before may be out of date
 */
async function lockProject({ db, lock }: Store, projectId: string): Promise<boolean> {
  if (!lock || lock.projectId !== undefined) return false;
  lock.projectId = projectId;
  await db.selectFrom("onto_projects").select("id").where("id", "=", projectId).forNoKeyUpdate().execute();
  return true;
}

/** The project of an op. */
export const getProject = (store: Store, id: string): Promise<EntityRow> => getRow(store, "project", id);

/** The live edge, if the caller may see it. @throws ToolFailure NOT_FOUND */
export async function getEdge(store: Store, id: string): Promise<EdgeRow> {
  const find = () => store.db.selectFrom("onto_edges").selectAll().where("id", "=", id).executeTakeFirst();
  const found = await find();
  const edge = found && (await lockProject(store, found.project_id)) ? await find() : found;
  if (edge?.hidden !== 0 || !covers(store, edge.project_id)) notFound("edge", id);
  return edge;
}
