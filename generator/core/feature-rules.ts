/** The catalogue of diagnostics with those of features. */

import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Rule } from "./rule.js";
import { RULES } from "./rules.js";

/** Rules by code. */
export type RuleCatalogue = Readonly<Record<string, Rule<never>>>;

/** A feature that reports diagnostics of its own, with `Report.addOf`. */
export interface ReportingFeature {
  readonly name: string;
  readonly rules?: {
    /** The code behind which they are listed; default: the last one. */
    readonly after?: string;
    readonly catalogue: RuleCatalogue;
  };
}

/** All rules in the order in which they are listed. @throws UsageError if a code exists already */
export function rulesWith(features: readonly ReportingFeature[]): RuleCatalogue {
  return features.reduce<RuleCatalogue>((all, { name, rules }) => {
    if (!rules) return all;
    const twice = Object.keys(rules.catalogue).find((code) => Object.hasOwn(all, code));
    if (twice !== undefined)
      throw new UsageError(
        `feature-conflict: the feature ${name} has the diagnostic ${twice}, which exists: rename it`,
      );
    const entries = Object.entries(all);
    const at = entries.findIndex(([code]) => code === rules.after) + 1 || entries.length;
    return Object.fromEntries(entries.toSpliced(at, 0, ...Object.entries(rules.catalogue)));
  }, RULES);
}
