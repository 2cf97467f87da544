/** Looks up the project of an ontology object, including deleted ones, which their ops report in detail. */

import type { StoredObjects, Transaction } from "toolwright/codegen";
import { kindOfId } from "./id.js";
import { type EdgeKind, PLURALS } from "./model.js";
import { type EntityRow, queries } from "./schema.js";
import { projectOf as projectOfRow, tableOf } from "./store.js";

const KINDS = Object.keys(PLURALS) as readonly EdgeKind[];

/** @param kind - empty for an id of any kind */
async function projectOf(tx: Transaction, kind: string, id: string): Promise<string | undefined> {
  if (kind === "edge") return projectOfEdge(tx, id);
  const named = kind === "" ? kindOfId(id) : kind;
  // A UUID does not reveal its kind.
  for (const one of KINDS.filter((each) => named === undefined || each === named)) {
    const row = await queries(tx).selectFrom(tableOf(one)).selectAll().where("id", "=", id).executeTakeFirst();
    if (row) return projectOfRow(one, row as EntityRow);
  }
  return undefined;
}

const projectOfEdge = async (tx: Transaction, id: string): Promise<string | undefined> =>
  (await queries(tx).selectFrom("onto_edges").select("project_id").where("id", "=", id).executeTakeFirst())?.project_id;

/** Whether a live project exists. */
async function projectExists(tx: Transaction, id: string): Promise<boolean> {
  const live = queries(tx)
    .selectFrom("onto_projects")
    .select("id")
    .where("id", "=", id)
    .where("deleted_at", "is", null);
  return (await live.executeTakeFirst()) !== undefined;
}

/** The lookups of the pack. */
export const OBJECTS: StoredObjects = { kinds: [...KINDS, "edge"], projectOf, projectExists };
