/** The length of plain data as JSON, which statistics count. */

import { isExact } from "./exact-number.js";

/**
 * Length of a value as JSON in characters, without counting escapes in strings.
 *
 * @param value plain data, such as arguments and results
 */
export function jsonSize(value: unknown): number {
  const waiting: object[] = [];
  let size = ownSize(value, waiting);
  // Only values with members are queued: most have none, and every call pays for this.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) size += membersSize(next, waiting);
  return size;
}

/** Size of a value without its members; a value with members is queued. */
function ownSize(value: unknown, waiting: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return value === undefined ? 0 : String(value).length;
  if (isExact(value)) return value.text.length;
  waiting.push(value);
  return 0;
}

function membersSize(value: object, waiting: object[]): number {
  if (Array.isArray(value)) {
    let size = Math.max(2, value.length + 1);
    for (const item of value) size += ownSize(item, waiting);
    return size;
  }
  const members = value as Readonly<Record<string, unknown>>;
  let size = 1;
  // Takes a fourth of the time of iterating over entries.
  for (const key of Object.keys(members)) size += key.length + 4 + ownSize(members[key], waiting);
  return Math.max(2, size);
}
