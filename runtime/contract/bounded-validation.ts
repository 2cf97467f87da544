/** What keeps the work of generated validators within bounds, with the verdicts that Ajv gives. */

import { canonicalJson } from "./canonical.js";
import type { ValidationIssue, Validator } from "./validation.js";

/** Findings that a validator keeps of one value, those of its parts included. */
const MAX_FINDINGS = 1000;
/** Functions that may be called for one value where their verdicts cannot be kept. */
const MAX_STEPS = 100_000;

/** Says that a value was not checked to its end, and so is refused. */
export const TOO_MANY_STEPS = "maxSteps";

/** Where a value is, and what else Ajv hands from function to function. */
interface At {
  readonly instancePath?: string;
}
type Judge = (data: unknown, at: At) => boolean;
type Findings = readonly ValidationIssue[] | null;

interface Verdict {
  readonly path: string;
  readonly errors: Findings;
}

class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

/** What is known of the value that is being validated. Validation never pauses, so there is one at most. */
let running: { steps: number; readonly verdicts: Map<Validator, Map<unknown, Verdict>> } | undefined;

/** Runs the function of a schema, and begins a validation if none is running. */
function within(validate: Validator, run: () => boolean): boolean {
  if (running) return run();
  running = { steps: 0, verdicts: new Map() };
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof TooManySteps)) throw cause;
    validate.errors = [{ instancePath: "", schemaPath: "#", keyword: TOO_MANY_STEPS, params: { limit: MAX_STEPS } }];
    return false;
  } finally {
    running = undefined;
  }
}

/**
 * Judges a value by a schema that several places refer to. During one validation each value is judged once by each schema: recursive
 * alternatives would take time exponential in the depth of the value.
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

/** Judges a value where the verdict hangs on more than the value: the calls are counted, and too many of them are a finding. */
export function judgedInSteps(validate: Validator, judge: Judge, data: unknown, at: At): boolean {
  return within(validate, () => {
    if (running && ++running.steps > MAX_STEPS) throw new TooManySteps();
    const isValid = judge(data, at);
    if (validate.errors && validate.errors.length > MAX_FINDINGS)
      validate.errors = validate.errors.slice(0, MAX_FINDINGS);
    return isValid;
  });
}

/** Findings with those of a part after them, in a list of their own. */
export function joinedFindings(findings: ValidationIssue[] | null, further: Findings): ValidationIssue[] {
  const joined = findings ?? [];
  for (const one of further ?? []) joined.push(one);
  return joined;
}

/** The last two items that are equal, the later one first, or `[0, 0]`; as Ajv finds them, in linear time. */
export function equalItems(items: readonly unknown[]): readonly [number, number] {
  const at = new Map<string, number>();
  let found: readonly [number, number] = [0, 0];
  for (const [i, item] of items.entries()) {
    const key = canonicalJson(item);
    const before = at.get(key);
    if (before !== undefined) found = [i, before];
    at.set(key, i);
  }
  return found;
}
