/** Reads and writes a client's file: atomic write, with its mode and byte-order mark preserved. */

import { isUtf8 } from "node:buffer";
import { lstat, mkdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { MAX_CONFIG_SIZE } from "../../runtime/cli/client-text.js";
import { writeAtomically } from "../../runtime/contract/atomic-write.js";
import { codeOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** A file as read. */
export interface FileState {
  /** Its path after following links. */
  readonly target: string;
  /** Absent if the file does not exist. */
  readonly there?: { readonly bytes: Buffer; readonly mode: number };
  /** Without the byte-order mark. */
  readonly text: string;
}

const MARK = "\uFEFF";

/** Reads a file; a missing one is empty. @throws UsageError for unreadable text, or a path that is not a file */
export async function readState(path: string): Promise<FileState> {
  try {
    const target = await realpath(path).catch((error: unknown) => absent(path, error));
    if (target === undefined) return { target: path, text: "" };
    const { mode, size } = await regular(target);
    if (size > MAX_CONFIG_SIZE) throw new UsageError(`${path} is too long for a client's configuration`);
    const bytes = await readFile(target);
    if (!isUtf8(bytes)) throw new UsageError(`${path} is no UTF-8, and is left as it is: save it as UTF-8`);
    return { target, there: { bytes, mode: mode & 0o777 }, text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws UsageError for a broken link, since its target is probably wrong */
async function absent(path: string, error: unknown): Promise<undefined> {
  if (codeOf(error) !== "ENOENT") throw error;
  const link = await lstat(path).catch(() => undefined);
  if (link) throw new UsageError(`${path} is a link that leads nowhere: remove it, or make what it names`);
}

async function regular(path: string) {
  const stats = await stat(path);
  if (!stats.isFile()) throw new UsageError(`${path} is no file`);
  return stats;
}

/**
 * Replaces the file atomically, or deletes it.
 *
 * @param text - the new text, without a byte-order mark; `undefined` deletes the file
 * @returns the bytes of the file as it is now; none if it is deleted
 * @throws UsageError if the file has changed since it was read, or cannot be written
 */
export async function writeState({ target, there }: FileState, text: string | undefined): Promise<Buffer> {
  try {
    const current = await readFile(target).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
    });
    if (!(there && current ? current.equals(there.bytes) : there === undefined && current === undefined))
      throw new UsageError(`${target} changed meanwhile, and is left as it is: run the command again`);
    const bytes = fileBytes(there, text ?? "");
    if (text === undefined) await rm(target);
    else {
      if (!there) await mkdir(dirname(target), { recursive: true });
      await writeAtomically(target, bytes, { mode: there?.mode, isDurable: true });
    }
    return bytes;
  } catch (error) {
    throw error instanceof UsageError
      ? error
      : new UsageError(`${target} cannot be written: ${(error as Error).message}`);
  }
}

/** The bytes of a text that replaces a file: with the byte-order mark that the file has. */
export const fileBytes = (there: FileState["there"], text: string): Buffer =>
  Buffer.from((there?.bytes.toString("utf8", 0, 3) === MARK ? MARK : "") + text);
