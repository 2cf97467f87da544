/** Parts of a file, read on demand, as the file was when it was opened. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** An open file. It is closed when nothing refers to it any more. */
export interface HeldFile {
  /** In bytes, when it was opened. */
  readonly size: number;
  /**
   * Reads at once, without waiting: a part is small, and the system usually has it in memory.
   *
   * @throws Error if the file cannot be read, or has become shorter
   */
  readonly read: (offset: number, length: number) => Buffer;
}

const closing = new FinalizationRegistry<number>(closeSync);

/**
 * Opens a file for reading. A file that takes its place later, as `generate` replaces files, changes nothing. Undefined if it cannot be
 * opened, and on Windows, where an open file cannot be replaced.
 */
export function holdFile(path: string): HeldFile | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const descriptor = openSync(path, "r");
    const held: HeldFile = {
      size: fstatSync(descriptor).size,
      read: (offset, length) => {
        const bytes = Buffer.allocUnsafe(length);
        for (let at = 0; at < length; ) {
          const count = readSync(descriptor, bytes, at, length - at, offset + at);
          if (count === 0) throw new Error(`${path} has become shorter`);
          at += count;
        }
        return bytes;
      },
    };
    closing.register(held, descriptor);
    return held;
  } catch {
    return undefined;
  }
}
