/**
 * Embedded state: one SQLite file, one connection for reads and one for writes, each with a queue; other processes may
 * share the file.
 */

import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  type SelectModifierNode,
  SqliteDialect,
  SqliteQueryCompiler,
  type Transaction,
} from "kysely";
import LibsqlDatabase from "libsql";
import { stateDirectory } from "../config/state-directory.js";
import { remainingMs } from "./deadline.js";
import type { Connected } from "./driver.js";
import { causeOf, LOCK_TIMEOUT_MS, StateFailure, stateFailure } from "./failure.js";
import type { Database } from "./schema.js";
import {
  type FileWatch,
  isDiskFull,
  keepPrivate,
  markUsed,
  prepareFile,
  requireNew,
  sizeOf,
  stateFile,
  watchFile,
} from "./sqlite-file.js";
import { keepingStatements } from "./sqlite-statements.js";
import type { ConnectedTrial } from "./trial.js";
import { createTurns, retryWhileLocked } from "./turns.js";

/** `copy`: a private file, whose content need not outlive a crash. */
type Mode = "read" | "write" | "copy";

/** Largest database that is read completely on opening: takes a tenth of a second. */
const MAX_CHECKED_BYTES = 32 * 1024 * 1024;
/** Largest database that is read completely again after a write to its file, which may be SQLite's own. */
const MAX_RECHECKED_BYTES = 4 * 1024 * 1024;

/**
 * Begins a transaction. Uses `exec`, because a prepared BEGIN that failed stays pending and would block the next
 * COMMIT.
 */
function begin(database: LibsqlDatabase.Database, mode: Mode): void {
  if (mode !== "read") {
    database.exec("begin immediate");
    return;
  }
  try {
    // A read takes the snapshot now, so that no later statement can find the database locked.
    database.exec("begin; select 1 from sqlite_schema limit 1");
  } catch (error) {
    // Some errors end the transaction by themselves.
    if (database.inTransaction) database.exec("rollback");
    throw error;
  }
}

async function openFile(file: string, mode: Mode): Promise<LibsqlDatabase.Database> {
  const database = new LibsqlDatabase(file);
  if (mode === "copy") {
    for (const setting of ["journal_mode = MEMORY", "synchronous = OFF", "foreign_keys = ON"]) database.pragma(setting);
    return database;
  }
  try {
    await retryWhileLocked(() => database.pragma("journal_mode = WAL"), performance.now() + LOCK_TIMEOUT_MS);
    const settings = ["foreign_keys = ON", "busy_timeout = 0", "synchronous = FULL"];
    for (const setting of mode === "read" ? [...settings, "query_only = ON"] : settings) database.pragma(setting);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

type Work<T> = (tx: Transaction<Database>) => Promise<T>;

/** One connection with its queue of transactions. */
interface Lane {
  /** @param until deadline of `performance.now()`; default: that of the surroundings */
  transaction<T>(work: Work<T>, until?: number): Promise<T>;
  /** Whether a transaction is open; waiting for a lock does not count. */
  isInTransaction(): boolean;
  close(): Promise<void>;
}

/** Parameters of a lane. */
interface LaneParts {
  readonly file: string;
  readonly mode: Mode;
  readonly watch: () => FileWatch | undefined;
}

/**
 * SQLite ends a transaction by itself when it cannot write: later statements of the transaction must not run on their
 * own.
 */
const ended = (): StateFailure => new StateFailure("disk_failing", { message: ENDED });
const ENDED = "The database ended the transaction after an error. Nothing was changed; try again.";

/** State that the transactions of one connection share. */
interface Turn {
  /** Deadline for waiting on a lock, of `performance.now()`. */
  lockUntil: number;
  /** The error with which SQLite ended the transaction. */
  failure: StateFailure | undefined;
}

/** Converts errors of the database to their causes; a full disk gives further errors beside "disk full". */
function telling({ file, mode }: LaneParts, turn: Turn) {
  const tell = async (error: unknown): Promise<never> => {
    const isFull = causeOf(error) === "disk_failing" && (await isDiskFull(file));
    const side = mode === "read" ? mode : "write";
    const told = isFull ? new StateFailure("disk_full", { cause: error }) : stateFailure(error, side);
    if (told instanceof StateFailure) turn.failure ??= told;
    throw told;
  };
  return <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return work().catch(tell);
    } catch (error) {
      return tell(error);
    }
  };
}

/** Kysely's driver, with its own transactions. */
function driverOf(parts: LaneParts, database: LibsqlDatabase.Database, turn: Turn) {
  const told = telling(parts, turn);
  const requireTransaction = (): void => {
    if (!database.inTransaction) throw turn.failure ?? ended();
  };
  const guarded = (inner: DatabaseConnection): DatabaseConnection => ({
    executeQuery: (query) =>
      told(() => {
        requireTransaction();
        return inner.executeQuery(query);
      }),
    streamQuery: (...given) => inner.streamQuery(...given),
  });
  return (inner: Driver): Driver => ({
    init: () => inner.init(),
    acquireConnection: async () => guarded(await inner.acquireConnection()),
    beginTransaction: () =>
      told(() => {
        turn.failure = undefined;
        parts.watch()?.check(parts.mode);
        return retryWhileLocked(() => begin(database, parts.mode), turn.lockUntil);
      }),
    commitTransaction: () =>
      told(async () => {
        requireTransaction();
        database.exec("commit");
      }),
    async rollbackTransaction() {
      if (database.inTransaction) database.exec("rollback");
    },
    releaseConnection: (connection) => inner.releaseConnection(connection),
    destroy: () => inner.destroy(),
  });
}

