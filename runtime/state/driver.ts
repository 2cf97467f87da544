/** The interface of a database driver. */
import type { Kysely, Transaction as KyselyTransaction } from "kysely";
import type { Dialect } from "../contract/tables.js";
import type { DatabaseClock } from "./database-clock.js";
import type { Notifier, NotifierMessage } from "./notifier.js";
import type { Database } from "./schema.js";
import type { ConnectedTrial } from "./trial.js";

/**
 * What write transactions wait for each other by: those with the same order run one after another, on all servers that
 * share the database. Those without one wait only for the rows that they lock, and for unique keys. SQLite runs every
 * write transaction alone, whatever its order.
 */
export type Order = "migrations" | "keys" | "logins" | "retention" | "connection attempts" | `pack ${string}`;

/** An open database with its own kind of transactions. */
export interface Connected {
  readonly dialect: Dialect;
  /** As `State.transaction`. */
  transaction<T>(
    mode: "read" | "write",
    work: (tx: KyselyTransaction<Database>) => Promise<T>,
    order?: Order,
  ): Promise<T>;
  /** As `State.read`. */
  read<T>(work: (tx: KyselyTransaction<Database>) => Promise<T>, until: number): Promise<T>;
  /** Opens a database for work that is rolled back. */
  trial(): Promise<ConnectedTrial>;
  /** For a database that servers share; absent for one that one server has to itself. */
  readonly shared?: SharedDatabase;
  /** Whether this process is writing now, so that a probe would have to wait. */
  isWriting?(): boolean;
  /** Whether the disk is full, if the driver can find out. */
  isFull?(): Promise<boolean>;
  /** Reads the whole database. @throws StateFailure if it is damaged */
  examine?(): Promise<void>;
  /** @throws UsageError if the database had tables before and has none now */
  requireNew?(): void;
  /** Called when the tables exist. */
  migrated?(): Promise<void>;
  close(): Promise<void>;
}

/** What a driver does for servers that share its database. */
export interface SharedDatabase {
  /** Most connections of this server, without the one that listens. */
  readonly pool: number;
  readonly notifier: Notifier;
  /** Runs statements, each in a transaction of its own: one round trip. */
  once<T>(work: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /** Sends a message when the transaction commits. */
  send(db: Kysely<Database>, message: NotifierMessage): Promise<void>;
  /** Whether messages arrive on the connection that listens. */
  delivers(): Promise<boolean>;
  /** The time of the database. */
  readonly clock: DatabaseClock;
}
