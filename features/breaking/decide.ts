/**
 * Decides what the comparison of two schemas found: by a proof that every value is still accepted, by a value that is not, or not at all.
 * A change that is neither proven nor refuted is a warning, never nothing.
 */

import { issueText } from "../../generator/core/compile.js";
import { unsureKeywords } from "../../generator/core/unsure.js";
import { escapePointer } from "../../runtime/contract/json-pointer.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import { formats } from "../../runtime/contract/validation.js";
import type { BreakingRule } from "./breaking-rules.js";
import {
  type Counterexample,
  type Evidence,
  hasValueAt,
  placeAgreement,
  searchEvidence,
  stepsTo,
  type ValueSteps,
} from "./evidence.js";
import type { DetectedChange } from "./finding.js";
import { comparableSchema } from "./node.js";
import { isContained } from "./proof.js";
import type { Direction } from "./walk.js";

/** Rules that say that fewer values are accepted; for a result, that more are possible. */
const DECIDED: Readonly<Record<Direction, ReadonlySet<BreakingRule>>> = {
  input: new Set<BreakingRule>([
    "arg-required-added",
    "arg-became-required",
    "arg-removed",
    "arg-renamed",
    "arg-type-changed",
    "arg-type-narrowed",
    "arg-enum-value-removed",
    "arg-became-enum",
    "arg-const-changed",
    "arg-range-narrowed",
    "arg-pattern-added",
    "arg-pattern-changed",
    "arg-format-added",
    "arg-format-changed",
    "arg-unknown-refused",
  ]),
  result: new Set<BreakingRule>([
    "result-property-became-optional",
    "result-type-widened",
    "result-type-changed",
    "result-enum-value-added",
    "result-format-changed",
  ]),
};

/** Formats that validators check; another one is a promise that only readers know. */
const isChecked = (format = ""): boolean => Object.hasOwn(formats, format) && formats[format] !== true;

/**
 * Whether a finding holds whatever values are accepted: what is given under the old name is ignored, and no value tells formats apart that
 * validators do not check.
 */
const isLasting = ({ rule, level, before, after }: DetectedChange): boolean =>
  rule === "arg-renamed" ||
  (rule === "arg-removed" && level !== undefined) ||
  ((rule === "arg-format-changed" || rule === "result-format-changed") && !(isChecked(before) && isChecked(after)));

const ADDED = {
  input: { refused: "arg-value-refused", undecided: "arg-undecided", root: "the input" },
  result: { refused: "result-value-added", undecided: "result-undecided", root: "the result" },
} as const;

const PROVEN = {
  input: "every value that was accepted still is",
  result: "every value of the new result fits the old one",
} as const;

const NOTHING: Evidence = { tried: [], counterexamples: [] };

const isUnsure = (...schemas: readonly JsonSchema[]): boolean => schemas.some((one) => unsureKeywords(one).length > 0);

/**
 * The findings of two schemas, decided.
 *
 * @param found what the comparison found, place by place
 * @param given values of the old schema that authors give as examples
 */
export function decidedFindings(
  direction: Direction,
  before: JsonSchema,
  after: JsonSchema,
  found: readonly DetectedChange[],
  given: readonly JsonValue[] = [],
): readonly DetectedChange[] {
  const isResult = direction === "result";
  try {
    const [from, to] = (isResult ? [after, before] : [before, after]).map(comparableSchema) as [JsonSchema, JsonSchema];
    const proven = isContained(from, to, isResult);
    // A proof is about JSON Schema; where validators may judge otherwise, no value may speak against it.
    const evidence = proven && !isUnsure(from, to) ? NOTHING : searchEvidence(from, to, given, isResult);
    if (proven && evidence.counterexamples.length === 0)
      return found.map((one) => (isLowered(direction, one) ? lowered(one, "info", PROVEN[direction]) : one));
    return judged(direction, found, evidence);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return judged(direction, found, NOTHING);
  }
}

/** Whether values decide the findings of a rule. */
export const isDecidedRule = (rule: string): boolean =>
  UNDECIDED_RULES.has(rule) || DECIDED.input.has(rule as BreakingRule) || DECIDED.result.has(rule as BreakingRule);

