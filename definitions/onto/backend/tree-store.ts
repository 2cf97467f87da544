/** Loads and saves the document tree of a project: every change checks and raises its version, and is logged. */

import { fail } from "toolwright/codegen";
import { logChange } from "./log.js";
import { labelOf } from "./render.js";
import type { EntityRow } from "./schema.js";
import type { Store } from "./store.js";
import type { Tree, TreeNode } from "./tree.js";
import { findPlace } from "./tree.js";

/** One step of a path from the root. */
export interface Step {
  readonly id: string;
  readonly title: string;
}

/** The tree in a project's row. */
export const treeOf = (project: EntityRow): Tree => JSON.parse(String(project["tree"]));

const conflict = (expected: number, current: unknown): never =>
  fail("CONFLICT", `The tree has version ${current}, not ${expected}. Read it again.`, {
    expected_version: expected,
    current_version: current,
  });

/** Checks the tree version that the caller has read. @throws ToolFailure CONFLICT with both versions */
export function expectTree(project: EntityRow, expected: number | undefined): void {
  if (expected !== undefined && expected !== project["tree_version"]) conflict(expected, project["tree_version"]);
}

/**
 * Stores a changed tree and returns its version.
 *
 * @throws ToolFailure CONFLICT if the stored version is not the one in `project`
 */
export async function saveTree(
  store: Store,
  project: EntityRow,
  root: readonly TreeNode[],
  change: "create" | "move" | "delete",
): Promise<number> {
  const { db, now } = store;
  const before = Number(project["tree_version"]);
  const version = before + 1;
  const tree = JSON.stringify({ version, root } satisfies Tree);
  const { numUpdatedRows } = await db
    .updateTable("onto_projects")
    .set({ tree, tree_version: version })
    .where("id", "=", project.id)
    .where("tree_version", "=", before)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) {
    const current = await db
      .selectFrom("onto_projects")
      .select("tree_version")
      .where("id", "=", project.id)
      .executeTakeFirst();
    conflict(before, current?.["tree_version"]);
  }
  await db
    .insertInto("onto_tree_history")
    .values({ project_id: project.id, tree_version: version, tree, change, at: now })
    .execute();
  await logChange(store, {
    kind: "project",
    id: project.id,
    op: "update",
    version: null,
    before: { tree_version: before },
    after: { tree_version: version, change },
  });
  return version;
}

/** The path from the root to a document, including it; empty for a document outside the tree. */
export async function pathTo({ db }: Store, root: readonly TreeNode[], documentId: string): Promise<readonly Step[]> {
  const place = findPlace(root, documentId);
  if (!place) return [];
  const ids = [...place.ancestors, documentId];
  const rows = await db.selectFrom("onto_documents").select(["id", "title"]).where("id", "in", ids).execute();
  const titles = new Map(rows.map((row) => [String(row["id"]), labelOf("document", row)]));
  return ids.map((id) => ({ id, title: titles.get(id) ?? "" }));
}
