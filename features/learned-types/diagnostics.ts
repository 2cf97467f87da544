/** The diagnostics of learned types. */

import { rule } from "../../generator/core/rule.js";

/** Rules of `definitions/learned/`. */
export const LEARNED_RULES = {
  "learned-invalid": rule(
    "error",
    (p: { reason: string }) => `this file of what was learned cannot be used: ${p.reason}`,
    () => 'restore it from version control, or delete it and run "toolwright learn"',
  ),
  "learned-stale": rule(
    "warning",
    (p: { op: string }) =>
      `the input of ${p.op} has changed since the type of its results was learned: it is a hint only`,
    () => 'run "toolwright learn" when the op has been called again',
  ),
  "learned-unused": rule(
    "info",
    (p: { op: string }) => `a type was learned for ${p.op}, which is no op`,
    () => 'run "toolwright learn", which takes it out',
  ),
  "words-stale": rule(
    "info",
    (p: { op: string }) => `the input of ${p.op} has changed since words were learned for it: they count half`,
    () => 'run "toolwright learn" when the op has been called again',
  ),
  "words-unused": rule(
    "warning",
    (p: { op: string }) => `words were learned for ${p.op}, which is no op: they are ignored`,
    () => 'run "toolwright learn", which takes them out',
  ),
} as const;
