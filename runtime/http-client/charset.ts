/**
 * Decodes bytes to text: by byte order mark, then header, then the document's own declaration, then UTF-8, then
 * windows-1252. Pure.
 */

/** Leading bytes that are searched for the declaration of an encoding. */
const SEARCHED_BYTES = 2048;

const MARKS: readonly (readonly [label: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
];

/** `<meta charset=…>`, `<meta http-equiv … content="…; charset=…">`, `<?xml … encoding="…"?>`. */
const DECLARATIONS: readonly RegExp[] = [
  /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([a-z0-9_:.-]{2,40})/i,
  /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([a-z0-9_:.-]{2,40})/i,
];

/** The characters of windows-1252 from 0x80 on; Node 20 decodes these as control characters. */
const UPPER_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/**
 * Decodes a body.
 *
 * @param contentType value of the header; its `charset` counts if it names a known encoding
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label =
    MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0] ??
    known(/charset\s*=\s*["']?\s*([^\s"';]+)/i.exec(contentType)?.[1]) ??
    known(declared(bytes));
  if (label !== undefined) return decodeAs(label, bytes);
  try {
    // Streaming, because the end of a truncated body may be an incomplete character.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return decodeAs("windows-1252", bytes);
  }
}

function declared(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, SEARCHED_BYTES));
  const found = DECLARATIONS.map((pattern) => pattern.exec(start)?.[1]).find((label) => label !== undefined);
  // A declaration that is readable as ASCII cannot be in UTF-16.
  return found !== undefined && /^utf-?16/i.test(found) ? "utf-8" : found;
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function decodeAs(label: string, bytes: Uint8Array): string {
  const text = new TextDecoder(label).decode(bytes);
  if (label !== "windows-1252") return text;
  return text.replace(/[\u0080-\u009f]/g, (one) => UPPER_1252[one.charCodeAt(0) - 0x80] ?? one);
}
