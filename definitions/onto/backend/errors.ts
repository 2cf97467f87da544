/** Failures of the backend, with the error codes of envelopes. */

import { type FieldError, fail, invalid } from "toolwright/codegen";
import type { EdgeKind } from "./model.js";

/** @throws ToolFailure VALIDATION_ERROR if there are errors */
export function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) invalid(errors);
}

/**
 * Fails for a row that is missing, deleted, or in a project that the caller may not see, always with the same error.
 *
 * @throws ToolFailure NOT_FOUND with `details` kind and id; `path` for an argument that refers to the row
 */
export function notFound(
  kind: EdgeKind | "edge",
  id: string,
  more: { path?: string; deleted_at?: string } = {},
): never {
  fail("NOT_FOUND", `No ${kind} ${id}.`, { ...more, kind, id });
}
