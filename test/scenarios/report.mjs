// `npm run scenarios`: lists the scenarios of the specifications without a passing test. The last line is `N of 196
// scenarios pass`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, ...rows] = readFileSync(new URL("scenarios.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n");
const folder = mkdtempSync(join(tmpdir(), "toolwright-scenarios-"));
const outputFile = join(folder, "results.json");
const run = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "test/scenarios", "--reporter=json", `--outputFile=${outputFile}`],
  {
    stdio: ["ignore", "ignore", "inherit"],
  },
);
let results = { testResults: [] };
try {
  results = JSON.parse(readFileSync(outputFile, "utf8"));
} catch {
  console.log(`the tests did not run (exit ${run.status})`);
}
rmSync(folder, { recursive: true, force: true });

/** A scenario passes when it has a test and every test that begins with its id passed. */
const verdicts = new Map();
for (const { assertionResults } of results.testResults)
  for (const { title, status } of assertionResults) {
    const id = /^\[([A-Z]+-\d+\.\d+)\]/.exec(title)?.[1];
    if (id) verdicts.set(id, (verdicts.get(id) ?? true) && status === "passed");
  }
let passed = 0;
for (const row of rows) {
  const [id, , requirement, scenario] = row.split("\t");
  if (verdicts.get(id)) passed += 1;
  else console.log(`${id.padEnd(9)} ${verdicts.has(id) ? "fails  " : "no test"}  ${requirement}: ${scenario}`);
}
console.log(`${passed} of ${rows.length} scenarios pass`);
process.exitCode = passed === rows.length ? 0 : 1;
