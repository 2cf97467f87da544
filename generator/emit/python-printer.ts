/** Prints Python. Hostile text is escaped here: what goes in comes out as the same value. */

/** What Python refuses in a source, or what would be read as something else there. */
const UNSAFE = /"(?="|$)|[\\\p{Cc}\p{Cs}\u2028\u2029\ufeff\p{Bidi_Control}]/gu;

const escaped = (mark: string): string =>
  mark === "\\" || mark === '"' ? `\\${mark}` : `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** A docstring, each line of the text on a line of its own. */
export function docstring(lines: readonly string[], indent: string): string {
  const body = lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => line.replace(UNSAFE, escaped).trimEnd());
  const rest = body.slice(1).map((line) => (line === "" ? "\n" : `\n${indent}${line}`));
  const end = body.length > 1 ? `\n${indent}` : "";
  return `${indent}"""${body[0] ?? ""}${rest.join("")}${end}"""\n`;
}
