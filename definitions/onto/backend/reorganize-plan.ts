/** Plans a reorganisation: computes the edges to change from the existing edges and the requested connections. Pure. */

import { byCodeUnit, type FieldError, fieldError } from "toolwright/codegen";
import type { NodeArgs, NodeOptions } from "./args.js";
import { containmentWish } from "./connect.js";
import { type End, isPrimary, type Wish } from "./edges.js";
import { AUTO_RELATIONS, type EdgeKind } from "./model.js";
import { isContainment, parentsOf } from "./relations.js";
import { propsOf } from "./render.js";
import { type Asked, readConnections } from "./reorganize-read.js";
import type { EdgeRow } from "./schema.js";

/** An edge whose props change. */
export interface EdgeUpdate {
  readonly edge: EdgeRow;
  readonly props: Readonly<Record<string, unknown>>;
}

/** The changes of a reorganisation, each list in a fixed order. */
export interface Plan {
  readonly create: readonly Wish[];
  readonly update: readonly EdgeUpdate[];
  readonly remove: readonly EdgeRow[];
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** An entity whose parents are decided: a node, or an entity that a node is to contain. */
interface Child {
  readonly end: End;
  readonly path: string | undefined;
  readonly rules: Rules;
  /** Parents requested by name, then those that may also become relations. */
  readonly parents: readonly Asked[];
}

interface Draft {
  readonly wishes: Map<string, Wish>;
  readonly remove: Map<string, EdgeRow>;
  readonly errors: FieldError[];
  readonly warnings: string[];
}

const keyOf = (src: string, rel: string, dst: string): string => `${src} ${rel} ${dst}`;
const keyOfWish = ({ src, rel, dst }: Wish): string => keyOf(src.id, rel, dst.id);
const keyOfEdge = ({ src_id, rel, dst_id }: EdgeRow): string => keyOf(src_id, rel, dst_id);

function add({ wishes }: Draft, wish: Wish | undefined): void {
  if (wish && !wishes.has(keyOfWish(wish))) wishes.set(keyOfWish(wish), wish);
}

const AUTO: readonly string[] = AUTO_RELATIONS;

/** Options of one entity with defaults; without a semantic mode the connections decide. */
interface Rules {
  readonly mode: "replace" | "merge";
  readonly semantic: NodeOptions["semantic_mode"] | undefined;
  readonly fallback: boolean;
  readonly several: boolean;
}

const rulesOf = (node: NodeOptions, options: NodeOptions): Rules => ({
  mode: node.mode ?? options.mode ?? "replace",
  semantic: node.semantic_mode ?? options.semantic_mode,
  fallback: node.allow_project_fallback ?? options.allow_project_fallback ?? true,
  several: node.allow_multi_parent ?? options.allow_multi_parent ?? false,
});

/** Selects the parents of an entity: of the nearest kind only, and one unless several are allowed. */
function chooseParents(child: Child, edges: readonly EdgeRow[]): readonly End[] {
  const holders = edges.map((edge): End => ({ kind: edge.src_kind as EdgeKind, id: edge.src_id }));
  const kept = child.rules.mode === "merge" ? holders : [];
  const candidates = [...child.parents.map(({ other }) => other), ...kept];
  const unique = [...new Map(candidates.map((end) => [end.id, end])).values()];
  const nearest = parentsOf(child.end.kind).find((kind) => unique.some((end) => end.kind === kind));
  const fitting = unique.filter(({ kind }) => kind === nearest);
  return child.rules.several ? fitting : fitting.slice(0, 1);
}

const needsParent = ({ end, path, rules }: Child): boolean =>
  path !== undefined && !rules.fallback && parentsOf(end.kind).some((kind) => kind !== "project");

/**
 * Plans the parents of one entity; returns rejected candidates that may become relations, and warns about the others.
 */
function planParents(draft: Draft, child: Child, edges: readonly EdgeRow[]): readonly Asked[] {
  const parents = chooseParents(child, edges);
  if (parents.length === 0 && needsParent(child)) {
    const message = `no parent is left for ${child.end.id}; allow_project_fallback leaves it in the project`;
    draft.errors.push(
      fieldError(`${child.path}.connections`, "minItems", message, parentsOf(child.end.kind).join("|"), "no parent"),
    );
  }
  for (const [i, parent] of parents.entries()) add(draft, containmentWish(parent, child.end, i === 0));
  for (const edge of edges) draft.remove.set(edge.id, edge);
  const left = child.parents.filter(({ other }) => !parents.some(({ id }) => id === other.id));
  for (const { path, other, free } of left)
    if (!free)
      draft.warnings.push(
        `parent_ignored: ${path}: ${other.id} is not the nearest parent of ${child.end.id}, or not the first`,
      );
  return left.filter(({ free }) => free);
}

function planRelations(
  draft: Draft,
  node: End,
  { semantic }: Rules,
  wishes: readonly Wish[],
  edges: readonly EdgeRow[],
): void {
  const mode = semantic ?? (wishes.length > 0 ? "replace_auto" : "preserve");
  if (mode === "preserve") return;
  for (const wish of wishes) add(draft, wish);
  if (mode === "merge") return;
  for (const edge of edges) if (edge.src_id === node.id && AUTO.includes(edge.rel)) draft.remove.set(edge.id, edge);
}

/** The entities whose parents the request affects, nodes first. */
function childrenOf(nodes: readonly NodeArgs[], options: NodeOptions, asked: readonly Asked[]): readonly Child[] {
  const ofNodes = nodes.map((node, i): Child => {
    const end = { kind: node.kind as EdgeKind, id: node.id };
    const own = asked.filter(({ child }) => child.id === node.id);
    const parents = [...own.filter(({ free }) => !free), ...own.filter(({ free }) => free)];
    return { end, path: `nodes[${i}]`, rules: rulesOf(node, options), parents };
  });
  const known = new Set(nodes.map(({ id }) => id));
  const others = new Map(asked.filter(({ child }) => !known.has(child.id)).map(({ child }) => [child.id, child]));
  const ofOthers = [...others.values()].map(
    (end): Child => ({
      end,
      path: undefined,
      rules: rulesOf({ mode: "merge" }, options),
      parents: asked.filter(({ child }) => child.id === end.id),
    }),
  );
  return [...ofNodes, ...ofOthers];
}

function diff(draft: Draft, edges: readonly EdgeRow[]): Plan {
  const stored = new Map(edges.map((edge) => [keyOfEdge(edge), edge]));
  const wishes = [...draft.wishes].sort(([a], [b]) => byCodeUnit(a, b));
  const update = wishes.flatMap(([key, { rel, props }]): readonly EdgeUpdate[] => {
    const edge = stored.get(key);
    if (!edge || !isContainment(rel) || isPrimary(edge) === props["is_primary"]) return [];
    return [{ edge, props: { ...propsOf(edge), is_primary: props["is_primary"] } }];
  });
  return {
    create: wishes.filter(([key]) => !stored.has(key)).map(([, wish]) => wish),
    update,
    remove: [...draft.remove.values()]
      .filter((edge) => !draft.wishes.has(keyOfEdge(edge)))
      .sort((a, b) => byCodeUnit(keyOfEdge(a), keyOfEdge(b))),
    errors: draft.errors,
    warnings: draft.warnings,
  };
}

/**
 * Plans the changes that give each node its requested connections.
 *
 * @param edges - all live edges to a node or one of its connections as a child, or from one as a relation
 */
export function planEdges(nodes: readonly NodeArgs[], options: NodeOptions, edges: readonly EdgeRow[]): Plan {
  const { asked, relations, errors, warnings } = readConnections(nodes);
  const draft: Draft = { wishes: new Map(), remove: new Map(), errors: [...errors], warnings: [...warnings] };
  const byChild = new Map<string, EdgeRow[]>();
  for (const edge of edges)
    if (isContainment(edge.rel)) byChild.set(edge.dst_id, [...(byChild.get(edge.dst_id) ?? []), edge]);
  for (const child of childrenOf(nodes, options, asked)) {
    const own = (byChild.get(child.end.id) ?? []).sort((a, b) => Number(isPrimary(b)) - Number(isPrimary(a)));
    const left = planParents(draft, child, own);
    if (child.path === undefined) continue;
    const wishes = [
      ...relations.filter(({ node }) => node === child.end.id).map(({ wish }) => wish),
      ...left.flatMap(({ otherwise }) => (otherwise ? [otherwise] : [])),
    ];
    planRelations(draft, child.end, child.rules, wishes, edges);
  }
  return diff(draft, edges);
}
