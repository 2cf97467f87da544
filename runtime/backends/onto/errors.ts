/** Failures of the backend, in the envelope's codes. */

import { type FieldError, fail } from "../../contract/handler.js";
import { invalid } from "../refusal.js";
import type { EdgeKind } from "./model.js";

/** Ends the op when there is something to say about its arguments. */
export function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) invalid(errors);
}

/**
 * Ends the op because a row is absent, deleted, or in a project that the caller may not see: one answer for all.
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
