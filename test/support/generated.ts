/**
 * Caches the output of `generate` by its definitions for other roots: the same input gives the same bytes, and a build
 * takes more than a second of CPU time. All files of the generator are part of the key.
 */

import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const KEPT = join(CHECKOUT, ".cache", "generated");
/** What `generate` leaves in a root. */
const LEAVINGS = ["generated", ".onetool"];
const SOURCES = ["core", "features", "generator", "runtime", "definitions/packs", "package.json", "package-lock.json"];
const DAY_MS = 86_400_000;

/** Does what `generate` would do to a root, by `generate` itself if no earlier run has cached it. */
export async function generateOnce(root: string, generate: () => Promise<void>): Promise<void> {
  const kept = join(KEPT, keyOf(join(root, "definitions")));
  if (!existsSync(kept)) {
    await generate();
    keep(root, kept);
  } else for (const name of LEAVINGS) copy(join(kept, name), join(root, name));
}

function keep(root: string, kept: string): void {
  const beside = `${kept}.${process.pid}-${Math.random()}`;
  for (const name of LEAVINGS) copy(join(root, name), join(beside, name));
  for (const old of readdirSync(KEPT))
    if (Date.now() - statSync(join(KEPT, old)).ctimeMs > DAY_MS) rmSync(join(KEPT, old), { recursive: true });
  try {
    renameSync(beside, kept);
  } catch {
    // Another test was first.
    rmSync(beside, { recursive: true });
  }
}

function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: statSync(from).mode });
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

const filesIn = (path: string): readonly string[] =>
  statSync(path).isFile()
    ? [path]
    : (readdirSync(path, { recursive: true }) as string[])
        .sort()
        .map((name) => join(path, name))
        .filter((one) => statSync(one).isFile());

/** As the launcher knows its bundle: a source that is saved counts as changed. */
const sources = SOURCES.flatMap((path) => filesIn(join(CHECKOUT, path))).map((path) => {
  const { mtimeMs, size } = statSync(path);
  return `${path} ${mtimeMs} ${size}`;
});

function keyOf(definitions: string): string {
  const hash = createHash("sha256").update(sources.join("\n"));
  for (const path of filesIn(definitions))
    hash.update(`\0${path.slice(definitions.length)}\0`).update(readFileSync(path));
  return hash.digest("hex").slice(0, 24);
}
