/** Reads what servers have recorded in the state database, for commands of the generator. */

import type { Feature } from "../../core/feature.js";
import type { Start } from "../../runtime/gateway/open-project.js";

const MS_A_DAY = 86_400_000;

/** Calls by op that the state database recorded. @throws UsageError if there is no such database */
export async function recordedCalls(start: Start, days: number, features: readonly Feature[]) {
  const [{ loadUsage }, { withExistingState }] = await Promise.all([
    import("../../core/usage.js"),
    import("../../runtime/cli/existing-state.js"),
  ]);
  const readUsage = await loadUsage(features);
  const missing = (file: string) => `--usage: there is no ${file} under ${start.root}; name the database with --state`;
  return withExistingState(start, missing, (tx) => readUsage(tx, Date.now() - days * MS_A_DAY));
}
