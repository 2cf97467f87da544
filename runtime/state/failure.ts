/** Failures of the state database: their causes, and the messages for callers. */

import { closeSync, openSync } from "node:fs";
import { isToolFailure, ToolFailure } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { FILE_LIMIT_REMEDY, isUsageError, UsageError } from "../contract/usage-error.js";

/** How long an operation waits for a lock, in milliseconds. */
export const LOCK_TIMEOUT_MS = 5000;
const RETRY_AFTER_MS = 1000;

/** Why the state database failed; `details.reason` of the answer. */
export type Cause =
  | "locked"
  | "unreachable"
  | "slow"
  | "disk_full"
  | "disk_failing"
  | "read_only"
  | "standby"
  | "damaged"
  | "refused"
  | "emptied"
  | "changed";

interface Meaning {
  readonly message: string;
  /** Whether it ends without intervention. */
  readonly passes: boolean;
}

/** The message for callers of each cause, with the remedy. */
const MEANINGS: Readonly<Record<Cause, Meaning>> = {
  locked: { passes: true, message: "The database is locked by another process. Try again." },
  unreachable: { passes: true, message: "The database is busy or cannot be reached. Try again." },
  slow: { passes: true, message: "The database did not answer in time. Try again." },
  disk_full: {
    passes: true,
    message: "The state database cannot store anything: disk full. Free space on its disk, then try again.",
  },
  disk_failing: {
    passes: true,
    message: "The state database cannot be read or written: its disk reports an error. Check the disk, then try again.",
  },
  read_only: {
    passes: false,
    message:
      "The state database is read-only. Let the user that runs toolwright write it, or name one that can be written.",
  },
  standby: {
    passes: true,
    message:
      "The database takes no writes now: it is a standby, or was set read-only. Try again; if that lasts, let `state` name the primary.",
  },
  damaged: {
    passes: false,
    message: "The state database is damaged, or is no database. Restore it from a copy and restart the server.",
  },
  refused: { passes: false, message: "The state database cannot be opened. Check `state` and its permissions." },
  emptied: {
    passes: false,
    message:
      "The state database was emptied, or lacks a table that the handler names. Restore it from a copy and restart the server, or declare the table in the `tables` of the pack.",
  },
  changed: {
    passes: false,
    message:
      "The file of the state database, or its log, was removed or replaced while in use. Put it back, or restart the server.",
  },
};

interface FailureOptions {
  readonly cause?: unknown;
  readonly message?: string;
  /** Further details of the answer. */
  readonly details?: object;
}

/** Thrown when the state database cannot serve a call. */
export class StateFailure extends ToolFailure {
  readonly reason: Cause;
  /** @param options.cause error of the database itself, for `doctor` */
  constructor(reason: Cause, options: FailureOptions = {}) {
    const { passes, message } = MEANINGS[reason];
    const again = passes ? { retry_after_ms: RETRY_AFTER_MS } : {};
    super("UNAVAILABLE", options.message ?? message, { reason, ...again, ...options.details });
    this.reason = reason;
    if (options.cause !== undefined) this.cause = options.cause;
  }
}

/** Whether a thrown value is a {@link StateFailure}. */
export const isStateFailure = (error: unknown): error is StateFailure => error instanceof StateFailure;

/** The failure of a write whose COMMIT was sent but not answered: it may or may not have taken effect. */
export class UnknownOutcome extends ToolFailure {
  constructor(cause: unknown, message = UNKNOWN) {
    super("UNAVAILABLE", message, { outcome: "unknown" });
    this.cause = cause;
  }
}

const UNKNOWN =
  "The connection to the database broke while this was being stored. Whether it took effect is not known: read before doing it again.";

/** Whether the state database failed in a way that ends without intervention, so that the same may succeed later. */
export const isOutage = (error: unknown): boolean =>
  error instanceof UnknownOutcome || (error instanceof StateFailure && MEANINGS[error.reason].passes);

const propertyOf = (error: unknown, name: string): unknown =>
  error instanceof Error && name in error ? (error as unknown as Readonly<Record<string, unknown>>)[name] : undefined;
const codeOf = (error: unknown): string => String(propertyOf(error, "code") ?? "");

/**
 * SQLite's primary result code: the low byte of the extended one, or the number at the end of an error on opening.
 */
function sqliteCode(error: unknown): number | undefined {
  const raw = propertyOf(error, "rawCode");
  if (typeof raw === "number") return raw & 0xff;
  const [, opening] =
    /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error instanceof Error ? error.message.trim() : "") ?? [];
  return opening === undefined ? undefined : Number(opening) & 0xff;
}

const SQLITE_IOERR = 10;
const SQLITE_CAUSES: ReadonlyMap<number, Cause> = new Map<number, Cause>([
  [3, "read_only"],
  [5, "locked"],
  [6, "locked"],
  [8, "read_only"],
  [SQLITE_IOERR, "disk_failing"],
  [11, "damaged"],
  [13, "disk_full"],
  [14, "refused"],
  [23, "refused"],
  [26, "damaged"],
]);

/** The file ends too early: another program has truncated it. */
const SHORT_READ = SQLITE_IOERR | (2 << 8);

/** Errors on writing and growing a file, which a quota and a file size limit give in place of "disk full". */
const WRITE_ERRORS: ReadonlySet<unknown> = new Set([
  SQLITE_IOERR | (3 << 8),
  SQLITE_IOERR | (4 << 8),
  SQLITE_IOERR | (19 << 8),
]);

