/** The change log: every write adds a row to `changes` in its own transaction. */

import type { EdgeKind } from "./model.js";
import type { Value } from "./schema.js";
import type { Store } from "./store.js";

/** One write. `before` and `after` contain the changed columns. */
export interface Change {
  readonly kind: EdgeKind | "edge";
  readonly id: string;
  readonly op: "create" | "update" | "delete";
  /** Version of the entity after the write; null for edges, which have none, and for the tree, which has its own. */
  readonly version: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

/** Adds a write to the log, with its actor and trace id. */
export async function logChange({ db, ctx, now }: Store, change: Change): Promise<void> {
  const { kind, id, op, version, before, after } = change;
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value));
  await db
    .insertInto("onto_changes")
    .values({
      entity_kind: kind,
      entity_id: id,
      op,
      version,
      actor: ctx.principal.id,
      trace_id: ctx.traceId,
      before: json(before),
      after: json(after),
      at: now,
    })
    .execute();
}

/** Columns of an entity that changed after a version. */
export async function changedSince({ db }: Store, id: string, version: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("onto_changes")
    .select("after")
    .where("entity_id", "=", id)
    .where("version", ">", version)
    .orderBy("version")
    .limit(100)
    .execute();
  const names = rows.flatMap(({ after }) => Object.keys(JSON.parse(after ?? "{}") as Record<string, Value>));
  return [...new Set(names)].sort();
}
