/** Stores edges: one row each, in canonical direction, logged like every write. */

import { fail } from "toolwright/codegen";
import { logChange } from "./log.js";
import type { EdgeKind } from "./model.js";
import { CONTAINMENT_RELS } from "./relations.js";
import { propsOf } from "./render.js";
import type { EdgeRow } from "./schema.js";
import type { Store } from "./store.js";

/** One end of an edge. */
export interface End {
  readonly kind: EdgeKind;
  readonly id: string;
}

/** An edge to create. */
export interface Wish {
  readonly src: End;
  readonly rel: string;
  readonly dst: End;
  readonly props: Readonly<Record<string, unknown>>;
}

const ENDS = ["src_kind", "src_id", "rel", "dst_kind", "dst_id", "props"] as const;

const logged = (edge: EdgeRow): object => Object.fromEntries(ENDS.map((name) => [name, edge[name]]));

/** The stored edge between two ends; `undefined` if it does not exist. */
export async function findEdge({ db }: Store, projectId: string, wish: Wish): Promise<EdgeRow | undefined> {
  return db
    .selectFrom("onto_edges")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("src_id", "=", wish.src.id)
    .where("rel", "=", wish.rel)
    .where("dst_id", "=", wish.dst.id)
    .executeTakeFirst();
}

/** Stores an edge unless it exists. @throws ToolFailure CONFLICT if another writer stored it meanwhile */
export async function ensureEdge(
  store: Store,
  projectId: string,
  wish: Wish,
): Promise<{ readonly edge: EdgeRow; readonly created: boolean }> {
  const found = await findEdge(store, projectId, wish);
  if (found) return { edge: found, created: false };
  const edge: EdgeRow = {
    id: store.newId("edge"),
    project_id: projectId,
    src_kind: wish.src.kind,
    src_id: wish.src.id,
    rel: wish.rel,
    dst_kind: wish.dst.kind,
    dst_id: wish.dst.id,
    props: JSON.stringify(wish.props),
    hidden: 0,
    created_by: store.ctx.principal.id,
    created_at: store.now,
  };
  const { numInsertedOrUpdatedRows } = await store.db
    .insertInto("onto_edges")
    .values(edge)
    .onConflict((conflict) => conflict.columns(["project_id", "src_id", "rel", "dst_id"]).doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows) fail("CONFLICT", "The same link was made by another call. Read it again.");
  await logChange(store, { kind: "edge", id: edge.id, op: "create", version: null, before: null, after: logged(edge) });
  return { edge, created: true };
}

const drift = (edge: EdgeRow): never =>
  fail("CONFLICT", `The edge ${edge.id} was changed by another call. Plan again.`, { kind: "edge", id: edge.id });

/** Sets the props of an edge. @throws ToolFailure CONFLICT if they no longer equal those of `edge` */
export async function setEdgeProps(store: Store, edge: EdgeRow, props: object): Promise<EdgeRow> {
  const after = { ...edge, props: JSON.stringify(props) };
  const { numUpdatedRows } = await store.db
    .updateTable("onto_edges")
    .set({ props: after.props })
    .where("id", "=", edge.id)
    .where("props", "=", edge.props)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) drift(edge);
  const before = { props: edge.props };
  await logChange(store, {
    kind: "edge",
    id: edge.id,
    op: "update",
    version: null,
    before,
    after: { props: after.props },
  });
  return after;
}

/** Removes an edge. @throws ToolFailure CONFLICT if its props no longer equal those of `edge` */
export async function dropEdge(store: Store, edge: EdgeRow): Promise<void> {
  const { numDeletedRows } = await store.db
    .deleteFrom("onto_edges")
    .where("id", "=", edge.id)
    .where("props", "=", edge.props)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) drift(edge);
  await logChange(store, { kind: "edge", id: edge.id, op: "delete", version: null, before: logged(edge), after: null });
}

/** Containment edges to an entity, the primary one first. */
export async function parentEdges({ db }: Store, childId: string): Promise<readonly EdgeRow[]> {
  const edges = await db
    .selectFrom("onto_edges")
    .selectAll()
    .where("dst_id", "=", childId)
    .where("hidden", "=", 0)
    .where("rel", "in", [...CONTAINMENT_RELS])
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const rank = (edge: EdgeRow) => (isPrimary(edge) ? 0 : 1);
  return edges.sort((a, b) => rank(a) - rank(b));
}

/** Whether a containment edge is from the main parent. */
export const isPrimary = (edge: EdgeRow): boolean => propsOf(edge)["is_primary"] === true;

/** Makes the oldest remaining parent the main one if an entity has lost its main parent. */
export async function promoteParent(store: Store, childId: string): Promise<void> {
  const [first] = await parentEdges(store, childId);
  if (first && !isPrimary(first)) await setEdgeProps(store, first, { ...propsOf(first), is_primary: true });
}
