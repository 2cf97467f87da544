/** What repairs write down while they work. */

import type { FieldError } from "../contract/handler.js";
import type { JsonValue } from "../contract/registry.js";
import { received } from "./received.js";

/** Collected over all repairs of one call. */
export interface RepairNotes {
  /** Lines of the form `code: text`. */
  readonly warnings: string[];
  readonly errors: FieldError[];
  /** Paths at and below which a finding of the validator adds nothing. */
  readonly covered: string[];
}

/** An argument that two names claim: naming both is the only safe answer. */
export function claimedTwice(path: string, names: readonly string[], value: JsonValue | undefined): FieldError {
  return {
    path,
    keyword: "one_of",
    message: `${names.join(" and ")} are the same argument`,
    expected: `one of ${names.join(", ")}`,
    received: received(value),
  };
}
