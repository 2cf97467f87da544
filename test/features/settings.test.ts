/** Keys that features declare: where they stand, and which are refused. */

import { describe, expect, test } from "vitest";
import { loadConfig } from "../../generator/config/config.js";
import { configSchema } from "../../generator/config/schema.js";
import { Report, shortDiagnostic } from "../../generator/core/diagnostic.js";
import {
  type DeclaringFeature,
  type FeatureSetting,
  filledWith,
  settingsWith,
} from "../../runtime/contract/settings/feature-settings.js";
import { group, integer, secret, text } from "../../runtime/contract/settings/setting.js";

const featureOf = (...settings: readonly FeatureSetting[]): DeclaringFeature => ({ name: "quota", settings });
const PER_HOUR = group("Calls of one caller.", { per_hour: integer([1], "Calls in an hour.", 1000) });
const QUOTA = featureOf(
  { key: "quota", after: "trust", setting: PER_HOUR },
  { key: "servers.*.quota", setting: integer([1], "Calls of a server in an hour.") },
  { key: "access.pass", setting: secret(text("A word.")) },
);

describe("keys of a feature", () => {
  test("stand behind the key that is named, or last", () => {
    const { properties = {} } = settingsWith([QUOTA]);
    const keys = Object.keys(properties);
    expect(keys[keys.indexOf("trust") + 1]).toBe("quota");
    const server = properties["servers"]?.additionalProperties || undefined;
    expect(Object.keys(server?.properties ?? {}).at(-1)).toBe("quota");
    expect(configSchema().properties).not.toHaveProperty("quota");
  });

  test("have defaults, and are checked as those of the core", () => {
    expect(filledWith([QUOTA], { quota: { per_hour: 5 } } as object)).toMatchObject({ quota: { per_hour: 5 } });
    expect(filledWith([QUOTA], {})).toMatchObject({ quota: { per_hour: 1000 }, trust: "none" });
    const faultsOf = (config: string, features: readonly DeclaringFeature[]): readonly string[] => {
      const report = new Report();
      loadConfig(() => `sources: []\n${config}\n`, report, { features });
      return report.sorted().map(shortDiagnostic);
    };
    expect(faultsOf("quota: { per_hour: 0 }", [QUOTA])).toEqual([
      "definitions/toolwright.yaml:2 quota.per_hour must be an integer >= 1, got 0; correct the value",
    ]);
    expect(faultsOf("quota: { per_hour: 7 }", [QUOTA])).toEqual([]);
    expect(faultsOf("quota: { per_hour: 7 }", [])).toEqual([expect.stringContaining("unknown key 'quota'")]);
  });

  test.each([
    ["trust", "exists"],
    ["servers.*.url", "exists"],
    ["quotas.per_hour", "below one that nothing declares"],
    ["servers.*", "exists"],
  ])("%s is refused: %s", (key, why) => {
    const declare = () => settingsWith([featureOf({ key, setting: PER_HOUR })]);
    expect(declare).toThrow(`feature-conflict: the feature quota declares the key ${key}`);
    expect(declare).toThrow(why);
  });

  test("two features do not declare the same key", () => {
    expect(() => settingsWith([QUOTA, { ...QUOTA, name: "limits" }])).toThrow(
      "the feature limits declares the key quota",
    );
  });
});

test("a key is declared from all features where it needs them", () => {
  const named: DeclaringFeature = featureOf({
    key: "quota",
    setting: (features) =>
      group("Calls by feature.", Object.fromEntries(features.map(({ name }) => [name, integer([1], "Calls.", 2)]))),
  });
  expect(filledWith([named, { name: "limits" }], {})).toMatchObject({ quota: { quota: 2, limits: 2 } });
});
