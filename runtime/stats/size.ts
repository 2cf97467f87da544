/** The size of a value as JSON, without making the text. */

import { isExact } from "../contract/exact-number.js";

/**
 * Characters that a value takes as JSON, escapes inside texts left out of account.
 *
 * @param value plain data, as arguments and results are
 */
export function jsonSize(value: unknown): number {
  const waiting: object[] = [];
  let size = ownSize(value, waiting);
  // Only what has members waits for its turn: most values have none, and every call pays for this.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) size += membersSize(next, waiting);
  return size;
}

/** What a value takes by itself; one with members waits. */
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
  // A fourth of the time that pairs of key and member take.
  for (const key of Object.keys(members)) size += key.length + 4 + ownSize(members[key], waiting);
  return Math.max(2, size);
}
