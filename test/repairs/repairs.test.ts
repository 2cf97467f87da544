/** The benchmark of repairs: `SCALE=1` runs it at full size, `REPAIRS=all` prints every case that is not put right. */

import { expect, test } from "vitest";
import { countsOf, report, runRepairs } from "./run-repairs.js";

test("corrections never change what was meant, and lead on", { timeout: 300_000 }, async () => {
  const judged = await runRepairs(Number(process.env["SEED"] ?? "20261123"));
  console.log(report(judged));
  const wrong = judged.filter(({ verdict }) => verdict === "different" || verdict === "dead end");
  const told = judged.filter(({ known }) => !known.mutator.isLossy);
  const shown = process.env["REPAIRS"] === "all" ? told.filter(({ verdict }) => verdict === "refused") : [];
  for (const { known, verdict } of [...wrong, ...shown].slice(0, 300))
    console.log(verdict, known.mutator.name, JSON.stringify(known.sent).slice(0, 600), known.tool.op);
  const counts = countsOf(judged);
  const right = countsOf(told);
  expect(counts.different).toBe(0);
  expect(counts["dead end"]).toBeLessThanOrEqual(0.02 * judged.length);
  expect(right.repaired + right.offered).toBeGreaterThanOrEqual(0.9 * told.length);
});
