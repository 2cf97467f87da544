/** The ops that create and remove one edge. */

import { fieldError, invalid } from "toolwright/codegen";
import type { EdgeArgs, LinkArgs } from "./args.js";
import { dropEdge, type End, ensureEdge, findEdge, parentEdges, promoteParent, type Wish } from "./edges.js";
import type { EdgeKind } from "./model.js";
import { isContainment, type Resolved, resolveRel } from "./relations.js";
import { type Shown, showEdge } from "./render.js";
import { getEdge, getRow, projectOf, type Store, type Work } from "./store.js";
import { sizedProps } from "./values.js";

/** The project of the live row at an end. */
async function endOf(store: Store, end: End, path: string): Promise<string> {
  return projectOf(end.kind, await getRow(store, end.kind, end.id, path));
}

/** Refuses a second parent; the error suggests to reorganize or unlink first. */
async function refuseSecondParent(store: Store, wish: Wish): Promise<void> {
  const [parent] = await parentEdges(store, wish.dst.id);
  if (!parent || parent.src_id === wish.src.id) return;
  const fix = `unlink ${parent.id} first, or reorganize with allow_multi_parent`;
  invalid([
    fieldError(
      "dst_id",
      "maxItems",
      `${wish.dst.id} is in ${parent.src_id} already: ${fix}`,
      "one parent",
      wish.dst.id,
    ),
  ]);
}

/** The edge to store between two ends for a resolved rel. */
export function wishOf(src: End, dst: End, { rel, containment, flip, original }: Resolved, props: object = {}): Wish {
  return {
    src: flip ? dst : src,
    rel: rel ?? "",
    dst: flip ? src : dst,
    props: {
      ...props,
      ...(original === undefined ? {} : { original_rel: original }),
      ...(containment ? { is_primary: true } : {}),
    },
  };
}

/** `onto.edge.link`: linking twice changes nothing. */
export const linkEntities: Work<LinkArgs, { edge: Shown | null; created: number }> = async (store, args) => {
  const src: End = { kind: args.src_kind as EdgeKind, id: args.src_id };
  const dst: End = { kind: args.dst_kind as EdgeKind, id: args.dst_id };
  const project = await endOf(store, src, "src_id");
  const other = await endOf(store, dst, "dst_id");
  if (project !== other)
    invalid([fieldError("dst_id", "ref", "dst_id is in another project than src_id", `entity of ${project}`, dst.id)]);
  if (src.id === dst.id) invalid([fieldError("dst_id", "cycle", "dst_id is src_id", "another entity", dst.id)]);
  const props = sizedProps(args.props ?? {}, "props");
  if (!props.ok) invalid([props.error]);
  const resolved = resolveRel(args.rel, src.kind, dst.kind);
  for (const warning of resolved.warnings) store.ctx.warn(warning);
  if (resolved.rel === undefined) return { edge: null, created: 0 };
  const wish = wishOf(src, dst, resolved, args.props);
  if (resolved.containment && !(await findEdge(store, project, wish))) await refuseSecondParent(store, wish);
  const { edge, created } = await ensureEdge(store, project, wish);
  return { edge: showEdge(edge), created: created ? 1 : 0 };
};

/** `onto.edge.unlink`: returns the removed edge. */
export const unlinkEdge: Work<EdgeArgs, { edge: Shown }> = async (store, args) => {
  const edge = await getEdge(store, args.edge_id);
  await dropEdge(store, edge);
  if (isContainment(edge.rel)) await promoteParent(store, edge.dst_id);
  return { edge: showEdge(edge) };
};
