/** Writes a site into a folder that may hold other things: only files that an earlier build wrote are replaced or removed. */

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
import { refusedSince, writeWhole } from "../files.js";
import { UsageError } from "../usage-error.js";
import { parentsOf } from "./addresses.js";
import type { SiteFile } from "./site.js";

/** The list of what a build wrote, in the folder of the site. */
const MANIFEST = ".toolwright-docs.json";

/** What a build makes before it puts it in place, in the folder of the site. */
const MAKING = ".toolwright-docs.part";

/** Files between two signs of progress. */
const STEP = 50;

/** What a build did to the disk. */
export interface WrittenSite {
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/**
 * Writes what changed, and removes what the last build wrote and this one does not. Everything is made before anything is put in
 * place: a build that fails or is ended leaves the site that was there.
 *
 * @param shown `folder` as a person named it
 * @throws UsageError where a file is in the way that no build wrote, or the disk refuses
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
    rmSync(making, { recursive: true, force: true }); // A build that was ended left it.
    try {
      const changed = make(folder, making, files, progress);
      // Names both until the end, so that a build that is ended here leaves nothing that the next one would not know.
      keepManifest(folder, new Set([...before, ...wanted]));
      for (const path of changed) putInPlace(making, folder, path);
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

/** Makes each file; those that differ from what is there are written below `making`. Their paths. */
function make(
  folder: string,
  making: string,
  files: readonly SiteFile[],
  progress: (stage: string) => void,
): readonly string[] {
  const changed: string[] = [];
  const folders = new Set<string>();
  for (const [at, { path, text }] of files.entries()) {
    if (at % STEP === 0) progress(`${at} of ${files.length} files`);
    const made = text();
    if (textOf(join(folder, path)) === made) continue;
    const file = join(making, path);
    if (!folders.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    folders.add(dirname(file));
    writeFileSync(file, made);
    changed.push(path);
  }
  return changed;
}

function putInPlace(making: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  renameSync(join(making, path), join(folder, path));
}

/** Paths that the last build wrote; what leads out of the folder is no path of ours. */
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
  if (textOf(join(folder, MANIFEST)) !== text) writeWhole(join(folder, MANIFEST), text);
}

/** A file that no build wrote, and a link that may lead elsewhere, stay as they are. */
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

/** What the disk refuses is a person's to mend. */
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
