/**
 * `npm run mutation [-- module …]`: changes the modules of `modules.mjs` in many small ways and runs their tests
 * against each change. Prints the share of the changes that a test noticed, or that kept a test file from loading. A
 * change that cannot be noticed is listed in `equivalent.json` with its reason and does not count. Survivors go to
 * `.cache/mutation/<module>.txt`. Exit 1 if a module is below its limit.
 *
 * * `--only FILE,FILE:1-50` changes only these files, or lines of them.
 * * `--share 0.2 --seed 1` tries about a fifth of the changes. The seed, a text that is "1" unless you set it, chooses
 *   them: another seed gives another sample.
 *
 * On a busy machine set `MUTATION_TIMEOUT` to more milliseconds: a change whose tests exceed it counts as noticed. The
 * number of these is printed.
 *
 * No results are kept between runs: results of changes in tables, which every test reaches, would be kept although
 * tests changed.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { MODULES } from "./modules.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const KEPT = ".cache/mutation";
/** Per cent that the tests must notice, unless a module says otherwise. */
const GOAL = 85;

process.chdir(ROOT);
mkdirSync(KEPT, { recursive: true });

// A random test is worth little here: what only chance finds, it does not find each time.
process.env.SCALE ??= "0.01";
process.env.SLOW ??= "1";

const { values: options, positionals: asked } = parseArgs({
  options: { only: { type: "string" }, share: { type: "string" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const unknown = asked.filter((name) => !Object.hasOwn(MODULES, name));
if (unknown.length > 0) {
  process.stderr.write(`no module ${unknown.join(", ")}; there are ${Object.keys(MODULES).join(", ")}\n`);
  process.exit(2);
}

const share = options.share === undefined ? 1 : Number(options.share);
if (!(share > 0 && share <= 1)) {
  process.stderr.write("--share takes a number above 0, and at most 1\n");
  process.exit(2);
}
// The plugin that leaves out the rest runs in a child process.
process.env.MUTATION_SHARE = String(share);
process.env.MUTATION_SEED = options.seed;

const equivalent = JSON.parse(readFileSync("test/mutation/equivalent.json", "utf8"));
const results = [];
for (const name of asked.length > 0 ? asked : Object.keys(MODULES)) results.push(await measured(name, MODULES[name]));
if (share < 1) process.stdout.write(`\na sample of ${100 * share} % of the changes, seed ${options.seed}`);
const columns = ["module", "score", "goal", "noticed", "by timeout", "survived", "equivalent", "not tried"];
process.stdout.write(`\n${columns.join("\t")}\n`);
for (const one of results) {
  const { name, score, least, noticed, timeouts, survivors, same, left } = one;
  process.stdout.write(`${[name, `${score} %`, `${least} %`, noticed, timeouts, survivors, same, left].join("\t")}\n`);
}
if (results.some(({ score, least }) => score < least)) process.exitCode = 1;

/** Runs one module, or the part of it that `--only` names. */
async function measured(name, { mutate, tests, least = GOAL }) {
  process.env.MUTATION_TESTS = tests.join(" ");
  const stryker = new Stryker({
    mutate: options.only?.split(",") ?? mutate,
    testRunner: "vitest",
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner"), import.meta.resolve("./sample.mjs")],
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    reporters: ["dots"],
    checkers: share < 1 ? ["sample"] : [],
    concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
    timeoutMS: Number(process.env.MUTATION_TIMEOUT ?? 5000),
    // The run without changes, which takes minutes on a busy machine.
    dryRunTimeoutMinutes: 60,
    tempDirName: ".cache/stryker",
    ignorePatterns: ["dist", "site"],
    // Stryker would read it with a TypeScript of its own.
    tsconfigFile: "none.json",
    allowConsoleColors: false,
    warnings: false,
  });
  const mutants = await stryker.runMutationTest();
  const of = (...states) => mutants.filter(({ status }) => states.includes(status));
  const alive = of("Survived", "NoCoverage").map(placed);
  const survivors = alive.filter((one) => !isEquivalent(one));
  writeFileSync(`${KEPT}/${name}.txt`, survivors.map((one) => `${Object.values(one).join("\t")}\n`).join(""));
  const noticed = of("Killed", "Timeout", "RuntimeError").length;
  const score = Math.round((1000 * noticed) / (noticed + survivors.length)) / 10;
  return {
    name,
    score,
    least,
    noticed,
    timeouts: of("Timeout").length,
    survivors: survivors.length,
    same: alive.length - survivors.length,
    left: of("CompileError").length,
  };
}

/** A mutant by what it changes, not by its line, which moves. */
function placed({ fileName, location, mutatorName, replacement = "" }) {
  const file = relative(ROOT, fileName);
  const { line } = location.start;
  const code = (readFileSync(file, "utf8").split("\n")[line - 1] ?? "").trim();
  return { file, line, code, mutator: mutatorName, replacement };
}

function isEquivalent({ file, code, mutator, replacement }) {
  return equivalent.some(
    (one) =>
      one.file === file &&
      one.code === code &&
      (one.mutator === undefined || one.mutator === mutator) &&
      (one.replacement === undefined || one.replacement === replacement),
  );
}
