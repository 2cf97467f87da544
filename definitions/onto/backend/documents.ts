/** The ops of the document tree. */

import { fieldError, invalid } from "toolwright/codegen";
import type { PathGetArgs, TreeGetArgs, TreeMoveArgs } from "./args.js";
import { notFound } from "./errors.js";
import type { Shown } from "./render.js";
import type { EntityRow } from "./schema.js";
import { getProject, getRow, type Store, type Work } from "./store.js";
import { findPlace, idsOf, insertNode, removeNode, type TreeNode } from "./tree.js";
import { expectTree, pathTo, type Step, saveTree, treeOf } from "./tree-store.js";

/** Most documents outside the tree in each list of an answer. */
const MAX_OUTSIDE_TREE = 500;
/** Ids per query. */
const CHUNK = 200;
/** Most characters of content in one answer. */
const MAX_CONTENT_LENGTH = 4_000_000;

const INFO = ["id", "title", "description", "type_key", "state_key"] as const;

async function infoOf(
  { db }: Store,
  ids: readonly string[],
  content: boolean,
): Promise<{ readonly documents: Readonly<Record<string, Shown>>; readonly complete: boolean }> {
  const documents: Record<string, Shown> = {};
  let held = 0;
  for (let i = 0; i < ids.length; i += CHUNK) {
    const whole = content && held < MAX_CONTENT_LENGTH;
    const rows = await db
      .selectFrom("onto_documents")
      .select(whole ? [...INFO, "content"] : [...INFO])
      .where("id", "in", ids.slice(i, i + CHUNK))
      .execute();
    for (const row of rows) {
      held += String(row["content"] ?? "").length;
      documents[String(row["id"])] = held > MAX_CONTENT_LENGTH ? { ...row, content: undefined } : row;
    }
  }
  return { documents, complete: held <= MAX_CONTENT_LENGTH };
}

/** Live documents outside the tree, newest first. */
async function looseOf({ db }: Store, projectId: string, archived: boolean, placed: ReadonlySet<string>) {
  const rows = await db
    .selectFrom("onto_documents")
    .select([...INFO])
    .where("project_id", "=", projectId)
    .where("deleted_at", "is", null)
    .where("state_key", archived ? "=" : "!=", "archived")
    .orderBy("updated_at", "desc")
    .orderBy("id")
    .limit(MAX_OUTSIDE_TREE + (archived ? 0 : placed.size))
    .execute();
  return rows.filter((row) => archived || !placed.has(String(row["id"]))).slice(0, MAX_OUTSIDE_TREE);
}

/** `onto.document.tree.get`. */
export const getTree: Work<TreeGetArgs, object> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  const tree = treeOf(project);
  const answer = { structure: tree, tree_version: tree.version };
  if (args.include_content && !args.include_documents)
    invalid([
      fieldError(
        "include_documents",
        "requires",
        "include_content goes with include_documents",
        "include_documents=true",
        args.include_documents,
      ),
    ]);
  if (!args.include_documents) return answer;
  const ids = idsOf(tree.root);
  const { documents, complete } = await infoOf(store, ids, args.include_content === true);
  if (!complete) store.ctx.warn("content_left_out: some documents are too long; read them with onto.document.get");
  const placed = new Set(ids);
  return {
    ...answer,
    documents,
    unlinked: await looseOf(store, project.id, false, placed),
    archived: await looseOf(store, project.id, true, placed),
  };
};

/** The tree that contains a document. */
async function treeOfDocument(store: Store, document: EntityRow): Promise<readonly TreeNode[]> {
  return treeOf(await getProject(store, String(document["project_id"]))).root;
}

/** The path of a document from the root. */
export const pathOfDocument = async (store: Store, document: EntityRow): Promise<readonly Step[]> =>
  pathTo(store, await treeOfDocument(store, document), document.id);

/** `onto.document.path.get`. */
export const getPath: Work<PathGetArgs, { path: readonly Step[]; linked?: false }> = async (store, args) => {
  const document = await getRow(store, "document", args.document_id);
  if (args.project_id !== undefined && document["project_id"] !== args.project_id) notFound("document", document.id);
  const path = await pathOfDocument(store, document);
  return path.length > 0 ? { path } : { path, linked: false };
};

/** @throws ToolFailure NOT_FOUND if there is no such document in the project, VALIDATION_ERROR if it is not in the tree */
export async function checkParent(
  store: Store,
  project: EntityRow,
  parent: string | null,
  path: string,
): Promise<void> {
  if (parent === null || findPlace(treeOf(project).root, parent)) return;
  const document = await getRow(store, "document", parent, path);
  if (document["project_id"] !== project.id) notFound("document", parent, { path });
  const message = `${path} is a document outside the tree: place it with onto.document.tree.move first`;
  invalid([fieldError(path, "tree", message, "a document in the tree", parent)]);
}

function checkCycle(node: TreeNode | undefined, documentId: string, parent: string | null): void {
  if (parent === null || (parent !== documentId && !(node && findPlace(node.children, parent)))) return;
  const message =
    parent === documentId ? "new_parent_id is the document itself" : "new_parent_id is below the document";
  invalid([fieldError("new_parent_id", "cycle", message, "a document outside its subtree", parent)]);
}

/** `onto.document.tree.move`: moves the whole subtree; a move to its own place changes nothing. */
export const moveDocument: Work<TreeMoveArgs, object> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  const document = await getRow(store, "document", args.document_id);
  if (document["project_id"] !== project.id) notFound("document", document.id);
  expectTree(project, args.expected_tree_version);
  const { root } = treeOf(project);
  const parent = args.new_parent_id ?? null;
  const before = findPlace(root, document.id);
  checkCycle(before?.node, document.id, parent);
  await checkParent(store, project, parent, "new_parent_id");
  const node = before?.node ?? { id: document.id, children: [] };
  const moved = insertNode(removeNode(root, document.id), parent, node, args.new_position ?? 0);
  const position = findPlace(moved, document.id)?.position ?? 0;
  const stays = before && (before.ancestors.at(-1) ?? null) === parent && before.position === position;
  const treeVersion = stays ? Number(project["tree_version"]) : await saveTree(store, project, moved, "move");
  return {
    moved: !stays,
    document_id: document.id,
    parent_id: parent,
    position,
    path: await pathTo(store, moved, document.id),
    tree_version: treeVersion,
  };
};
