/** The interface of a database driver. */
import type { Transaction as KyselyTransaction } from "kysely";
import type { Dialect } from "../contract/tables.js";
import type { Database } from "./schema.js";

/** An open database with its own kind of transactions. */
export interface Connected {
  readonly dialect: Dialect;
  /** A "probe" writes without the lock that orders writers. */
  transaction<T>(mode: "read" | "write" | "probe", work: (tx: KyselyTransaction<Database>) => Promise<T>): Promise<T>;
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
