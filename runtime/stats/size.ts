/** The size of a value as JSON, without making the text. */

/**
 * Characters that a value takes as JSON, escapes inside texts left out of account.
 *
 * @param value plain data, as arguments and results are
 */
export function jsonSize(value: unknown): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === "string") size += one.length + 2;
    else if (Array.isArray(one)) {
      size += Math.max(2, one.length + 1);
      for (const item of one) waiting.push(item);
    } else if (typeof one === "object" && one !== null) {
      let members = 0;
      for (const key in one) {
        members++;
        size += key.length + 3;
        waiting.push((one as Record<string, unknown>)[key]);
      }
      size += Math.max(2, members + 1);
    } else if (one !== undefined) size += String(one).length;
  }
  return size;
}
