/** Bounds the work of generated validators without changing the verdicts that Ajv gives. */

import type { ValidationIssue, Validator } from "./validation.js";
import { MAX_WORK, spend, TooMuchWork, withBudget } from "./work-budget.js";

/** Findings kept for one value, including those of its parts. */
const MAX_FINDINGS = 1000;
/** Units of work that a call takes where its verdict cannot be kept, so that 100,000 of them are too many. */
const STEP_WORK = MAX_WORK / 100_000;
/** Units of work that a finding takes. */
const FINDING_WORK = 5;

/** Keyword of the finding that a value was not checked to its end and is refused. */
export const TOO_MANY_STEPS = "maxSteps";

/** The place of a value, and the rest of what Ajv passes from function to function. */
interface At {
  readonly instancePath?: string;
}
type Judge = (data: unknown, at: At) => boolean;
type Findings = readonly ValidationIssue[] | null;

interface Verdict {
  readonly path: string;
  readonly errors: Findings;
}

/** What is known of the value that is being validated. Validation never pauses, so there is one at most. */
let running: { readonly verdicts: Map<Validator, Map<unknown, Verdict>> } | undefined;

/** Runs the function of a schema, and begins a validation if none is running. */
function within(validate: Validator, check: () => boolean): boolean {
  if (running) return check();
  running = { verdicts: new Map() };
  try {
    return withBudget(check);
  } catch (cause) {
    if (!(cause instanceof TooMuchWork)) throw cause;
    validate.errors = [{ instancePath: "", schemaPath: "#", keyword: TOO_MANY_STEPS, params: { limit: MAX_WORK } }];
    return false;
  } finally {
    running = undefined;
  }
}

/**
 * Judges a value by the outermost schema: the work that it takes is bounded.
 *
 * @example
 * const isText: Validator = (data, at = {}) => judged(isText, (value) => typeof value === "string", data, at);
 */
export const judged = (validate: Validator, judge: Judge, data: unknown, at: At): boolean =>
  within(validate, () => judge(data, at));

/**
 * Judges a value by a schema that several places refer to. During one validation each value is judged once by each schema: recursive
 * alternatives would take time exponential in the depth of the value.
 *
 * @example
 * const isTree: Validator = (data, at = {}) => judgedOnce(isTree, isTreeOnce, data, at);
 * const isTreeOnce = (data: unknown): boolean => !Array.isArray(data) || data.every((one) => isTree(one));
 */
export function judgedOnce(validate: Validator, judge: Judge, data: unknown, at: At): boolean {
  return within(validate, () => recalled(validate, judge, data, at));
}

function recalled(validate: Validator, judge: Judge, data: unknown, at: At): boolean {
  const verdicts = running?.verdicts.get(validate) ?? new Map<unknown, Verdict>();
  running?.verdicts.set(validate, verdicts);
  const path = at.instancePath ?? "";
  const known = verdicts.get(data);
  if (known && (known.errors === null || known.path === path)) {
    validate.errors = known.errors;
    return known.errors === null;
  }
  const isValid = judge(data, at);
  const errors = isValid ? null : (validate.errors ?? []).slice(0, MAX_FINDINGS);
  validate.errors = errors;
  verdicts.set(data, { path, errors });
  return isValid;
}

/**
 * Validates a value whose verdict depends on more than the value: calls are counted, and too many of them are a
 * finding.
 *
 * @example
 * const isKnown: Validator = (data, at = {}) => judgedInSteps(isKnown, (value) => known.has(value), data, at);
 * const known = new Set<unknown>(["todo", "done"]);
 */
export function judgedInSteps(validate: Validator, judge: Judge, data: unknown, at: At): boolean {
  return within(validate, () => {
    spend(STEP_WORK);
    const isValid = judge(data, at);
    if (validate.errors && validate.errors.length > MAX_FINDINGS)
      validate.errors = validate.errors.slice(0, MAX_FINDINGS);
    return isValid;
  });
}

/**
 * Findings with one more after them, in the same list.
 *
 * @example
 * const missing = { instancePath: "", schemaPath: "#/required", keyword: "required", params: { missingProperty: "title" } };
 * const findings = withFinding(null, missing); // one finding
 */
export function withFinding(findings: ValidationIssue[] | null, one: ValidationIssue): ValidationIssue[] {
  spend(FINDING_WORK);
  if (!findings) return [one];
  findings.push(one);
  return findings;
}

/**
 * Findings with one more after them, from its parts.
 *
 * @example
 * const findings = found(null, "/title", "type", { type: "string" }); // one finding
 */
export const found = (
  findings: ValidationIssue[] | null,
  instancePath: string,
  keyword: string,
  params: Record<string, unknown>,
): ValidationIssue[] => withFinding(findings, { instancePath, keyword, params });

/**
 * Findings with those of a part after them. They are appended to the first list, or to a new one if it is `null`.
 *
 * @example
 * const partOf = (findings: ValidationIssue[] | null, isPart: Validator) => joinedFindings(findings, isPart.errors ?? null);
 */
export function joinedFindings(findings: ValidationIssue[] | null, further: Findings): ValidationIssue[] {
  spend(further?.length ?? 0);
  const joined = findings ?? [];
  for (const one of further ?? []) joined.push(one);
  return joined;
}
