/** What a comparison of two builds finds in learned types. */

import { breakingRule, type CataloguedRule } from "../../generator/core/breaking-rule.js";

/** Rules about learned types by their codes. */
export const LEARNED_BREAKING_RULES = {
  "learned-property-gone": breakingRule(
    "warning",
    "code",
    "a key that results had is in no result any more, as far as was learned",
    (f) => `${f.at} is in no learned result any more`,
    ["items[].title", "", ""],
  ),
  "learned-type-changed": breakingRule(
    "warning",
    "code",
    "values of results have another type than was learned",
    (f) => `${f.at} was learned as ${f.before}, is ${f.after}`,
    ["items[].id", "number", "string"],
  ),
  "learned-widened": breakingRule(
    "warning",
    "code",
    "less is certain about a result than was learned",
    (f) => `${f.at} was ${f.before}, is ${f.after}`,
    ["items[].due", "string", "null|string"],
  ),
} as const satisfies Readonly<Record<string, CataloguedRule>>;

/** Code of a rule about learned types. */
export type LearnedRule = keyof typeof LEARNED_BREAKING_RULES;
