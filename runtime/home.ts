/** `.onetool/`: the folder that a run's leavings go to, under the project root. */

import { chmodSync, statSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Name of the folder. */
export const HOME = ".onetool";

/** A configured path made absolute: from the project root, `~` being the home of the user. */
export const pathFrom = (root: string, path: string): string =>
  resolve(
    root,
    path.replace(/^~(?=\/|$)/, () => homedir()),
  );

/** Bits of a mode that let group or others in. */
const OTHERS = 0o077;

/** Takes away what group and others may do with a file, where there is one; one of another user stays as its owner wants it. */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // The folder around it is private.
  }
}

/** Makes the folder, for its owner only, with a `.gitignore` of `*`; returns its path. */
export async function homeFolder(root: string): Promise<string> {
  const folder = join(root, HOME);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
  return folder;
}
