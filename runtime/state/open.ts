/** Opens the state database, at once or on first use: embedded by default, PostgreSQL by URL, one interface for both. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { KyselyPlugin, Transaction as KyselyTransaction } from "kysely";
import type { Transaction } from "../contract/handler.js";
import type { Tables } from "../contract/tables.js";
import { UsageError } from "../contract/usage-error.js";
import { inTime, remainingMs, withinStateMs } from "./deadline.js";
import type { Connected, Order, SharedDatabase } from "./driver.js";
import { causeOf, classifyOpening, forCaller, isAway, LOCK_TIMEOUT_MS, StateFailure } from "./failure.js";
import { createHub, localNotifier, type Notifier, type NotifierMessage } from "./notifier.js";
import type { EnsureTables } from "./pack-tables.js";
import { type Database, type Queries, queries } from "./schema.js";
import { scopedStorage } from "./scoped-storage.js";
import type { Trial } from "./trial.js";

/** An open state database. */
export interface State {
  /**
   * Runs work in one transaction. An exception rolls it back. The transaction refuses queries once `run` has settled.
   * Waits until the current deadline (`withinStateMs`), 5 s without one, and at most 5 s for a lock.
   *
   * Write transactions run at the same time on PostgreSQL (READ COMMITTED): work that depends on what it has read locks
   * those rows (`forUpdate()`, which SQLite leaves out), has a unique key decide, or is given an order. SQLite runs one
   * at a time (BEGIN IMMEDIATE).
   *
   * @param order write transactions with the same order run one after another
   *
   * @throws ToolFailure UNAVAILABLE with `details.reason`, and with `details.outcome: "unknown"` if a COMMIT was not
   * answered
   */
  transaction<T>(mode: "read" | "write", work: (tx: Transaction) => Promise<T>, order?: Order): Promise<T>;
  /**
   * A read transaction of work that uses the database through `tx` only: it opens no other transaction, which would wait
   * for this one until the deadline, and sends no message. No AsyncLocalStorage is active during the work, so that on
   * Node.js 20 it takes three quarters of the time.
   *
   * @param until deadline of `performance.now()`
   *
   * @throws ToolFailure as `transaction`
   */
  read<T>(work: (tx: Transaction) => Promise<T>, until: number): Promise<T>;
  /**
   * Sends a message to all servers that share the database, this one too, when the transaction commits. Call it last: its
   * row is read for a minute.
   */
  send(tx: Transaction, message: NotifierMessage): Promise<void>;
  /** Messages of all servers that share the database. */
  readonly notifier: Notifier;
  /** For a database that servers share: statements without a transaction around them, and facts for the operator. */
  readonly shared?: Pick<SharedDatabase, "pool" | "delivers" | "clock"> & {
    /**
     * Runs statements, each in a transaction of its own.
     *
     * @throws ToolFailure as `transaction`
     */
    once<T>(work: (db: Queries) => Promise<T>): Promise<T>;
  };
  /**
   * Creates the tables of a pack, or brings them to their newest version; the first time only. Call it before the
   * transaction that uses them, not inside one.
   *
   * @throws ToolFailure UNAVAILABLE if a newer version wrote them, a statement fails, or it takes too long
   */
  ensure(tables: Tables): Promise<void>;
  /** Whether {@link State.ensure} has nothing to do. */
  isEnsured(tables: Tables): boolean;
  /**
   * Opens a trial: work on this database that is rolled back.
   *
   * @throws ToolFailure UNAVAILABLE if it cannot be opened
   */
  trial(): Promise<Trial>;
  /**
   * Checks that the database can be read and written; removes what it writes.
   *
   * @throws ToolFailure UNAVAILABLE if nothing can be read or stored
   */
  check(): Promise<void>;
  /** Reads the whole database. @throws ToolFailure UNAVAILABLE if it is damaged */
  examine(): Promise<void>;
  /** Waits for running transactions and closes the connections. */
  close(): Promise<void>;
}

