/** Reads the files of a build, writes `generated/`, and compares the two for `check`. All I/O of the generator is here. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { literalPattern } from "../../runtime/contract/op-glob.js";
import { boundedPattern } from "../../runtime/contract/pattern/bounded-pattern.js";
import { codeOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { LOCK_FILE, type VirtualFile } from "../emit/emitter.js";

/** Access to the files of a project, with a record of what was read. */
export interface Disk {
  /** Text of a file by its path relative to the root (or absolute), or undefined. */
  readonly read: (file: string) => string | undefined;
  /** Whether a file is, or is below, a link that leads out of the root, of `definitions/`, and of the folder `beside`. */
  readonly leadsOut: (file: string, beside: string) => boolean;
  /** Like `read`, for a file that no output depends on. */
  readonly inspect: (file: string) => string | undefined;
  /** Text of a file by its path relative to `definitions/`; a path may start with `~` or `/`. */
  readonly readDefinition: (file: string) => string | undefined;
  /** Files below `definitions/` that match a pattern, relative to the root, sorted. */
  readonly list: (pattern: string) => readonly string[];
  /** Text of the registry of the last build. Not recorded, since the build writes it. */
  readonly committed: () => string | undefined;
  /** Files that were read so far: path to text, undefined if the file does not exist. */
  readonly seen: ReadonlyMap<string, string | undefined>;
  /** Files that were only inspected so far. */
  readonly inspected: ReadonlyMap<string, string | undefined>;
  /** Patterns that were listed so far, with their matches. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

/** Opens the files of a project. */
export function openDisk(root: string): Disk {
  const seen = new Map<string, string | undefined>();
  const inspected = new Map<string, string | undefined>();
  const listed = new Map<string, readonly string[]>();
  const readInto = (texts: Map<string, string | undefined>) => (file: string) => {
    if (!texts.has(file)) texts.set(file, readText(resolve(root, file)));
    return texts.get(file);
  };
  const read = readInto(seen);
  return {
    seen,
    inspected,
    listed,
    read,
    leadsOut: (file, beside) => leadsOut(resolve(root, file), [root, join(root, "definitions"), resolve(root, beside)]),
    inspect: readInto(inspected),
    committed: () => readText(join(root, "generated/registry.json")),
    readDefinition: (file) => read(isAbsolute(atHome(file)) ? atHome(file) : `definitions/${file}`),
    list: (pattern) => {
      const found = listed.get(pattern) ?? list(root, pattern);
      listed.set(pattern, found);
      return found;
    },
  };
}

/** Whether a path that exists is, its links followed, in none of some folders. */
function leadsOut(path: string, folders: readonly string[]): boolean {
  const real = (one: string): string | undefined => (existsSync(one) ? realpathSync(one) : undefined);
  const target = real(path);
  if (target === undefined) return false;
  return !folders.some((one) => {
    const folder = real(one);
    return folder !== undefined && target.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  });
}

function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined; // An exception is slower than this check.
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const atHome = (path: string): string => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);

/** Files that match `servers/*.json`: `*` matches any characters within one name. The pattern may start with `~` or `/`. */
function list(root: string, pattern: string): readonly string[] {
  const full = resolve(root, "definitions", atHome(pattern));
  const folder = dirname(full);
  const name = full.slice(folder.length + 1);
  const shown = (path: string): string => relative(root, path).split(sep).join("/");
  if (!name.includes("*")) return existsSync(full) && statSync(full).isFile() ? [shown(full)] : [];
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((one) => matchesGlob(name, one) && !one.startsWith("."))
    .map((one) => shown(join(folder, one)))
    .sort(byCodeUnit);
}

/** Whether a path matches a pattern, in which `*` matches any characters within one name. */
export function matchesGlob(pattern: string, path: string): boolean {
  const parts = posix.normalize(pattern).split("*");
  return boundedPattern(`^${parts.map(literalPattern).join("[^/]*")}$`, "u").test(path);
}

/** Files that `generate` wrote and deleted. */
export interface WrittenFiles {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
}

/**
 * Writes changed files atomically, and deletes the orphans of {@link buildDrift}.
 *
 * @throws UsageError with the path that cannot be written, or that is a link below the folder, which may lead outside
 */
