/** The line splitter: any chunking of a stream gives the same lines, and no line is stored beyond the limit. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createSplitter } from "../../../runtime/serve/line-splitter.js";
import { runs } from "../../../test/support/random.js";
import { decodeLine, messageLine } from "../protocol.js";

const MOST = 40;

/** The lines of a stream, by the plainest means. */
function linesOf(bytes: Buffer): { readonly lines: readonly string[]; readonly isOver: boolean } {
  const parts = bytes.toString("latin1").split("\n");
  const last = parts.length - 1;
  const tooLong = parts.findIndex((part) => part.length > MOST);
  const ended = parts.slice(0, tooLong < 0 ? last : Math.min(last, tooLong));
  const lines = ended.map((part) => part.replace(/\r$/, "")).filter((part) => !/^[ \t]*$/.test(part));
  return { lines, isOver: tooLong >= 0 };
}

function split(chunks: readonly Buffer[]): { readonly lines: readonly string[]; readonly isOver: boolean } {
  const splitter = createSplitter(() => MOST);
  const splits = chunks.map((chunk) => splitter.push(chunk));
  return {
    lines: splits.flatMap(({ lines }) => lines.map((line) => line.toString("latin1"))),
    isOver: splits.some(({ isOver }) => isOver),
  };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const byte = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 255 }) },
  fc.constantFrom(0x0a, 0x0d, 0x20, 0x09),
);
const stream = fc.array(byte, { maxLength: 300 }).map((bytes) => Buffer.from(bytes));

test("any chunking of a stream gives the lines of the stream, up to the first that is too long", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (bytes, cuts) => {
      expect(split(cutAt(bytes, cuts))).toEqual(linesOf(bytes));
    }),
    runs(5000),
  );
});

test("byte by byte a stream gives the same lines", () => {
  fc.assert(
    fc.property(stream, (bytes) => {
      expect(split(cutAt(bytes, [...bytes.keys()]))).toEqual(linesOf(bytes));
    }),
    runs(1000),
  );
});

test("the limit acts before a newline arrives, and a line of exactly the limit passes", () => {
  const splitter = createSplitter(() => 10);
  expect(splitter.push(Buffer.from("0123456789"))).toEqual({ lines: [], isOver: false });
  expect(splitter.push(Buffer.from("\n")).lines.map(String)).toEqual(["0123456789"]);
  expect(splitter.push(Buffer.from("01234567890")).isOver).toBe(true);
  expect(splitter.push(Buffer.from("\nagain\n"))).toEqual({ lines: [], isOver: true });
});

test("a long line that comes byte by byte costs a small multiple of its bytes", { tags: "full" }, () => {
  const size = 2_000_000;
  const splitter = createSplitter(() => size);
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  for (let i = 0; i < size; i++) splitter.push(Buffer.from([0x61]));
  expect(used() - before).toBeLessThan(50 * size);
  const { lines } = splitter.push(Buffer.from("\n"));
  expect(lines.map((line) => line.length)).toEqual([size]);
});

test("every text that JSON can hold survives the way there and back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { lines } = createSplitter(() => 1_000_000).push(Buffer.from(messageLine({ value })));
      expect(lines).toHaveLength(1);
      const text = decodeLine(lines[0] ?? Buffer.alloc(0)) ?? "";
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify({ value }));
    }),
    runs(1000),
  );
});

test("bytes that are not UTF-8 are no text, and a byte order mark is not dropped", () => {
  for (const bad of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
    expect(decodeLine(Buffer.from(bad))).toBeUndefined();
  expect(decodeLine(Buffer.from([0xef, 0xbb, 0xbf, 0x31]))).toBe("﻿1");
});
