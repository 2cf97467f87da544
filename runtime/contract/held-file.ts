/** Parts of a file, read on demand, as the file was when it was opened. */

import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

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
 * Opens a file for reading; undefined if it cannot be opened. A file that takes its place later, as `generate` replaces files, changes
 * nothing. On Windows it is read at once, since an open file could not be replaced.
 */
export function holdFile(path: string): HeldFile | undefined {
  try {
    return process.platform === "win32" ? inMemory(readFileSync(path)) : onDisk(path, openSync(path, "r"));
  } catch {
    return undefined;
  }
}

function onDisk(path: string, descriptor: number): HeldFile {
  const held: HeldFile = {
    size: fstatSync(descriptor).size,
    read(offset, length) {
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
}

const inMemory = (bytes: Buffer): HeldFile => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
});
