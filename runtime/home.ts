/** `.onetool/`: the folder that a run's leavings go to, under the project root (decision D8). */

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
