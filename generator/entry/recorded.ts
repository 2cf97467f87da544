/** Reads what servers have recorded in the state database, for commands of the generator. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { STATE_DIRECTORY } from "../../runtime/config/state-directory.js";
import type { Transaction } from "../../runtime/contract/handler.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Start } from "../../runtime/gateway/open-project.js";

const MS_A_DAY = 86_400_000;

/**
 * Reads the state database of a project. Reading changes no database: the servers that use it migrate it.
 *
 * @param missing what to say if there is no database, by the name of its file
 * @throws UsageError if there is no database
 */
async function readState<T>(
  start: Start,
  missing: (file: string) => string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const [{ stateSettingsIn }, { openState }] = await Promise.all([
    import("../../runtime/gateway/open-project.js"),
    import("../../runtime/state/open.js"),
  ]);
  const [{ url }, file] = [stateSettingsIn(start), join(STATE_DIRECTORY, "state.db")];
  if (url === "" && statSync(join(start.root, file), { throwIfNoEntry: false }) === undefined)
    throw new UsageError(missing(file));
  const state = await openState({ url, root: start.root, existing: true });
  try {
    return await state.transaction("read", work);
  } finally {
    await state.close();
  }
}

/** Calls by op that the state database recorded. @throws UsageError if there is no such database */
export async function recordedCalls(start: Start, days: number) {
  const { readUsage } = await import("../../runtime/stats/figures.js");
  const missing = (file: string) => `--usage: there is no ${file} under ${start.root}; name the database with --state`;
  return readState(start, missing, (tx) => readUsage(tx, Date.now() - days * MS_A_DAY));
}

/** What calls have shown about results, from the state database. @throws UsageError if there is no such database */
export async function recordedSummaries(start: Start) {
  const { readSummaries } = await import("../../runtime/learned/store.js");
  const missing = (file: string) =>
    `there is no ${file} under ${start.root}: serve the project and call its ops, name the database with --state, or learn from recorded results with --from`;
  return readState(start, missing, readSummaries);
}
