/** The state database of a project for commands that need no server, and how they refuse. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { STATE_DIRECTORY } from "../config/state-directory.js";
import { writeJson } from "../contract/exact-number.js";
import { isToolFailure } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import { type Start, stateSettingsIn } from "../gateway/open-project.js";
import { openState, type State } from "../state/open.js";
import { stateFile } from "../state/sqlite-file.js";

/** What these commands need. */
export type ProjectStateStart = Pick<Start, "root" | "config" | "overrides" | "out" | "err" | "paint">;

/**
 * Works on the state database, which is closed then; resolves to the exit code of the work, or to 1 if it was refused.
 *
 * @param work - its state is undefined where no server has made the database of the project
 * @throws UsageError if the database cannot be used
 */
export async function withProjectState(
  start: ProjectStateStart,
  flags: { readonly json?: boolean },
  work: (state: State | undefined) => Promise<number>,
): Promise<number> {
  const settings = stateSettingsIn(start);
  const { root } = start;
  const isThere = settings.url !== "" || existsSync(stateFile(join(root, STATE_DIRECTORY)));
  let state: State | undefined;
  try {
    // The servers that use a database migrate it.
    state = isThere ? await openState({ ...settings, root, existing: true }) : undefined;
    return await work(state);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return printStateRefusal(start, flags, error.message);
  } finally {
    await state?.close();
  }
}

/** Says why a command did nothing; gives its exit code. */
export function printStateRefusal(
  { out, err, paint }: Pick<ProjectStateStart, "out" | "err" | "paint">,
  { json }: { readonly json?: boolean },
  message: string,
): number {
  if (json) out(`${writeJson({ ok: false, error: message })}\n`);
  else err(`${paint("red", "error")} ${onLine(message)}\n`);
  return 1;
}
