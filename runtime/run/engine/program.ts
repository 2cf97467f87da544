/**
 * Where the program of a child lies: an entry point of its own, that an engine starts with `fork`.
 *
 * In `dist/` and in the launcher's bundle it is a file beside this module; sources (tests) have it bundled once per change.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/** Path of a child program, `monty-child` say, as JavaScript that node runs without a loader. */
export async function programPath(name: string): Promise<string> {
  if (!here.endsWith(".ts")) return join(dirname(here), `${name}.js`);
  const entry = join(dirname(here), `${name}.ts`);
  const folder = join(packageRoot(), ".cache", "programs", sourcesDigest());
  const path = join(folder, `${name}.js`);
  if (!existsSync(path)) await bundle(entry, path);
  return path;
}

/** The folder of this package. */
export function packageRoot(): string {
  for (let folder = dirname(here); ; folder = dirname(folder))
    if (existsSync(join(folder, "package.json")) || folder === dirname(folder)) return folder;
}

/** Of the modules of `run/`: a child program imports from nowhere else. */
function sourcesDigest(): string {
  const hash = createHash("sha256");
  const folder = dirname(dirname(here));
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort())
    if (name.endsWith(".ts")) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/** Written beside and then renamed, since several processes may do this at once. */
async function bundle(entry: string, path: string): Promise<void> {
  const { build } = await import("esbuild");
  const beside = join(dirname(path), `${process.pid}-${createHash("sha256").update(entry).digest("hex").slice(0, 8)}`);
  await mkdir(dirname(path), { recursive: true });
  const outfile = `${beside}.js`;
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