const UNDECIDED_RULES: ReadonlySet<string> = new Set(
  Object.values(ADDED).flatMap(({ refused, undecided }) => [refused, undecided]),
);

const isDecided = (direction: Direction, { rule }: DetectedChange): boolean => DECIDED[direction].has(rule);
const isLowered = (direction: Direction, one: DetectedChange): boolean => isDecided(direction, one) && !isLasting(one);
const lowered = (one: DetectedChange, level: "info" | "warning", reason: string): DetectedChange => ({
  ...one,
  level,
  reason,
});

function judged(
  direction: Direction,
  found: readonly DetectedChange[],
  { tried, counterexamples }: Evidence,
): readonly DetectedChange[] {
  if (counterexamples.length === 0) return withoutEvidence(direction, found, tried);
  const best = new Map<DetectedChange, Counterexample>();
  const unmatched: Counterexample[] = [];
  for (const one of counterexamples) {
    const fit = found
      .filter((finding) => isDecided(direction, finding) && !best.has(finding))
      .map((finding) => ({ finding, score: placeAgreement(stepsTo(finding.pointer ?? ""), one.steps) }))
      .filter(({ score }) => score >= 0)
      .sort((a, b) => b.score - a.score)[0];
    if (fit) best.set(fit.finding, one);
    else unmatched.push(one);
  }
  const shown = found.map((one): DetectedChange => {
    const example = best.get(one);
    return example ? { ...one, level: "error", counterexample: counterexampleText(example) } : one;
  });
  // Further counterexamples of places that have a finding say nothing new.
  const fresh = unmatched.filter(
    (one) => ![...best.keys()].some((finding) => placeAgreement(stepsTo(finding.pointer ?? ""), one.steps) >= 0),
  );
  return [...shown, ...(best.size === 0 ? unmatched.slice(0, 1) : fresh).map((one) => refusal(direction, one))];
}

/** A finding for a counterexample that no other finding explains. */
const refusal = (direction: Direction, one: Counterexample): DetectedChange => ({
  rule: ADDED[direction].refused,
  pointer: one.steps.map((step) => (/^\d+$/.test(step) ? "/items" : `/properties/${escapePointer(step)}`)).join(""),
  at: atOf(direction, one.steps),
  more: `: ${issueText(one.issue)}`,
  counterexample: counterexampleText(one),
});

function atOf(direction: Direction, steps: ValueSteps): string {
  const path = steps.map((one) => (/^\d+$/.test(one) ? "[]" : `.${one}`)).join("");
  return path === "" ? ADDED[direction].root : direction === "result" ? `result${path}` : path.replace(/^\./, "");
}

/** Longest counterexample that a finding holds. */
const MAX_TEXT_LENGTH = 2000;

/** A counterexample as JSON, cut where it is long. */
export function counterexampleText({ value }: Counterexample): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}

/** Errors whose place values reached, none of them refused, become warnings; without any, the input is undecided. */
function withoutEvidence(
  direction: Direction,
  found: readonly DetectedChange[],
  tried: readonly JsonValue[],
): readonly DetectedChange[] {
  const reason = `undecided: none of ${tried.length} values that were tried is refused`;
  const shown = found.map((one) =>
    isLowered(direction, one) && isReached(one, tried) ? lowered(one, "warning", reason) : one,
  );
  if (shown.some((one) => isDecided(direction, one))) return shown;
  const { undecided: rule, root } = ADDED[direction];
  return [...shown, { rule, at: root, more: ` (${tried.length} values tried)` }];
}

/** Whether values have what the finding is about; of a property that is demanded, the object around it. */
function isReached({ rule, pointer = "" }: DetectedChange, tried: readonly JsonValue[]): boolean {
  const steps = stepsTo(pointer);
  const isDemand =
    rule === "arg-required-added" || rule === "arg-became-required" || rule === "result-property-became-optional";
  return hasValueAt(tried, isDemand ? steps.slice(0, -1) : steps);
}
