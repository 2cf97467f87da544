/** Checks where the report of `ot.stats` may be written, and writes it. */

import type { Stats } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { writeAtomically } from "../../contract/atomic-write.js";
import { codeOf } from "../../contract/thrown.js";
import { isInside, RefusedError } from "./written-file.js";

/** Folders of toolwright and the project that reports must not be written to. */
const KEPT = [".onetool", "definitions", "generated"] as const;

/** How a file is recognized as a report. */
export interface Mark {
  readonly text: string;
  /** Bytes at the start of the file that contain it. */
  readonly within: number;
}

/**
 * The absolute path of a report. Nothing is created yet.
 *
 * @throws RefusedError with the violated rule
 */
export async function reportPath(root: string, output: string, mark: Mark): Promise<string> {
  if (isAbsolute(output)) throw new RefusedError("the path is not relative to the working directory");
  if (!output.endsWith(".html")) throw new RefusedError("the name does not end in .html");
  const path = resolve(root, output);
  if (!isInside(root, path)) throw new RefusedError("it is outside the working directory");
  const names = relative(root, path).split(sep);
  const kept = KEPT.find((name) => folded(name) === folded(names[0] ?? ""));
  if (kept !== undefined) throw new RefusedError(`${kept}/ is no place for reports`);
  await checkFolders(root, names.slice(0, -1));
  await checkTarget(path, mark);
  return path;
}

/** A name as compared by file systems that ignore case and drop trailing dots and blanks. */
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[. ]+$/, "")
    .toUpperCase();

/** Checks the existing folders of the path: none may be a link, or a reserved folder under another name. */
async function checkFolders(root: string, names: readonly string[]): Promise<void> {
  const kept = await Promise.all(KEPT.map((name) => found(join(root, name))));
  let at = root;
  for (const name of names) {
    at = join(at, name);
    const there = await found(at);
    if (!there) return;
    if (there.isSymbolicLink()) throw new RefusedError("a folder of the path is a link");
    if (!there.isDirectory()) throw new RefusedError("a folder of the path is a file");
    if (kept.some((one) => one?.ino === there.ino && one.dev === there.dev))
      throw new RefusedError("that folder is no place for reports");
  }
}

/** An existing file is replaced only if it is a report. */
async function checkTarget(path: string, mark: Mark): Promise<void> {
  const there = await found(path);
  if (!there) return;
  if (there.isSymbolicLink()) throw new RefusedError("it is a link");
  if (!there.isFile()) throw new RefusedError("something that is no file has this name");
  if (!(await startOf(path, mark.within)).includes(mark.text))
    throw new RefusedError("a file that is no report of ot.stats has this name");
}

/** The entry at a path without following links; `undefined` if not found. */
async function found(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function startOf(path: string, bytes: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Writes a report atomically and creates missing folders. */
export async function writeReport(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomically(path, text);
}
