/** The create ops of single entities. `onto.project.create` has its own files. */

import type { DocumentCreateArgs, GoalCreateArgs, PlanCreateArgs, TaskCreateArgs } from "./args.js";
import { asksOf, connect } from "./connect.js";
import { checkParent } from "./documents.js";
import { refuse } from "./errors.js";
import type { EdgeKind } from "./model.js";
import { readNew } from "./read-fields.js";
import { labelOf, type Shown, showEdge, showRow } from "./render.js";
import { insertEntity } from "./rows.js";
import type { EntityRow } from "./schema.js";
import { type Similar, similarTo } from "./similar.js";
import { getProject, type Store, type Work } from "./store.js";
import { insertNode } from "./tree.js";
import { pathTo, type Step, saveTree, treeOf } from "./tree-store.js";

/** Arguments of creates that are not columns. */
const BESIDES = [
  "project_id",
  "plan_id",
  "goal_id",
  "milestone_id",
  "supporting_milestone_id",
  "parent",
  "parents",
  "connections",
  "parent_id",
  "position",
];

interface Created {
  readonly row: EntityRow;
  readonly similar: readonly Similar[];
}

async function create(store: Store, kind: EdgeKind, projectId: string, args: object): Promise<Created> {
  const { values, errors, warnings } = readNew(kind, args, "", BESIDES);
  refuse(errors);
  for (const warning of warnings) store.ctx.warn(warning);
  const similar = await similarTo(store, kind, projectId, labelOf(kind, values));
  return { row: await insertEntity(store, kind, projectId, values), similar };
}

interface WithEdges {
  readonly edges: readonly Shown[];
  readonly similar: readonly Similar[];
}

async function createConnected(
  store: Store,
  kind: "task" | "plan",
  args: TaskCreateArgs | PlanCreateArgs,
): Promise<WithEdges & { readonly row: EntityRow }> {
  const project = await getProject(store, args.project_id);
  const { row, similar } = await create(store, kind, project.id, args);
  const asks = asksOf(kind, args);
  const edges = await connect(store, project.id, { kind, id: row.id }, asks, (args.parents?.length ?? 0) > 0);
  return { row, edges: edges.map(showEdge), similar };
}

/** `onto.task.create`. */
export const createTask: Work<TaskCreateArgs, WithEdges & { readonly task: Shown }> = async (store, args) => {
  const { row, ...rest } = await createConnected(store, "task", args);
  return { task: showRow("task", row), ...rest };
};

/** `onto.plan.create`. */
export const createPlan: Work<PlanCreateArgs, WithEdges & { readonly plan: Shown }> = async (store, args) => {
  const { row, ...rest } = await createConnected(store, "plan", args);
  return { plan: showRow("plan", row), ...rest };
};

/** `onto.goal.create`. */
export const createGoal: Work<GoalCreateArgs, { goal: Shown; similar: readonly Similar[] }> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  const { row, similar } = await create(store, "goal", project.id, args);
  return { goal: showRow("goal", row), similar };
};

/** A new document and its place in the tree. */
export interface PlacedDocument {
  readonly document: Shown;
  readonly path: readonly Step[];
  readonly tree_version: number;
  readonly similar: readonly Similar[];
}

/** `onto.document.create`: placed under `parent_id` at `position`, or at the end of the root. */
export const createDocument: Work<DocumentCreateArgs, PlacedDocument> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  const { root } = treeOf(project);
  const parent = args.parent_id ?? null;
  checkParent(root, parent, "parent_id");
  const { row, similar } = await create(store, "document", project.id, args);
  const placed = insertNode(root, parent, { id: row.id, children: [] }, args.position);
  const treeVersion = await saveTree(store, project, placed, "create");
  return {
    document: showRow("document", row),
    path: await pathTo(store, placed, row.id),
    tree_version: treeVersion,
    similar,
  };
};
