/**
 * Checks the file of the embedded database before it is opened, and while it is in use. An existing file is never
 * opened here: closing a file releases every lock that this process holds on it, SQLite's included.
 */

import { accessSync, closeSync, constants, lstatSync, openSync, rmSync, type Stats, statSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivate, STATE_DIRECTORY } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { UsageError } from "../contract/usage-error.js";
import { StateFailure } from "./failure.js";

const FILE = "state.db";
const SHOWN = `${STATE_DIRECTORY}/${FILE}`;
/** Name of the file that records that the database held data; written once the tables exist. */
const MARK = "state.used";
const MARK_TEXT = `${SHOWN} holds data. Because this file is here, toolwright reports it when that file is found empty.\n`;

/** Suffixes of the files that SQLite keeps. */
const SIDES = ["", "-wal", "-shm", "-journal"] as const;

/** Path of the database of a project. */
export const stateFile = (folder: string): string => join(folder, FILE);

const markOf = (file: string): string => join(dirname(file), MARK);
/** SQLite's write-ahead log: data that is not yet in the main file. */
const logOf = (file: string): string => `${file}-wal`;
const statsOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/**
 * Checks the file before it is opened, and creates it if missing, for its owner only.
 *
 * @returns warnings for the operator about a file that can be opened
 * @throws UsageError if the path is not a file, cannot be written, or was emptied
 */
export function prepareFile(file: string): readonly string[] {
  // The log first: another process that starts now creates it after the file.
  const leftOver = (statsOf(logOf(file))?.size ?? 0) > 0;
  const found = statsOf(file);
  if (found && !found.isFile())
    throw new UsageError(`${SHOWN} is ${found.isDirectory() ? "a directory" : "no regular file"}: move it away`);
  requireAccess(file, found !== undefined);
  const wasUsed = statsOf(markOf(file)) !== undefined;
  if (found?.size === 0 && (wasUsed || leftOver)) throw emptied("is empty, although it held data");
  // What is no link has been created by another process meanwhile.
  if (!found && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(`${SHOWN} is a link that leads nowhere: correct it`);
  // SQLite would discard the log, with the data that only the log contains.
  if (!found && leftOver) throw emptied(`is gone, although its log ${FILE}-wal is there`);
  // Without the mark, another process that starts now accepts the new file as new.
  if (!found && wasUsed) rmSync(markOf(file), { force: true });
  if (!found) makeFile(file);
  keepPrivate(file);
  return !found && wasUsed ? [`${SHOWN} was removed since it was last used: a new one is made`] : [];
}

function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Another process has created it meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function emptied(how: string): UsageError {
  const remedy = `restore it from a copy; to begin anew without its data, remove ${SHOWN}*`;
  return new UsageError(`${SHOWN} ${how}: ${remedy}`);
}

/** @throws UsageError if this user cannot read and write the file or its folder */
function requireAccess(file: string, exists: boolean): void {
  const places = exists ? [dirname(file), file] : [dirname(file)];
  for (const place of places)
    try {
      accessSync(place, constants.R_OK | constants.W_OK);
    } catch (error) {
      const shown = place === file ? SHOWN : `${STATE_DIRECTORY}/`;
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const remedy =
        code === "EROFS" ? "its file system is read-only" : "give the user that runs toolwright that right";
      throw new UsageError(`${shown} cannot be read and written (${code}): ${remedy}`);
    }
}

/** Removes the permissions of group and others from the file and the files of SQLite beside it. */
export function keepPrivate(file: string): void {
  for (const side of SIDES) makePrivate(`${file}${side}`);
}

/** Records that the database holds data. */
export async function markUsed(file: string): Promise<void> {
  if (!statsOf(markOf(file))) await writeAtomically(markOf(file), MARK_TEXT, { mode: 0o600 });
}

/**
 * Refuses to create tables in a database that is empty although it held data.
 *
 * @throws UsageError if the mark exists
 */
export function requireNew(file: string): void {
  if (statsOf(markOf(file))) throw emptied("has no tables, although it held data");
}

/** A disk with fewer free bytes counts as full. */
const ALMOST_NOTHING = 256 * 1024;

/** Whether the disk of a file is full; false if that is unknown. */
export const isDiskFull = async (file: string, least = ALMOST_NOTHING): Promise<boolean> =>
  statfs(dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize < least,
    () => false,
  );

/** Checks before each transaction that the file was not replaced. */
export interface FileWatch {
  /** @throws StateFailure if the file was removed, replaced, emptied or truncated */
  check(mode: "read" | "write" | "copy"): void;
}

/**
 * Starts from the current file.
 *
 * @param isSound reads the file again; receives its size
 */
export function watchFile(file: string, isSound: (size: number) => boolean): FileWatch {
  let known = statsOf(file);
  let log = statsOf(logOf(file));
  let looked = Number.NEGATIVE_INFINITY;
  let checked = Number.NEGATIVE_INFINITY;
  let isDamaged = false;
  const look = (now: Stats): void => {
    looked = performance.now();
    isDamaged = !isSound(now.size);
    known = now;
  };
  const isOther = (now: Stats | undefined, before: Stats | undefined): boolean =>
    before !== undefined && now?.ino !== before.ino;
  return {
    check(mode) {
      const at = performance.now();
      if (mode === "read" && at - checked < READ_CHECK_MS) return;
      const [now, nowLog] = [statsOf(file), statsOf(logOf(file))];
      // SQLite keeps its log open: if the log file is gone, the latest data ends with this process.
      if (!now || !known || isOther(now, known) || isOther(nowLog, log)) throw new StateFailure("changed");
      if (now.size === 0) throw new StateFailure("emptied");
      const isWritten = now.mtimeMs !== known.mtimeMs || now.size !== known.size;
      // A checkpoint may truncate the log; a file truncated by another program is unreadable.
      const isCut = now.size < known.size || (nowLog?.size ?? 0) < (log?.size ?? 0);
      // SQLite itself writes the file now and then; a write by another program may make it unreadable.
      if (isCut || (isWritten && performance.now() - looked >= LOOK_MS)) look(now);
      log = nowLog;
      if (isDamaged) throw new StateFailure("damaged");
      checked = at;
    },
  };
}

/** Least time between two checks for transactions that read: a check takes longer than to begin one. */
const READ_CHECK_MS = 1;

/** Least time between two looks at a file that was written. */
const LOOK_MS = 1000;

/** Size of the database including its log. */
export async function sizeOf(file: string): Promise<number> {
  const sizes = await Promise.all(
    ["", "-wal"].map((side) =>
      stat(`${file}${side}`).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
