/** The disk: what a build reads, what `generate` writes, and how `check` compares the two. The only I/O of the generator. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { byCodeUnit } from "toolwright/codegen";
import { LOCK_FILE, type VirtualFile } from "./emit/emitter.js";

/** Files of a project as a build sees them, and which of them it read. */
export interface Disk {
  /** Text of a file by its path relative to the root (or absolute), or undefined. */
  readonly read: (file: string) => string | undefined;
  /** Files below `definitions/` that match a pattern, relative to the root, sorted. */
  readonly list: (pattern: string) => readonly string[];
  /** Everything that was read so far: path to text, undefined where it is not there. */
  readonly seen: ReadonlyMap<string, string | undefined>;
  /** Every pattern that was listed so far, and what it matched. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

/** Opens the files of a project. */
export function openDisk(root: string): Disk {
  const seen = new Map<string, string | undefined>();
  const listed = new Map<string, readonly string[]>();
  return {
    seen,
    listed,
    read: (file) => {
      if (!seen.has(file)) seen.set(file, readText(resolve(root, file)));
      return seen.get(file);
    },
    list: (pattern) => {
      const found = listed.get(pattern) ?? list(root, pattern);
      listed.set(pattern, found);
      return found;
    },
  };
}

function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined; // An exception costs more than the look.
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** `servers/*.json`: `*` stands for any characters within one name. `~` and `/` leave `definitions/`. */
function list(root: string, pattern: string): readonly string[] {
  const expanded = pattern.startsWith("~/") ? join(homedir(), pattern.slice(2)) : pattern;
  const full = resolve(root, "definitions", expanded);
  const folder = dirname(full);
  const name = full.slice(folder.length + 1);
  const shown = (path: string): string => relative(root, path).split(sep).join("/");
  if (!name.includes("*")) return existsSync(full) && statSync(full).isFile() ? [shown(full)] : [];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((one) => matchesPattern(name, one) && !one.startsWith("."))
    .map((one) => shown(join(folder, one)))
    .sort(byCodeUnit);
}

/** Whether a path matches a pattern, in which `*` stands for any characters within one name. */
export function matchesPattern(pattern: string, path: string): boolean {
  const parts = posix.normalize(pattern).split("*");
  const quoted = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${quoted.join("[^/]*")}$`).test(path);
}

/** What `generate` did to the disk. */
export interface Written {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
}

/** Writes what changed, beside and then renamed; deletes what the lock on disk names and the build no longer has. */
export function writeFiles(folder: string, files: readonly VirtualFile[]): Written {
  const orphans = lockedFiles(folder).filter((path) => !files.some((one) => one.path === path));
  const changed = files.filter((one) => readText(join(folder, one.path)) !== one.text);
  const made = new Set<string>();
  // The lock goes last: until it is there, the next run repeats whatever was left undone.
  for (const file of [...changed].sort((a, b) => Number(a.path === LOCK_FILE) - Number(b.path === LOCK_FILE))) {
    const path = join(folder, file.path);
    const parent = dirname(path);
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    const beside = `${path}.${process.pid}.tmp`;
    writeFileSync(beside, file.text);
    renameSync(beside, path);
  }
  const deleted = orphans.filter((path) => existsSync(join(folder, path)));
  for (const path of deleted) remove(folder, path);
  return { written: changed.map((one) => one.path), deleted, unchanged: files.length - changed.length };
}

function remove(folder: string, path: string): void {
  rmSync(join(folder, path));
  const parent = dirname(join(folder, path));
  if (parent !== folder && readdirSync(parent).length === 0) rmdirSync(parent);
}

/** Paths that the lock on disk names; only such as lie inside the folder. */
function lockedFiles(folder: string): readonly string[] {
  try {
    const lock: unknown = JSON.parse(readText(join(folder, LOCK_FILE)) ?? "{}");
    const files = typeof lock === "object" && lock !== null && "files" in lock ? lock.files : undefined;
    const paths = typeof files === "object" && files !== null ? Object.keys(files) : [];
    return paths.filter((path) => resolve(folder, path).startsWith(resolve(folder) + sep)).sort(byCodeUnit);
  } catch {
    return [];
  }
}

/** How the disk differs from a build. */
export interface Drift {
  readonly stale: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  readonly missing: readonly string[];
  /** Generated once, by the lock or the line in it that says so, and no longer made by anything. */
  readonly orphaned: readonly string[];
}

/** Compares a build with the disk, byte by byte. */
export function driftOf(folder: string, files: readonly VirtualFile[]): Drift {
  const wanted = new Map(files.map((one) => [one.path, one.text]));
  const locked = new Set(lockedFiles(folder));
  const ours = (path: string): boolean =>
    locked.has(path) || /^(\S* )?@generated by toolwright from /m.test(readText(join(folder, path)) ?? "");
  return {
    stale: files.flatMap(({ path, text }) => {
      const before = readText(join(folder, path));
      return before === undefined || before === text ? [] : [{ path, before, after: text }];
    }),
    missing: files.filter((one) => !existsSync(join(folder, one.path))).map((one) => one.path),
    orphaned: allFiles(folder).filter((path) => !wanted.has(path) && ours(path)),
  };
}

function allFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)).split(sep).join("/"))
    .sort(byCodeUnit);
}
