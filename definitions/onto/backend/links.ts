/** Edges of an entity: by direction, or grouped by the kind at the other end. */

import { sql } from "kysely";
import type { LinksArgs, RelationshipsArgs } from "./args.js";
import { notFound } from "./errors.js";
import { kindOfId } from "./id.js";
import { rowsById } from "./list.js";
import { EDGE_KINDS, type EdgeKind, PLURALS } from "./model.js";
import { labelOf } from "./render.js";
import { findRow, getRow, type Store, type Work } from "./store.js";

/** Most edges per direction or group in an answer. */
const MAX_SHOWN_EDGES = 50;
/** Most edges that are counted; a higher count is reported as this number. */
const MAX_COUNTED_EDGES = 10_000;

/** Direction of an edge from the entity's side. */
type Direction = "outgoing" | "incoming";

const SIDES = {
  outgoing: { own: "src_id", kind: "dst_kind", id: "dst_id" },
  incoming: { own: "dst_id", kind: "src_kind", id: "src_id" },
} as const;

/** The other end of an edge. */
export interface Link {
  readonly edge_id: string;
  readonly rel: string;
  readonly kind: string;
  readonly id: string;
  readonly label: string;
}

interface Found {
  readonly edge_id: string;
  readonly rel: string;
  readonly kind: string;
  readonly id: string;
}

async function edgesOf(
  { db }: Store,
  id: string,
  direction: Direction,
  kind: EdgeKind | undefined,
): Promise<readonly Found[]> {
  const side = SIDES[direction];
  let query = db
    .selectFrom("onto_edges")
    .select(["id as edge_id", "rel", `${side.kind} as kind`, `${side.id} as id`])
    .where(side.own, "=", id)
    .where("hidden", "=", 0);
  if (kind) query = query.where(side.kind, "=", kind);
  return query
    .orderBy(side.kind)
    .orderBy("created_at")
    .orderBy("onto_edges.id")
    .limit(MAX_SHOWN_EDGES + 1)
    .execute();
}

async function withLabels(store: Store, found: readonly Found[]): Promise<readonly Link[]> {
  const labels = new Map<string, string>();
  for (const kind of EDGE_KINDS) {
    const ids = found.filter((edge) => edge.kind === kind).map(({ id }) => id);
    for (const [id, row] of await rowsById(store, kind, ids)) labels.set(id, labelOf(kind, row));
  }
  return found.map((edge) => ({ ...edge, label: labels.get(edge.id) ?? "" }));
}

/** The kind of an entity: by the prefix of its id, for a UUID by lookup. @throws ToolFailure NOT_FOUND */
export async function kindOf(store: Store, id: string): Promise<EdgeKind> {
  const named = kindOfId(id);
  if (named) return named;
  for (const kind of EDGE_KINDS) if (await findRow(store, kind, id)) return kind;
  return notFound("task", id);
}

/** `onto.entity.relationships.get`: at most 50 edges per direction, with flags if there are more. */
export const getRelationships: Work<RelationshipsArgs, object> = async (store, args) => {
  await getRow(store, await kindOf(store, args.entity_id), args.entity_id, "entity_id");
  const { direction = "both" } = args;
  const read = async (of: Direction) =>
    direction === "both" || direction === of ? edgesOf(store, args.entity_id, of, undefined) : [];
  const [outgoing, incoming] = [await read("outgoing"), await read("incoming")];
  return {
    outgoing: await withLabels(store, outgoing.slice(0, MAX_SHOWN_EDGES)),
    incoming: await withLabels(store, incoming.slice(0, MAX_SHOWN_EDGES)),
    truncated: { outgoing: outgoing.length > MAX_SHOWN_EDGES, incoming: incoming.length > MAX_SHOWN_EDGES },
  };
};

async function countSide({ db }: Store, id: string, direction: Direction): Promise<ReadonlyMap<string, number>> {
  const { own, kind } = SIDES[direction];
  const bounded = db
    .selectFrom("onto_edges")
    .select([`${kind} as kind`])
    .where(own, "=", id)
    .where("hidden", "=", 0)
    .limit(MAX_COUNTED_EDGES)
    .as("bounded");
  const rows = await db
    .selectFrom(bounded)
    .select(["kind", sql<number>`count(*)`.as("count")])
    .groupBy("kind")
    .execute();
  return new Map(rows.map((row) => [row.kind, Number(row.count)]));
}

/**
 * The links of an entity, grouped by plural kind, with counts (up to 10,000 per direction).
 *
 * @param only - the kind to show; all kinds without it
 */
export async function linksOf(store: Store, id: string, only?: EdgeKind): Promise<object> {
  const [out, into] = [await countSide(store, id, "outgoing"), await countSide(store, id, "incoming")];
  const groups: Record<string, unknown> = {};
  const counts: Record<string, number> = {};
  let total = 0;
  for (const kind of EDGE_KINDS) {
    const count = (out.get(kind) ?? 0) + (into.get(kind) ?? 0);
    if ((only && kind !== only) || (count === 0 && !only)) continue;
    groups[PLURALS[kind]] = await groupOf(store, id, kind);
    counts[PLURALS[kind]] = count;
    total += count;
  }
  return { ...groups, counts: { ...counts, total } };
}

async function groupOf(store: Store, id: string, kind: EdgeKind): Promise<readonly object[]> {
  const read = async (direction: Direction) => {
    const links = await withLabels(store, await edgesOf(store, id, direction, kind));
    return links.map(({ edge_id, rel, id: other, label }) => ({ edge_id, rel, direction, id: other, label }));
  };
  return [...(await read("outgoing")), ...(await read("incoming"))].slice(0, MAX_SHOWN_EDGES);
}

/** `onto.entity.links.get`. */
export const getLinks: Work<LinksArgs, object> = async (store, args) => {
  await getRow(store, args.entity_kind as EdgeKind, args.entity_id, "entity_id");
  const only = args.filter_kind === undefined || args.filter_kind === "all" ? undefined : args.filter_kind;
  return linksOf(store, args.entity_id, only as EdgeKind | undefined);
};