export function writeFiles(folder: string, files: readonly VirtualFile[]): WrittenFiles {
  const orphans = orphansIn(
    folder,
    files.map((one) => one.path),
  );
  const changed = files.filter((one) => readText(join(folder, one.path)) !== one.text);
  atPath("", () => mkdirSync(folder, { recursive: true }));
  const parents = new Set(changed.map((one) => posix.dirname(one.path)));
  for (const path of parents) atPath(path, () => refuseLinks(folder, path));
  for (const path of parents) atPath(path, () => mkdirSync(join(folder, path), { recursive: true }));
  // The lock is written last: after an interruption, the next run repeats the missing writes.
  for (const file of [...changed].sort((a, b) => Number(a.path === LOCK_FILE) - Number(b.path === LOCK_FILE)))
    atPath(file.path, () => writeAtomicallySync(join(folder, file.path), file.text));
  for (const path of orphans) atPath(path, () => remove(folder, path));
  return { written: changed.map((one) => one.path), deleted: orphans, unchanged: files.length - changed.length };
}

/** Atomic write: writes a temporary file beside the target, then renames it. */
export function writeAtomicallySync(path: string, text: string): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function remove(folder: string, path: string): void {
  rmSync(join(folder, path));
  const parent = dirname(join(folder, path));
  if (parent !== folder && readdirSync(parent).length === 0) rmdirSync(parent);
}

/** Refuses links below the folder. The folder itself may be a link, which is the user's decision. */
function refuseLinks(folder: string, parent: string): void {
  const names = parent === "." ? [] : parent.split("/");
  for (const [i] of names.entries()) {
    const path = names.slice(0, i + 1).join("/");
    if (lstatSync(join(folder, path), { throwIfNoEntry: false })?.isSymbolicLink())
      throw refusal(path, "is a symbolic link, and nothing is written outside generated/");
  }
}

const refusal = (path: string, fact: string): UsageError =>
  new UsageError(
    `${posix.join("generated", path)} ${fact}: move away what is there or correct its permissions, and run "toolwright generate"`,
  );

const FACTS: Readonly<Record<string, string>> = {
  EISDIR: "a folder is there",
  ENOTDIR: "a file is where a folder has to be",
  EEXIST: "what is there is no folder",
  ENOENT: "what is there leads nowhere",
  EACCES: "it is not permitted",
  EPERM: "it is not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "its name is too long",
};

/** Reason for a file system error, by its code. */
export const refusedSince = (code: string): string => FACTS[code] ?? `the system says ${code}`;

/** Turns file system errors into usage errors, which name the relative path only. */
function atPath(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw refusal(path, `cannot be written, since ${refusedSince(String(code))}`);
  }
}

/** Paths in the lock on disk. */
function lockedFiles(folder: string): ReadonlySet<string> {
  try {
    const lock: unknown = JSON.parse(readText(join(folder, LOCK_FILE)) ?? "{}");
    const files = typeof lock === "object" && lock !== null && "files" in lock ? lock.files : undefined;
    return new Set(typeof files === "object" && files !== null ? Object.keys(files) : []);
  } catch {
    return new Set();
  }
}

/** How the disk differs from a build. */
export interface BuildDrift {
  readonly stale: readonly { readonly path: string; readonly before: string; readonly after: string }[];
  readonly missing: readonly string[];
  /** Files that were generated before, according to the lock or their `@generated` line, and are no longer emitted. */
  readonly orphaned: readonly string[];
}

/** Compares a build with the disk, byte for byte. */
export function buildDrift(folder: string, files: readonly VirtualFile[]): BuildDrift {
  return {
    stale: files.flatMap(({ path, text }) => {
      const before = readText(join(folder, path));
      return before === undefined || before === text ? [] : [{ path, before, after: text }];
    }),
    missing: files.filter((one) => readText(join(folder, one.path)) === undefined).map((one) => one.path),
    orphaned: orphansIn(
      folder,
      files.map((one) => one.path),
    ),
  };
}

/** The `@generated` line of each kind of file. */
const MARK = /^(\/\/|#|<!--) @generated by toolwright from .*\. Do not edit/m;

/** Files that were generated before, according to the lock or their `@generated` line, and are not wanted any more. */
export function orphansIn(folder: string, wanted: readonly string[]): readonly string[] {
  const known = new Set(wanted);
  const others = allFiles(folder).filter((path) => !known.has(path));
  if (others.length === 0) return [];
  const locked = lockedFiles(folder);
  return others.filter((path) => locked.has(path) || MARK.test(readText(join(folder, path)) ?? ""));
}

function allFiles(folder: string): readonly string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(folder, join(one.parentPath, one.name)).split(sep).join("/"))
    .sort(byCodeUnit);
}
