/** Work that is tried on the state database: handlers read and write as ever, and nothing of it stays. */

import type { Transaction as KyselyTransaction } from "kysely";
import type { Transaction } from "../contract/handler.js";
import type { Dialect, Tables } from "../contract/tables.js";
import { StateFailure } from "./failure.js";
import type { Database } from "./schema.js";

/** What a driver opens for a trial. */
export interface ConnectedTrial {
  readonly dialect: Dialect;
  /** Runs work, one piece at a time; work that fails is undone alone. */
  transaction<T>(mode: "read" | "write", work: (tx: KyselyTransaction<Database>) => Promise<T>): Promise<T>;
  /** Aborted when the trial cannot go on; its reason says why. */
  readonly signal: AbortSignal;
  /** Undoes everything. */
  close(): Promise<void>;
}

/** A trial. It is closed by who opened it. */
export interface Trial {
  /**
   * As `State.transaction`. What the work writes is seen by later work of the trial only.
   *
   * @throws ToolFailure UNAVAILABLE if the trial cannot go on
   */
  transaction<T>(mode: "read" | "write", work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** As `State.ensure`. */
  ensure(tables: Tables): Promise<void>;
  /** Aborted when the trial cannot go on; its reason is a failure that says why. */
  readonly signal: AbortSignal;
  /** Undoes everything. Never rejects. */
  close(): Promise<void>;
}

/** Why a trial ends before its work does. */
export const trialEnded = (message: string): StateFailure => new StateFailure("slow", { message });
