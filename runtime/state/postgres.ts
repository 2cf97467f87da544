/**
 * State in PostgreSQL, for servers that share it. Writers wait for the rows that they lock; an advisory lock orders
 * those that need an order among themselves. Each wait for the database is bounded: on the server by its timeouts, and here by a timer that closes
 * the connection.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from "kysely";
import type { Pool, PoolClient } from "pg";
import { STATE_DIRECTORY, stateDirectory } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { type Backoff, waitAfter } from "../contract/backoff.js";
import { UsageError } from "../contract/usage-error.js";
import { poolUsed, poolWaiting } from "../metrics/operations.js";
import { createDatabaseClock } from "./database-clock.js";
import { inTime, remainingMs, withinStateMs } from "./deadline.js";
import type { Connected, Order } from "./driver.js";
import { isAway, LOCK_TIMEOUT_MS, StateFailure, stateFailure, UnknownOutcome } from "./failure.js";
import { deliversOn, listeningClient, postgresNotifier, sendMessage } from "./postgres-notifier.js";
import type { Database } from "./schema.js";

/** First half of an advisory lock's key; the second half is derived from the schema of the search path and the order. */
const LOCK = 0x746f6f6c;
const CONNECT_TIMEOUT_MS = 5000;
/** OID of int8, which pg returns as text: counts fit a number. */
const INT8 = 20;
/** Idle time after which the operating system probes the connection. */
const KEEP_ALIVE_MS = 10_000;
/** Idle time after which the server ends a write transaction, because others may wait for what it locks. */
const IDLE_WRITE_MS = 10_000;
/** Time beyond the server's own timeouts before a connection is closed. */
const GRACE_MS = 100;
/** Least time for COMMIT and ROLLBACK. */
const END_MS = 500;
/** Time limit for closing connections in an orderly way. */
const CLOSE_MS = 1000;

type Mode = Parameters<Connected["transaction"]>[0];

const ISOLATION: Readonly<Record<Mode, string>> = {
  read: "repeatable read read only",
  write: "read committed",
};

