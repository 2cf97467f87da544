#!/usr/bin/env node
// The command line straight from the checkout: `npm run --silent toolwright -- ARGS`, without a build step. The sources are
// bundled with esbuild into .cache/ when one of them changed (2 s), as they are for the package.
// Also refreshes dist/runtime/codegen.js, which generated validators and TypeScript handlers import as `toolwright/codegen`,
// dist/runtime/feature.js, which features of plugins import as `toolwright/feature`, and shipped.json.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadProgram } from "./entry/load-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "toolwright");
const DAY_MS = 86_400_000;
/** Folders of features that the program does not need. */
const TESTS = new Set(["bench", "test"]);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return TESTS.has(entry.name) ? [] : sources(path);
    return /\.(tsx?|mjs|css|html|svg)$/.test(entry.name) ? [path] : [];
  });
}

function digestOf(files) {
  const hash = createHash("sha1");
  for (const file of files) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

async function bundle(folder) {
  const { bundleFile, bundleParts, bundleProgram, MODULES } = await import("./build/bundle.mjs");
  const beside = `${folder}.${process.pid}`;
  await bundleProgram(root, beside);
  for (const name of MODULES) {
    const file = join(root, "dist", "runtime", `${name}.js`);
    await bundleFile(root, `runtime/${name}.ts`, `${file}.${process.pid}`);
    renameSync(`${file}.${process.pid}`, file);
  }
  const parts = join(beside, "parts.js");
  await bundleParts(root, parts);
  const { writeShipped } = await import(pathToFileURL(parts).href);
  writeShipped(root);
  // A running server may still load parts of an older bundle, so bundles of the last day are kept.
  for (const old of readdirSync(cache))
    if (Date.now() - statSync(join(cache, old)).mtimeMs > DAY_MS)
      rmSync(join(cache, old), { recursive: true, force: true });
  try {
    renameSync(beside, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // otherwise another process created it first
    rmSync(beside, { recursive: true, force: true });
  }
}

const files = [
  ...sources(join(root, "core")),
  ...sources(join(root, "features")),
  ...sources(join(root, "generator")),
  ...sources(join(root, "runtime")),
  ...sources(join(root, "definitions", "packs")),
  join(root, "package.json"),
  join(root, "package-lock.json"),
].sort();
const folder = join(cache, digestOf(files));
if (
  !existsSync(join(folder, "program.cjs")) ||
  !existsSync(join(root, "dist", "runtime", "codegen.js")) ||
  !existsSync(join(root, "dist", "runtime", "feature.js")) ||
  !existsSync(join(root, "shipped.json"))
)
  await bundle(folder);
await loadProgram(join(folder, "program.cjs"), folder).runCommand();
