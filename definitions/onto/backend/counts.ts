/** Counts live entities from the counts that every write maintains, so that lists never scan a table. */

import { sql } from "kysely";
import { EDGE_KINDS, type EdgeKind, PLURALS, TASK_STATES } from "./model.js";
import { inProjects } from "./search-index.js";
import { projectsInScope, type Store } from "./store.js";

/** What to count. `facet` is the type key, for risks the impact. */
export interface Counted {
  readonly kinds: readonly EdgeKind[];
  readonly projectId?: string | undefined;
  readonly state?: string | undefined;
  readonly facet?: string | undefined;
}

/** Live entities and their words. */
export async function countLive(
  store: Store,
  counted: Counted,
): Promise<{ readonly live: number; readonly words: number }> {
  const { kinds, projectId, state, facet } = counted;
  let query = store.db
    .selectFrom("onto_tallies")
    .select([sql<number>`coalesce(sum(live), 0)`.as("live"), sql<number>`coalesce(sum(words), 0)`.as("words")])
    .where("kind", "in", [...kinds])
    .where(inProjects("project_id", projectsInScope(store, projectId)));
  if (state !== undefined) query = query.where("state_key", "=", state);
  if (facet !== undefined) query = query.where("facet", "=", facet);
  const row = await query.executeTakeFirstOrThrow();
  return { live: Number(row.live), words: Number(row.words) };
}

/** Live entities of a project by plural kind. */
export async function countsOf({ db }: Store, projectId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom("onto_tallies")
    .select(["kind", sql<number>`sum(live)`.as("live")])
    .where("project_id", "=", projectId)
    .groupBy("kind")
    .execute();
  const live = new Map(rows.map((row) => [row.kind, Number(row.live)]));
  return Object.fromEntries(
    EDGE_KINDS.filter((kind) => kind !== "project").map((kind) => [PLURALS[kind], live.get(kind) ?? 0]),
  );
}

const OPEN_STATES = TASK_STATES.filter((state) => state !== "done");

/** Tasks that are not done, by project. */
export async function openTasks({ db }: Store, projectIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("onto_tallies")
    .select(["project_id", sql<number>`sum(live)`.as("live")])
    .where("project_id", "in", [...projectIds])
    .where("kind", "=", "task")
    .where("state_key", "in", OPEN_STATES)
    .groupBy("project_id")
    .execute();
  return new Map(rows.map((row) => [row.project_id, Number(row.live)]));
}
