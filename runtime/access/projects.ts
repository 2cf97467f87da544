/** Which projects there are, for the scopes of keys: each pack that has projects has its own prefix of ids. */

import type { State } from "../state/open.js";
import { type Queries, queries } from "../state/schema.js";
import type { ProjectExists } from "./scope.js";

type Find = (db: Queries, id: string) => Promise<object | undefined>;

/** How a project is found, by the prefix of its id. */
const FIND: ReadonlyMap<string, Find> = new Map<string, Find>([
  [
    "proj",
    (db, id) =>
      db.selectFrom("projects").select("id").where("id", "=", id).where("deleted_at", "is", null).executeTakeFirst(),
  ],
]);

/** Looks into the state database. */
export const projectsIn =
  (state: () => Promise<State>): ProjectExists =>
  async (id) => {
    const find = FIND.get(id.slice(0, id.indexOf("_")));
    if (!find) return false;
    const found = await (await state()).transaction("read", (tx) => find(queries(tx), id));
    return found !== undefined;
  };
