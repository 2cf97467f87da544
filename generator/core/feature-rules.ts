/** The catalogue of diagnostics with those of features. */

import { type DeclaringFeature, featureLabel } from "../../runtime/contract/settings/feature-settings.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Rule } from "./rule.js";
import { RULES } from "./rules.js";

/** Rules by code. */
export type RuleCatalogue = Readonly<Record<string, Rule<never>>>;

/** A feature that reports diagnostics of its own, with `Report.addOf`. */
export interface ReportingFeature extends Pick<DeclaringFeature, "name" | "origin"> {
  readonly rules?: {
    /** The code behind which they are listed; default: the last one. */
    readonly after?: string;
    readonly catalogue: RuleCatalogue;
  };
}

/** All rules in the order in which they are listed. @throws UsageError if a code exists already */
export function rulesWith(features: readonly ReportingFeature[]): RuleCatalogue {
  return features.reduce<RuleCatalogue>((all, feature, i) => {
    const { rules } = feature;
    if (!rules) return all;
    const twice = Object.keys(rules.catalogue).find((code) => Object.hasOwn(all, code));
    if (twice !== undefined) {
      const owner = features.slice(0, i).find((one) => Object.hasOwn(one.rules?.catalogue ?? {}, twice));
      throw new UsageError(
        `feature-conflict: ${featureLabel(feature)} has the diagnostic ${twice}, which ${owner ? featureLabel(owner) : "toolwright"} has: rename it`,
      );
    }
    const entries = Object.entries(all);
    const at = entries.findIndex(([code]) => code === rules.after) + 1 || entries.length;
    return Object.fromEntries(entries.toSpliced(at, 0, ...Object.entries(rules.catalogue)));
  }, RULES);
}
