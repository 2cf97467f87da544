/** Finds the allowed values that a refused text probably means. They are named in the error, and never taken by themselves. */

import { mistyped, withoutSeparators } from "../../contract/typo.js";
import { spend } from "../../contract/work-budget.js";

/** Values of states, orders and levels that mean nearly the same, a set a line. */
const SETS = `todo open opened new pending backlog queued planned unstarted notstarted ready
inprogress doing wip active started ongoing working running underway
done finished closed complete completed resolved ended shipped
blocked waiting stuck paused onhold suspended
cancelled canceled abandoned dropped aborted wontdo wontfix discarded rejected
archived hidden inactive retired
inreview review reviewing underreview
draft unpublished wip
published live public released
private secret internal restricted
asc ascending oldest up forward
desc descending newest latest down backward
low minor trivial
medium normal moderate default
high major important urgent
critical severe blocker highest urgent
enabled on active
disabled off inactive
all any both everything
daily day everyday
weekly week everyweek
monthly month everymonth
yearly year annual annually
read readonly viewer view
write readwrite editor edit
admin administrator owner`
  .split("\n")
  .map((line) => line.split(" "));

/** Values that are compared. */
const MAX_VALUES = 2_000;
/** Values that an error names. */
const MAX_LIKELY = 3;

/**
 * The values that a text is a mistyped form of, or that mean nearly the same.
 *
 * @example likelyValues("doing", ["todo", "in_progress", "done"]) // ["in_progress"]
 */
export function likelyValues(text: string, values: readonly string[]): readonly string[] {
  const typo = mistyped(text, values);
  if (typo !== undefined) return [typo];
  const letters = withoutSeparators(text);
  const same = new Set(SETS.filter((set) => set.includes(letters)).flat());
  if (same.size === 0 || values.length > MAX_VALUES) return [];
  spend(values.length);
  return values.filter((value) => same.has(withoutSeparators(value))).slice(0, MAX_LIKELY);
}
