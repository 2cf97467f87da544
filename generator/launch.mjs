#!/usr/bin/env node
// The command line straight from the checkout: `npm run --silent toolwright -- ARGS`, without a build step. The sources are
// bundled with esbuild into .cache/ when one of them changed (1 s), so that other starts cost half of the built package's.
// Also refreshes dist/runtime/codegen.js, which generated validators and TypeScript handlers import as `toolwright/codegen`,
// and shipped.json.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeConsole } from "./build/console-files.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "toolwright");
const DAY_MS = 86_400_000;
// Programs of child processes lie beside the bundle, where the runtime looks for them.
const entries = {
  main: "generator/main.ts",
  "write-shipped": "generator/source/write-shipped.ts",
  "monty-child": "runtime/run/engine/monty-child.ts",
  "reading-worker": "runtime/run/engine/reading-worker.ts",
  "snippet-worker": "runtime/run/engine/snippet-worker.ts",
};
// Packages that every server loads are bundled: a few files in place of 500 halve the CPU time of a start. The CommonJS ones
// (commander, ipaddr.js, yaml) have no named exports in an `import()`, so the default export is used.
const bundled = [
  ...["@hono/node-server", "@lezer/python", "@modelcontextprotocol/client", "@modelcontextprotocol/server"],
  ...["commander", "hono", "ipaddr.js", "kysely", "yaml"],
];

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|css|html|svg)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
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
  const { build } = await import("esbuild");
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const beside = `${folder}.${process.pid}`;
  const external = Object.keys({ ...dependencies, ...devDependencies });
  const common = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["toolwright-source"],
    sourcemap: "linked",
    logLevel: "warning",
  };
  await build({
    ...common,
    external: external.filter((name) => !bundled.includes(name)),
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    entryPoints: entries,
    outdir: beside,
    splitting: true,
  });
  await writeConsole(root, join(beside, "console"));
  mkdirSync(join(root, "dist", "runtime"), { recursive: true });
  const seam = join(root, "dist", "runtime", `codegen.js.${process.pid}`);
  await build({ ...common, external, sourcemap: false, entryPoints: ["runtime/codegen.ts"], outfile: seam });
  renameSync(seam, join(root, "dist", "runtime", "codegen.js"));
  const { writeShipped } = await import(pathToFileURL(join(beside, "write-shipped.js")).href);
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
  ...sources(join(root, "generator")),
  ...sources(join(root, "runtime")),
  ...sources(join(root, "definitions", "packs")),
  join(root, "package.json"),
  join(root, "package-lock.json"),
];
const folder = join(cache, digestOf(files));
if (
  !existsSync(join(folder, "main.js")) ||
  !existsSync(join(root, "dist", "runtime", "codegen.js")) ||
  !existsSync(join(root, "shipped.json"))
)
  await bundle(folder);
await import(pathToFileURL(join(folder, "main.js")).href);
