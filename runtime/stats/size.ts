/** The size of a value as JSON, without making the text. */

/**
 * Characters that a value takes as JSON, escapes inside texts left out of account.
 *
 * @param value plain data, as arguments and results are
 */
export function jsonSize(value: unknown): number {
  const waiting: unknown[] = [value];
  let size = 0;
  while (waiting.length > 0) size += ownSize(waiting.pop(), waiting);
  return size;
}

/** What a value takes by itself; its members wait for their turn. */
function ownSize(value: unknown, waiting: unknown[]): number {
  if (typeof value === "string") return value.length + 2;
  if (value === undefined) return 0;
  if (typeof value !== "object" || value === null) return String(value).length;
  if (Array.isArray(value)) {
    for (const item of value) waiting.push(item);
    return Math.max(2, value.length + 1);
  }
  let size = 1;
  for (const [key, member] of Object.entries(value)) {
    size += key.length + 4;
    waiting.push(member);
  }
  return Math.max(2, size);
}