/** Options of {@link openState}. */
export interface OpenStateOptions {
  /** Empty for `.onetool/state.db` under `root`, or a `postgres://` URL. */
  readonly url: string;
  readonly root: string;
  /** Most connections to PostgreSQL, without the one that listens; default 10. */
  readonly pool?: number | undefined;
  /** How long the transaction of a trial on PostgreSQL may be open; default 2 s. */
  readonly trialMs?: number;
  /** URL of PostgreSQL for the connection that listens; default: `url`. */
  readonly listenUrl?: string | undefined;
  /** Called with warnings for the operator about a database that opens; default: ignored. */
  readonly warn?: (message: string) => void;
  /** Refuses a database that is empty or older instead of creating or migrating its tables. */
  readonly existing?: boolean;
}

/** A transaction. */
interface Span {
  /** Whether it still accepts queries. */
  open: boolean;
  /** Messages that are delivered in this process after the commit. */
  readonly messages: NotifierMessage[];
}

const newSpan = (): Span => ({ open: true, messages: [] });

/**
 * Refuses queries of work that outlived its transaction: on a shared connection they would run in another transaction.
 */
const guard = (span: Span): KyselyPlugin => ({
  transformQuery({ node }) {
    if (!span.open) throw new Error("the transaction has ended: nothing can be read or written through it any more");
    return node;
  },
  transformResult: async ({ result }) => result,
});

