/** Failures of the backend, in the envelope's codes (`ontology.md` 10, the table of situations). */

import { received } from "../../arguments/received.js";
import { type FieldError, fail } from "../../contract/handler.js";
import type { EdgeKind } from "./model.js";

/** A finding on one argument; `value` is clipped and scrubbed before it is repeated. */
export const fieldError = (
  path: string,
  keyword: string,
  message: string,
  expected: string,
  value: unknown,
): FieldError => ({ path, keyword, message, expected, received: received(value, path) });

/**
 * Ends the op with everything that is wrong with its arguments.
 *
 * @throws ToolFailure VALIDATION_ERROR with `details.field_errors`
 */
export function invalid(errors: readonly FieldError[]): never {
  const count = errors.length === 1 ? "1 argument needs" : `${errors.length} arguments need`;
  fail("VALIDATION_ERROR", `${count} attention: ${errors.map(({ message }) => message).join("; ")}.`, {
    field_errors: errors,
  });
}

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
