/** The graph of a project: live entities and the edges between them, within limits. */

import { byCodeUnit } from "toolwright/codegen";
import type { ProjectArgs } from "./args.js";
import { countsOf } from "./counts.js";
import { bodyColumns, FIELDS } from "./fields.js";
import { EDGE_KINDS, type EdgeKind, KINDS, PLURALS } from "./model.js";
import { propsOf, type Shown, showEdge, showRow } from "./render.js";
import type { EdgeRow, Value } from "./schema.js";
import { getProject, type Store, tableOf, type Work } from "./store.js";

/** Most entities per kind in an answer. */
const MAX_SHOWN_ENTITIES = 500;
/** Most edges that are read per side and kind, and that an answer contains. */
const MAX_EDGES = 2000;

type Row = Readonly<Record<string, Value>>;

/** Columns of a kind without bodies. */
const columnsOf = (kind: EdgeKind): readonly string[] => {
  const bodies = bodyColumns(kind);
  return [
    "id",
    ...FIELDS[kind].map(({ name }) => name).filter((name) => !bodies.includes(name)),
    "version",
    "updated_at",
  ];
};

const showNode = (row: Row): Shown => ({ ...row, props: propsOf({ props: String(row["props"]) }) });

async function nodesOf({ db }: Store, kind: EdgeKind, projectId: string): Promise<readonly Row[]> {
  return db
    .selectFrom(tableOf(kind))
    .select([...columnsOf(kind)])
    .where("project_id", "=", projectId)
    .where("deleted_at", "is", null)
    .orderBy("updated_at", "desc")
    .orderBy("id")
    .limit(MAX_SHOWN_ENTITIES)
    .execute();
}

interface Between {
  readonly edges: readonly EdgeRow[];
  readonly complete: boolean;
}

/** Edges with one side among the ids, in a fixed order. */
const edgesAt = ({ db }: Store, [side, kind]: (typeof SIDES)[number], ids: readonly string[]) =>
  db
    .selectFrom("onto_edges")
    .selectAll()
    .where(side, "in", [...ids])
    .where("hidden", "=", 0)
    .orderBy(side)
    .orderBy(kind)
    .orderBy("created_at")
    .orderBy("id")
    .limit(MAX_EDGES)
    .execute();

const SIDES = [
  ["src_id", "dst_kind"],
  ["dst_id", "src_kind"],
] as const;

/**
 * Edges with both ends among the ids. Both sides are read, so that an entity with very many edges does not hide others.
 */
async function edgesBetween(store: Store, ids: ReadonlyMap<EdgeKind, readonly string[]>): Promise<Between> {
  const shown = new Set([...ids.values()].flat());
  const reads = [...ids.values()]
    .filter((own) => own.length > 0)
    .flatMap((own) => SIDES.map((side) => ({ side, own })));
  const found = new Map<string, EdgeRow>();
  let complete = true;
  for (const { side, own } of reads) {
    const edges = await edgesAt(store, side, own);
    complete &&= edges.length < MAX_EDGES;
    for (const edge of edges) found.set(edge.id, edge);
  }
  const edges = [...found.values()]
    .filter(({ src_id, dst_id }) => shown.has(src_id) && shown.has(dst_id))
    .sort((a, b) => byCodeUnit(a.created_at + a.id, b.created_at + b.id));
  return { edges: edges.slice(0, MAX_EDGES), complete: complete && edges.length <= MAX_EDGES };
}

/** `onto.project.graph.get`: at most 500 entities per kind and 2,000 edges; `truncated` names what was cut. */
export const getGraph: Work<ProjectArgs, object> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  const counts = await countsOf(store, project.id);
  const groups: Record<string, readonly Shown[]> = {};
  const truncated: Record<string, true> = {};
  const ids = new Map<EdgeKind, readonly string[]>(EDGE_KINDS.map((kind) => [kind, []]));
  ids.set("project", [project.id]);
  for (const kind of KINDS) {
    const rows = await nodesOf(store, kind, project.id);
    groups[PLURALS[kind]] = rows.map(showNode);
    ids.set(
      kind,
      rows.map(({ id }) => String(id)),
    );
    if ((counts[PLURALS[kind]] ?? 0) > rows.length) truncated[PLURALS[kind]] = true;
  }
  const { edges, complete } = await edgesBetween(store, ids);
  if (!complete) truncated["edges"] = true;
  return {
    project: showRow("project", project),
    ...groups,
    edges: edges.map(showEdge),
    counts: { ...counts, edges: edges.length },
    truncated,
  };
};
