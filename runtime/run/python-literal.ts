/** Evaluates Python string literals. */

/** Escapes of one character after a backslash. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
  ["\n", ""],
]);

const LITERAL = /^([rRuU]?)('''|"""|'|")([\s\S]*)\2$/;
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;

/** The text of a literal, if `source` is exactly one; undefined for bytes, f-strings and anything else. */
export function stringValue(source: string): string | undefined {
  const [, prefix = "", quote = "", body = ""] = LITERAL.exec(source) ?? [];
  if (!quote || !isInside(body, quote)) return undefined;
  const text = body.replace(/\r\n?/g, "\n");
  if (prefix.toLowerCase() === "r") return text;
  let isValid = true;
  const value = text.replace(ESCAPE, (whole, hex, short, long, octal, other) => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8));
    if (other !== undefined) return ESCAPES.get(other) ?? whole;
    const point = Number.parseInt(hex ?? short ?? long, 16);
    if (point > 0x10ffff) isValid = false;
    return isValid ? String.fromCodePoint(point) : whole;
  });
  return isValid ? value : undefined;
}

/** Whether the body of a literal neither ends it early nor escapes its end. */
function isInside(body: string, quote: string): boolean {
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "\\") {
      at++;
      if (at >= body.length) return false;
    } else if (body.startsWith(quote, at)) return false;
    else if (quote.length === 1 && (body[at] === "\n" || body[at] === "\r")) return false;
  }
  return true;
}
