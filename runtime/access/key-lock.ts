/** One writer at a time over all processes. The system takes the lock back when a process dies, so that none is ever stale. */

import { open } from "node:fs/promises";
import LibsqlDatabase from "libsql";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import { patiently } from "../state/sqlite.js";

/**
 * Does work while nobody else does any under the same file, which stays empty: it is locked as SQLite locks its own.
 *
 * @throws ToolFailure UNAVAILABLE where another process keeps the lock for 5 s
 */
export async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  await (await open(path, "a", 0o600)).close();
  const lock = new LibsqlDatabase(path);
  try {
    await patiently(() => lock.exec("begin exclusive"), Date.now() + LOCK_TIMEOUT_MS);
    return await work();
  } finally {
    if (lock.inTransaction) lock.exec("rollback");
    lock.close();
  }
}
