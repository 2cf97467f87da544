/**
 * `npm run scenarios`: lists the scenarios without a passing test, with the pages that describe them, and why tests were not run. The last
 * line is `N of 196 scenarios pass`.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestResult, verdictsOf } from "./verdicts.js";

const rows = readFileSync(new URL("scenarios.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((row) => row.split("\t"));

/** The tests whose title begins with the id of a scenario, and what became of them; none if Vitest itself failed. */
function resultsOfTests(): readonly TestResult[] {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-scenarios-"));
  const outputFile = join(folder, "results.json");
  const only = ["run", "test/scenarios", "features", "-t", String.raw`\[[A-Z]+-\d+\.\d+\] `];
  const reported = ["--reporter=json", `--outputFile=${outputFile}`];
  const run = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...only, ...reported], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const { testResults } = JSON.parse(readFileSync(outputFile, "utf8")) as {
      readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
    };
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch {
    console.log(`the tests did not run (exit ${run.status})`);
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const verdicts = verdictsOf(
  rows.map(([id = ""]) => id),
  resultsOfTests(),
);
let passed = 0;
for (const [id = "", page, requirement, scenario] of rows) {
  const { outcome, notRun } = verdicts.get(id) ?? { outcome: "no test", notRun: [] };
  if (outcome === "passes") passed += 1;
  const reasons = outcome === "not run" ? ` (${notRun.join("; ")})` : "";
  if (outcome !== "passes")
    console.log(`${id.padEnd(9)} ${outcome.padEnd(7)}  ${requirement}: ${scenario}, ${page}${reasons}`);
}
const partly = [...verdicts].filter(([, { outcome, notRun }]) => outcome === "passes" && notRun.length > 0);
for (const reason of new Set(partly.flatMap(([, { notRun }]) => notRun))) {
  const ids = partly.filter(([, { notRun }]) => notRun.includes(reason)).map(([id]) => id);
  console.log(`not run here: some tests of ${ids.join(", ")}, since ${reason}`);
}
console.log(`${passed} of ${rows.length} scenarios pass`);
process.exitCode = passed === rows.length ? 0 : 1;
