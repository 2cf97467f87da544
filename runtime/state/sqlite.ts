/** Embedded state: one file, one connection to read and one to write, callers in a queue; other processes may share the file. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Driver, Kysely, SqliteDialect, type Transaction } from "kysely";
import LibsqlDatabase from "libsql";
import { homeFolder } from "../home.js";
import { isBusy, LOCK_TIMEOUT_MS, unavailable } from "./failure.js";
import type { Connected } from "./open.js";
import type { Database } from "./schema.js";

/** Longest pause between two tries for a lock that another process holds. libsql blocks the thread, so SQLite must not wait. */
const PAUSE_MS = 25;

/** Repeats `attempt` while SQLite is locked, without holding the thread. @throws ToolFailure UNAVAILABLE after the deadline */
export async function patiently<T>(attempt: () => Promise<T> | T, deadline: number): Promise<T> {
  for (let pause = 1; ; pause = Math.min(pause * 2, PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() >= deadline) throw unavailable("The database is locked by another process. Try again.");
      await sleep(pause);
    }
  }
}

/** Begins a transaction. By `exec`, since a prepared BEGIN that failed stays pending and would keep the next COMMIT out. */
function begin(database: LibsqlDatabase.Database, mode: "read" | "write"): void {
  if (mode === "write") {
    database.exec("begin immediate");
    return;
  }
  database.exec("begin");
  try {
    // Reading once takes the snapshot now, so that no later statement can find the database locked.
    database.exec("select 1 from sqlite_schema limit 1");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

async function openFile(file: string, mode: "read" | "write"): Promise<LibsqlDatabase.Database> {
  const database = new LibsqlDatabase(file);
  await patiently(() => database.pragma("journal_mode = WAL"), Date.now() + LOCK_TIMEOUT_MS);
  const settings = ["foreign_keys = ON", "busy_timeout = 0", "synchronous = FULL"];
  for (const setting of mode === "read" ? [...settings, "query_only = ON"] : settings) database.pragma(setting);
  return database;
}

/** First come, first served: one connection has one transaction at a time. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

type Run<T> = (tx: Transaction<Database>) => Promise<T>;

/** One connection and the transactions that wait for it. */
interface Lane {
  transaction<T>(run: Run<T>): Promise<T>;
  close(): Promise<void>;
}

async function openLane(file: string, mode: "read" | "write"): Promise<Lane> {
  const database = await openFile(file, mode);
  const dialect = new SqliteDialect({ database });
  const inTurn = queue();
  let deadline = 0;
  const driver = (inner: Driver): Driver => ({
    init: () => inner.init(),
    acquireConnection: () => inner.acquireConnection(),
    beginTransaction: () => patiently(() => begin(database, mode), deadline),
    commitTransaction: async () => void database.exec("commit"),
    rollbackTransaction: async () => void database.exec("rollback"),
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
  });
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => driver(dialect.createDriver()),
      createIntrospector: (of) => dialect.createIntrospector(of),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
  return {
    transaction(run) {
      const until = Date.now() + LOCK_TIMEOUT_MS;
      return inTurn(() => {
        deadline = until;
        return db.transaction().execute(run);
      });
    },
    close: () => inTurn(() => db.destroy()),
  };
}

/**
 * Opens `.onetool/state.db` under `root`; the folder is made private and ignored by git.
 *
 * Reads have a connection of their own, so that none waits for a writer.
 */
export async function openSqlite(root: string): Promise<Connected> {
  const file = join(await homeFolder(root), "state.db");
  const lanes = { write: await openLane(file, "write"), read: await openLane(file, "read") };
  return {
    dialect: "sqlite",
    transaction: (mode, run) => lanes[mode].transaction(run),
    async close() {
      await lanes.read.close();
      await lanes.write.close();
    },
  };
}
