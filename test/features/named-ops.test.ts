/** Checks of features on the ops that their keys name: in a build, and before a server starts. */

import { expect, test } from "vitest";
import { declaredFaults } from "../../generator/cli/declared-faults.js";
import { loadConfig } from "../../generator/config/config.js";
import { Report } from "../../generator/core/diagnostic.js";
import { rule } from "../../generator/core/rule.js";
import type { CheckOps } from "../../generator/pass/declared.js";
import { buildGenerated, type GeneratingFeature } from "../../generator/pipeline.js";
import { errorsOf, hostOf, jsonProject, registryOf, tool } from "../support/generator-host.js";

const PROJECT = jsonProject([tool("list_things")]);
const FOUND = rule(
  "error",
  ({ ops }: { readonly ops: string }) => `it names another op than ${ops}`,
  () => "name that",
);
const checkOps: CheckOps = (known, { place }, report) =>
  report.addOf("quota-odd", FOUND, place("sources"), { ops: known.map(({ op }) => op).join() });
const FEATURES: readonly GeneratingFeature[] = [{ name: "none" }, { name: "quota", checkOps: async () => checkOps }];

test("they fail a build and the start of a server, with all ops of the project", async () => {
  const host = hostOf(PROJECT);
  const config = loadConfig((file) => host.read(`definitions/${file}`), new Report());
  if (!config) throw new Error("the configuration is not sound");
  const { diagnostics, files } = await buildGenerated(config, { ...host, features: FEATURES });
  const [found] = errorsOf(diagnostics);
  expect(found).toBe("definitions/toolwright.yaml:2:1 quota-odd it names another op than p.list_things");
  expect(files).toEqual([]);
  expect(await declaredFaults(await registryOf(PROJECT), config, host, FEATURES)).toEqual([
    expect.stringContaining("quota-odd  it names another op than p.list_things; name that"),
  ]);
});
