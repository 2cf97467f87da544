/** What can go wrong with the state database, sorted into the caller's fault, the moment's, and ours. */

import { ToolFailure } from "../contract/handler.js";
import { UsageError } from "../usage-error.js";

/** How long an operation waits for a lock that another one holds. */
export const LOCK_TIMEOUT_MS = 5000;
const RETRY_AFTER_MS = 1000;

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

/** Codes of a database that will not open whatever one waits for: no right, no such database, no database file. */
const REFUSING =
  /^(28\w{3}|3D000|42501|SQLITE_(CANTOPEN|NOTADB|CORRUPT|READONLY|PERM|AUTH)\w*|EACCES|EPERM|EROFS|ENOTDIR)$/;

/** A failure to open as {@link UsageError} where the person who set it up has to act, else as {@link classify} has it. */
export function classifyOpening(error: unknown): unknown {
  if (!(error instanceof Error) || !REFUSING.test(codeOf(error))) return classify(error);
  return new UsageError(`the state database cannot be opened: ${error.message}; check \`state\` and its permissions`);
}
