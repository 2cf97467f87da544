/** The state directory `.onetool/` under the project root. */

import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { codeOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";

/** Name of the state directory. */
export const STATE_DIRECTORY = ".onetool";

/** Resolves a configured path from the project root; `~` is the user's home directory. */
export const pathFrom = (root: string, path: string): string =>
  resolve(
    root,
    path.replace(/^~(?=\/|$)/, () => homedir()),
  );

/** Permission bits of group and others. */
const OTHERS = 0o077;

/**
 * Removes the permissions of group and others from a file, if it exists; a file of another user is left unchanged.
 */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // The file belongs to another user. The directory around it is private.
  }
}

/** What is wrong with a state directory that may not be used, and what to do; undefined if it may, or is not there. */
export function directoryFault(folder: string): string | undefined {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== "EACCES") return undefined;
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
    const shown = `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
    return `${folder} has mode ${shown} and cannot be used by this user: give it to the user that runs toolwright, and chmod 700 ${folder}`;
  }
}

/**
 * Creates the state directory, for its owner only, with a `.gitignore` of `*`; returns its path. @throws UsageError if
 * the path is not a directory, or may not be used
 */
export async function stateDirectory(root: string): Promise<string> {
  const folder = join(root, STATE_DIRECTORY);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw Object.assign(new UsageError(`${STATE_DIRECTORY} is no directory: move it away`), { code: "ENOTDIR" });
  }
  await chmod(folder, 0o700).catch((error: unknown) => {
    const fault = directoryFault(folder);
    throw fault === undefined ? error : Object.assign(new UsageError(fault), { code: "EACCES" });
  });
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  return folder;
}