/** Begins a transaction and sets its timeouts, in one message. */
function beginning(mode: Mode, ms: number): string {
  const idle = mode === "read" ? ms + IDLE_WRITE_MS : Math.min(ms + GRACE_MS, IDLE_WRITE_MS);
  const bounds = {
    statement_timeout: ms,
    lock_timeout: Math.min(ms, LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: idle,
  };
  return [
    `start transaction isolation level ${ISOLATION[mode]}`,
    ...Object.entries(bounds).map(([name, value]) => `set local ${name} = ${Math.ceil(Math.max(1, value))}`),
  ].join("; ");
}

/** Waits until the other transactions of an order have ended. Each later statement sees what they have committed. */
async function takeOrder(tx: Transaction<Database>, order: Order): Promise<void> {
  // Migrations also wait for writers of versions before 0.2, which take this lock for every write.
  const name = order === "migrations" ? "" : ` ${order}`;
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)}, hashtext(concat(current_schema(), ${name}::text)))`.execute(
    tx,
  );
}

/**
 * A connection for one transaction: each answer is waited for until the deadline, then the connection is destroyed.
 */
function bounded(client: PoolClient, ms: number, released: () => void): PostgresPoolClient {
  const deadline = performance.now() + ms;
  let isBroken = false;
  const query = async (sql: string, parameters: unknown[]) => {
    const asked = client.query(sql, parameters);
    // A result after the timeout is ignored.
    asked.catch(() => undefined);
    try {
      const answer = await inTime(asked, patienceMs(sql, deadline), () => new StateFailure("slow"));
      if (sql === "commit" && answer.command !== "COMMIT") throw new NotCommitted();
      return answer;
    } catch (error) {
      if (error instanceof StateFailure) {
        isBroken = true;
        destroy(client);
      }
      throw error;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient["query"],
    release() {
      released();
      client.release(isBroken);
    },
  };
}

/** PostgreSQL answers a COMMIT with ROLLBACK, and no error, if an earlier statement failed. */
class NotCommitted extends Error {
  override readonly name = "NotCommitted";
  override readonly message = "nothing was committed, since a statement of the transaction had failed";
}

/** How long to wait for the answer to a statement. */
function patienceMs(sql: string, deadline: number): number {
  const left = Math.max(0, deadline - performance.now());
  const least = sql === "commit" ? Math.max(left, END_MS) : left;
  return (sql === "rollback" ? END_MS : least) + GRACE_MS;
}

/** Destroys a connection without the closing handshake, which an unresponsive server would not answer. */
const destroy = (client: PoolClient): void => void client.connection.stream.destroy();

/** SQLSTATE of a server that has no free connection. */
const TOO_MANY_CONNECTIONS = "53300";
/** Pauses before the server is asked again. */
const AGAIN: Backoff = { firstMs: 50, longestMs: 500 };

/**
 * Does work again for as long as the server is away, until the deadline.
 *
 * @param isOver whether the work is not to be done again
 * @throws the error of the last time
 */
async function whileAway<T>(work: () => Promise<T>, deadline: number, isOver: (error: unknown) => boolean): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await work();
    } catch (error) {
      const waitMs = waitAfter(failures, Math.random, AGAIN);
      if (!isAway(error) || isOver(error) || performance.now() + waitMs > deadline) throw error;
      await sleep(waitMs, undefined, { ref: false });
    }
}

/**
 * Takes a connection from the pool. If the server is away or has none left, waits until the deadline.
 *
 * @param refused called with the reason of the wait
 * @param full called if the server has no connection left
 */
const connected = (
  pool: Pool,
  deadline: number,
  refused: (why: Error) => void,
  full: () => void,
): Promise<PoolClient> =>
  whileAway(
    () => pool.connect(),
    deadline,
    (error) => {
      if (error instanceof Error) refused(error);
      if (error instanceof Error && "code" in error && error.code === TOO_MANY_CONNECTIONS) full();
      return false;
    },
  );

/**
 * The pool as Kysely uses it, within the deadline of the current work.
 *
 * @param full called if the server has no connection left
 */
function boundedPool(pool: Pool, inUse: Set<PoolClient>, full: () => void): PostgresPool {
  return {
    async connect() {
      const ms = remainingMs(LOCK_TIMEOUT_MS);
      const deadline = performance.now() + ms;
      let why: Error | undefined;
      const refused = (refusal: Error): void => {
        why = refusal;
      };
      const connecting = connected(pool, deadline, refused, full);
      let isGivenUp = false;
      connecting.then(
        (client) => isGivenUp && client.release(),
        () => undefined,
      );
      try {
        poolWaiting(1);
        const client = await inTime(connecting, ms, () => new StateFailure("unreachable", { cause: why })).finally(() =>
          poolWaiting(-1),
        );
        inUse.add(client);
        poolUsed(1, USED);
        return bounded(client, deadline - performance.now(), () => inUse.delete(client) && poolUsed(-1, USED));
      } catch (error) {
        isGivenUp = true;
        throw stateFailure(error);
      }
    },
    end: () => pool.end(),
  };
}

const USED = { "db.client.connection.state": "used" };

/** Whether a failed COMMIT stored nothing: the server refused it, or `pg` had no connection to send it on. */
const isWithoutEffect = (error: unknown): boolean =>
  error instanceof NotCommitted ||
  (error instanceof Error &&
    (("severity" in error && error.severity === "ERROR") || error.message.includes("not queryable")));

/** @param ends when it has aborted, no statement of the work is sent any more, only what ends its transaction */
function boundedDriver(inner: Driver, mode: Mode, ends?: AbortSignal): Driver {
  const side = mode === "read" ? "read" : "write";
  const asked = async (connection: DatabaseConnection, sql: string) => connection.executeQuery(CompiledQuery.raw(sql));
  const rollback = async (connection: DatabaseConnection): Promise<void> => {
    // If the message does not arrive, the server rolls back when it finds the connection closed.
    await asked(connection, "rollback").catch(() => undefined);
  };
  const told = (error: unknown): never => {
    throw stateFailure(error, side);
  };
  return {
    init: () => inner.init(),
    async acquireConnection() {
      const connection = await inner.acquireConnection();
      return {
        executeQuery: (query) =>
          ends?.aborted ? Promise.reject(ends.reason) : connection.executeQuery(query).catch(told),
        streamQuery: (...given) => connection.streamQuery(...given),
        [INNER]: connection,
      } as DatabaseConnection;
    },
    async beginTransaction(connection) {
      const begin = beginning(mode, remainingMs(LOCK_TIMEOUT_MS));
      await asked(connection, begin).catch(async (error: unknown) => {
        await rollback(connection);
        throw error;
      });
    },
    async commitTransaction(connection) {
      const raw = innerOf(connection);
      await asked(raw, "commit").catch((error: unknown) => {
        if (mode === "read" || isWithoutEffect(error)) told(error);
        throw new UnknownOutcome(error);
      });
    },
    rollbackTransaction: (connection) => rollback(innerOf(connection)),
    releaseConnection: (connection) => inner.releaseConnection(innerOf(connection)),
    destroy: () => inner.destroy(),
  };
}

const INNER = Symbol("the connection of the inner driver");
const innerOf = (connection: DatabaseConnection): DatabaseConnection =>
  (connection as DatabaseConnection & { readonly [INNER]?: DatabaseConnection })[INNER] ?? connection;

/** How a PostgreSQL database is opened. */
export interface PostgresOptions {
  readonly url: string;
  /** The project. */
  readonly root: string;
  /** Most connections, without the one that listens; default 10. */
  readonly pool?: number | undefined;
  /** Where the connection that listens goes; default: `url`. */
  readonly listenUrl?: string | undefined;
  /** How long the transaction of a trial may be open; default 2 s. */
  readonly trialMs?: number | undefined;
  /** Called with warnings for the operator. */
  readonly warn: (message: string) => void;
}

/** Connects to a database; only this function loads `pg`. */
export async function openPostgres(options: PostgresOptions): Promise<Connected> {
  const { url, root, warn, listenUrl = url, pool: max = POOL } = options;
  const { default: pg } = await import("pg");
  const { pool, inUse, giveUp } = openPool(pg, url, max);
  const shared = boundedPool(pool, inUse, () => listening.giveWay());
  const databases = Object.fromEntries(
    (["read", "write"] as const).map((mode) => [mode, databaseOf(shared, mode)]),
  ) as Readonly<Record<Mode, Kysely<Database>>>;
  const mark = postgresMark(root, url);
  const once = <T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T> => work(databases.write);
  const connect = () => listeningClient(pg, listenUrl);
  const listening = postgresNotifier({ once, connect, warn });
  return {
    dialect: "postgres",
    transaction: (mode, work, order) => inTransaction(databases[mode], mode, work, order),
    read: (work, until) => withinStateMs(until - performance.now(), () => inTransaction(databases.read, "read", work)),
    trial: async () =>
      (await import("./postgres-trial.js")).openPostgresTrial(
        (ends) => databaseOf(shared, "write", ends),
        once,
        options.trialMs,
      ),
    shared: {
      pool: max,
      notifier: listening.notifier,
      once,
      send: sendMessage,
      delivers: () => deliversOn({ once, connect }),
      clock: createDatabaseClock(once),
    },
    requireNew: mark.requireNew,
    migrated: mark.set,
    async close() {
      await listening.close();
      const timer = setInterval(giveUp, CLOSE_MS);
      await pool.end().finally(() => clearInterval(timer));
    },
  };
}

/**
 * Runs a transaction. It begins again if the server went away before its work began; one that only reads does so
 * whenever the server went away.
 */
function inTransaction<T>(
  db: Kysely<Database>,
  mode: Mode,
  work: (tx: Transaction<Database>) => Promise<T>,
  order?: Order,
): Promise<T> {
  let hasBegun = false;
  const attempt = (): Promise<T> =>
    db.transaction().execute(async (tx) => {
      hasBegun = true;
      if (order !== undefined) await takeOrder(tx, order);
      return work(tx);
    });
  const deadline = performance.now() + remainingMs(LOCK_TIMEOUT_MS);
  return whileAway(attempt, deadline, () => mode === "write" && hasBegun);
}

/** Connections of a pool by default. */
const POOL = 10;

/** Creates the pool, and what destroys its idle connections. */
function openPool(pg: Pick<typeof import("pg"), "Pool" | "types">, url: string, max: number) {
  const getTypeParser = (oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    allowExitOnIdle: true,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  });
  const [clients, inUse] = [new Set<PoolClient>(), new Set<PoolClient>()];
  // The next call replaces a broken connection; without a listener the error would end the process, in use or idle.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    clients.add(client);
  });
  pool.on("remove", (client) => clients.delete(client));
  const giveUp = (): void => {
    for (const client of clients) if (!inUse.has(client)) destroy(client);
  };
  return { pool, inUse, giveUp };
}

function databaseOf(pool: PostgresPool, mode: Mode, ends?: AbortSignal): Kysely<Database> {
  const dialect = new PostgresDialect({ pool });
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => boundedDriver(dialect.createDriver(), mode, ends),
      createIntrospector: (of) => dialect.createIntrospector(of),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
  });
}

const TEXT =
  "The PostgreSQL database of this project holds data. Because this file is here, toolwright reports it when its tables are gone.\n";

/** The record of one database. */
export interface PostgresMark {
  /** @throws UsageError if the database held data */
  requireNew(): void;
  /** Records that the database holds data, if `.onetool/` is writable. */
  set(): Promise<void>;
}

/** The record of a database; every database, and every schema, has its own. */
export function postgresMark(root: string, url: string): PostgresMark {
  const name = `state.used.${identityOf(url)}`;
  const file = join(root, STATE_DIRECTORY, name);
  return {
    requireNew() {
      if (!existsSync(file)) return;
      const remedy = `restore it from a copy; to begin anew without its data, remove ${STATE_DIRECTORY}/${name}`;
      throw new UsageError(`the PostgreSQL database of the state has no tables, although it held data: ${remedy}`);
    },
    async set() {
      if (existsSync(file)) return;
      // If there is no place to write, there is no record, and the database works all the same.
      await stateDirectory(root)
        .then(() => writeAtomically(file, TEXT, { mode: 0o600 }))
        .catch(() => undefined);
    },
  };
}

/** Identifies a database, independent of the user that connects to it. */
function identityOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const parts = [host, pathname, ...["host", "port", "options"].map((name) => searchParams.get(name))];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
