/** The create ops of single entities, and the possible duplicates that they report. `onto.project.create` has its own files. */

import { byCodeUnit } from "toolwright/codegen";
import type { DocumentCreateArgs, GoalCreateArgs, PlanCreateArgs, TaskCreateArgs } from "./args.js";
import { gramHits } from "./candidates.js";
import { asksOf, connect } from "./connect.js";
import { checkParent } from "./documents.js";
import { refuse } from "./errors.js";
import { rowsById } from "./list.js";
import type { EdgeKind } from "./model.js";
import { readNew } from "./read-fields.js";
import { labelOf, type Shown, showEdge, showRow } from "./render.js";
import { insertEntity } from "./rows.js";
import type { EntityRow } from "./schema.js";
import { getProject, type Store, type Work } from "./store.js";
import { dice, trigrams } from "./text.js";
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
  await checkParent(store, project, parent, "parent_id");
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

/** Most entities that are reported. */
const MAX_SIMILAR = 3;
/** Most rows that are compared. */
const MAX_COMPARED_ROWS = 50;
/** Similarity from which two labels are close. */
const MIN_LIKENESS = 0.6;

/** An entity with a label similar to the new one's. */
interface Similar {
  readonly id: string;
  readonly label: string;
  readonly state_key?: unknown;
}

/** Up to three live entities of the same project and kind with a similar label, closest first. */
async function similarTo(store: Store, kind: EdgeKind, projectId: string, label: string): Promise<readonly Similar[]> {
  const grams = trigrams(label);
  const hits = await gramHits(store, { kinds: [kind], projects: [projectId], where: {} }, grams, MAX_COMPARED_ROWS);
  const rows = await rowsById(
    store,
    kind,
    hits.map(({ entity_id }) => entity_id),
  );
  return [...rows]
    .map(([id, row]) => ({ id, row, likeness: dice(grams, trigrams(labelOf(kind, row))) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || byCodeUnit(a.id, b.id))
    .slice(0, MAX_SIMILAR)
    .map(({ id, row }) => ({
      id,
      label: labelOf(kind, row),
      ...(row["state_key"] === undefined ? {} : { state_key: row["state_key"] }),
    }));
}
