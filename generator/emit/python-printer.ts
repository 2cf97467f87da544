/** Prints Python. Hostile text is escaped here, so that values stay the same. */

/** Characters that Python refuses in a source or would read as something else. */
const UNSAFE = /"(?="|$)|[\\\p{Cc}\p{Cs}\u2028\u2029\ufeff\p{Bidi_Control}]/gu;

const escaped = (mark: string): string =>
  mark === "\\" || mark === '"' ? `\\${mark}` : `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A docstring with the lines of the text. */
export function docstring(lines: readonly string[], indent: string): string {
  const body = lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => line.replace(UNSAFE, escaped).trimEnd());
  const rest = body.slice(1).map((line) => (line === "" ? "\n" : `\n${indent}${line}`));
  const end = body.length > 1 ? `\n${indent}` : "";
  return `${indent}"""${body[0] ?? ""}${rest.join("")}${end}"""\n`;
}