/** Codes of PostgreSQL (SQLSTATE) and of its socket, in the order in which they are tried. */
const CODES: readonly (readonly [codes: RegExp, cause: Cause])[] = [
  [/^(53100|53400)$/, "disk_full"],
  [/^(57014|25P03)$/, "slow"],
  [/^(55P03|40001|40P01|53\d{3}|57P0\d|08\w{3})$/, "unreachable"],
  [
    /^E(CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN)$/,
    "unreachable",
  ],
  [/^25006$/, "standby"],
  [/^58030$/, "disk_failing"],
  [/^(XX001|XX002)$/, "damaged"],
  [/^42P01$/, "emptied"],
  [/^(28\w{3}|3D000|3F000|42501)$/, "refused"],
];

/** File system codes, which count only while the database is opened: later they come from a handler's own work. */
const FILE_CODES: ReadonlyMap<string, Cause> = new Map<string, Cause>([
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"],
  ["EFBIG", "disk_full"],
  ["EIO", "disk_failing"],
  ["EROFS", "read_only"],
  ...["EACCES", "EPERM", "ENOTDIR", "EISDIR", "ELOOP"].map((code): [string, Cause] => [code, "refused"]),
]);

/** Texts that `pg` throws without a code when a connection breaks, is closed, or is unavailable. */
const TEXTS: readonly (readonly [text: RegExp, cause: Cause])[] = [
  // Sent without a code by a server that cannot write.
  [/^could not write init file$/i, "disk_full"],
  [/timeout exceeded when trying to connect|Connection terminated|not queryable|timeout expired/i, "unreachable"],
  [/^no such table: /i, "emptied"],
];

/** Why the state database failed; undefined if the error is not a failure of a database. */
export function causeOf(error: unknown): Cause | undefined {
  if (error instanceof StateFailure) return error.reason;
  if (isToolFailure(error) || isUsageError(error)) return undefined;
  if (WRITE_ERRORS.has(propertyOf(error, "rawCode"))) return "disk_full";
  if (propertyOf(error, "rawCode") === SHORT_READ) return "damaged";
  const sqlite = sqliteCode(error);
  const known = sqlite === undefined ? undefined : SQLITE_CAUSES.get(sqlite);
  if (known) return known;
  // The socket file of PostgreSQL is missing while it restarts.
  const code = codeOf(error);
  if (code === "ENOENT" && propertyOf(error, "syscall") === "connect") return "unreachable";
  const text = error instanceof Error ? error.message : "";
  return CODES.find(([codes]) => codes.test(code))?.[1] ?? TEXTS.find(([texts]) => texts.test(text))?.[1];
}

/** Whether a server of PostgreSQL cannot be reached, starts, ends, or has no connection left. */
export const isAway = (error: unknown): boolean => causeOf(error) === "unreachable";

/** Whether PostgreSQL refuses a row because another one has the same unique key. SQLite's writers are alone, and look first. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === "23505";

/** Whether SQLite says that another connection holds the lock. */
export const isBusy = (error: unknown): boolean => causeOf(error) === "locked";

/**
 * Converts an error of a driver for the caller: a failure of the database becomes UNAVAILABLE with its cause, any
 * other error is unchanged. A write in a read transaction is a fault of its code.
 */
export function stateFailure(error: unknown, mode: "read" | "write" = "write"): unknown {
  const cause = causeOf(error);
  if (cause === undefined || error instanceof StateFailure) return error;
  const isReadOnly = cause === "read_only" || cause === "standby";
  return mode === "read" && isReadOnly ? error : new StateFailure(cause, { cause: error });
}

/** Causes for which a database does not open, however long one waits, with the remedy of each. */
const REFUSING: ReadonlyMap<Cause, string> = new Map<Cause, string>([
  ["read_only", "is read-only: let the user that runs toolwright write it, or name another one as `state`"],
  ["damaged", "is damaged, or is no database: restore it from a copy, or move it away to begin anew without its data"],
  ["refused", "cannot be opened: check `state` and its permissions"],
]);

/** Files that SQLite opens for a database, and some more. */
const FILES_OF_A_DATABASE = 8;

/** Whether the process may open too few files for a database: SQLite only says that it cannot open one. */
function lacksFiles(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < FILES_OF_A_DATABASE) opened.push(openSync(process.execPath, "r"));
    return false;
  } catch (error) {
    return /^E[MN]FILE$/.test(codeOf(error));
  } finally {
    for (const one of opened) closeSync(one);
  }
}

/** A failure to open: a {@link UsageError} if the operator has to act, else as {@link stateFailure}. */
export function classifyOpening(error: unknown): unknown {
  const cause = causeOf(error) ?? FILE_CODES.get(codeOf(error));
  if (cause === undefined) return error;
  const refusal = REFUSING.get(cause);
  if (refusal === undefined) return error instanceof StateFailure ? error : new StateFailure(cause, { cause: error });
  if (cause === "refused" && lacksFiles())
    return new UsageError(`EMFILE: too many open files to open the state database: ${FILE_LIMIT_REMEDY}`);
  const origin = error instanceof StateFailure ? error.cause : error;
  const said = origin instanceof Error ? ` (${origin.message.trim()})` : "";
  return new UsageError(`the state database ${refusal}${said}`);
}

/** The error of a call whose database does not open: the reason and the remedy with which `serve` would end. */
export const forCaller = (error: unknown): unknown =>
  isUsageError(error) ? new StateFailure("refused", { message: sentence(error.message), cause: error }) : error;

/** The message of a failure with the error of the database itself, for `doctor` and the log. */
export function inFull(error: unknown): string {
  const said = messageOf(error);
  const origin = isStateFailure(error) && error.cause !== undefined ? messageOf(error.cause).trim() : "";
  return origin === "" || said.includes(origin) ? said : `${said} (${origin})`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
