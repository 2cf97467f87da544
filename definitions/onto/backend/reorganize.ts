/** `onto.project.graph.reorganize`: plans, and applies the plan in the same transaction. */

import { byCodeUnit, digest } from "toolwright/codegen";
import type { NodeArgs, ReorganizeArgs } from "./args.js";
import { dropEdge, type End, ensureEdge, setEdgeProps } from "./edges.js";
import { notFound, refuse } from "./errors.js";
import { EDGE_KINDS, type EdgeKind, RELATIONS } from "./model.js";
import { CONTAINMENT_RELS } from "./relations.js";
import { propsOf } from "./render.js";
import { type Plan, planEdges } from "./reorganize-plan.js";
import { checkNodes } from "./reorganize-read.js";
import type { EdgeRow } from "./schema.js";
import { getProject, type Store, tableOf, type Work } from "./store.js";

/** Ids per query. */
const CHUNK = 500;

/** Number of changes of a reorganisation. */
export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** The answer of a dry run. */
export interface Planned {
  readonly dry_run: true;
  readonly node_count: number;
  readonly counts: Counts;
  readonly changes: ReturnType<typeof showPlan>;
  readonly plan_hash: string;
  readonly apply_with: { readonly dry_run: false };
}

/** The answer after the changes. */
export interface Applied {
  readonly dry_run: false;
  readonly node_count: number;
  readonly counts: Counts;
  readonly plan_hash: string;
}

/** Every end that the request names, with its path. */
const endsOf = (nodes: readonly NodeArgs[]): readonly (End & { readonly path: string })[] =>
  nodes.flatMap(({ kind, id, connections }, i) => [
    { kind: kind as EdgeKind, id, path: `nodes[${i}].id` },
    ...connections.map((end, j) => ({
      kind: end.kind as EdgeKind,
      id: end.id,
      path: `nodes[${i}].connections[${j}].id`,
    })),
  ]);

async function inChunks<T>(
  ids: readonly string[],
  read: (ids: string[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let i = 0; i < ids.length; i += CHUNK) found.push(...(await read([...ids.slice(i, i + CHUNK)])));
  return found;
}

const idsOfKind = (ends: readonly End[], kind: EdgeKind): readonly string[] => [
  ...new Set(ends.filter((end) => end.kind === kind).map(({ id }) => id)),
];

/** @throws ToolFailure for the first end that is not a live row of the project */
async function checkRows(store: Store, projectId: string, nodes: readonly NodeArgs[]): Promise<void> {
  const ends = endsOf(nodes);
  const live = new Set<string>();
  for (const kind of EDGE_KINDS) {
    if (kind === "project") continue;
    const rows = await inChunks(idsOfKind(ends, kind), (ids) =>
      store.db
        .selectFrom(tableOf(kind))
        .select("id")
        .where("id", "in", ids)
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null)
        .execute(),
    );
    for (const { id } of rows) live.add(`${kind} ${id}`);
  }
  const absent = ends.find(({ kind, id }) => !live.has(`${kind} ${id}`));
  if (absent) notFound(absent.kind, absent.id, { path: absent.path });
}

/** The live edges that the plan depends on: to the entities as children, from them as relations. */
async function loadEdges({ db }: Store, nodes: readonly NodeArgs[]): Promise<readonly EdgeRow[]> {
  const ids = [...new Set(endsOf(nodes).map(({ id }) => id))];
  const live = db.selectFrom("onto_edges").selectAll().where("hidden", "=", 0);
  const [held, related] = [
    await inChunks(ids, (part) =>
      live
        .where("dst_id", "in", part)
        .where("rel", "in", [...CONTAINMENT_RELS])
        .execute(),
    ),
    await inChunks(ids, (part) =>
      live.where("src_id", "in", part).where("rel", "in", Object.keys(RELATIONS)).execute(),
    ),
  ];
  return [...held, ...related].sort((a, b) => byCodeUnit(a.created_at + a.id, b.created_at + b.id));
}

async function planFor(store: Store, args: ReorganizeArgs): Promise<Plan> {
  const project = await getProject(store, args.project_id);
  refuse(checkNodes(args.nodes));
  await checkRows(store, project.id, args.nodes);
  const plan = planEdges(args.nodes, args.options ?? {}, await loadEdges(store, args.nodes));
  refuse(plan.errors);
  for (const warning of plan.warnings) store.ctx.warn(warning);
  return plan;
}

function showPlan({ create, update, remove }: Plan) {
  const stored = ({ id, src_kind, src_id, rel, dst_kind, dst_id }: EdgeRow) => ({
    id,
    src_kind,
    src_id,
    rel,
    dst_kind,
    dst_id,
  });
  return {
    edges_to_create: create.map(({ src, rel, dst }) => ({
      src_kind: src.kind,
      src_id: src.id,
      rel,
      dst_kind: dst.kind,
      dst_id: dst.id,
    })),
    edges_to_update: update.map(({ edge, props }) => ({ ...stored(edge), before: propsOf(edge), after: props })),
    edges_to_delete: remove.map(stored),
  };
}

const countsOf = ({ create, update, remove }: Plan): Counts => ({
  create: create.length,
  update: update.length,
  delete: remove.length,
});

/** Plans what an application would change now. Nothing is written. */
export const planReorganize: Work<ReorganizeArgs, Planned> = async (store, args) => {
  const plan = await planFor(store, args);
  const changes = showPlan(plan);
  return {
    dry_run: true,
    node_count: args.nodes.length,
    counts: countsOf(plan),
    changes,
    plan_hash: digest(changes),
    apply_with: { dry_run: false },
  };
};

/** Applies the current plan; a dry run only plans. */
export const reorganize: Work<ReorganizeArgs, Planned | Applied> = async (store, args) => {
  if (args.dry_run) return planReorganize(store, args);
  const plan = await planFor(store, args);
  for (const edge of plan.remove) await dropEdge(store, edge);
  for (const { edge, props } of plan.update) await setEdgeProps(store, edge, props);
  for (const wish of plan.create) await ensureEdge(store, args.project_id, wish);
  return {
    dry_run: false,
    node_count: args.nodes.length,
    counts: countsOf(plan),
    plan_hash: digest(showPlan(plan)),
  };
};
