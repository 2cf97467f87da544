/** Where the report of `ot.stats` may be written, and writing it there. */

import type { Stats } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { writeWhole } from "../whole-file.js";
import { codeOf, isInside, RefusedError } from "./written-file.js";

/** What the product and its owner keep there is no place for reports. */
const KEPT = [".onetool", "definitions", "generated"] as const;

/** How a file is known as a report. */
export interface Mark {
  readonly text: string;
  /** Bytes from the start that hold it. */
  readonly within: number;
}

/**
 * The path of a report, absolute. Nothing is made yet.
 *
 * @throws RefusedError with the rule that it breaks
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

/** A name as file systems compare it that know no letter case, and drop dots and blanks at the end. */
const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[. ]+$/, "")
    .toUpperCase();

/** Folders on the way that are there: none is a link, or one of those kept under another name. */
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

/** What is there already is replaced only if it is a report. */
async function checkTarget(path: string, mark: Mark): Promise<void> {
  const there = await found(path);
  if (!there) return;
  if (there.isSymbolicLink()) throw new RefusedError("it is a link");
  if (!there.isFile()) throw new RefusedError("something that is no file has this name");
  if (!(await startOf(path, mark.within)).includes(mark.text))
    throw new RefusedError("a file that is no report of ot.stats has this name");
}

/** What a path names, links themselves; undefined where nothing is. */
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

/** Writes a report: beside its place first, so that it is there whole or not at all. Folders that are missing are made. */
export async function writeReport(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, text);
}
