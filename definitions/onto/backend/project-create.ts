/** `onto.project.create`: a project with its first entities and links, in one transaction. */

import type { ProjectCreateArgs } from "./args.js";
import { containmentWish, nearestParent } from "./connect.js";
import { type End, ensureEdge, type Wish } from "./edges.js";
import { refuse } from "./errors.js";
import { wishOf } from "./link.js";
import type { EdgeKind } from "./model.js";
import { type ProjectSpec, readSpec, type SpecEntity, type SpecLink } from "./project-spec.js";
import { defaultRel, hasDefault, type Resolved, resolvePair, resolveRel } from "./relations.js";
import { type Shown, showRow } from "./render.js";
import { insertEntity } from "./rows.js";
import type { Store, Work } from "./store.js";
import type { TreeNode } from "./tree.js";
import { saveTree } from "./tree-store.js";

/** The answer of the op. */
export type ProjectCreated =
  | { readonly status: "needs_clarification"; readonly clarifications: readonly object[] }
  | {
      readonly status: "created";
      readonly project: Shown;
      readonly id_map: Readonly<Record<string, string>>;
      readonly counts: { readonly entities: number; readonly edges: number };
      readonly context_document_id?: string;
    };

const isRequired = (clarification: object): boolean =>
  Object.entries(clarification).some(([name, value]) => name === "required" && value === true);

/** Resolves a link of the input before anything is stored. */
function resolveLink({ from, to, rel, intent }: SpecLink): Resolved {
  if (rel !== undefined) return resolveRel(rel, from.kind, to.kind);
  if (intent === "containment") return resolveRel("contains", from.kind, to.kind);
  if (intent === "semantic") return defaultRel(from.kind, to.kind);
  return resolvePair(from.kind, to.kind);
}

interface Held {
  readonly end: End;
  readonly link: SpecLink;
  readonly child: SpecEntity;
  readonly named: boolean;
}

/** Relates an additional parent to the child by the default rel of the pair, read from the child if there is one. */
function relateParent({ link, child, end }: Held, parent: SpecEntity, ids: Ids): Wish {
  const fromChild = hasDefault(child.kind, end.kind);
  const [src, dst] = fromChild ? [child, parent] : [parent, child];
  return wishOf(endOf(src, ids), endOf(dst, ids), {
    ...defaultRel(src.kind, dst.kind),
    ...(link.rel === undefined ? {} : { original: link.rel }),
  });
}

type Ids = ReadonlyMap<string, string>;
const endOf = ({ kind, tempId }: SpecEntity, ids: Ids): End => ({ kind, id: ids.get(tempId) ?? "" });

/** The edges of the input: each child gets its nearest parent, named ones first; all other links become relations. */
function wishesOf(links: readonly SpecLink[], ids: Ids, warn: (warning: string) => void): readonly Wish[] {
  const wishes: Wish[] = [];
  const holders = new Map<string, Held[]>();
  for (const link of links) {
    const resolved = resolveLink(link);
    for (const warning of resolved.warnings) warn(warning);
    if (!resolved.containment) {
      wishes.push(wishOf(endOf(link.from, ids), endOf(link.to, ids), resolved));
      continue;
    }
    const [parent, child] = resolved.flip ? [link.to, link.from] : [link.from, link.to];
    const named = link.rel !== undefined || link.intent === "containment";
    const held = { end: endOf(parent, ids), link, child, named };
    holders.set(child.tempId, [...(holders.get(child.tempId) ?? []), held]);
  }
  for (const held of holders.values()) wishes.push(...parentWishes(held, ids, warn));
  return wishes;
}

function parentWishes(held: readonly Held[], ids: Ids, warn: (warning: string) => void): readonly Wish[] {
  const [{ child }] = held as readonly [Held];
  const named = held.filter((each) => each.named);
  const chosen = nearestParent(named.length > 0 ? named : held, child.kind);
  const wishes: Wish[] = [];
  for (const each of held) {
    if (each === chosen || each.end.id === chosen?.end.id) continue;
    const parent = [each.link.from, each.link.to].find((end) => end !== child) ?? child;
    const wish = relateParent(each, parent, ids);
    if (each.named)
      warn(`second_parent: ${each.link.path}: ${child.tempId} has a parent already; ${wish.rel} is stored`);
    wishes.push(wish);
  }
  const own = chosen && containmentWish(chosen.end, endOf(child, ids), true);
  return own ? [own, ...wishes] : wishes;
}

async function insertAll(store: Store, projectId: string, { entities, context }: ProjectSpec) {
  const ids = new Map<string, string>();
  const documents: TreeNode[] = [];
  const insert = async (kind: EdgeKind, values: SpecEntity["values"]) => {
    const row = await insertEntity(store, kind, projectId, values);
    if (kind === "document") documents.push({ id: row.id, children: [] });
    return row.id;
  };
  const contextId = context && (await insert("document", context));
  for (const { tempId, kind, values } of entities) ids.set(tempId, await insert(kind, values));
  return { ids, documents, contextId };
}

/** `onto.project.create`. A required clarification is returned before anything is checked or written. */
export const createProject: Work<ProjectCreateArgs, ProjectCreated> = async (store, args) => {
  const clarifications = args.clarifications ?? [];
  if (clarifications.some(isRequired)) return { status: "needs_clarification", clarifications };
  const spec = readSpec(args);
  refuse(spec.errors);
  const warn = (warning: string) => store.ctx.warn(warning);
  spec.warnings.forEach(warn);
  const projectId = store.newId("project");
  const project = await insertEntity(store, "project", projectId, spec.project);
  const { ids, documents, contextId } = await insertAll(store, projectId, spec);
  const treeVersion = documents.length > 0 ? await saveTree(store, project, documents, "create") : 0;
  let edges = 0;
  for (const wish of wishesOf(spec.links, ids, warn))
    if ((await ensureEdge(store, projectId, wish)).created) edges += 1;
  return {
    status: "created",
    project: showRow("project", { ...project, tree_version: treeVersion }),
    id_map: Object.fromEntries(ids),
    counts: { entities: spec.entities.length, edges },
    ...(contextId === undefined ? {} : { context_document_id: contextId }),
  };
};
