/** The lines in which two texts differ. */

/** Most lines that are compared one by one. */
const MAX_COMPARED = 400;

/** The lines of both texts: those that are only in the first, only in the second, and in both. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED)
    return [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
  // Of the rest of both from two places on: how many lines they have in common.
  const common = before.map(() => new Array<number>(after.length).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: string[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && before[i] === after[j]) {
      lines.push(`  ${before[i++]}`);
      j++;
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) lines.push(`- ${before[i++]}`);
    else lines.push(`+ ${after[j++]}`);
  }
  return lines;
}
