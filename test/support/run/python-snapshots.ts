/**
 * The memory snapshots that CPython starts from, shared by the roots and engines of all tests: making one takes 3 s of
 * CPU time, and its name contains a digest of its inputs. Tests of the making itself use folders of their own.
 */

import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the snapshots of all tests are. */
export const SHARED_SNAPSHOTS = fileURLToPath(new URL("../../../.cache/python-snapshots", import.meta.url));

const snapshotsIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".snapshot")) : [];

/** Gives a cache folder the snapshots that were made so far. */
export function lendSnapshots(cacheDir: string): void {
  mkdirSync(cacheDir, { recursive: true, mode: 0o700 });
  for (const name of snapshotsIn(SHARED_SNAPSHOTS)) put(join(SHARED_SNAPSHOTS, name), join(cacheDir, name));
}

/** Keeps the snapshots that were made in a cache folder, before it goes. */
export function keepSnapshots(cacheDir: string): void {
  const known = snapshotsIn(SHARED_SNAPSHOTS);
  for (const name of snapshotsIn(cacheDir).filter((one) => !known.includes(one))) {
    mkdirSync(SHARED_SNAPSHOTS, { recursive: true });
    const beside = join(SHARED_SNAPSHOTS, `${name}.${process.pid}-${Math.random()}`);
    copyFileSync(join(cacheDir, name), beside);
    renameSync(beside, join(SHARED_SNAPSHOTS, name));
  }
}

/** A link costs nothing, but stays on one file system. A small file system in a test may have no room for a copy: it goes without. */
function put(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch {
    try {
      copyFileSync(from, to);
    } catch {
      rmSync(to, { force: true });
    }
  }
}
