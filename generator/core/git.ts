/** Runs git for commands that read the repository of a project. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Largest output of git that is read, in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

const run = promisify(execFile);

/** Output of git in a folder, or undefined if git fails or is not installed. */
export async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run("git", ["-C", folder, ...args], { maxBuffer: MAX_BYTES });
    return stdout;
  } catch {
    return undefined;
  }
}

/** Path from the top folder of the repository to a folder, with forward slashes and one at the end; empty at the top or without a repository. */
export const folderInRepository = async (folder: string): Promise<string> =>
  (await git(folder, ["rev-parse", "--show-prefix"]))?.replace(/\r?\n$/, "") ?? "";
