/** Opens the state database: embedded by default, PostgreSQL by URL, one interface for both. */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { KyselyPlugin, Transaction as KyselyTransaction } from "kysely";
import type { Transaction } from "../contract/handler.js";
import { UsageError } from "../usage-error.js";
import { remainingMs, withinMs } from "./deadline.js";
import { causeOf, classifyOpening, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import type { Dialect } from "./migrations.js";
import type { Database } from "./schema.js";

/** An open state database. */
export interface State {
  /**
   * Runs in one transaction; "write" takes the write lock from the start (SQLite: BEGIN IMMEDIATE). Rolled back when `run` throws.
   * The transaction handed out refuses queries once `run` has settled. Waits until the deadline of the work around it
   * (`withinMs`), 5 s where it has none, and for a lock no longer than 5 s.
   *
   * @throws ToolFailure UNAVAILABLE with `details.reason`, and with `details.outcome: "unknown"` where a COMMIT was not answered
   */
  transaction<T>(mode: "read" | "write", run: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Stores something for a moment.
   *
   * @throws ToolFailure UNAVAILABLE where nothing can be read or stored
   */
  check(): Promise<void>;
  /** Reads all of the database. @throws ToolFailure UNAVAILABLE where it is damaged */
  examine(): Promise<void>;
  /** Waits for running transactions and closes the connections. */
  close(): Promise<void>;
}

/** What a driver gives: transactions of its own kind. */
export interface Connected {
  readonly dialect: Dialect;
  /** A "probe" writes without the lock that orders writers. */
  transaction<T>(mode: "read" | "write" | "probe", run: (tx: KyselyTransaction<Database>) => Promise<T>): Promise<T>;
  /** Whether this process writes at the moment, so that a probe would have to wait. */
  isWriting?(): boolean;
  /** Whether the disk has no room, where that can be asked. */
  isFull?(): Promise<boolean>;
  /** Reads all of it. @throws StateFailure where it is damaged */
  examine?(): Promise<void>;
  /** @throws UsageError where there were tables before, and there are none */
  requireNew?(): void;
  /** Is told that the tables are there. */
  migrated?(): Promise<void>;
  close(): Promise<void>;
}

/** How the state database is opened. */
export interface OpenStateOptions {
  /** Empty for `.onetool/state.db` under `root`, or a `postgres://` URL. */
  readonly url: string;
  readonly root: string;
  /** Is told what a person should know although it opens; default: nothing is said. */
  readonly warn?: (message: string) => void;
}

/** Whether a transaction still takes queries. */
interface Span {
  open: boolean;
}

/** Stops queries of work that outlived its transaction: on a shared connection they would land in another one. */
const guard = (span: Span): KyselyPlugin => ({
  transformQuery({ node }) {
    if (!span.open) throw new Error("the transaction has ended: nothing can be read or written through it any more");
    return node;
  },
  transformResult: async ({ result }) => result,
});

async function connect({ url, root, warn = () => undefined }: OpenStateOptions): Promise<Connected> {
  if (url === "") return (await import("./sqlite.js")).openSqlite(root, warn);
  if (/^postgres(ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres(url);
  const scheme = /^[a-z]+:/i.exec(url)?.[0] ?? "no scheme";
  throw new UsageError(`state is a postgres:// URL or empty for .onetool/state.db, not ${scheme}`);
}

function stateOf(connected: Connected): State {
  const current = new AsyncLocalStorage<Span>();
  let closed = false;
  const spanned = async <T>(span: Span, tx: KyselyTransaction<Database>, run: (tx: Transaction) => Promise<T>) => {
    try {
      return await current.run(span, () => run(tx.withPlugin(guard(span))));
    } finally {
      span.open = false;
    }
  };
  const probe = createProbe(connected);
  return {
    async transaction(mode, run) {
      if (closed) throw new Error("the state database is closed");
      // It would wait for itself for ever.
      if (current.getStore()?.open) throw new Error("a transaction cannot be opened inside another one");
      try {
        return await withinMs(remainingMs(LOCK_TIMEOUT_MS), () =>
          connected.transaction(mode, (tx) => spanned({ open: true }, tx, run)),
        );
      } catch (error) {
        probe.failed(error);
        throw error;
      }
    },
    check: () => withinMs(remainingMs(LOCK_TIMEOUT_MS), probe.check),
    async examine() {
      await connected.examine?.();
    },
    async close() {
      if (closed) return;
      closed = true;
      await connected.close();
    },
  };
}

/** Characters that a probe stores after a disk was full: a few bytes may fit where a call's do not. */
const PROBE_CHARS = 64 * 1024;

/** Finds out whether something can be stored. */
function createProbe({ transaction, isWriting, isFull }: Connected) {
  let wasFull = false;
  const name = `probe ${randomBytes(8).toString("hex")}`;
  const insert = (value: string) => (tx: KyselyTransaction<Database>) =>
    tx.insertInto("server_secrets").values({ name, value }).execute();
  const remove = (tx: KyselyTransaction<Database>) =>
    tx.deleteFrom("server_secrets").where("name", "=", name).execute();
  const read = (tx: KyselyTransaction<Database>) => tx.selectFrom("server_secrets").select("name").limit(1).execute();
  const storeMuch = async (): Promise<void> => {
    if (await isFull?.()) throw new StateFailure("disk_full");
    await transaction("probe", remove);
    // Random, so that nothing makes it smaller; committed, since what is rolled back need never be stored.
    await transaction("probe", insert(randomBytes((PROBE_CHARS * 3) / 4).toString("base64")));
    await transaction("probe", remove);
    wasFull = false;
  };
  const storeLittle = (tx: KyselyTransaction<Database>) => insert("")(tx).then(() => remove(tx));
  const failed = (error: unknown): void => {
    if (causeOf(error) === "disk_full") wasFull = true;
  };
  return {
    failed,
    async check(): Promise<void> {
      try {
        if (wasFull) await storeMuch();
        // Where a call writes at this moment, its own fate tells.
        else if (isWriting?.()) await transaction("read", read);
        else await transaction("probe", storeLittle);
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}

/** Longest that migrating may take: tables may be large, and other servers that start wait for it. */
const MIGRATION_MS = 600_000;

async function prepare(connected: Connected): Promise<void> {
  const [{ migrate, standing }, { MIGRATIONS }] = await Promise.all([
    import("./migrate.js"),
    import("./migrations.js"),
  ]);
  const { dialect, transaction } = connected;
  // PostgreSQL says whether it can be written in a transaction that is not for reading only; SQLite's file was looked at.
  const mode = dialect === "postgres" ? "probe" : "read";
  const found = await withinMs(LOCK_TIMEOUT_MS, () =>
    transaction(mode, (tx) => standing(tx as never, dialect, MIGRATIONS)),
  );
  if (found === "empty") connected.requireNew?.();
  if (found !== "current")
    await withinMs(MIGRATION_MS, () => transaction("write", (tx) => migrate(tx as never, dialect, MIGRATIONS)));
  await connected.migrated?.();
}

/**
 * Opens the state database and brings its tables up to date.
 *
 * @throws UsageError when the URL is of another kind, the database refuses, is damaged, read-only or emptied, or a newer version wrote
 *   it; ToolFailure UNAVAILABLE when it is locked, full or out of reach
 */
export async function openState(options: OpenStateOptions): Promise<State> {
  let connected: Connected | undefined;
  try {
    connected = await connect(options);
    await prepare(connected);
    return stateOf(connected);
  } catch (error) {
    await connected?.close();
    throw classifyOpening(error);
  }
}
