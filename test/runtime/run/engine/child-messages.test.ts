/** Messages and frames between an engine and its child, as bytes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeMessage, messageFrame } from "../../../../runtime/run/engine/child-messages.js";
import { frameReader, HEAD_BYTES, headOf } from "../../../../runtime/run/engine/frames.js";
import { runs } from "../../../support/random.js";

const arrived = (message: object): unknown => decodeMessage(messageFrame(message).subarray(HEAD_BYTES));

describe("messages", () => {
  const value = fc.anything({
    withBigInt: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    stringUnit: "binary",
  });

  test("arrive as structured clones do", () => {
    fc.assert(
      fc.property(fc.record({ value, text: fc.string({ unit: "binary" }) }), (message) => {
        expect(arrived(message)).toStrictEqual(structuredClone(message));
      }),
      runs(1000),
    );
  });

  test.each([
    ["negative zero", { n: -0 }],
    ["no number", { n: [Number.NaN, Number.POSITIVE_INFINITY] }],
    ["undefined members", { a: undefined, list: [undefined] }],
    ["integers of any size", { n: 2n ** 70n }],
    ["bytes", { bytes: Uint8Array.from([0, 255]) }],
    ["maps", { map: new Map([["a", new Map([["b", null]])]]) }],
    ["half a character", { text: "\ud800", "\udc00": 1 }],
    ["a key that is a setter elsewhere", JSON.parse('{"__proto__": {"a": 1}}')],
    ["a method of its own", { toJSON: 1 }],
    ["long texts", { text: "é\n".repeat(100_000) }],
    ["many values", { list: Array.from({ length: 50_000 }, (_, at) => [at]) }],
    ["deep values", { deep: JSON.parse("[".repeat(500) + "]".repeat(500)) }],
  ])("arrive as clones of what was sent: %s", (_, message) => {
    expect(arrived(message)).toStrictEqual(structuredClone(message));
  });

  test.each([
    ["small plain ones as JSON", { kind: "answer", id: 1, answer: { value: [1.5, "é", null, true, {}] } }, 0],
    ["others as clones", { n: -0 }, 1],
    ["large ones as clones", { text: "a".repeat(30_000) }, 1],
  ])("are sent in one of two forms: %s", (_, message, form) => {
    expect(messageFrame(message)[HEAD_BYTES]).toBe(form);
  });

  test("what cannot be cloned is an error", () => {
    expect(() => messageFrame({ value: () => 1 })).toThrow("could not be cloned");
    expect(() => messageFrame({ toJSON: () => "another" })).toThrow("could not be cloned");
  });
});

describe("frames", () => {
  const framed = (body: Uint8Array): Buffer => Buffer.concat([headOf(body.length), body]);

  test("are the same however the stream is cut", () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (sent, sizes) => {
        const read: Buffer[] = [];
        const take = frameReader({
          frame: (body) => void read.push(body),
          longest: () => 20,
          tooLong: () => expect.unreachable(),
        });
        const stream = Buffer.concat(sent.map(framed));
        for (let at = 0; at < stream.length; ) {
          const size = sizes.next().value;
          take(stream.subarray(at, at + size));
          at += size;
        }
        expect(read.map((body) => [...body])).toEqual(sent.map((body) => [...body]));
      }),
      runs(500),
    );
  });

  test("a longer one is reported by its head, and nothing after it is read", () => {
    const seen: string[] = [];
    const take = frameReader({
      longest: () => 3,
      frame: (body) => void seen.push(body.toString()),
      tooLong: () => void seen.push("too long"),
    });
    take(Buffer.concat([framed(Buffer.from("abc")), headOf(4)]));
    take(Buffer.from("abcd"));
    take(framed(Buffer.from("a")));
    expect(seen).toEqual(["abc", "too long"]);
  });
});
