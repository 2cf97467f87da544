/** Files that are there whole or not at all: written beside their place, then renamed, as several processes may write the same one. */

import { randomBytes } from "node:crypto";
import { chmod, open, rename, rm } from "node:fs/promises";

/** How a file is written. */
export interface WholeFileOptions {
  /** Of the file, whatever the process masks; default: what new files get. */
  readonly mode?: number | undefined;
  /** Whether it is on the disk before it takes its place; for what nobody could make again. */
  readonly isDurable?: boolean;
}

/** Writes a file in the place of another, or where none is. What is written beside it is gone where that fails. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  { mode, isDurable = false }: WholeFileOptions = {},
): Promise<void> {
  const beside = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(beside, "wx", mode);
    try {
      await file.writeFile(content);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    if (mode !== undefined) await chmod(beside, mode);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
