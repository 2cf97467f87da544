/** Reading and writing JSON without loss: numbers and key order are the same byte for byte. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withNearestNumbers } from "../../../runtime/call/arguments/exact.js";
import { canonicalJson } from "../../../runtime/contract/canonical.js";
import { ExactNumber, marked, objectOf, unmarked, writeJson } from "../../../runtime/contract/exact-number.js";
import { plainJson } from "../../../runtime/contract/json.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import { awkwardJson, awkwardNumber } from "../../support/exact/awkward.js";
import { runs, SCALE } from "../../support/random.js";

describe("round trips", () => {
  test("any JSON text comes out as it went in", () => {
    fc.assert(
      fc.property(awkwardJson(), (text) => {
        expect(writeJson(readJson(text))).toBe(text);
      }),
      runs(20_000),
    );
  });

  test("values are indented, and left out, as JSON.stringify does it", () => {
    const [digits, mark] = ["12345678901234567890", "@number@"];
    const leaf = fc.oneof(
      fc.constantFrom(mark, undefined, () => 1, new Date(0), -0, Number.NaN, { toJSON: () => ({ inner: mark }) }),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value")), fc.dictionary(fc.string(), tie("value"))),
    }));
    const exact = (one: unknown): unknown => {
      if (one === mark) return new ExactNumber(digits);
      if (Array.isArray(one)) return one.map(exact);
      if (typeof one !== "object" || one === null || one instanceof Date) return one;
      if ("toJSON" in one) return { toJSON: () => ({ inner: new ExactNumber(digits) }) };
      return objectOf(Object.entries(one).map(([key, member]) => [key, exact(member)] as const));
    };
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, 2, 4), (one, indent) => {
        const plain = JSON.stringify([mark, one], undefined, indent);
        expect(writeJson(exact([mark, one]), indent)).toBe(plain.replaceAll(`"${mark}"`, digits));
      }),
      runs(5_000),
    );
  });

  test("copies for handlers and for other serialisers keep all of it", () => {
    fc.assert(
      fc.property(awkwardJson(), (text) => {
        const value = readJson(text);
        expect(writeJson(plainJson(value))).toBe(text);
        expect(unmarked(JSON.stringify(marked(value)))).toBe(text);
        expect(withNearestNumbers(value)).toEqual(JSON.parse(text));
      }),
      runs(5_000),
    );
  });

  test("with white space, escapes and equal keys the value is that of JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom("", "  ", "\t"), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent);
        expect(withNearestNumbers(readJson(text))).toEqual(JSON.parse(text));
      }),
      runs(5_000),
    );
    expect(writeJson(readJson('{"a":1.0,"\\u0032":2,"1":3,"a":4.50,"\\u0031":5}'))).toBe('{"a":4.50,"2":2,"1":5}');
    expect(writeJson(readJson(' { "__proto__" : { "x" : 1.0 } } '))).toBe('{"__proto__":{"x":1.0}}');
  });

  test("what is not JSON is refused as JSON.parse refuses it", () => {
    fc.assert(
      fc.property(
        awkwardJson(),
        fc.nat(),
        fc.constantFrom("", '"', ",", "0", "]", "\\", ".", "e"),
        (text, at, instead) => {
          const broken = text.slice(0, at % text.length) + instead + text.slice((at % text.length) + 1);
          const attempt = (read: (text: string) => unknown): unknown => {
            try {
              return withNearestNumbers(read(broken));
            } catch (error) {
              return String(error);
            }
          };
          expect(attempt(readJson)).toEqual(attempt(JSON.parse));
        },
      ),
      runs(20_000),
    );
  });
});

describe("numbers", () => {
  test("equal numbers have one canonical form, different ones have different forms", () => {
    expect(canonicalJson(new ExactNumber("9007199254740993"))).not.toBe(
      canonicalJson(new ExactNumber("9007199254740992")),
    );
    expect(canonicalJson(readJson("[1.0,1e2,-0,0.10,12.50]"))).toBe(canonicalJson([1, 100, 0, 0.1, 12.5]));
    expect(canonicalJson(readJson("1e400"))).toBe(canonicalJson(readJson("10E399")));
    expect(canonicalJson(readJson("1e400"))).not.toBe(canonicalJson(readJson("1e401")));
    expect(canonicalJson(readJson(`1e${"9".repeat(40)}`))).not.toBe(canonicalJson(readJson("1e400")));
  });

  test("the nearest number is what JSON.parse reads", () => {
    fc.assert(
      fc.property(awkwardNumber, (text) => {
        expect(withNearestNumbers(readJson(text))).toBe(JSON.parse(text));
      }),
      runs(20_000),
    );
  });

  test("keys that an object sorts keep their order, and can be changed", () => {
    const made = objectOf([
      ["b", 1],
      ["10", 2],
      ["9", 3],
      ["4294967295", 4],
      ["1", 5],
    ]);
    expect(Object.keys(made)).toEqual(["b", "10", "9", "4294967295", "1"]);
    expect(Object.keys({ ...made })).toEqual(["1", "9", "10", "b", "4294967295"]);
    delete made["9"];
    made["0"] = 6;
    expect(JSON.stringify(made)).toBe('{"b":1,"10":2,"4294967295":4,"1":5,"0":6}');
  });
});

describe("time", () => {
  const LARGE = 5_000_000 * SCALE;
  const row = '{"id":9007199254740993,"name":"a row of a table","price":10.0,"2024":[1,2.5,true,null]},';
  test.each([
    ["plain rows", `[${'{"id":12345,"name":"a row of a table","price":10.5},'.repeat(LARGE / 52)}0]`],
    ["awkward rows", `[${row.repeat(LARGE / row.length)}0]`],
    ["floats that are whole", `[${"1.0,".repeat(LARGE / 4)}0]`],
    ["one long text", JSON.stringify({ text: '\\"'.repeat(LARGE / 4), n: 1.5 })],
    ["back-slashes", JSON.stringify("\\".repeat(LARGE / 2))],
    ["one long number", `[${"9".repeat(LARGE)}]`],
    ["deep lists", `${"[".repeat(LARGE / 10)}1.0${"]".repeat(LARGE / 10)}`],
    ["descending keys", `{${Array.from({ length: LARGE / 50 }, (_, i) => `"${LARGE / 50 - i}":1`).join(",")}}`],
  ])("5 MB (at full scale) are read in linear time: %s", (_, text) => {
    const time = (read: (text: string) => unknown): number => {
      const started = performance.now();
      read(text);
      return performance.now() - started;
    };
    const parse = Math.min(...[1, 2, 3].map(() => time(JSON.parse)));
    // Bounds that hold on a busy machine; a quadratic reader would take minutes.
    expect(Math.min(...[1, 2, 3].map(() => time(readJson)))).toBeLessThan(20 * parse + 500);
  });
});
