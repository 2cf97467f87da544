/** One writer at a time over all processes. The system takes the lock back when a process dies, so that no lock is ever stale. */

import { closeSync, constants, lstatSync, openSync } from "node:fs";
import LibsqlDatabase from "libsql";
import { LOCK_TIMEOUT_MS } from "./state/failure.js";
import { patiently } from "./state/patience.js";
import { createTurns, type Turns } from "./state/turns.js";

/** Queues of this process, by path: within it, the system would give a lock to everybody who asks. */
const queues = new Map<string, Turns>();

function queueOf(path: string): Turns {
  const queue = queues.get(path) ?? createTurns();
  queues.set(path, queue);
  return queue;
}

/**
 * Does work while nobody else does any under the same lock file. The file is made where there is none, stays empty, and stays: who
 * removed it would let others lock a file that is not there any more. It is locked as SQLite locks its own.
 *
 * @param path of the lock file; every process must name it alike
 * @throws StateFailure `locked` where others keep the lock for 5 s; what the system says where there can be no lock
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(path);
  const until = performance.now() + LOCK_TIMEOUT_MS;
  const locked = async (): Promise<T> => {
    const lock = openLock(path);
    try {
      await patiently(() => lock.exec("begin exclusive"), until);
      return await work();
    } finally {
      if (lock.inTransaction) lock.exec("rollback");
      lock.close();
    }
  };
  return queue.take(locked, LOCK_TIMEOUT_MS);
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Makes the file if need be. One that is there is not opened here: closing it would give up the lock that another call of this process
 * holds. For the same reason nothing may come between opening and closing a new one.
 */
function openLock(path: string): LibsqlDatabase.Database {
  try {
    closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    // A pipe would wait for somebody to read, and a link may lead to a file that is somebody's.
    if (!lstatSync(path).isFile()) throw new Error("the lock is no regular file");
  }
  return new LibsqlDatabase(path);
}
