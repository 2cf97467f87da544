/** Places of values in JSON text. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPlaces } from "../../../generator/source/json-file.js";
import { runs } from "../../support/random.js";

test("the values of the two outer levels have places", () => {
  const places = jsonPlaces('{\n  "a": [\n    {"x": [1]},\r\n\t"é\\"" ],\n  "b\\u0041": 2\n}\n');
  expect(places.placeOf([])).toEqual({ line: 1, column: 1 });
  expect(places.placeOf(["a"])).toEqual({ line: 2, column: 8 });
  expect(places.placeOf(["a", 0])).toEqual({ line: 3, column: 5 });
  expect(places.placeOf(["a", 1])).toEqual({ line: 4, column: 2 });
  expect(places.placeOf(["bA"])).toEqual({ line: 5, column: 14 });
  expect(places.end).toEqual({ line: 7, column: 1 });
});

/** Offset that a place names in a text. */
const offsetOf = (text: string, { line, column }: { readonly line: number; readonly column: number }): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .join("\n").length +
  (line > 1 ? 1 : 0) +
  column -
  1;

test("any text that JSON.parse accepts is read to its end, with the place of each member", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.constantFrom(0, 1, "\t"), (list, indent) => {
      const text = JSON.stringify(list, null, indent);
      const places = jsonPlaces(text);
      expect(offsetOf(text, places.end)).toBe(text.length);
      for (const [i, one] of list.entries()) {
        const start = JSON.stringify(one)[0] ?? "";
        expect(text[offsetOf(text, places.placeOf([i]))]).toBe(start);
      }
    }),
    runs(2000),
  );
});

test("reading any text that JSON.parse refuses stops before its end, without an exception", () => {
  const text = fc.array(
    fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      '"a"',
      '"',
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "nul",
      " ",
      "\n",
      "\\u00",
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      text.map((list) => list.join("")),
      (source) => {
        const end = offsetOf(source, jsonPlaces(source).end);
        expect(end).toBeLessThanOrEqual(source.length);
        if (parses(source)) expect(end).toBe(source.length);
      },
    ),
    runs(5000),
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("nesting that would exhaust the stack is only read so far", () => {
  expect(jsonPlaces("[".repeat(100_000)).end).toEqual({ line: 1, column: 502 });
});
