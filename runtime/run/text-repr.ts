/** Texts in messages: quoted, and without what UTF-8 cannot hold. */

/** Characters that are escaped by name. */
export const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\\", "\\\\"],
]);

/** Replaces lone surrogates, which Python strings can hold and UTF-8 cannot. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** A text in quotes, as `repr` shows it: single quotes, unless it has single quotes only. */
export function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = [...text]
    .map((one) => (one === quote ? `\\${one}` : (NAMED_ESCAPES.get(one) ?? printable(one))))
    .join("");
  return `${quote}${body}${quote}`;
}

/** Escapes an unprintable character. */
function printable(one: string): string {
  if (one === " " || !/[\p{C}\p{Z}]/u.test(one)) return one;
  const point = one.codePointAt(0) ?? 0;
  if (point < 0x100) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${point.toString(16).padStart(4, "0")}` : `\\U${point.toString(16).padStart(8, "0")}`;
}
