/**
 * `npm run removal [-- NAME …]`: takes each feature out of a copy of the checkout, with those that import it: its folder, its line in
 * `features/list.ts` and its keys in `definitions/toolwright.yaml`, and runs the type check and tests of the core there. Exit 1 if something fails: the core knows the feature.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMap, parseDocument } from "yaml";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LIST = "features/list.ts";
const CONFIG = "definitions/toolwright.yaml";

/** Tests of the rooms of the core into which features reach: they must pass without any feature. */
const CORE_TESTS = [
  "test/features",
  "test/layers.test.ts",
  "test/seam.test.ts",
  "test/runtime/config",
  "test/runtime/gateway",
  "test/runtime/metrics",
  "test/runtime/state",
  "test/generator/config",
  "test/generator/core",
  "test/generator/pass",
];

/** It compares the code with `schema.json`, which the copy does not have. */
const OF_PACKAGE = "test/generator/config/editor-schema.test.ts";

/** The features of the list: the name of the folder, and that of the constant. */
function features() {
  const text = readFileSync(join(ROOT, LIST), "utf8");
  const imports = text.matchAll(/^import \{ (\w+) \} from "\.\/([\w-]+)\/feature\.js";$/gm);
  return [...imports].map(([line, constant, name]) => ({ line, constant, name }));
}

/** These features, and all that import them, in tests too: they go together. */
function dependents(copy, names) {
  const others = features()
    .map(({ name }) => name)
    .filter((one) => !names.includes(one));
  const imported = new RegExp(`from "(?:\\.\\./)+(?:${names.join("|")})/`);
  const needing = others.filter((name) =>
    readdirSync(join(copy, "features", name), { recursive: true })
      .filter((file) => file.endsWith(".ts"))
      .some((file) => imported.test(readFileSync(join(copy, "features", name, file), "utf8"))),
  );
  return needing.length === 0 ? names : dependents(copy, [...names, ...needing]);
}

/** Copies what git knows, and what is installed, as further names of the same files. */
function copyOfCheckout() {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const copy = mkdtempSync(join(ROOT, ".cache", "removal-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean)) cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  execFileSync("cp", ["--archive", "--link", join(ROOT, "node_modules"), copy]);
  return copy;
}

/** The keys that a feature declares, as paths. */
function declaredKeys(copy, { constant, name }) {
  const code = `const { ${constant}: { settings = [] } } = await import("./features/${name}/feature.ts"); console.log(JSON.stringify(settings.map(({ key }) => key.split("."))));`;
  const flags = ["--import", "tsx", "-C", "toolwright-source", "--input-type=module", "-e", code];
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: copy, encoding: "utf8" }));
}

/** Deletes a key of a YAML map; `*` stands for every name. */
function deleteKey(map, [name, ...rest]) {
  if (!isMap(map)) return;
  if (rest.length === 0) map.delete(name);
  else for (const { key, value } of map.items) if (name === "*" || key.value === name) deleteKey(value, rest);
}

function takeOut(copy, { line, constant, name }) {
  const config = join(copy, CONFIG);
  const document = parseDocument(readFileSync(config, "utf8"));
  for (const path of declaredKeys(copy, { constant, name })) deleteKey(document.contents, path);
  writeFileSync(config, document.toString({ lineWidth: 0 }));
  rmSync(join(copy, "features", name), { recursive: true });
  const list = join(copy, LIST);
  const text = readFileSync(list, "utf8");
  const left = text.replace(`${line}\n`, "").replace(new RegExp(`\\b${constant}\\b(?:,\\s*)?`), "");
  writeFileSync(list, left);
}

/** Runs a program in the copy. Returns whether it succeeded. */
const passes = (copy, program, args) => spawnSync(program, args, { cwd: copy, stdio: "inherit" }).status === 0;

/** The checks of a copy, each by whether it passes. The command line is bundled first, so that no test has to wait for it. */
function checksOf(copy) {
  const installed = (name) => join(copy, "node_modules", ".bin", name);
  return {
    types: passes(copy, installed("tsc"), ["--noEmit"]),
    start: passes(copy, process.execPath, [join(copy, "generator", "launch.mjs"), "--version"]),
    tests: passes(copy, installed("vitest"), ["run", ...CORE_TESTS, "--exclude", OF_PACKAGE]),
  };
}

const asked = process.argv.slice(2);
const known = features();
const unknown = asked.find((one) => !known.some(({ name }) => name === one));
if (unknown !== undefined)
  throw new Error(`${LIST} has no ${unknown}: name ${known.map(({ name }) => name).join(", ")}`);
for (const feature of known.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const copy = copyOfCheckout();
  try {
    const gone = dependents(copy, [feature.name]);
    for (const one of known.filter(({ name }) => gone.includes(name))) takeOut(copy, one);
    const checks = checksOf(copy);
    const failed = Object.keys(checks).filter((one) => !checks[one]);
    process.stdout.write(
      `without ${gone.join(" and ")}: ${failed.length === 0 ? "passed" : `failed: ${failed.join(", ")}`}\n`,
    );
    if (failed.length > 0) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
