/** Opens the state database of a project for a command that only looks at what servers have recorded. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { STATE_DIRECTORY } from "../config/state-directory.js";
import type { Transaction } from "../contract/handler.js";
import { UsageError } from "../contract/usage-error.js";
import type { Start } from "../gateway/open-project.js";

/**
 * Opens the state database of a project for one transaction. It is not migrated: the servers that use it do so.
 *
 * @param missing what to say if there is no database, by the name of its file
 * @throws UsageError if there is no database
 */
export async function withExistingState<T>(
  start: Start,
  missing: (file: string) => string,
  work: (tx: Transaction) => Promise<T>,
  mode: "read" | "write" = "read",
): Promise<T> {
  const [{ stateSettingsIn }, { openState }] = await Promise.all([
    import("../gateway/open-project.js"),
    import("../state/open.js"),
  ]);
  const [{ url }, file] = [stateSettingsIn(start), join(STATE_DIRECTORY, "state.db")];
  if (url === "" && statSync(join(start.root, file), { throwIfNoEntry: false }) === undefined)
    throw new UsageError(missing(file));
  const state = await openState({ url, root: start.root, existing: true });
  try {
    return await state.transaction(mode, work);
  } finally {
    await state.close();
  }
}