/** Leaves out row locks (`forUpdate()`): a write transaction of SQLite is alone. */
class CompilerWithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || node.modifier === "Distinct") super.visitSelectModifier(node);
  }
}

async function openLane(parts: LaneParts): Promise<Lane> {
  const database = await openFile(parts.file, parts.mode);
  const dialect = new SqliteDialect({ database: keepingStatements(database) });
  const turns = createTurns();
  const turn: Turn = { lockUntil: 0, failure: undefined };
  const driver = driverOf(parts, database, turn);
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => driver(dialect.createDriver()),
      createIntrospector: (of) => dialect.createIntrospector(of),
      createQueryCompiler: () => new CompilerWithoutRowLocks(),
    },
  });
  return {
    isInTransaction: () => database.inTransaction,
    transaction(work, deadline) {
      const now = performance.now();
      const waitMs = deadline === undefined ? remainingMs(LOCK_TIMEOUT_MS) : Math.max(0, deadline - now);
      const until = now + Math.min(waitMs, LOCK_TIMEOUT_MS);
      return turns.take(() => {
        turn.lockUntil = until;
        return db.transaction().execute(work);
      }, waitMs);
    },
    close: () => turns.take(() => db.destroy(), LOCK_TIMEOUT_MS).catch(() => void database.close()),
  };
}

/** Opens a copy of the database, in which each piece of work is a transaction. */
async function openTrial(from: string): Promise<ConnectedTrial> {
  const { copyDatabase } = await import("./sqlite-copy.js");
  const { file, remove } = await copyDatabase(from);
  const { transaction, close } = await openLane({ file, watch: () => undefined, mode: "copy" });
  return {
    dialect: "sqlite",
    transaction: (_, work) => transaction(work),
    signal: new AbortController().signal,
    async close() {
      await close();
      await remove();
    },
  };
}

/** Free space that a disk must regain before it counts as writable. */
const ROOM_BYTES = 1024 * 1024;

/**
 * Whether a database is readable: completely, or only its list of tables if it is large. Uses a new connection, which
 * has nothing cached.
 */
function isSound(file: string, isWhole: boolean): boolean {
  let database: LibsqlDatabase.Database | undefined;
  try {
    database = new LibsqlDatabase(file);
    const [row] = database.pragma(isWhole ? "quick_check(1)" : "schema_version") as readonly object[];
    return !isWhole || Object.values(row ?? {}).includes("ok");
  } catch (error) {
    return causeOf(error) !== "damaged";
  } finally {
    database?.close();
  }
}

/** @throws StateFailure if the file is damaged */
async function requireSound(file: string, most: number): Promise<void> {
  if (!isSound(file, (await sizeOf(file)) <= most)) throw new StateFailure("damaged");
}

/**
 * Opens `.onetool/state.db` under `root`, for its owner only; the folder is private and ignored by git.
 *
 * Reads have a connection of their own, so that they never wait for a writer.
 *
 * @param warn called with notes for the operator about a database that opens
 */
export async function openSqlite(root: string, warn: (message: string) => void): Promise<Connected> {
  const file = stateFile(await stateDirectory(root));
  for (const note of prepareFile(file)) warn(note);
  try {
    return await connect(file);
  } catch (error) {
    // A full disk gives many errors, and few of them say so.
    const isFull = ["disk_failing", "refused"].includes(causeOf(error) ?? "") && (await isDiskFull(file));
    throw isFull ? new StateFailure("disk_full", { cause: error }) : error;
  }
}

async function connect(file: string): Promise<Connected> {
  let watch: FileWatch | undefined;
  const parts = { file, watch: () => watch };
  const write = await openLane({ ...parts, mode: "write" });
  const read = await openLane({ ...parts, mode: "read" });
  const lanes = { read, write };
  const close = async (): Promise<void> => {
    await read.close();
    await write.close();
  };
  try {
    await requireSound(file, MAX_CHECKED_BYTES);
  } catch (error) {
    await close();
    throw error;
  }
  keepPrivate(file);
  watch = watchFile(file, (size) => isSound(file, size <= MAX_RECHECKED_BYTES));
  return {
    dialect: "sqlite",
    transaction: (mode, work) => lanes[mode].transaction(work),
    read: (work, until) => read.transaction(work, until),
    trial: () => openTrial(file),
    isWriting: write.isInTransaction,
    isFull: () => isDiskFull(file, ROOM_BYTES),
    examine: () => requireSound(file, Number.POSITIVE_INFINITY),
    requireNew: () => requireNew(file),
    migrated: () => markUsed(file),
    close,
  };
}
