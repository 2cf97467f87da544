/** Explains a rule of `breaking`: what it finds, how it is decided, an example. */

import type { BreakingCatalogue } from "../../generator/core/breaking-rule.js";
import { closest } from "../../runtime/contract/closest.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { isDecidedRule } from "./decide.js";

const ORACLES = {
  input: [
    "The old and the new schema are compared as sets of accepted values.",
    "A proof that every value is still accepted makes it an info.",
    "A value that was accepted and is refused makes it an error, and is shown.",
    "Neither makes it a warning, undecided.",
  ],
  result: [
    "The new and the old schema are compared as sets of possible values, properties that the old one does not know left out.",
    "A proof that every new value fits the old schema makes it an info.",
    "A value that is possible now and does not fit the old schema makes it an error, and is shown.",
    "Neither makes it a warning, undecided.",
  ],
  plain: ["The two registries are compared; no value is tried."],
} as const;

/** What a rule means, as text. @throws UsageError for a rule that does not exist */
export function ruleExplanation(code: string, rules: BreakingCatalogue): string {
  const rule = Object.hasOwn(rules, code) ? rules[code] : undefined;
  if (rule === undefined) {
    const near = closest(code, Object.keys(rules));
    const hint = near === undefined ? "docs/reference/breaking-rules.md lists them" : `did you mean ${near}?`;
    throw new UsageError(`--explain ${code}: there is no such rule; ${hint}`);
  }
  const { level, surface, about, message, example } = rule;
  const kind =
    isDecidedRule(code) || code === "constraint-added" ? (code.startsWith("result-") ? "result" : "input") : "plain";
  return [
    `${code}: ${about}`,
    `level    ${level}`,
    `touches  ${surface.join(", ") || "no caller"}`,
    `decided  ${ORACLES[kind].join("\n         ")}`,
    `example  ${message(example)}`,
    "",
  ].join("\n");
}
