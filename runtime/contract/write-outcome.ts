/** What became of a write that failed, as far as its failure says it. */

import { type ErrorCode, isToolFailure } from "./handler.js";

/** Failures before the op takes effect. */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set<ErrorCode>([
  "VALIDATION_ERROR",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "CONFLICT",
  "UNAUTHENTICATED",
  "RATE_LIMITED",
]);

/** What the caller of a write is told whose outcome is unknown. */
export const MAY_HAVE_TAKEN_EFFECT = "It may have taken effect: read before you repeat it.";

/**
 * Whether a write that failed had no effect, or nobody knows.
 *
 * @param outcome - `details.outcome` of the failure
 * @example
 * outcomeOfFailure("TIMEOUT", "none"); // "none"
 * outcomeOfFailure("INTERNAL", undefined); // "unknown"
 */
export function outcomeOfFailure(code: string, outcome: unknown): "none" | "unknown" {
  if (outcome === "none" || WITHOUT_EFFECT.has(code)) return "none";
  // A server that cannot be reached got no request, unless the failure says otherwise.
  return code === "UNAVAILABLE" && outcome !== "unknown" ? "none" : "unknown";
}

/**
 * The same of what a handler has thrown: only a failure of a tool says that it had no effect.
 *
 * @example
 * outcomeOfError(new Error("lost")); // "unknown"
 */
export function outcomeOfError(error: unknown): "none" | "unknown" {
  if (!isToolFailure(error)) return "unknown";
  const { outcome } = { outcome: undefined, ...error.details };
  return outcomeOfFailure(error.code, outcome);
}
