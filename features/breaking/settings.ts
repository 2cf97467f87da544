/** The key `breaking`. */

import { breakingRulesWith, type FindingFeature } from "../../generator/core/breaking-rule.js";
import { RULE_LEVEL } from "../../runtime/contract/settings/definitions.js";
import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

/** `breaking`, whose maps have names of rules. */
const BREAKING = s.group("How toolwright breaking judges its findings.", {
  profile: s.choice(["wire", "code", "all"], "Which findings count: wire, code and wire, or all.", "all"),
  fail_on: s.choice(["error", "warning", "info"], "From which level on the command ends with 1.", "error"),
  level: s.map(RULE_LEVEL, "Another level for a rule, or off.", {}),
  ignore: s.map(
    s.list(s.text()),
    "Rule to ops (* stands for any segment) whose findings are left out; one that matches nothing is an error.",
    {},
  ),
});

/** The same with the rules of all features as names. */
function declaredWith(features: readonly FindingFeature[]): s.Setting {
  const codes = Object.keys(breakingRulesWith(features));
  const { level, ignore } = BREAKING.properties;
  return {
    ...BREAKING,
    properties: { ...BREAKING.properties, level: s.withNames(level, codes), ignore: s.withNames(ignore, codes) },
  };
}

/** All keys. */
export const BREAKING_SETTINGS: readonly FeatureSetting[] = [
  { key: "breaking", after: "budget", setting: declaredWith },
];

/** `breaking`: how findings are judged. */
export type BreakingEntry = s.Written<typeof BREAKING>;

/** `breaking` of a project, which was checked when the file was read, with its defaults. */
export const breakingOf = (config: object): Filled => ({
  ...(s.presetOf(BREAKING) as Filled),
  ...(config as { readonly breaking?: BreakingEntry }).breaking,
});

type Filled = s.Filled<typeof BREAKING>;