async function connect({ warn = () => undefined, ...options }: OpenStateOptions): Promise<Connected> {
  const { url, root } = options;
  if (url === "") return (await import("./sqlite.js")).openSqlite(root, warn);
  if (/^postgres(ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres({ ...options, warn });
  const scheme = /^[a-z]+:/i.exec(url)?.[0] ?? "no scheme";
  throw new UsageError(`state is a postgres:// URL or empty for .onetool/state.db, not ${scheme}`);
}

/** Does work in a transaction that refuses queries once the work has ended. */
const closing: Spanned = async (span, tx, work) => {
  try {
    return await work(tx.withPlugin(guard(span)));
  } finally {
    span.open = false;
  }
};

function stateOf(connected: Connected): State {
  const spans = scopedStorage<Span>();
  const hub = createHub();
  let closed = false;
  const spanned: Spanned = (span, tx, work) => spans.run(span, () => closing(span, tx, work));
  const ensured = new Set<string>();
  const probe = createProbe(connected, ensured);
  const requireOutside = (): void => refuseInside(closed, spans.current());
  /** Runs work that may find the disk full. */
  const noted = async <T>(work: () => Promise<T>): Promise<T> => {
    requireOutside();
    return withinStateMs(remainingMs(LOCK_TIMEOUT_MS), work).catch(probe.failed);
  };
  const { shared } = connected;
  return {
    ...(shared ? { shared: { ...shared, once: (work) => noted(() => shared.once(work)) } } : {}),
    async transaction(mode, work, order) {
      let last = newSpan();
      // A transaction that begins again has a new span.
      const inside = (tx: KyselyTransaction<Database>) => {
        last = newSpan();
        return spanned(last, tx, work);
      };
      const done = await noted(() => connected.transaction(mode, inside, order));
      for (const message of last.messages) hub.deliver(message);
      return done;
    },
    async read(work, until) {
      requireOutside();
      // SQLite ends a transaction at once, and then Kysely refuses queries. An end on PostgreSQL takes time.
      const guarded = connected.dialect === "postgres";
      const inside = (tx: KyselyTransaction<Database>) =>
        guarded ? closing(newSpan(), tx, work) : work(tx as unknown as Transaction);
      return connected.read(inside, until).catch(probe.failed);
    },
    async send(tx, message) {
      if (shared) await shared.send(queries(tx), message);
      else spans.current()?.messages.push(message);
    },
    notifier: shared?.notifier ?? localNotifier(hub),
    ...ensuring(ensureTablesOf(connected, ensured), requireOutside),
    trial: trialsOf(connected, requireOutside, spanned),
    check: () => withinStateMs(remainingMs(LOCK_TIMEOUT_MS), probe.check),
    examine: async () => connected.examine?.(),
    async close() {
      if (closed) return;
      closed = true;
      await connected.close();
    },
  };
}

function refuseInside(closed: boolean, span: Span | undefined): void {
  if (closed) throw new Error("the state database is closed");
  // It would deadlock.
  if (span?.open) throw new Error("a transaction cannot be opened inside another one");
}

function ensuring(ensure: EnsureTables, requireOutside: () => void): Pick<State, "ensure" | "isEnsured"> {
  const done = new WeakSet<Tables>();
  return {
    async ensure(tables) {
      requireOutside();
      await ensure(tables);
      done.add(tables);
    },
    isEnsured: (tables) => done.has(tables),
  };
}

/** Makes {@link State.trial}. */
function trialsOf(connected: Connected, requireOutside: () => void, spanned: Spanned): State["trial"] {
  return async () => {
    requireOutside();
    const trial = await connected.trial();
    return {
      signal: trial.signal,
      async transaction(mode, work) {
        requireOutside();
        return trial.transaction(mode, (tx) => spanned(newSpan(), tx, work));
      },
      ensure: ensureTablesOf(trial, new Set()),
      close: () => trial.close().catch(() => undefined),
    };
  };
}

/** Runs work in a transaction that refuses queries afterwards. */
type Spanned = <T>(span: Span, tx: KyselyTransaction<Database>, work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Makes {@link State.ensure}; its module is imported at the first call. */
function ensureTablesOf(connected: Pick<Connected, "dialect" | "transaction">, ensured: Set<string>): EnsureTables {
  let made: Promise<EnsureTables> | undefined;
  return async (tables) => {
    made ??= import("./pack-tables.js").then(({ ensureTables }) => ensureTables(connected, ensured));
    await (await made)(tables);
  };
}

/** Characters that a probe stores after the disk was full: a few bytes may fit where the data of a call does not. */
const PROBE_CHARS = 64 * 1024;

/** Checks whether the database has its tables and can store data. */
function createProbe({ dialect, transaction, isWriting, isFull }: Connected, ensured: ReadonlySet<string>) {
  let wasFull = false;
  const name = `probe ${randomBytes(8).toString("hex")}`;
  const insert = (value: string) => (tx: KyselyTransaction<Database>) =>
    tx.insertInto("server_secrets").values({ name, value }).execute();
  const remove = (tx: KyselyTransaction<Database>) =>
    tx.deleteFrom("server_secrets").where("name", "=", name).execute();
  const read = (tx: KyselyTransaction<Database>) => tx.selectFrom("server_secrets").select("name").limit(1).execute();
  const storeMuch = async (): Promise<void> => {
    if (await isFull?.()) throw new StateFailure("disk_full");
    await transaction("write", remove);
    // Random data cannot be compressed; committed, because data that is rolled back may never reach the disk.
    await transaction("write", insert(randomBytes((PROBE_CHARS * 3) / 4).toString("base64")));
    await transaction("write", remove);
    wasFull = false;
  };
  const requireTables = async (): Promise<void> => {
    const { missingTables } = await import("./pack-tables.js");
    const missing = await transaction("read", (tx) => missingTables(tx, dialect, ensured));
    if (missing.length > 0) throw new StateFailure("emptied", { message: lacking(missing) });
  };
  const storeLittle = (tx: KyselyTransaction<Database>) => insert("")(tx).then(() => remove(tx));
  const failed = (error: unknown): never => {
    if (causeOf(error) === "disk_full") wasFull = true;
    throw error;
  };
  return {
    failed,
    async check(): Promise<void> {
      try {
        await requireTables();
        if (wasFull) await storeMuch();
        // A write is under way, which reports its own failure.
        else if (isWriting?.()) await transaction("read", read);
        else await transaction("write", storeLittle);
      } catch (error) {
        failed(error);
      }
    },
  };
}

/** Tables that a message names. */
const MAX_NAMED = 5;

function lacking(tables: readonly string[]): string {
  const more = tables.length > MAX_NAMED ? ` and ${tables.length - MAX_NAMED} more` : "";
  const named = tables.slice(0, MAX_NAMED).join(", ");
  return `The state database was emptied: it lacks ${named}${more}. Restore it from a copy and restart the server.`;
}

const UNREADY = {
  empty: "the state database has no tables of toolwright: name that of a server",
  behind: "the state database is older than this toolwright: start a server of this version, which updates it",
} as const;

async function prepare(connected: Connected, existing: boolean): Promise<void> {
  const [{ MIGRATION_MS, migrate, migrationStanding }, { MIGRATIONS }] = await Promise.all([
    import("./migrate.js"),
    import("./migrations.js"),
  ]);
  const { dialect, transaction } = connected;
  // PostgreSQL reports whether it is writable only in a transaction that may write; SQLite's file has been checked.
  const mode = dialect === "postgres" ? "write" : "read";
  const found = await withinStateMs(LOCK_TIMEOUT_MS, () =>
    transaction(mode, (tx) => migrationStanding(tx as never, dialect, MIGRATIONS)),
  );
  if (existing && found !== "current") throw new UsageError(UNREADY[found]);
  if (found === "empty") connected.requireNew?.();
  if (found !== "current")
    await withinStateMs(MIGRATION_MS, () =>
      transaction("write", (tx) => migrate(tx as never, dialect, MIGRATIONS), "migrations"),
    );
  await connected.migrated?.();
  const { shared } = connected;
  if (shared) await withinStateMs(LOCK_TIMEOUT_MS, () => shared.clock.measure());
}

/**
 * Opens the state database and brings its tables up to date.
 *
 * @throws UsageError if the URL has another scheme, the database refuses access, is damaged, read-only or emptied, a
 * newer version wrote it, or it would have to be migrated although `existing` is set; ToolFailure UNAVAILABLE if it is locked, full or out of reach
 */
export async function openState(options: OpenStateOptions): Promise<State> {
  let connected: Connected | undefined;
  try {
    connected = await connect(options);
    await prepare(connected, options.existing === true);
    return stateOf(connected);
  } catch (error) {
    await connected?.close();
    throw classifyOpening(error);
  }
}

/** A state database that is opened on first use. */
export interface LazyState {
  /**
   * The database, for a call. A failure to open is not cached, so that the next call tries again.
   *
   * @throws ToolFailure UNAVAILABLE if it does not open, or not before the current deadline
   */
  get(): Promise<State>;
  /** The database, if it is open. */
  current(): State | undefined;
  /**
   * As `get`, for the startup of a process. @throws UsageError if the operator has to act, and the errors of `get`
   */
  open(): Promise<State>;
  /** The time of the database in milliseconds since the epoch; of this process before it is open, and where no other server uses it. */
  now(): number;
  /** Closes it if it was opened. */
  close(): Promise<void>;
}

/** Creates the holder; opens nothing yet. */
export function lazyState(openState: () => Promise<State>): LazyState {
  let opening: Promise<State> | undefined;
  let opened: State | undefined;
  const openOnce = async (): Promise<State> => {
    try {
      opened = await openState();
      return opened;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const open = (): Promise<State> => {
    opening ??= openOnce();
    return opening;
  };
  return {
    open,
    current: () => opened,
    now: () => opened?.shared?.clock.now() ?? Date.now(),
    async get() {
      const deadline = performance.now() + remainingMs(LOCK_TIMEOUT_MS);
      for (;;)
        try {
          return await inTime(open(), deadline - performance.now(), () => new StateFailure("slow"));
        } catch (error) {
          // Each attempt has a time of its own, since all callers share it.
          if (!isAway(error) || performance.now() + AGAIN_MS > deadline) throw forCaller(error);
          await sleep(AGAIN_MS, undefined, { ref: false });
        }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** Pause before a database that does not open is tried again. */
const AGAIN_MS = 1000;

/**
 * Uses a database as soon as it is open, however long that takes.
 *
 * @param use returns what ends the use
 * @returns a function that ends it
 */
export function onceOpen(state: () => Promise<State>, use: (open: State) => () => unknown): () => void {
  const ended = new AbortController();
  let stop: () => unknown = () => undefined;
  const attempt = (): void => {
    if (ended.signal.aborted) return;
    state().then(
      (open) => {
        if (!ended.signal.aborted) stop = use(open);
      },
      () => void setTimeout(attempt, AGAIN_MS).unref(),
    );
  };
  attempt();
  return () => {
    ended.abort();
    stop();
  };
}
