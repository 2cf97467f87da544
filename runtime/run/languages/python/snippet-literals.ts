/** Inserts values into a template's Python: escaped inside a string literal, unchanged elsewhere. */

import type { Marks } from "../language.js";

/** Position of the scan: in code, or in a literal. */
type Place =
  | { readonly kind: "code"; depth: number; readonly isField: boolean }
  /** The part of an f-string field after its colon. */
  | { readonly kind: "spec" }
  | Literal;

interface Literal {
  readonly kind: "literal";
  readonly quote: string;
  readonly prefix: string;
}

interface Scan {
  readonly text: string;
  readonly marks: Marks;
  readonly places: Place[];
  readonly out: string[];
  at: number;
}

/** Inserts the marked values; undefined if one of them cannot be in a raw string. */
export function placeValues(text: string, marks: Marks): string | undefined {
  const scan: Scan = { text, marks, places: [{ kind: "code", depth: 0, isField: false }], out: [], at: 0 };
  while (scan.at < text.length) {
    const one = text[scan.at];
    const place = scan.places.at(-1);
    if (one === marks.close) scan.at++;
    else if (one === marks.open) {
      if (!takeValue(scan, place)) return undefined;
    } else if (place?.kind === "literal") inLiteral(scan, place);
    else if (place?.kind === "spec") inSpec(scan);
    else inCode(scan, place);
  }
  return scan.out.join("");
}

/** Outside a literal only the mark is removed: the value is scanned as code. */
function takeValue(scan: Scan, place: Place | undefined): boolean {
  if (place?.kind !== "literal") {
    scan.at++;
    return true;
  }
  const end = scan.text.indexOf(scan.marks.close, scan.at);
  const value = scan.text.slice(scan.at + 1, end < 0 ? undefined : end);
  const escaped = escapedFor(value, place);
  if (escaped === undefined) return false;
  scan.out.push(escaped);
  scan.at = end < 0 ? scan.text.length : end + 1;
  return true;
}

function take(scan: Scan, length: number): void {
  scan.out.push(scan.text.slice(scan.at, scan.at + length));
  scan.at += length;
}

function inCode(scan: Scan, place: Place | undefined): void {
  const one = scan.text[scan.at] ?? "";
  if (place?.kind === "code") inBrackets(scan, place, one);
  if (one === "#") takeComment(scan);
  else if (one === '"' || one === "'") {
    const quote = scan.text.startsWith(one.repeat(3), scan.at) ? one.repeat(3) : one;
    scan.places.push({ kind: "literal", quote, prefix: prefixBefore(scan.text, scan.at) });
    take(scan, quote.length);
  } else take(scan, 1);
}

/** Tracks brackets, to find the end of an f-string field and the colon before its format. */
function inBrackets(scan: Scan, place: Place & { readonly kind: "code" }, one: string): void {
  const isOuter = place.isField && place.depth === 0;
  if ("([{".includes(one)) place.depth++;
  else if (one === "}" && isOuter) scan.places.pop();
  else if (")]}".includes(one)) place.depth--;
  else if (one === ":" && isOuter) scan.places.push({ kind: "spec" });
}

function takeComment(scan: Scan): void {
  const end = scan.text.indexOf("\n", scan.at);
  const comment = scan.text.slice(scan.at, end < 0 ? undefined : end);
  scan.out.push(comment.replaceAll(scan.marks.open, "").replaceAll(scan.marks.close, ""));
  scan.at += comment.length;
}

function prefixBefore(text: string, at: number): string {
  return (/(?<![\p{L}\p{N}_])[a-zA-Z]{1,2}$/u.exec(text.slice(Math.max(0, at - 3), at))?.[0] ?? "").toLowerCase();
}

function inSpec(scan: Scan): void {
  const one = scan.text[scan.at];
  if (one === "{") scan.places.push({ kind: "code", depth: 0, isField: true });
  // The end of a field's format also ends the field.
  else if (one === "}") scan.places.splice(-2);
  take(scan, 1);
}

function inLiteral(scan: Scan, { quote, prefix }: Literal): void {
  const { text, at, marks } = scan;
  if (text.startsWith(quote, at)) {
    scan.places.pop();
    take(scan, quote.length);
  } else if (text[at] === "\\" && text[at + 1] !== marks.open && text[at + 1] !== marks.close) take(scan, 2);
  else if (text[at] === "\\" && !prefix.includes("r")) {
    // Alone, it would take the escape of a quote at the start of the value.
    scan.out.push("\\\\");
    scan.at++;
  } else if (text[at] === "\n" && quote.length === 1) {
    scan.places.pop();
    take(scan, 1);
  } else if (prefix.includes("f") && text.startsWith("{{", at)) take(scan, 2);
  else {
    if (prefix.includes("f") && text[at] === "{") scan.places.push({ kind: "code", depth: 0, isField: true });
    take(scan, 1);
  }
}

/** Escapes a value for a literal; undefined if the literal is raw and cannot hold it. */
function escapedFor(value: string, { quote, prefix }: Literal): string | undefined {
  const text = prefix.includes("f") ? value.replace(/[{}]/g, "$&$&") : value;
  const isLong = quote.length === 3;
  if (prefix.includes("r")) {
    const isHeld = !text.includes(quote[0] ?? "") && !/\r|\0|\\$/.test(text) && (isLong || !text.includes("\n"));
    return isHeld ? text : undefined;
  }
  if (prefix.includes("b"))
    return [...Buffer.from(text, "utf8")]
      .map((byte) => (byte < 0x80 ? escapeOf(String.fromCharCode(byte), quote) : hex(byte)))
      .join("");
  return [...text].map((one) => escapeOf(one, quote)).join("");
}

const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`;

function escapeOf(one: string, quote: string): string {
  if (one === "\\" || one === quote[0]) return `\\${one}`;
  if (one === "\n") return quote.length === 3 ? one : "\\n";
  if (one === "\r") return "\\r";
  const point = one.codePointAt(0) ?? 0;
  if (point === 0) return "\\x00";
  return point >= 0xd800 && point <= 0xdfff ? `\\u${point.toString(16)}` : one;
}
