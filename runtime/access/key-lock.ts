/** The lock for changes of the key file. A module of its own, imported with the first change, because it loads SQLite. */

import { basename } from "node:path";
import { STATE_DIRECTORY } from "../config/state-directory.js";
import { isToolFailure } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { causeOf } from "../state/failure.js";
import { withFileLock } from "../state/file-lock.js";
import { KeysUnreadable } from "./key-store.js";

/** Remedies for causes outside the lock file. */
const REMEDIES: Readonly<Record<string, string>> = {
  disk_full: `free space on the disk of ${STATE_DIRECTORY}/`,
  disk_failing: `check the disk of ${STATE_DIRECTORY}/`,
  read_only: `let the user that runs toolwright write ${STATE_DIRECTORY}/`,
};

/**
 * Runs work while no other call or process changes the keys.
 *
 * @throws ToolFailure UNAVAILABLE if another process holds the lock for 5 s; KeysUnreadable if the file cannot be
 * locked
 */
export async function withKeyLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  // Errors of the work itself are passed on.
  let hasBegun = false;
  try {
    return await withFileLock(path, () => {
      hasBegun = true;
      return work();
    });
  } catch (error) {
    if (hasBegun || isToolFailure(error)) throw error;
    const what = messageOf(error);
    const remedy = REMEDIES[causeOf(error) ?? ""] ?? `remove ${STATE_DIRECTORY}/${basename(path)}`;
    throw new KeysUnreadable(`the keys cannot be locked: ${what}`, remedy, { cause: error });
  }
}
