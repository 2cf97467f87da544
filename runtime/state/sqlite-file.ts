/**
 * The file of the embedded database: what can be said of it before it is opened, and whether it is still the same while it is used.
 * One that is there is never opened here: closing a file gives up every lock that this process holds on it, SQLite's included.
 */

import { accessSync, closeSync, constants, openSync, rmSync, type Stats, statSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HOME, makePrivate } from "../home.js";
import { UsageError } from "../usage-error.js";
import { writeWhole } from "../whole-file.js";
import { StateFailure } from "./failure.js";

const FILE = "state.db";
const SHOWN = `${HOME}/${FILE}`;
/** Says that the database held data: written once its tables are there. */
const MARK = "state.used";
const MARK_TEXT = `${SHOWN} holds data. Because this file is here, toolwright reports it when that file is found empty.\n`;

/** What SQLite keeps beside the file. */
const SIDES = ["", "-wal", "-shm", "-journal"] as const;

/** Where the database of a project is. */
export const stateFile = (folder: string): string => join(folder, FILE);

const markOf = (file: string): string => join(dirname(file), MARK);
const statsOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/**
 * Looks at the file before it is opened, and makes it where there is none, for its owner alone.
 *
 * @returns what a person should know although it can be opened
 * @throws UsageError for what is no file, cannot be written, or was emptied
 */
export function prepareFile(file: string): readonly string[] {
  const found = statsOf(file);
  if (found && !found.isFile())
    throw new UsageError(`${SHOWN} is ${found.isDirectory() ? "a directory" : "no regular file"}: move it away`);
  requireAccess(file, found !== undefined);
  const wasUsed = statsOf(markOf(file)) !== undefined;
  const leftOver = (statsOf(`${file}-wal`)?.size ?? 0) > 0;
  if (found?.size === 0 && (wasUsed || leftOver)) throw emptied("is empty");
  // Without the mark another process that starts now takes the new file for what it is.
  if (!found && wasUsed) rmSync(markOf(file), { force: true });
  if (!found) makeFile(file);
  keepPrivate(file);
  return !found && wasUsed ? [`${SHOWN} was removed since it was last used: a new one is made`] : [];
}

function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function emptied(how: string): UsageError {
  const remedy = `restore it from a copy; to begin anew without its data, remove ${SHOWN}*`;
  return new UsageError(`${SHOWN} ${how}, although it held data: ${remedy}`);
}

/** @throws UsageError for a file or a folder that this user cannot read and write */
function requireAccess(file: string, exists: boolean): void {
  const places = exists ? [dirname(file), file] : [dirname(file)];
  for (const place of places)
    try {
      accessSync(place, constants.R_OK | constants.W_OK);
    } catch (error) {
      const shown = place === file ? SHOWN : `${HOME}/`;
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const remedy =
        code === "EROFS" ? "its file system is read-only" : "give the user that runs toolwright that right";
      throw new UsageError(`${shown} cannot be read and written (${code}): ${remedy}`);
    }
}

/** Keeps the file, and what SQLite keeps beside it, from group and others. */
export function keepPrivate(file: string): void {
  for (const side of SIDES) makePrivate(`${file}${side}`);
}

/** Writes down that the database holds data. */
export async function markUsed(file: string): Promise<void> {
  if (!statsOf(markOf(file))) await writeWhole(markOf(file), MARK_TEXT, { mode: 0o600 });
}

/**
 * Refuses to make tables in a database that has none although it held data.
 *
 * @throws UsageError where the mark is there
 */
export function requireNew(file: string): void {
  if (statsOf(markOf(file))) throw emptied("has no tables");
}

/** Bytes below which a disk counts as full. */
const ALMOST_NOTHING = 256 * 1024;

/** Whether the disk of a file has no room left; false where that cannot be said. */
export const isDiskFull = async (file: string, least = ALMOST_NOTHING): Promise<boolean> =>
  statfs(dirname(file)).then(
    ({ bavail, bsize }) => bavail * bsize < least,
    () => false,
  );

/** Says of each transaction whether the file is still the one that was opened. */
export interface FileWatch {
  /** @throws StateFailure where the file was removed, replaced, emptied or cut short */
  check(): void;
}

/**
 * Begins with the file as it is now.
 *
 * @param isSound reads the file anew; is given its size
 */
export function watchFile(file: string, isSound: (size: number) => boolean): FileWatch {
  let known = statsOf(file);
  let looked = Number.NEGATIVE_INFINITY;
  let isDamaged = false;
  const look = (now: Stats): void => {
    looked = performance.now();
    isDamaged = !isSound(now.size);
    known = now;
  };
  return {
    check() {
      const now = statsOf(file);
      if (!now || now.ino !== known?.ino) throw new StateFailure("changed");
      if (now.size === 0) throw new StateFailure("emptied");
      const isWritten = now.mtimeMs !== known.mtimeMs || now.size !== known.size;
      // SQLite itself writes it now and then; what somebody else writes cannot be read.
      if (isWritten && (now.size < known.size || performance.now() - looked >= LOOK_MS)) look(now);
      if (isDamaged) throw new StateFailure("damaged");
    },
  };
}

/** Least time between two looks at a file that was written. */
const LOOK_MS = 1000;

/** Size of the database with what waits in its log. */
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
