/** Keeps the results of the last `generate`: the next one makes what changed. `check` makes everything anew, since CI relies on it. */

import { createMemo, type Memo } from "../core/memo.js";
import { cacheFile } from "./cache-file.js";

/** Path in the state directory. */
export const RESULTS = "cache/results.json";

/** The results of the last run. */
export interface KeptResults {
  readonly memo: Memo;
  /** Replaces them by those that this run has used. Never rejects. */
  save(): Promise<void>;
}

/**
 * Opens the results of the last run of a project.
 *
 * @param home its state directory, which need not exist
 * @param by build of the generator: another one may give other results
 */
export function openKeptResults(home: string, by: string): KeptResults {
  const cache = cacheFile(home, RESULTS, by);
  const memo = createMemo(cache.read());
  return { memo, save: () => cache.write(memo.used()) };
}
