/** The lock that the file of keys is changed under. */

import { basename } from "node:path";
import { isToolFailure } from "../contract/handler.js";
import { messageOf } from "../contract/message-of.js";
import { withFileLock } from "../file-lock.js";
import { HOME } from "../home.js";
import { KeysUnreadable } from "./key-store.js";

/**
 * Does work while no other call or process changes the keys.
 *
 * @throws ToolFailure UNAVAILABLE where another process keeps the lock for 5 s; KeysUnreadable where there can be no lock
 */
export async function withKeyLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  // What the work itself throws is its own affair.
  let hasBegun = false;
  try {
    return await withFileLock(path, () => {
      hasBegun = true;
      return work();
    });
  } catch (error) {
    if (hasBegun || isToolFailure(error)) throw error;
    const what = messageOf(error);
    throw new KeysUnreadable(`the keys cannot be locked: ${what}`, `remove ${HOME}/${basename(path)}`, {
      cause: error,
    });
  }
}
