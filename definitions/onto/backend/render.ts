/** Converts rows for answers: ordered columns, props as an object, no internal columns. Pure. */

import { FIELDS } from "./fields.js";
import { EDGE_KINDS, type EdgeKind, LABELS } from "./model.js";
import type { EdgeRow, EntityRow, Value } from "./schema.js";

/** An entity, or a part of one, in an answer. */
export type Shown = Readonly<Record<string, unknown>>;

/** The display name of an entity. */
export const labelOf = (kind: EdgeKind, row: Readonly<Record<string, Value>>): string =>
  String(row[LABELS[kind]] ?? "");

/** Props of a row as an object. */
export const propsOf = (row: { readonly props: string }): Readonly<Record<string, unknown>> => JSON.parse(row.props);

/** All columns of an entity except internal ones. */
export function showRow(kind: EdgeKind, row: EntityRow): Shown {
  const columns = FIELDS[kind].map(({ name, type }) => [name, type === "object" ? propsOf(row) : row[name]]);
  const { id, version, created_by, created_at, updated_at } = row;
  const project = kind === "project" ? {} : { project_id: row["project_id"] };
  const tree = kind === "project" ? { tree_version: row["tree_version"] } : {};
  return { id, ...project, ...Object.fromEntries(columns), ...tree, version, created_by, created_at, updated_at };
}

/** Columns of a list item besides id, project and time, if the kind has them. */
const ITEM_COLUMNS = [
  "state_key",
  "type_key",
  "priority",
  "due_at",
  "target_date",
  "start_date",
  "end_date",
  "impact",
  "probability",
];

const COLUMNS: ReadonlyMap<EdgeKind, readonly string[]> = new Map(
  EDGE_KINDS.map((kind) => {
    const names = FIELDS[kind].map(({ name }) => name);
    const own = ITEM_COLUMNS.filter((name) => names.includes(name));
    return [kind, ["id", LABELS[kind], ...own, ...(kind === "project" ? [] : ["project_id"]), "updated_at"]];
  }),
);

/** Columns of a list item in order. */
export const itemColumns = (kind: EdgeKind): readonly string[] => COLUMNS.get(kind) ?? [];

/** A list item. */
export const showItem = (kind: EdgeKind, row: Readonly<Record<string, Value>>): Shown =>
  Object.fromEntries(itemColumns(kind).map((name) => [name, row[name]]));

/** An edge in an answer. */
export function showEdge(edge: EdgeRow): Shown {
  const { id, src_kind, src_id, rel, dst_kind, dst_id, created_at } = edge;
  return { id, src_kind, src_id, rel, dst_kind, dst_id, props: propsOf(edge), created_at };
}
