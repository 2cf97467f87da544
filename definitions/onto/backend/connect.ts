/** Converts the links in the arguments of a create to edges: one parent, the others are relations. */

import { fieldError, invalid } from "toolwright/codegen";
import type { ConnectionArgs, EndArgs, PlacementArgs } from "./args.js";
import { type End, ensureEdge, parentEdges, type Wish } from "./edges.js";
import { refuse } from "./errors.js";
import { wishOf } from "./link.js";
import type { EdgeKind } from "./model.js";
import { containmentRel, defaultRel, mayContain, parentsOf, resolveRel } from "./relations.js";
import type { EdgeRow } from "./schema.js";
import { getRow, projectOf, type Store } from "./store.js";

/** A requested link; "either" becomes containment if there is no other parent. */
export interface Ask {
  readonly end: End;
  readonly path: string;
  readonly intent: "containment" | "semantic" | "either";
  readonly rel?: string;
}

type Intent = Ask["intent"];

const endOf = ({ kind, id }: EndArgs): End => ({ kind: kind as EdgeKind, id });

/** Meaning of the single id arguments by kind of the new entity, the most likely parent first. */
const ID_ASKS: Readonly<
  Record<"task" | "plan", readonly (readonly [keyof PlacementArgs, EdgeKind, Intent, string?])[]>
> = {
  task: [
    ["plan_id", "plan", "containment"],
    ["goal_id", "goal", "semantic", "supports_goal"],
    ["supporting_milestone_id", "milestone", "semantic", "targets_milestone"],
  ],
  plan: [
    ["milestone_id", "milestone", "containment"],
    ["goal_id", "goal", "either"],
  ],
};

function connectionAsk(connection: ConnectionArgs, index: number): Ask {
  const { intent = "either", rel } = connection;
  return { end: endOf(connection), path: `connections[${index}]`, intent, ...(rel === undefined ? {} : { rel }) };
}

/** The links in the arguments of a create, the main parent first. */
export function asksOf(kind: "task" | "plan", args: PlacementArgs): readonly Ask[] {
  const ids = ID_ASKS[kind].flatMap(([name, end, intent, rel]): readonly Ask[] => {
    const id = args[name];
    if (typeof id !== "string") return [];
    return [{ end: { kind: end, id }, path: name, intent, ...(rel === undefined ? {} : { rel }) }];
  });
  const parents = [
    ...(args.parent ? [{ end: endOf(args.parent), path: "parent" }] : []),
    ...(args.parents ?? []).map((parent, i) => ({ end: endOf(parent), path: `parents[${i}]` })),
  ].map((ask) => ({ ...ask, intent: "containment" as const }));
  const [first, ...others] = parents;
  return [
    ...(args.parent && first ? [first] : []),
    ...ids,
    ...(args.parent ? others : parents),
    ...(args.connections ?? []).map(connectionAsk),
  ];
}

async function checkEnds(store: Store, projectId: string, asks: readonly Ask[]): Promise<void> {
  for (const { end, path } of asks) {
    const at = path.endsWith("_id") ? path : `${path}.id`;
    const project = projectOf(end.kind, await getRow(store, end.kind, end.id, at));
    if (project !== projectId)
      invalid([fieldError(at, "ref", `${at} is in another project`, `entity of ${projectId}`, end.id)]);
  }
}

/** Whether a link makes its end the parent: requested, or by the direction of its rel. */
function isParentAsk({ end, intent, rel }: Ask, child: EdgeKind): boolean {
  if (rel !== undefined) {
    const { containment, flip } = resolveRel(rel, child, end.kind);
    return containment && flip;
  }
  return intent === "containment";
}

function checkParents(parents: readonly Ask[], child: EdgeKind, several: boolean): void {
  refuse(
    parents
      .filter(({ end }) => !mayContain(end.kind, child))
      .map(({ end, path }) =>
        fieldError(
          `${path}.kind`,
          "enum",
          `a ${end.kind} cannot hold a ${child}`,
          parentsOf(child).join("|"),
          end.kind,
        ),
      ),
  );
  const [first, ...more] = [
    ...new Map(parents.filter(({ end }) => end.kind !== "project").map((ask) => [ask.end.id, ask])).values(),
  ];
  if (several || !first) return;
  refuse(
    more.map(({ path, end }) =>
      fieldError(
        path,
        "maxItems",
        `${path} is a second parent beside ${first.path}; use parents`,
        "one parent",
        end.id,
      ),
    ),
  );
}

/** The link to the nearest kind that may contain the child; the first one becomes the parent. */
export function nearestParent<T extends { readonly end: End }>(asks: readonly T[], child: EdgeKind): T | undefined {
  for (const kind of parentsOf(child)) {
    const found = asks.find(({ end }) => end.kind === kind);
    if (found) return found;
  }
  return undefined;
}

/** The edge from a parent; `undefined` for the project, which contains its entities without an edge. */
export function containmentWish(parent: End, child: End, primary: boolean): Wish | undefined {
  const rel = containmentRel(child.kind);
  if (parent.kind === "project" || rel === undefined) return undefined;
  return { src: parent, rel, dst: child, props: { is_primary: primary } };
}

async function relationWish(store: Store, child: End, { end, path, rel }: Ask): Promise<Wish | undefined> {
  const resolved = rel === undefined ? defaultRel(child.kind, end.kind) : resolveRel(rel, child.kind, end.kind);
  for (const warning of resolved.warnings) store.ctx.warn(warning);
  if (resolved.rel === undefined) return undefined;
  const wish = wishOf(child, end, resolved);
  const [parent] = resolved.containment ? await parentEdges(store, wish.dst.id) : [];
  if (parent)
    invalid([fieldError(`${path}.id`, "maxItems", `${end.id} is in ${parent.src_id} already`, "one parent", end.id)]);
  return wish;
}

/**
 * Stores the links of a new entity.
 *
 * @param several - whether it may have more than one parent
 * @throws ToolFailure NOT_FOUND, or VALIDATION_ERROR for a second parent, a parent of the wrong kind, or an end in
 * another project
 */
export async function connect(
  store: Store,
  projectId: string,
  child: End,
  asks: readonly Ask[],
  several: boolean,
): Promise<readonly EdgeRow[]> {
  await checkEnds(store, projectId, asks);
  const asked = asks.filter((ask) => isParentAsk(ask, child.kind));
  checkParents(asked, child.kind, several);
  const rest = asks.filter((ask) => !asked.includes(ask));
  const free = rest.filter(({ intent, rel }) => intent === "either" && rel === undefined);
  const chosen = asked.length > 0 ? undefined : nearestParent(free, child.kind);
  const parents = (chosen ? [chosen] : asked).map(({ end }) => end).filter(({ kind }) => kind !== "project");
  const wishes: (Wish | undefined)[] = parents.map((parent, i) => containmentWish(parent, child, i === 0));
  for (const ask of rest) if (ask !== chosen) wishes.push(await relationWish(store, child, ask));
  const edges: EdgeRow[] = [];
  for (const wish of wishes) {
    if (!wish) continue;
    const { edge, created } = await ensureEdge(store, projectId, wish);
    if (created) edges.push(edge);
  }
  return edges;
}
