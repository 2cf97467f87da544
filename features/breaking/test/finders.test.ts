/** What other features find in a comparison of two builds: by their own rules, sorted among the findings of `breaking`. */

import { expect, test } from "vitest";
import { breakingRule, type CompareTool } from "../../../generator/core/breaking-rule.js";
import type { GeneratingFeature } from "../../../generator/pipeline.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import { changesWith } from "../changes.js";
import { BREAKING_CHANGES } from "../feature.js";

const LOWERED = breakingRule("error", "wire", "a quota is lower", (f) => `quota was ${f.before}`, ["", "5", "1"]);
const quota = (compare?: CompareTool): GeneratingFeature => ({
  name: "quota",
  breakingRules: { catalogue: { "quota-lowered": LOWERED } },
  generate: async () => (compare ? { compare } : {}),
});
const [before, after] = [completeTool(), completeTool({ description: "Gets it." })];

async function findingsWith(...features: readonly GeneratingFeature[]) {
  const found = await changesWith([BREAKING_CHANGES, ...features]).compareTools([before], [after]);
  return found.map(({ level, rule, message }) => `${level} ${rule} ${message}`);
}

const CHANGED = 'info description-changed description was "Gets a thing.", is "Gets it."';

test("they stand among the others; a feature without a comparison finds nothing", async () => {
  const given: unknown[] = [];
  const found = await findingsWith(
    quota((...pair) => {
      given.push(...pair);
      return [{ rule: "quota-lowered", before: "5" }];
    }),
    quota(),
    { name: "silent" },
  );
  expect(found).toEqual(["error quota-lowered quota was 5", CHANGED]);
  expect(given).toEqual([before, after]);
  expect(await findingsWith()).toEqual([CHANGED]);
});

test("a change by a rule that the feature does not declare is its fault", async () => {
  await expect(findingsWith(quota(() => [{ rule: "quota-raised" }]))).rejects.toThrow(
    "a feature found quota-raised, which is none of its breakingRules: declare it there",
  );
});
