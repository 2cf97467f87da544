/** Writes entities: updates the row, its log, its index and its counts together. No other module writes them. */

import { fail } from "toolwright/codegen";
import { changedSince, logChange } from "./log.js";
import type { EdgeKind } from "./model.js";
import { stateTime } from "./read-fields.js";
import { propsOf } from "./render.js";
import type { EntityRow, Value } from "./schema.js";
import { addToIndex, changeInIndex, removeFromIndex } from "./search-index.js";
import { type Store, tableOf } from "./store.js";

/** Column values by name. */
export type Values = Readonly<Record<string, Value>>;

const EMPTY_TREE = '{"version":0,"root":[]}';

/** Columns of a project that are derived from its props. */
function facetColumns(props: string): Values {
  const { facets } = propsOf({ props });
  const facet = (name: string): Value => {
    const value = typeof facets === "object" && facets !== null ? (facets as Record<string, unknown>)[name] : undefined;
    return typeof value === "string" ? value : null;
  };
  return { facet_context: facet("context"), facet_scale: facet("scale"), facet_stage: facet("stage") };
}

function derived(kind: EdgeKind, before: EntityRow | undefined, values: Values, now: string): Values {
  const facets = kind === "project" && typeof values["props"] === "string" ? facetColumns(values["props"]) : {};
  return { ...facets, ...stateTime(kind, before?.["state_key"], values["state_key"], now) };
}

/** Inserts an entity of a project (for a project: of itself) and returns its row. */
export async function insertEntity(
  store: Store,
  kind: EdgeKind,
  projectId: string,
  values: Values,
): Promise<EntityRow> {
  const owner = kind === "project" ? { tree: EMPTY_TREE, tree_version: 0 } : { project_id: projectId };
  const row = {
    ...values,
    ...derived(kind, undefined, values, store.now),
    ...owner,
    id: kind === "project" ? projectId : store.newId(kind),
    props: String(values["props"] ?? "{}"),
    version: 1,
    created_by: store.ctx.principal.id,
    created_at: store.now,
    updated_at: store.now,
    deleted_at: null,
  };
  await store.db.insertInto(tableOf(kind)).values(row).execute();
  await logChange(store, { kind, id: row.id, op: "create", version: 1, before: null, after: row });
  await addToIndex(store, kind, row);
  return row;
}

/**
 * Checks the version that the caller has read. @throws ToolFailure CONFLICT with both versions and the changes since
 */
export async function expectVersion(store: Store, row: EntityRow, expected: number | undefined): Promise<void> {
  if (expected === undefined || expected === row.version) return;
  fail("CONFLICT", `${row.id} has version ${row.version}, not ${expected}. Read it again.`, {
    expected_version: expected,
    current_version: row.version,
    changed_fields: await changedSince(store, row.id, expected),
  });
}

/**
 * Updates an entity; values equal to the stored ones are ignored.
 *
 * @param also - names of changes outside the row (links) that raise the version as well
 * @returns the current row, and the names of the changes
 */
export async function updateEntity(
  store: Store,
  kind: EdgeKind,
  row: EntityRow,
  values: Values,
  also: readonly string[] = [],
): Promise<{ readonly row: EntityRow; readonly changed: readonly string[] }> {
  const names = Object.keys(values).filter((name) => values[name] !== row[name]);
  const changed = [...names, ...also];
  if (changed.length === 0) return { row, changed };
  const own = Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  const set = {
    ...own,
    ...derived(kind, row, own, store.now),
    version: row.version + 1,
    updated_at: store.now,
  };
  await store.db.updateTable(tableOf(kind)).set(set).where("id", "=", row.id).execute();
  const after: EntityRow = { ...row, ...set };
  const before = Object.fromEntries(names.map((name) => [name, row[name]]));
  const { id, version } = after;
  await logChange(store, {
    kind,
    id,
    op: "update",
    version,
    before,
    after: { ...own, ...Object.fromEntries(also.map((name) => [name, true])) },
  });
  await changeInIndex(store, kind, row, after);
  return { row: after, changed };
}

/** Deletes an entity softly: removes it from lists, search, tree and graph, and hides its edges. */
export async function removeEntity(store: Store, kind: EdgeKind, row: EntityRow): Promise<void> {
  const version = row.version + 1;
  const { id } = row;
  const set = { deleted_at: store.now, updated_at: store.now, version };
  await store.db.updateTable(tableOf(kind)).set(set).where("id", "=", id).execute();
  await store.db.updateTable("onto_edges").set({ hidden: 1 }).where("src_id", "=", id).execute();
  await store.db.updateTable("onto_edges").set({ hidden: 1 }).where("dst_id", "=", id).execute();
  await logChange(store, { kind, id, op: "delete", version, before: { deleted_at: null }, after: set });
  await removeFromIndex(store, kind, row);
}
