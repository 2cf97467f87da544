/** Writes a site to a folder that may hold other files: only files that an earlier build wrote are replaced or removed. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix } from "node:path";
import { refusedSince, writeAtomicallySync } from "../../generator/cli/files.js";
import { asFile } from "../../generator/core/printer.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { parentsOf } from "./addresses.js";
import type { SiteFile } from "./site-model.js";

/** The manifest of written files, in the folder of the site. */
const MANIFEST = ".toolwright-docs.json";

/** The temporary folder of a build, in the folder of the site. */
const MAKING = ".toolwright-docs.part";

/** Number of files between two progress reports. */
const STEP = 50;

/** Number of files that a build wrote, left unchanged and deleted. */
export interface WrittenSite {
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/**
 * Writes changed files, and removes files that the last build wrote and this one does not. All files are made before any is moved
 * into place: a build that fails or is interrupted leaves the previous site.
 *
 * @param shown `folder` as the user named it
 * @throws UsageError if a file that no build wrote is in the way, or on a file system error
 */
export function writeSite(
  folder: string,
  shown: string,
  files: readonly SiteFile[],
  progress: (stage: string | undefined) => void,
): WrittenSite {
  return whereRefused(shown, () => {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new UsageError(`--out ${shown} is no folder: name another one`);
    const before = manifestIn(folder);
    refuseForeign(folder, shown, files, before);
    const wanted = new Set(files.map((one) => one.path));
    mkdirSync(folder, { recursive: true });
    const making = join(folder, MAKING);
    rmSync(making, { recursive: true, force: true }); // Left by an interrupted build.
    try {
      mkdirSync(making);
      const changed = make(folder, making, files, progress);
      // Lists old and new files until the end, so that after an interruption the next build knows all of them.
      keepManifest(folder, new Set([...before, ...wanted]));
      putInPlace(folder, making, changed);
      const orphans = [...before].filter((path) => !wanted.has(path));
      for (const path of orphans) remove(folder, path);
      keepManifest(folder, wanted);
      return { written: changed.length, unchanged: files.length - changed.length, deleted: orphans.length };
    } finally {
      rmSync(making, { recursive: true, force: true });
      progress(undefined);
    }
  });
}

/** Makes each file and writes the changed ones into `making`, where a file has its number as its name. Returns their paths. */
function make(
  folder: string,
  making: string,
  files: readonly SiteFile[],
  progress: (stage: string) => void,
): readonly string[] {
  const changed: string[] = [];
  for (const [at, { path, text }] of files.entries()) {
    if (at % STEP === 0) progress(`${at} of ${files.length} files`);
    const made = path.startsWith("assets/") ? text() : asFile(path, text());
    if (textOf(join(folder, path)) === made) continue;
    writeFileSync(join(making, String(changed.length)), made);
    changed.push(path);
  }
  return changed;
}

function putInPlace(folder: string, making: string, changed: readonly string[]): void {
  for (const parent of new Set(changed.map((path) => dirname(path))))
    mkdirSync(join(folder, parent), { recursive: true });
  for (const [at, path] of changed.entries()) renameSync(join(making, String(at)), join(folder, path));
}

/** Paths that the last build wrote; paths that lead out of the folder are ignored. */
function manifestIn(folder: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
    const files = typeof value === "object" && value !== null && "files" in value ? value.files : [];
    return new Set(Array.isArray(files) ? files.filter(isInside) : []);
  } catch {
    return new Set();
  }
}

const isInside = (path: unknown): path is string =>
  typeof path === "string" && posix.normalize(path) === path && !path.startsWith("..") && !posix.isAbsolute(path);

function keepManifest(folder: string, paths: ReadonlySet<string>): void {
  const text = `${JSON.stringify({ about: "What toolwright docs build wrote here", files: [...paths].sort() }, null, 1)}\n`;
  if (textOf(join(folder, MANIFEST)) !== text) writeAtomicallySync(join(folder, MANIFEST), text);
}

/** Refuses to replace files that no build wrote, and links, which may lead elsewhere. */
function refuseForeign(folder: string, shown: string, files: readonly SiteFile[], before: ReadonlySet<string>): void {
  const refuse = (path: string, what: string): never => {
    throw new UsageError(
      `${posix.join(shown, path)} ${what}: move it away, or name another folder with --out; nothing was written`,
    );
  };
  if (!existsSync(folder)) return;
  const folders = new Set(files.flatMap((one) => parentsOf(one.path)));
  for (const path of folders) {
    const found = entryAt(folder, path);
    if (found && !found.isDirectory()) refuse(path, "is in the way of a folder of the site");
  }
  for (const { path } of files) {
    const found = entryAt(folder, path);
    if (found?.isDirectory()) refuse(path, "is a folder, and a file of the site is to go there");
    if (found && !before.has(path)) refuse(path, "is there, and was not written by docs build");
  }
}

const entryAt = (folder: string, path: string): Stats | undefined =>
  lstatSync(join(folder, path), { throwIfNoEntry: false });

function remove(folder: string, path: string): void {
  if (parentsOf(path).some((one) => entryAt(folder, one)?.isSymbolicLink())) return;
  if (entryAt(folder, path)?.isDirectory()) return;
  rmSync(join(folder, path), { force: true });
  for (const parent of parentsOf(path)) {
    const place = join(folder, parent);
    if (existsSync(place) && readdirSync(place).length === 0) rmdirSync(place);
  }
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Turns file system errors into usage errors. */
function whereRefused<T>(shown: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new UsageError(
      `${shown} cannot be written, since ${refusedSince(code)}: mend that, or name another folder with --out`,
    );
  }
}
