/**
 * A lock file: one writer at a time across processes. The operating system releases the lock when a process dies, so
 * that no lock is ever stale.
 */

import { closeSync, constants, lstatSync, openSync } from "node:fs";
import LibsqlDatabase from "libsql";
import { LOCK_TIMEOUT_MS } from "./failure.js";
import { createTurns, retryWhileLocked, type Turns } from "./turns.js";

/** Queues of this process, by path: the operating system does not separate the lock holders of one process. */
const queues = new Map<string, Turns>();

function queueOf(path: string): Turns {
  const queue = queues.get(path) ?? createTurns();
  queues.set(path, queue);
  return queue;
}

/**
 * Runs work while holding a lock file, which is created if needed. It stays empty and is never removed: after a
 * removal others could lock a file that no longer exists. The lock is SQLite's own.
 *
 * @param path of the lock file; all processes must use the same spelling
 * @param waitMs how long others may hold the lock
 * @throws StateFailure `locked` if they hold it longer; an error of the system if the file cannot be locked
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  waitMs: number = LOCK_TIMEOUT_MS,
): Promise<T> {
  const queue = queueOf(path);
  const until = performance.now() + waitMs;
  const locked = async (): Promise<T> => {
    const lock = openLock(path);
    try {
      await retryWhileLocked(() => lock.exec("begin exclusive"), until);
      return await work();
    } finally {
      if (lock.inTransaction) lock.exec("rollback");
      lock.close();
    }
  };
  return queue.take(locked, waitMs);
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Creates the file if needed. An existing file is not opened here: closing it would release the lock that another call
 * of this process holds. For the same reason nothing may run between opening and closing a new file.
 */
function openLock(path: string): LibsqlDatabase.Database {
  try {
    closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // A named pipe would block until another process reads it, and a link may lead to a file of another user.
    if (!lstatSync(path).isFile()) throw new Error("the lock is no regular file");
  }
  return new LibsqlDatabase(path);
}
