/** Comparisons of two builds: by the feature that can, with the rules of others, or without any. */

import { expect, test } from "vitest";
import { loadChanges, toolComparison } from "../../core/changes.js";
import type { Feature } from "../../core/feature.js";
import { type BreakingCatalogue, breakingRule, breakingRulesWith } from "../../generator/core/breaking-rule.js";
import type { Finding } from "../../runtime/contract/finding.js";
import { completeTool } from "../support/partial-registry.js";

const said = (findings: readonly Finding[]) => findings.map(({ op, level, message }) => `${level} ${op}: ${message}`);
const [one, other] = [completeTool(), completeTool({ op: "p.thing.list", tool_name: "list_things" })];

test("without a feature that compares, a tool that is not as it was is an error", async () => {
  const compare = toolComparison([{ name: "quota" }]);
  expect(await loadChanges([{ name: "quota" }])).toBeUndefined();
  expect(said(await compare([one, other], [other, one]))).toEqual([]);
  expect(
    said(await compare([one, other], [{ ...one, op: "q.thing.get", digest: { ...one.digest, op: "1" } }])),
  ).toEqual(["error p.thing.list: tool list_things is not what it was"]);
  const changes = [{ description: "Gets it." }, { parameters_schema: { type: "object" } }, { result_schema: {} }];
  for (const change of changes)
    expect(said(await compare([one], [{ ...one, ...change }]))).toEqual([
      "error p.thing.get: tool get_thing is not what it was",
    ]);
});

test("the feature that compares gets all features", async () => {
  const given: string[] = [];
  const comparing: Feature = {
    name: "comparing",
    changes: async (features) => ({
      compareTools: async () => {
        given.push(...features.map(({ name }) => name));
        return [];
      },
      sinceBaseline: () => Promise.reject(new Error("it is not asked")),
    }),
  };
  expect(await toolComparison([{ name: "quota" }, comparing])([one], [])).toEqual([]);
  expect(given).toEqual(["quota", "comparing"]);
});

test("a breaking rule is listed behind the rule that it names, or last; a code that exists is refused", () => {
  const rule = (code: string): BreakingCatalogue => ({
    [code]: breakingRule("warning", "wire", "a quota is lower", (f) => `was ${f.before}`, ["", "5", "1"]),
  });
  const first: Feature = { name: "first", breakingRules: { catalogue: { ...rule("a-lower"), ...rule("b-lower") } } };
  const second: Feature = { name: "second", breakingRules: { after: "a-lower", catalogue: rule("c-lower") } };
  const third: Feature = { name: "third", breakingRules: { after: "nowhere", catalogue: rule("d-lower") } };
  expect(Object.keys(breakingRulesWith([first, second, third]))).toEqual(["a-lower", "c-lower", "b-lower", "d-lower"]);
  expect(() => breakingRulesWith([first, { ...second, breakingRules: { catalogue: rule("b-lower") } }])).toThrow(
    "feature-conflict: the feature second (shipped) has the breaking rule b-lower, which the feature first (shipped) has: give it another name",
  );
});
