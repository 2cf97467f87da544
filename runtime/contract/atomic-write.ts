/**
 * Atomic file writes: the content is written to a temporary file beside the target and then renamed, so that a reader
 * never sees a partial file and several processes may write the same one.
 */

import { randomBytes } from "node:crypto";
import { chmod, open, rename, rm } from "node:fs/promises";

/** Options of {@link writeAtomically}. */
export interface AtomicWriteOptions {
  /** Permission bits of the file, whatever the process's umask; default: those that new files get. */
  readonly mode?: number | undefined;
  /** Whether the file is flushed to disk before the rename; for data that cannot be recreated. */
  readonly isDurable?: boolean;
}

/** Creates or replaces a file atomically. The temporary file is removed if the write fails. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode, isDurable = false }: AtomicWriteOptions = {},
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
