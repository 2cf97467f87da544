/** Values in messages of diagnostics. */

/** A value for a message. */
export function messageValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}
