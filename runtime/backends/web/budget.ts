/** A time limit that holds for work which never yields. */

import { runInNewContext } from "node:vm";

/**
 * Does work of this thread, but no longer than the limit: V8 stops it wherever it is, in a regular expression too.
 *
 * What was stopped half-way is lost, so the work must own everything that it changes.
 *
 * @throws Error with the code ERR_SCRIPT_EXECUTION_TIMEOUT at the limit, or whatever the work throws
 */
export function withinMs<T>(ms: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: Math.max(1, Math.floor(ms)) }) as T;
}
