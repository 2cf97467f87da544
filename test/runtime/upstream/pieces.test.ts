/** The pieces of an answer over HTTP together are the answer; those of an event stream are whole lines. */

import { expect, test } from "vitest";
import { eventPieces, wholePieces } from "../../../runtime/upstream/pieces.js";

const BODY = [
  ...Array.from({ length: 300 }, (_, i) => `event: message\ndata: {"id":${i},"text":"${"é".repeat(i)}"}\n\n`),
  "data: a\r\ndata: b\r\n\r\n",
  `data: ${"x".repeat(20_000)}\n\n`,
  "data: no end",
].join("");

function pieced(pieces: ReturnType<typeof eventPieces>, size: number): readonly Uint8Array[] {
  const bytes = Buffer.from(BODY);
  const all: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(bytes.subarray(at, at + size));
    for (let piece = pieces.next(); piece; piece = pieces.next()) all.push(Buffer.from(piece));
  }
  const rest = pieces.rest();
  return rest ? [...all, rest] : all;
}

test.each([1, 10, 4096, 65_536, 1_000_000])("in chunks of %i bytes", (size) => {
  expect(Buffer.concat(pieced(wholePieces(), size)).toString("utf8")).toBe(BODY);
  const pieces = pieced(eventPieces(10_000_000), size);
  expect(Buffer.concat(pieces).toString("utf8")).toBe(BODY);
  for (const piece of pieces.slice(0, -1)) {
    expect([10, 13]).toContain(piece.at(-1));
    // Many short events are several pieces.
    expect(piece.length).toBeLessThan(25_000);
  }
});
