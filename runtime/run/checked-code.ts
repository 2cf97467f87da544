/** The answer to a check of code. */

import type { CodeFinding } from "./languages/language.js";

/** The result of a type check. */
export type CheckAnswer =
  /** The code could not be read: the text gives the reason. */
  | { readonly kind: "fault"; readonly text: string }
  | { readonly kind: "checked"; readonly findings: readonly CheckedLine[] };

/** A finding with its line of code. */
export interface CheckedLine extends CodeFinding {
  readonly code: string;
}
