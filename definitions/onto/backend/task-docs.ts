/** Documents of a task: attached by a documented_in edge with a `role`. */

import { fieldError, invalid } from "toolwright/codegen";
import type { TaskDocArgs, TaskDocsArgs } from "./args.js";
import { ensureEdge, setEdgeProps } from "./edges.js";
import { refuse } from "./errors.js";
import { rowsById } from "./list.js";
import { boundsOf, type Page, page } from "./page.js";
import { readNew } from "./read-fields.js";
import { propsOf, type Shown, showEdge, showItem, showRow } from "./render.js";
import { insertEntity } from "./rows.js";
import type { EdgeRow } from "./schema.js";
import { getRow, type Store, type Work } from "./store.js";

const REL = "documented_in";
/** Documents of a task in an answer without `limit`. */
const DEFAULT_LIMIT = 50;

interface Attached {
  readonly edge_id: string;
  readonly role: string | null;
  readonly document: Shown;
}

const roleOf = (edge: { readonly props: string }): string | null => {
  const { role } = propsOf(edge);
  return typeof role === "string" ? role : null;
};

/** `onto.task.docs.list`. */
export const listTaskDocs: Work<TaskDocsArgs, Page<Attached>> = async (store, args) => {
  const task = await getRow(store, "task", args.task_id);
  const bounds = { ...boundsOf(args), limit: args.limit ?? DEFAULT_LIMIT };
  const attached = store.db
    .selectFrom("onto_edges")
    .where("src_id", "=", task.id)
    .where("rel", "=", REL)
    .where("hidden", "=", 0);
  const edges = await attached
    .select(["id", "dst_id", "props"])
    .orderBy("created_at")
    .orderBy("id")
    .limit(bounds.limit)
    .offset(bounds.offset)
    .execute();
  const { count } = await attached.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  const documents = await rowsById(
    store,
    "document",
    edges.map(({ dst_id }) => dst_id),
  );
  const items = edges.flatMap((edge) => {
    const document = documents.get(edge.dst_id);
    return document ? [{ edge_id: edge.id, role: roleOf(edge), document: showItem("document", document) }] : [];
  });
  return page(items, bounds, Number(count));
};

const OWN = ["task_id", "document_id", "role"];

function checkWays(args: TaskDocArgs): void {
  const made = args.title !== undefined && args.description !== undefined;
  const either = args.title !== undefined || args.description !== undefined;
  if (args.document_id === undefined ? made : !either) return;
  invalid([
    fieldError("document_id", "one_of", "give document_id, or title and description", "one way", args.document_id),
  ]);
}

async function documentFor(store: Store, projectId: string, args: TaskDocArgs) {
  if (args.document_id === undefined) {
    const { values, errors, warnings } = readNew("document", args, "", OWN);
    refuse(errors);
    for (const warning of warnings) store.ctx.warn(warning);
    return insertEntity(store, "document", projectId, values);
  }
  const document = await getRow(store, "document", args.document_id, "document_id");
  if (document["project_id"] !== projectId)
    invalid([
      fieldError("document_id", "ref", "document_id is in another project", `document of ${projectId}`, document.id),
    ]);
  return document;
}

async function withRole(store: Store, edge: EdgeRow, role: string | undefined): Promise<EdgeRow> {
  if (role === undefined || roleOf(edge) === role) return edge;
  return setEdgeProps(store, edge, { ...propsOf(edge), role });
}

/**
 * `onto.task.doc.create_or_attach`: a new document is attached to its task, not added to the tree; attaching again
 * changes only the role.
 */
export const attachDocument: Work<TaskDocArgs, { document: Shown; edge: Shown; created: boolean }> = async (
  store,
  args,
) => {
  const task = await getRow(store, "task", args.task_id);
  checkWays(args);
  const projectId = String(task["project_id"]);
  const document = await documentFor(store, projectId, args);
  const { edge, created } = await ensureEdge(store, projectId, {
    src: { kind: "task", id: task.id },
    rel: REL,
    dst: { kind: "document", id: document.id },
    props: args.role === undefined ? {} : { role: args.role },
  });
  const current = created ? edge : await withRole(store, edge, args.role);
  return { document: showRow("document", document), edge: showEdge(current), created };
};
