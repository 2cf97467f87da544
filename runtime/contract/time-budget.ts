/** A time limit for synchronous work. */

import { runInNewContext } from "node:vm";

/**
 * Runs synchronous work with a time limit: V8 stops it at any point, even in a regular expression.
 *
 * Work that is stopped leaves its data half-changed, so it must own everything that it changes.
 *
 * @throws Error with the code ERR_SCRIPT_EXECUTION_TIMEOUT at the limit, or whatever the work throws
 */
export function withinMs<T>(ms: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: Math.max(1, Math.floor(ms)) }) as T;
}
