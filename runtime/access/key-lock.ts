/** One writer at a time over all processes. The system takes the lock back when a process dies, so that none is ever stale. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import LibsqlDatabase from "libsql";
import { isToolFailure } from "../contract/handler.js";
import { HOME } from "../home.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import { patiently } from "../state/sqlite.js";
import { KeysUnreadable } from "./key-store.js";

/**
 * Does work while nobody else does any under the same file, which stays empty: it is locked as SQLite locks its own.
 *
 * @throws ToolFailure UNAVAILABLE where another process keeps the lock for 5 s; KeysUnreadable where there can be no lock
 */
export async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await openLock(path).catch(noLock(path));
  try {
    await patiently(() => lock.exec("begin exclusive"), Date.now() + LOCK_TIMEOUT_MS).catch(noLock(path));
    return await work();
  } finally {
    if (lock.inTransaction) lock.exec("rollback");
    lock.close();
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAKE = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

async function openLock(path: string): Promise<LibsqlDatabase.Database> {
  // A pipe would wait for somebody to read, and a link may lead to a file that is somebody's.
  await (await open(path, MAKE, 0o600)).close();
  return new LibsqlDatabase(path);
}

const noLock =
  (path: string) =>
  (error: unknown): never => {
    if (isToolFailure(error)) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new KeysUnreadable(`the keys cannot be locked: ${what}`, `remove ${HOME}/${basename(path)}`, {
      cause: error,
    });
  };
