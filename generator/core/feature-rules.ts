/** The catalogue of diagnostics with those of features. */

import type { DeclaringFeature } from "../../runtime/contract/settings/feature-settings.js";
import { type AddedRules, joinedRules } from "./joined-rules.js";
import type { Rule } from "./rule.js";
import { RULES } from "./rules.js";

/** Rules by code. */
export type RuleCatalogue = Readonly<Record<string, Rule<never>>>;

/** A feature that reports diagnostics of its own, with `Report.addOf`. */
export interface ReportingFeature extends Pick<DeclaringFeature, "name" | "origin"> {
  readonly rules?: AddedRules<Rule<never>>;
}

/** All rules in the order in which they are listed. @throws UsageError if a code exists already */
export const rulesWith = (features: readonly ReportingFeature[]): RuleCatalogue =>
  joinedRules<Rule<never>, ReportingFeature>("diagnostic", RULES, features, ({ rules }) => rules);
