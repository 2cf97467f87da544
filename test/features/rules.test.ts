/** Diagnostics of features: where they are listed, which are refused, and how they are reported. */

import { expect, test } from "vitest";
import { loadConfig } from "../../generator/config/config.js";
import { formatDiagnostic, Report } from "../../generator/core/diagnostic.js";
import { type ReportingFeature, rulesWith } from "../../generator/core/feature-rules.js";
import { rule } from "../../generator/core/rule.js";

const SPENT = rule(
  "warning",
  (p: { tool: string }) => `${p.tool} is called too often`,
  () => "raise quota",
);
const featureOf = (code: string, after?: string): ReportingFeature => ({
  name: "quota",
  rules: { ...(after === undefined ? {} : { after }), catalogue: { [code]: SPENT } },
});

test("a diagnostic is listed behind the diagnostic that it names, or last", () => {
  const codes = Object.keys(rulesWith([featureOf("quota-spent", "source-empty")]));
  expect(codes[codes.indexOf("source-empty") + 1]).toBe("quota-spent");
  expect(Object.keys(rulesWith([featureOf("quota-spent")])).at(-1)).toBe("quota-spent");
});

test("a code that exists is refused", () => {
  expect(() => rulesWith([featureOf("source-empty")])).toThrow(
    "feature-conflict: the feature quota (shipped) has the diagnostic source-empty, which toolwright has: give it another name",
  );
  expect(() => rulesWith([featureOf("quota-spent"), { ...featureOf("quota-spent"), name: "limits" }])).toThrow(
    "the feature limits (shipped) has the diagnostic quota-spent, which the feature quota (shipped) has: give it another name",
  );
});

test("it is reported as those of the core, and its level is one of the configuration", () => {
  const report = new Report();
  report.addOf("quota-spent", SPENT, { file: "definitions/a.json", line: 2, column: 1 }, { tool: "list_a" });
  const [found] = report.sorted();
  expect(found && formatDiagnostic(found)).toBe(
    "definitions/a.json:2:1 warning quota-spent  list_a is called too often; raise quota",
  );
  expect(found && report.subjectOf(found)).toBe("list_a");
  const loaded = (features: readonly ReportingFeature[]) =>
    loadConfig(() => "sources: []\ndiagnostics: { quota-spent: off }\n", new Report(), { features });
  expect(loaded([featureOf("quota-spent")])).toBeDefined();
  expect(loaded([])).toBeUndefined();
});
