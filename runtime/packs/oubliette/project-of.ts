/** Looks up the project of an object of the pack `oubliette`. */

import type { Transaction } from "../../contract/handler.js";
import { type Kind, kindOfId } from "./store.js";
import { queries } from "./tables.js";

/** @param kind - empty for an id of any kind */
export async function projectOf(tx: Transaction, kind: string, id: string): Promise<string | undefined> {
  const found = kindOfId(id);
  return found && ["", found].includes(kind) ? LOOKUPS[found](tx, id) : undefined;
}

/** Whether a project exists. */
export const projectExists = async (tx: Transaction, id: string): Promise<boolean> =>
  (await projectOf(tx, "project", id)) !== undefined;

const owner =
  (table: "oubliette_workspaces" | "oubliette_sessions") =>
  async (tx: Transaction, id: string): Promise<string | undefined> =>
    (await queries(tx).selectFrom(table).select("project_id").where("id", "=", id).executeTakeFirst())?.project_id;

const LOOKUPS: Readonly<Record<Kind, (tx: Transaction, id: string) => Promise<string | undefined>>> = {
  project: async (tx, id) =>
    (await queries(tx).selectFrom("oubliette_projects").select("id").where("id", "=", id).executeTakeFirst())?.id,
  workspace: owner("oubliette_workspaces"),
  session: owner("oubliette_sessions"),
};
