/** The benchmark of repairs: `SCALE=1` runs it at full size, `REPAIRS=all` prints every case that is not put right. */

import { expect, test } from "vitest";
import { countsOf, ENTRIES, report, runRepairs } from "./run-repairs.js";

test("corrections never change what was meant, and lead on", { timeout: 300_000, tags: "slow" }, async () => {
  const judged = await runRepairs(Number(process.env["SEED"] ?? "20261123"));
  console.log(report(judged));
  const wrong = judged.filter(({ verdict }) => verdict === "different" || verdict === "dead end");
  const shown = process.env["REPAIRS"] === "all" ? judged.filter((one) => one.isTold && one.verdict === "refused") : [];
  for (const { entry, known, verdict } of [...wrong, ...shown].slice(0, 300))
    console.log(verdict, entry, known.mutator.name, JSON.stringify(known.sent).slice(0, 600), known.tool.op);
  for (const entry of ENTRIES) {
    const all = judged.filter((one) => one.entry === entry);
    const told = all.filter(({ isTold }) => isTold);
    const [counts, right] = [countsOf(all), countsOf(told)];
    expect(counts.different, entry).toBe(0);
    expect(counts["dead end"], entry).toBeLessThanOrEqual(0.02 * all.length);
    expect(right.repaired + right.offered, entry).toBeGreaterThanOrEqual(0.9 * told.length);
  }
});
