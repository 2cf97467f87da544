/**
 * Generated expressions and programs in `run` against the machine's own Python: values, printed output and types of
 * exceptions are the same. `SCALE=1` takes 20,000 expressions and 500 programs, `SEED` others.
 */

import { describe, expect, test } from "vitest";
import { randomOf, runs } from "../../support/random.js";
import { pythonEngine } from "../../support/run/python.js";
import { oneLiners } from "./python-one-liners.js";
import { programs } from "./python-programs.js";
import { differences } from "./python-replies.js";

const engine = pythonEngine();

describe("run answers as Python does", () => {
  test("expressions", { timeout: 3_600_000, tags: "slow" }, async () => {
    const { seed, numRuns } = runs(20_000);
    expect(await differences(engine(), oneLiners(numRuns, randomOf(seed)))).toEqual([]);
  });

  test("programs", { timeout: 900_000, tags: "slow" }, async () => {
    const { seed, numRuns } = runs(500);
    expect(await differences(engine(), programs(numRuns, randomOf(seed + 1)))).toEqual([]);
  });
});
