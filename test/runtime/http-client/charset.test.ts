/** Decoding of bytes by mark, header, declaration and default. */

import { describe, expect, test } from "vitest";
import { decodeText } from "../../../runtime/http-client/charset.js";

const ascii = (text: string): number[] => [...text].map((one) => one.charCodeAt(0));
const EURO_1252 = [0x80];

const CASES: readonly (readonly [name: string, bytes: readonly number[], contentType: string, text: string])[] = [
  ["the header", [...ascii("caf"), 0xe9], "text/html; charset=ISO-8859-1", "café"],
  ["the header, quoted", [0x83, 0x65], 'text/plain; charset="Shift_JIS"', "テ"],
  ["windows-1252 in full", [...EURO_1252, 0x93, 0x61, 0x94], "text/plain;charset=windows-1252", "€“a”"],
  ["a meta", [...ascii("<meta charset='koi8-r'>"), 0xd4], "text/html", "<meta charset='koi8-r'>т"],
  [
    "an older meta",
    [...ascii('<meta http-equiv="Content-Type" content="text/html; charset=gbk">'), 0xc4, 0xe3],
    "text/html",
    '<meta http-equiv="Content-Type" content="text/html; charset=gbk">你',
  ],
  [
    "an XML declaration",
    [...ascii('<?xml version="1.0" encoding="iso-8859-15"?>'), 0xa4],
    "text/xml",
    '<?xml version="1.0" encoding="iso-8859-15"?>€',
  ],
  ["a mark before the header", [0xef, 0xbb, 0xbf, 0xc3, 0xa9], "text/html; charset=latin1", "é"],
  ["UTF-16, marked", [0xff, 0xfe, 0x61, 0x00, 0xac, 0x20], "text/plain", "a€"],
  [
    "the header before a meta",
    [...ascii("<meta charset=koi8-r>"), 0xc3, 0xa9],
    "text/html; charset=utf-8",
    "<meta charset=koi8-r>é",
  ],
  ["UTF-8 without a word", [0xe2, 0x82, 0xac], "text/html", "€"],
  ["neither word nor UTF-8", [...ascii("caf"), 0xe9, 0x20, ...EURO_1252], "text/html", "café €"],
  ["an unknown name", [0xe2, 0x82, 0xac], "text/html; charset=klingon", "€"],
  [
    "a meta that cannot be true",
    [...ascii("<meta charset=utf-16>"), 0xc3, 0xa9],
    "text/html",
    "<meta charset=utf-16>é",
  ],
  ["half a character at the end", [0x61, 0xe2, 0x82], "text/plain", "a"],
  ["nothing", [], "", ""],
];

describe("encodings", () => {
  test.each(CASES)("text is decoded by %s", (_, bytes, contentType, text) => {
    expect(decodeText(new Uint8Array(bytes), contentType)).toBe(text);
  });
});
