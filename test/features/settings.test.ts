/** Keys that features declare: where they stand, and which are refused. */

import { describe, expect, test } from "vitest";
import { loadConfig } from "../../generator/config/config.js";
import { type ConfigFeature, configSchema } from "../../generator/config/schema.js";
import { Report, shortDiagnostic } from "../../generator/core/diagnostic.js";
import { rule } from "../../generator/core/rule.js";
import {
  type DeclaringFeature,
  type FeatureSetting,
  filledWith,
  ownConfig,
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

test("keys are checked beyond their shape once every value has the right type", () => {
  const feature: ConfigFeature = {
    ...QUOTA,
    checkKeys: (config, { place, report }) =>
      report.addOf(
        "quota-odd",
        rule(
          "error",
          () => Object.keys(config).join(),
          () => "set it",
        ),
        place("quota"),
        {},
      ),
  };
  const faultsOf = (text: string) => {
    const report = new Report();
    loadConfig(() => text, report, { features: [feature] });
    return report.sorted().map(({ code, line, message }) => `${line} ${code} ${message}`);
  };
  expect(faultsOf("sources: []\nquota: { per_hour: 1 }\n")).toEqual(["2 quota-odd sources,quota"]);
  expect(faultsOf("sources: []\nquota: { per_hour: 0 }\n")).toEqual([expect.stringContaining("2 config-invalid")]);
});

describe("keys of a feature", () => {
  test("stand behind the key that is named, or last", () => {
    const { properties = {} } = settingsWith([QUOTA]);
    const keys = Object.keys(properties);
    expect(keys[keys.indexOf("trust") + 1]).toBe("quota");
    const server = properties["servers"]?.additionalProperties || undefined;
    expect(Object.keys(server?.properties ?? {}).at(-1)).toBe("quota");
    expect(configSchema().properties).not.toHaveProperty("quota");
  });

  test("stand first, before all others of their map", () => {
    const { properties = {} } = settingsWith([featureOf({ key: "stats.quota", after: null, setting: PER_HOUR })]);
    const [first, ...rest] = Object.keys(properties["stats"]?.properties ?? {});
    expect([first, rest.length > 0]).toEqual(["quota", true]);
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
    ["trust", ", which toolwright has: give it another name"],
    ["servers.*.url", ", which toolwright has: give it another name"],
    ["quotas.per_hour", " below one that nothing declares: declare that one too"],
    ["servers.*", ", which toolwright has: give it another name"],
  ])("%s is refused: %s", (key, why) => {
    const declare = () => settingsWith([featureOf({ key, setting: PER_HOUR })]);
    expect(declare).toThrow(`feature-conflict: the feature quota (shipped) declares the key ${key}${why}`);
  });

  test("below the name of the feature need no parent, at any depth", () => {
    const setting = integer([1], "Calls.", 3);
    const feature = featureOf({ key: "quota.a.b", setting }, { key: "quota.a.c", setting: text("A text.") });
    expect(filledWith([feature], {})).toMatchObject({ quota: { a: { b: 3 } } });
    const report = new Report();
    loadConfig(() => "sources: []\nquota: { a: { b: 0, d: 1 } }\n", report, { features: [feature] });
    expect(report.sorted().map(shortDiagnostic)).toEqual([
      "definitions/toolwright.yaml:2 quota.a.b must be an integer >= 1, got 0; correct the value",
      expect.stringContaining("unknown key 'quota.a.d'"),
    ]);
  });

  test("are all that a feature of a plugin gets, with their defaults", () => {
    const config = { quota: { per_hour: 5 }, servers: { files: { quota: 2, url: "u" } }, public_url: "https://a" };
    expect(ownConfig(QUOTA, filledWith([QUOTA], config as object))).toEqual({
      quota: { per_hour: 5 },
      servers: { files: { quota: 2 } },
      access: {},
    });
    expect(ownConfig({ name: "none" }, config)).toEqual({});
  });

  test("two features do not declare the same key", () => {
    expect(() => settingsWith([QUOTA, { ...QUOTA, name: "limits", origin: "./limits.ts" }])).toThrow(
      "the feature limits (./limits.ts) declares the key quota, which the feature quota (shipped) has",
    );
  });

  test("two features have two names", () => {
    expect(() => settingsWith([QUOTA, { name: "quota", origin: "@acme/quota" }])).toThrow(
      "feature-conflict: the feature quota (@acme/quota) has the name of another one (shipped): rename it",
    );
  });

  test("at most 64 features declare at most 200 keys each", () => {
    const featuresOf = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}` }));
    expect(() => settingsWith(featuresOf(64))).not.toThrow();
    expect(() => settingsWith(featuresOf(65))).toThrow("there are 65 features, and may be 64");
    const keysOf = (count: number) =>
      featureOf(...Array.from({ length: count }, (_, i) => ({ key: `quota.k${i}`, setting: text("A text.") })));
    expect(() => settingsWith([keysOf(200)])).not.toThrow();
    expect(() => settingsWith([keysOf(201)])).toThrow(
      "the feature quota (shipped) declares 201 keys, and may declare 200",
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
