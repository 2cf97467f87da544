/** The delete ops: rows are deleted softly, and the answer names what remains. */

import type { DocumentArgs, GoalArgs, PlanArgs, TaskArgs } from "./args.js";
import { promoteParent } from "./edges.js";
import type { EdgeKind } from "./model.js";
import { CONTAINMENT_RELS } from "./relations.js";
import { labelOf } from "./render.js";
import { removeEntity } from "./rows.js";
import type { EntityRow } from "./schema.js";
import { getProject, getRow, type Store, type Work } from "./store.js";
import { findPlace, liftChildren } from "./tree.js";
import { saveTree, treeOf } from "./tree-store.js";

/** Most ids in an answer. */
const MAX_NAMED_IDS = 500;

/** A deleted entity. */
export interface Deleted {
  readonly deleted: { readonly kind: EdgeKind; readonly id: string; readonly label: string };
}

/** For each entity that the row contained: makes another parent, if it has one, the main parent. */
async function promoteChildren(store: Store, id: string): Promise<void> {
  const children = await store.db
    .selectFrom("onto_edges as gone")
    .innerJoin("onto_edges as other", "other.dst_id", "gone.dst_id")
    .select("other.dst_id")
    .distinct()
    .where("gone.src_id", "=", id)
    .where("gone.rel", "in", [...CONTAINMENT_RELS])
    .where("other.hidden", "=", 0)
    .where("other.rel", "in", [...CONTAINMENT_RELS])
    .execute();
  for (const { dst_id } of children) await promoteParent(store, dst_id);
}

async function remove(store: Store, kind: EdgeKind, row: EntityRow): Promise<Deleted> {
  await removeEntity(store, kind, row);
  await promoteChildren(store, row.id);
  return { deleted: { kind, id: row.id, label: labelOf(kind, row) } };
}

/** `onto.task.delete`. */
export const deleteTask: Work<TaskArgs, Deleted> = async (store, args) =>
  remove(store, "task", await getRow(store, "task", args.task_id));

/** `onto.document.delete`: its children move to its place in the tree. */
export const deleteDocument: Work<DocumentArgs, Deleted & { tree_version: number; lifted: readonly string[] }> = async (
  store,
  args,
) => {
  const document = await getRow(store, "document", args.document_id);
  const project = await getProject(store, String(document["project_id"]));
  const answer = await remove(store, "document", document);
  const { root } = treeOf(project);
  const place = findPlace(root, document.id);
  if (!place) return { ...answer, tree_version: Number(project["tree_version"]), lifted: [] };
  const treeVersion = await saveTree(store, project, liftChildren(root, document.id), "delete");
  return { ...answer, tree_version: treeVersion, lifted: place.node.children.map(({ id }) => id) };
};

/** `onto.goal.delete`: lists up to 500 entities with edges to it. */
export const deleteGoal: Work<GoalArgs, Deleted & { pointed_from: readonly string[] }> = async (store, args) => {
  const goal = await getRow(store, "goal", args.goal_id);
  const edges = await store.db
    .selectFrom("onto_edges")
    .select("src_id")
    .where("dst_id", "=", goal.id)
    .where("hidden", "=", 0)
    .orderBy("src_kind")
    .orderBy("created_at")
    .orderBy("id")
    .limit(MAX_NAMED_IDS)
    .execute();
  const answer = await remove(store, "goal", goal);
  return { ...answer, pointed_from: [...new Set(edges.map(({ src_id }) => src_id))] };
};

/** `onto.plan.delete`: lists up to 500 of its tasks, which remain. */
export const deletePlan: Work<PlanArgs, Deleted & { tasks: readonly string[] }> = async (store, args) => {
  const plan = await getRow(store, "plan", args.plan_id);
  const edges = await store.db
    .selectFrom("onto_edges")
    .select("dst_id")
    .where("src_id", "=", plan.id)
    .where("hidden", "=", 0)
    .where("dst_kind", "=", "task")
    .where("rel", "=", "has_task")
    .orderBy("created_at")
    .orderBy("id")
    .limit(MAX_NAMED_IDS)
    .execute();
  return { ...(await remove(store, "plan", plan)), tasks: edges.map(({ dst_id }) => dst_id) };
};
