/** Facts about a database that servers share, for `doctor`. */

import { sql } from "kysely";
import type { State } from "./open.js";
import { liveReplicas, type Replica } from "./replicas.js";

/** What is known of a shared database and its servers. */
export interface Survey {
  readonly replicas: readonly Replica[];
  /** Most connections of a server of this project. */
  readonly pool: number;
  /** `max_connections` of the database. */
  readonly maxConnections: number;
  /** By how much the clock of this process is ahead of the database's, in milliseconds. */
  readonly skewMs: number;
  /** Whether messages arrive on the connection that listens. */
  readonly delivers: boolean;
}

/** Looks at a database; undefined if one server has it to itself. @throws ToolFailure UNAVAILABLE */
export async function surveyOf(state: State): Promise<Survey | undefined> {
  const { shared } = state;
  if (!shared) return undefined;
  const { rows } = await shared.once((db) =>
    sql<{ most: number }>`select current_setting('max_connections')::int as most`.execute(db),
  );
  const { most: maxConnections = 0 } = rows[0] ?? {};
  const skewMs = await shared.clock.measure();
  const delivers = await shared.delivers().catch(() => false);
  return { replicas: await liveReplicas(state), pool: shared.pool, maxConnections, skewMs, delivers };
}
