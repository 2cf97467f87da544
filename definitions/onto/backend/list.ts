/** The list ops: latest change first, counted, in pages. */

import { sql } from "kysely";
import type { ListArgs } from "./args.js";
import { countLive, openTasks } from "./counts.js";
import type { EdgeKind } from "./model.js";
import { boundsOf, type Page, page } from "./page.js";
import { itemColumns } from "./render.js";
import type { EntityRow, Value } from "./schema.js";
import { inProjects } from "./search-index.js";
import { projectsInScope, requireProject, type Store, tableOf, type Work } from "./store.js";

const FILTERS = ["state_key", "type_key", "impact"] as const;

async function rowsOf(
  store: Store,
  kind: EdgeKind,
  args: ListArgs,
): Promise<readonly Readonly<Record<string, Value>>[]> {
  const { limit, offset } = boundsOf(args);
  const scope = inProjects(kind === "project" ? "id" : "project_id", projectsInScope(store, args.project_id));
  let query = store.db
    .selectFrom(tableOf(kind))
    .select([...itemColumns(kind)])
    .where("deleted_at", "is", null)
    .where(scope);
  for (const filter of FILTERS) if (args[filter] !== undefined) query = query.where(filter, "=", args[filter]);
  if (kind === "milestone") query = query.orderBy(sql`due_at is null`).orderBy("due_at");
  return query.orderBy("updated_at", "desc").orderBy("id").limit(limit).offset(offset).execute();
}

/** The list op of a kind, whose items have the columns of {@link itemColumns}. */
export const listOf =
  <I extends object>(kind: EdgeKind): Work<ListArgs, Page<I>> =>
  async (store, args) => {
    if (args.project_id !== undefined) await requireProject(store, args.project_id);
    const rows = await rowsOf(store, kind, args);
    const { live } = await countLive(store, {
      kinds: [kind],
      projectId: args.project_id,
      state: args.state_key,
      facet: args.impact ?? args.type_key,
    });
    // The columns are those of an item, in their order.
    return page(rows as unknown as readonly I[], boundsOf(args), live);
  };

/** An item of {@link listProjects}. */
interface ListedProject {
  readonly id: string;
  readonly name: string;
  readonly state_key: string;
  readonly type_key: string | null;
  readonly updated_at: string;
  readonly open_tasks: number;
}

/** `onto.project.list`: with the number of open tasks per project. */
export const listProjects: Work<ListArgs, Page<ListedProject>> = async (store, args) => {
  const { items, pagination } = await listOf<Omit<ListedProject, "open_tasks">>("project")(store, args);
  const open = await openTasks(
    store,
    items.map(({ id }) => id),
  );
  return { items: items.map((item) => ({ ...item, open_tasks: open.get(item.id) ?? 0 })), pagination };
};

/** Live rows by id; ids without a live row are left out. */
export async function rowsById(
  store: Store,
  kind: EdgeKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EntityRow>> {
  if (ids.length === 0) return new Map();
  const rows = await store.db
    .selectFrom(tableOf(kind))
    .select(["props", ...itemColumns(kind)])
    .where("id", "in", [...ids])
    .where("deleted_at", "is", null)
    .execute();
  return new Map(rows.map((row) => [String(row["id"]), row as EntityRow]));
}
