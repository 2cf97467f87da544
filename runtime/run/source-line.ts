/** Lines of the code of programs. */

/** The text of a line, from 1, without splitting the rest of the code. */
export function lineText(code: string, line: number): string | undefined {
  let start = 0;
  for (let before = 1; before < line; before++) {
    const end = code.indexOf("\n", start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = code.indexOf("\n", start);
  return code.slice(start, end < 0 ? code.length : end);
}
