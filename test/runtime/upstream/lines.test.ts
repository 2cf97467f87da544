/** Lines of an upstream server's output: cut where they end, whatever the chunks; of a long line only the ends are seen. */

import { expect, test } from "vitest";
import { lineReader } from "../../../runtime/upstream/lines.js";

const LIMIT = 1000;
const never = (): boolean => {
  throw new Error("no line is refused");
};

/** The lines of a text that comes in chunks of a size. */
function linesOf(
  text: string,
  size: number,
  refuse: (edge: Buffer, why: string) => boolean = never,
): readonly string[] {
  const bytes = Buffer.from(text);
  const read = lineReader(LIMIT, refuse);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const line of read(bytes.subarray(at, at + size))) lines.push(line.toString("utf8"));
  return lines;
}

test.each([1, 2, 3, 7, 1000, 5000])("in chunks of %i bytes", (size) => {
  const long = "é".repeat(LIMIT / 2);
  expect(linesOf(`one\n\n${long}\ntwo {}\nno end`, size)).toEqual(["one", "", long, "two {}"]);
});

test.each([1, 13, 900, 5000])(
  "a line that is too long is shown by its start at once, in chunks of %i bytes",
  (size) => {
    const edges: string[] = [];
    const refuse = (edge: Buffer, why: string): boolean => {
      expect(why).toBe("it sent an answer of more than 1000 bytes");
      edges.push(edge.toString("utf8"));
      return true;
    };
    expect(linesOf(`a\n{"id":1,"x":"${"x".repeat(3000)}"}\nb\n`, size, refuse)).toEqual(["a", "b"]);
    expect(edges).toHaveLength(1);
    expect(edges[0]).toMatch(/^\{"id":1,/);
  },
);

test.each([1, 13, 900, 5000])("… and by its end, if its start is not known, in chunks of %i bytes", (size) => {
  const refuse = (edge: Buffer): boolean => edge.toString("utf8").endsWith('"id":2}');
  expect(linesOf(`{"x":"${"x".repeat(3000)}","id":2}\nb\n`, size, refuse)).toEqual(["b"]);
});

test("a line that is too long and answers nothing is an error", () => {
  expect(() => linesOf(`${"x".repeat(3000)}\nb\n`, 100, () => false)).toThrow("more than 1000 bytes");
});

test("so is one without an end, though it answers something", () => {
  const read = lineReader(LIMIT, () => true);
  const chunk = Buffer.alloc(1_000_000, "x");
  const rounds = (count: number) => Array.from({ length: count }, () => [...read(chunk)]);
  expect(rounds(67).flat()).toEqual([]);
  expect(() => rounds(2)).toThrow("more than 1000 bytes");
});
