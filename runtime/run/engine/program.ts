/**
 * Where the program of a child lies: an entry point of its own, that an engine starts with `fork`.
 *
 * In `dist/` and in the launcher's bundle it is a file beside this module; sources (tests) have it bundled once per change.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhole } from "../../whole-file.js";

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
function packageRoot(): string {
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

/**
 * Path of a child program that imports no module of ours: the file beside its module once built; from sources it is compiled, once
 * per change, into the cache of this package.
 *
 * @param name what the compiled file begins with
 * @param candidates where it may be, relative to `base`: `.mjs` as it is built, `.mts` as it is written
 * @throws Error where it is in none of these places
 */
export async function soleProgram(name: string, candidates: readonly string[], base: string): Promise<string> {
  const found = candidates.map((path) => fileURLToPath(new URL(path, base))).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`the program ${name} is not where it was installed`);
  if (found.endsWith(".mjs")) return realpathSync(found);
  const source = readFileSync(found, "utf8");
  const folder = join(realpathSync(packageRoot()), ".cache", "programs");
  const path = join(folder, `${name}-${createHash("sha256").update(source).digest("hex").slice(0, 16)}.mjs`);
  if (existsSync(path)) return path;
  const { transform } = await import("esbuild");
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node20" });
  await mkdir(folder, { recursive: true });
  await writeWhole(path, code);
  return path;
}
