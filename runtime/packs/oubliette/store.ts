/**
 * The store of the pack `oubliette`: queries, new ids, pagination, the project of an object, and the common error for missing
 * objects.
 */

import { type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { fieldError, invalid } from "../../contract/error-body.js";
import { fail, type Transaction } from "../../contract/handler.js";
import { randomId } from "../../contract/ids.js";
import type { HostContext } from "../host.js";
import {
  type OublietteQueries,
  oublietteQueries,
  type ProjectRow,
  type SessionRow,
  type WorkspaceRow,
} from "./tables.js";

/** Kinds of stored objects, with their id prefixes. */
const PREFIXES = { project: "prj", workspace: "wsp", session: "ses" } as const;

/** A kind of stored object. */
export type ObjectKind = keyof typeof PREFIXES;

const KINDS = Object.keys(PREFIXES) as readonly ObjectKind[];

/** The context of one op. */
export interface Store {
  readonly db: OublietteQueries;
  readonly ctx: HostContext;
  /** The time of all writes of the op. */
  readonly now: string;
}

/** The store of a call, in the transaction of dispatch or another one. */
export function storeOf(ctx: HostContext, tx: Transaction | undefined = ctx.tx): Store {
  if (!tx) throw new Error("ops of oubliette are transactional: dispatch has to give them ctx.tx");
  return { db: oublietteQueries(tx), ctx, now: ctx.host.now().toISOString() };
}

const ID_LENGTH = 16;

/** A new id: 80 random bits. */
export const newId = (kind: ObjectKind): string => `${PREFIXES[kind]}_${randomId(ID_LENGTH)}`;

/** Id patterns by kind. */
export const idPatterns = Object.fromEntries(
  Object.entries(PREFIXES).map(([kind, prefix]) => [kind, `^${prefix}_[a-z2-7]{${ID_LENGTH}}$`]),
);

/** The kind of an id by its prefix. */
export const kindOfId = (id: string): ObjectKind | undefined =>
  KINDS.find((kind) => id.startsWith(`${PREFIXES[kind]}_`));

/** Whether the caller's grant covers a project. */
export const coversProject = ({ ctx }: Store, projectId: string): boolean => {
  const { projects } = ctx.principal.grant;
  return projects === "*" || projects.includes(projectId);
};

/**
 * Fails for an object that is missing, or in a project that the caller may not see, with the same error. @throws
 * ToolFailure NOT_FOUND
 */
export const notFound = (kind: ObjectKind, id: string): never => fail("NOT_FOUND", `No ${kind} ${id}.`, { kind, id });

/** Page of a list. */
export interface PageBounds {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Sort key of lists, newest first. */
interface Ordered {
  readonly id: string;
  readonly created_at: string;
}

const MARK = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z) (\w{1,40})$/;

/** Decodes a cursor. @throws ToolFailure VALIDATION_ERROR for an invalid cursor */
export function markOf(cursor: string): Ordered {
  const [, created_at, id] = MARK.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (created_at !== undefined && id !== undefined) return { created_at, id };
  return invalid([fieldError("cursor", "pattern", "cursor is not from this list", "next_cursor of a page", cursor)]);
}

/** A condition for the rows after a cursor. */
export function isAfter(cursor: string | undefined) {
  if (cursor === undefined) return sql<SqlBool>`1 = 1`;
  const { created_at, id } = markOf(cursor);
  return sql<SqlBool>`(created_at, id) < (${created_at}, ${id})`;
}

/** Builds a page from rows that include one more than requested. */
export function pageOfRows<T extends Ordered>(
  rows: readonly T[],
  limit: number,
): { readonly items: T[]; readonly next: { next_cursor?: string } } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || !last) return { items, next: {} };
  return { items, next: { next_cursor: Buffer.from(`${last.created_at} ${last.id}`).toString("base64url") } };
}

/**
 * How a write locks a row that it depends on, until its transaction ends: so that no other write may "change" it, or so that
 * it is not deleted ("keep") while something is added below it.
 */
export type RowLock = "change" | "keep";

const locking =
  (lock: RowLock | undefined) =>
  <D, T extends keyof D, R>(rows: SelectQueryBuilder<D, T, R>): SelectQueryBuilder<D, T, R> => {
    if (lock === undefined) return rows;
    return lock === "change" ? rows.forUpdate() : rows.forKeyShare();
  };

/** @throws ToolFailure NOT_FOUND */
export async function projectRow(store: Store, id: string, lock?: RowLock): Promise<ProjectRow> {
  const rows = store.db.selectFrom("oubliette_projects").selectAll().where("id", "=", id);
  const row = await rows.$call(locking(lock)).executeTakeFirst();
  return seen(store, "project", id, row, row?.id);
}

/** @throws ToolFailure NOT_FOUND */
export async function workspaceRow(store: Store, id: string, lock?: RowLock): Promise<WorkspaceRow> {
  const rows = store.db.selectFrom("oubliette_workspaces").selectAll().where("id", "=", id);
  const row = await rows.$call(locking(lock)).executeTakeFirst();
  return seen(store, "workspace", id, row, row?.project_id);
}

/** @throws ToolFailure NOT_FOUND */
export async function sessionRow(store: Store, id: string, lock?: RowLock): Promise<SessionRow> {
  const rows = store.db.selectFrom("oubliette_sessions").selectAll().where("id", "=", id);
  const row = await rows.$call(locking(lock)).executeTakeFirst();
  return seen(store, "session", id, row, row?.project_id);
}

const seen = <R>(store: Store, kind: ObjectKind, id: string, row: R | undefined, projectId: string | undefined): R =>
  row !== undefined && projectId !== undefined && coversProject(store, projectId) ? row : notFound(kind, id);

/** @param kind - empty for an id of any kind */
export async function projectOf(tx: Transaction, kind: string, id: string): Promise<string | undefined> {
  const found = kindOfId(id);
  return found && ["", found].includes(kind) ? LOOKUPS[found](tx, id) : undefined;
}

/** Whether a project exists. */
export const projectExists = async (tx: Transaction, id: string): Promise<boolean> =>
  (await projectOf(tx, "project", id)) !== undefined;

const owner =
  (table: "oubliette_workspaces" | "oubliette_sessions") =>
  async (tx: Transaction, id: string): Promise<string | undefined> =>
    (await oublietteQueries(tx).selectFrom(table).select("project_id").where("id", "=", id).executeTakeFirst())
      ?.project_id;

const LOOKUPS: Readonly<Record<ObjectKind, (tx: Transaction, id: string) => Promise<string | undefined>>> = {
  project: async (tx, id) =>
    (await oublietteQueries(tx).selectFrom("oubliette_projects").select("id").where("id", "=", id).executeTakeFirst())
      ?.id,
  workspace: owner("oubliette_workspaces"),
  session: owner("oubliette_sessions"),
};
