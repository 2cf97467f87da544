/**
 * Caches what the last `generate` read and wrote: a run without changes then loads no heavy modules, and a server can report that
 * `generated/` is older than `definitions/`. The cache is never committed, since a changed comment must not cause a generated
 * diff. `check` uses it only where the content of all files proves that nothing has changed.
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestText } from "../../runtime/contract/canonical.js";
import { LOCK_FILE, type VirtualFile } from "../emit/emitter.js";
import type { Disk } from "./files.js";
import { openDisk, orphansIn } from "./files.js";
import type { BuildOutcome } from "./outcome.js";

/** Path of the cache in the state directory, `.onetool/`. */
export const LAST_RUN = "cache/last-run.json";

/** The last run, as it is stored. */
export interface LastRun {
  /** Version and build of the generator. */
  readonly by: string;
  /** Digest of each file that was read; null if it did not exist. */
  readonly read: Readonly<Record<string, string | null>>;
  /** Digest of each file that was only checked. */
  readonly checked: Readonly<Record<string, string | null>>;
  /** The files that each pattern matched. */
  readonly listed: Readonly<Record<string, readonly string[]>>;
  /** Size and modification time of each file under `generated/`. */
  readonly written: Readonly<Record<string, readonly [size: number, changedMs: number]>>;
  /** The printed outcome. */
  readonly outcome: BuildOutcome;
  /** Digest of what the run read of the configuration. */
  readonly built?: string;
  /** Digest of the lock, which has the digests of all other files; only of a run that made everything anew. */
  readonly lock?: string;
  /** The figures over budget, one per line. */
  readonly over?: readonly string[];
}

/** What a run gave. */
export interface Result {
  readonly files: readonly VirtualFile[];
  readonly outcome: BuildOutcome;
  readonly over: readonly string[];
  /** Digest of what it read of the configuration. */
  readonly built: string | undefined;
  /** Whether it has used nothing of an earlier run. */
  readonly isAnew: boolean;
}

/** Makes the record of a build. */
export function lastRunOf(by: string, disk: Disk, folder: string, result: Result): LastRun {
  const { files, outcome, over, built, isAnew } = result;
  const lock = isAnew ? files.find(({ path }) => path === LOCK_FILE) : undefined;
  const digests = (texts: Disk["seen"]) =>
    Object.fromEntries([...texts].map(([path, text]) => [path, text === undefined ? null : digestText(text)]));
  return {
    by,
    read: digests(disk.seen),
    checked: digests(disk.inspected),
    listed: Object.fromEntries(disk.listed),
    written: Object.fromEntries(files.map(({ path }) => [path, stateOf(join(folder, path)) ?? [0, 0]])),
    outcome,
    ...(built === undefined ? {} : { built }),
    ...(lock ? { lock: digestText(lock.text) } : {}),
    over,
  };
}

/** The last outcome, if a build would give the same: same generator and sources, untouched output, no orphans. */
export function unchangedSince(root: string, home: string, by: string): BuildOutcome | undefined {
  const last = readLastRun(join(root, home, LAST_RUN));
  if (last?.by !== by) return undefined;
  const folder = join(root, "generated");
  const same =
    Object.entries(last.written).every(([path, known]) => isSame(stateOf(join(folder, path)), known)) &&
    orphansIn(folder, Object.keys(last.written)).length === 0 &&
    changedIn(last, root).length === 0 &&
    changedFiles(last.checked, root).length === 0;
  return same ? last.outcome : undefined;
}

/**
 * The last run, if the same generator made exactly what is under `generated/` from exactly what is under `definitions/`, by the digests of
 * all files. Sizes and times decide nothing.
 */
export function provenSince(root: string, home: string, by: string): Pick<LastRun, "outcome" | "over"> | undefined {
  const last = readLastRun(join(root, home, LAST_RUN));
  if (last?.by !== by || last.lock === undefined) return undefined;
  const folder = join(root, "generated");
  const isWritten =
    digestIn(folder, LOCK_FILE) === last.lock &&
    Object.entries(digestsIn(folder)).every(([path, digest]) => digestIn(folder, path) === digest) &&
    orphansIn(folder, Object.keys(last.written)).length === 0;
  return isWritten && changedIn(last, root).length === 0 && changedFiles(last.checked, root).length === 0
    ? last
    : undefined;
}

function digestIn(folder: string, path: string): string | undefined {
  try {
    return digestText(readFileSync(join(folder, path), "utf8"));
  } catch {
    return undefined;
  }
}

/** The digests in the lock. */
const digestsIn = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, LOCK_FILE), "utf8")).files;

/** The diagnostics of the last `generate`; empty without a cache. */
export const lastDiagnostics = (root: string, home: string): BuildOutcome["diagnostics"] =>
  readLastRun(join(root, home, LAST_RUN))?.outcome.diagnostics ?? [];

/** Sources that differ from what the last `generate` read; empty without a cache. */
export function staleSources(root: string, home: string): readonly string[] {
  const last = readLastRun(join(root, home, LAST_RUN));
  return last ? changedIn(last, root) : [];
}

/** Digest of what the last `generate` read of the configuration; undefined without a cache. */
export const lastBuilt = (root: string, home: string): string | undefined =>
  readLastRun(join(root, home, LAST_RUN))?.built;

/** Files that the last `generate` read, relative to the root; empty without a cache. */
export const filesRead = (root: string, home: string): readonly string[] => {
  const last = readLastRun(join(root, home, LAST_RUN));
  return last ? Object.keys({ ...last.read, ...last.checked }) : [];
};

/** Files whose digest is no longer the known one. */
function changedFiles(known: LastRun["read"], root: string): readonly string[] {
  const { read } = openDisk(root);
  const digestOf = (path: string): string | null => {
    const text = read(path);
    return text === undefined ? null : digestText(text);
  };
  return Object.entries(known).flatMap(([path, digest]) => (digestOf(path) === digest ? [] : [path]));
}

function changedIn(last: LastRun, root: string): readonly string[] {
  const { list } = openDisk(root);
  return [
    ...Object.entries(last.listed).flatMap(([pattern, known]) => {
      const now = list(pattern);
      return [...now.filter((path) => !known.includes(path)), ...known.filter((path) => !now.includes(path))];
    }),
    ...changedFiles(last.read, root),
  ];
}

function stateOf(path: string): readonly [number, number] | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && [found.size, found.mtimeMs];
  } catch {
    return undefined; // A file has replaced a folder.
  }
}

const isSame = (now: readonly number[] | undefined, known: readonly number[]): boolean =>
  now !== undefined && now[0] === known[0] && now[1] === known[1];

function readLastRun(path: string): LastRun | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Partial<LastRun>;
    const { by, read, checked, listed, written, outcome, over = [] } = value;
    return by && read && checked && listed && written && outcome
      ? { ...value, by, read, checked, listed, written, outcome, over }
      : undefined;
  } catch {
    return undefined; // Missing or incomplete.
  }
}
