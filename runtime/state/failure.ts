/** What can go wrong with the state database, sorted into the caller's fault, the moment's, and ours. */

import { ToolFailure } from "../contract/handler.js";

/** How long an operation waits for a lock that another one holds. */
export const LOCK_TIMEOUT_MS = 5000;
const RETRY_AFTER_MS = 1000;

/** State that cannot be opened: a wrong URL, a newer version, a folder that cannot be written. One line and the next step. */
export class StateError extends Error {
  override readonly name = "StateError";
}

/** Whether a thrown value is a {@link StateError}, from this copy of the package or another. */
export const isStateError = (value: unknown): value is StateError =>
  value instanceof Error && value.name === "StateError";

/** The failure of a call that found the database locked or out of reach (`ontology.md` 10). */
export const unavailable = (message: string): ToolFailure =>
  new ToolFailure("UNAVAILABLE", message, { retry_after_ms: RETRY_AFTER_MS });

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Whether SQLite says that another connection holds the lock. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** Codes of PostgreSQL and of its socket that pass by themselves: locks, shutdown, too many connections, no connection. */
const PASSING =
  /^(55P03|40001|40P01|53300|57P0[123]|08\d{3}|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;
const PASSING_TEXT = /timeout exceeded when trying to connect|Connection terminated/i;

/** A thrown value as the caller should see it: a passing failure of the database becomes UNAVAILABLE, all else stays. */
export function classify(error: unknown): unknown {
  if (isBusy(error)) return unavailable("The database is locked by another process. Try again.");
  if (PASSING.test(codeOf(error)) || (error instanceof Error && PASSING_TEXT.test(error.message)))
    return unavailable("The database is busy or cannot be reached. Try again.");
  return error;
}
