/** Notes that repairs collect. */

import { received } from "../../contract/error-body.js";
import type { FieldError } from "../../contract/handler.js";
import type { JsonValue } from "../../contract/registry.js";

/** The notes of all repairs of one call. */
export interface RepairNotes {
  /** Lines of the form `code: text`. */
  readonly warnings: string[];
  readonly errors: FieldError[];
  /** Paths at and below which findings of the validator are redundant. */
  readonly covered: string[];
  /** Arguments that were given two different values. */
  readonly undecided: Undecided[];
}

/** The place of an argument with two values and no reason to choose one. */
export interface Undecided {
  readonly path: string;
  readonly values: readonly JsonValue[];
}

/** New notes without entries. */
export const newNotes = (): RepairNotes => ({ warnings: [], errors: [], covered: [], undecided: [] });

/** The error for an argument that is given under two names; it names both. */
export function claimedTwice(path: string, names: readonly string[], value: JsonValue | undefined): FieldError {
  return {
    path,
    keyword: "one_of",
    message: `${names.join(" and ")} are the same argument`,
    expected: `one of ${names.join(", ")}`,
    received: received(value),
  };
}
