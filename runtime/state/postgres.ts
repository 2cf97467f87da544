/** State in PostgreSQL, for servers that share it. Writers take one advisory lock, so that both databases order writes alike. */

import { Kysely, PostgresDialect, sql } from "kysely";
import { LOCK_TIMEOUT_MS } from "./failure.js";
import type { Connected } from "./open.js";
import type { Database, Queries } from "./schema.js";

/** First half of the advisory lock's key; the second is the search path's schema. */
const LOCK = 0x746f6f6c;
const CONNECT_TIMEOUT_MS = 5000;
/** OID of int8, which pg hands over as text: counts fit a number. */
const INT8 = 20;

async function lockForWriting(tx: Queries): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)}, hashtext(coalesce(current_schema(), '')))`.execute(tx);
}

/** Connects to a `postgres://` URL; `pg` is loaded here and only here. */
export async function openPostgres(url: string): Promise<Connected> {
  const { default: pg } = await import("pg");
  const getTypeParser = (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    allowExitOnIdle: true,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  });
  // An idle connection that breaks is replaced by the next call; without a listener it would end the process.
  pool.on("error", () => undefined);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return {
    dialect: "postgres",
    transaction: (mode, run) =>
      mode === "read"
        ? db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(run)
        : db
            .transaction()
            .setIsolationLevel("read committed")
            .execute(async (tx) => {
              await lockForWriting(tx);
              return run(tx);
            }),
    close: () => db.destroy(),
  };
}
