/**
 * Locates the program of a child process, a separate entry point that an engine starts.
 *
 * In a bundle (of the package or of a checkout) it is a file beside this module; sources (in tests) are bundled once
 * per change.
 */

import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/**
 * Path of a child program such as `sql-child`, as JavaScript that node runs without a loader.
 *
 * @param beside - folder of its source, relative to this module
 */
export async function programPath(name: string, beside = "."): Promise<string> {
  if (!here.endsWith(".ts")) return join(dirname(here), `${name}.js`);
  const entry = join(dirname(here), beside, `${name}.ts`);
  const folder = join(packageRoot(), ".cache", "programs", sourcesDigest(dirname(entry)));
  const path = join(folder, `${name}.js`);
  if (!existsSync(path)) await bundle(entry, path);
  return path;
}

/** The folder of this package. */
function packageRoot(): string {
  for (let folder = dirname(here); ; folder = dirname(folder))
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return folder;
}

/** Digest of the modules of `run/`, of `contract/` and of its own folder, the only ones that a child program imports. */
function sourcesDigest(own: string): string {
  const hash = createHash("sha256");
  const run = dirname(dirname(here));
  for (const folder of [run, join(dirname(run), "contract"), ...(own.startsWith(run) ? [] : [own])])
    for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort())
      if (name.endsWith(".ts")) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/** Written to a temporary file and renamed, because several processes, and threads of one, may do this at once. */
async function bundle(entry: string, path: string): Promise<void> {
  const { build } = await import("esbuild");
  await mkdir(dirname(path), { recursive: true });
  const outfile = join(dirname(path), `${randomUUID()}.js`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  await rename(outfile, path).catch(async (error: unknown) => {
    await rm(outfile, { force: true });
    if (!existsSync(path)) throw error;
  });
}

/**
 * Path of a child program in one file, whose parts lie beside it and beside this module: a file beside the bundle; sources are bundled, once per
 * change, into the cache of this package.
 *
 * @param name prefix of the bundled file
 * @param candidates possible paths, relative to `base`: `.mjs` in a bundle, `.mts` as source
 * @throws Error if it is at none of these paths
 */
export async function soleProgram(name: string, candidates: readonly string[], base: string): Promise<string> {
  const found = candidates.map((path) => fileURLToPath(new URL(path, base))).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`the program ${name} is not where it was installed`);
  if (found.endsWith(".mjs")) return realpathSync(found);
  const hash = createHash("sha256");
  for (const folder of [dirname(found), dirname(here)])
    for (const part of readdirSync(folder).sort())
      if (part.endsWith(".mts")) hash.update(`${part}\0`).update(readFileSync(join(folder, part)));
  const folder = join(realpathSync(packageRoot()), ".cache", "programs");
  const path = join(folder, `${name}-${hash.digest("hex").slice(0, 16)}.mjs`);
  if (!existsSync(path)) await bundle(found, path);
  return path;
}
