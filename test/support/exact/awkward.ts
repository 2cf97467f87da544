/** JSON texts that a JavaScript value cannot hold: numbers that are rounded or respelled, keys that objects sort. */

import fc from "fast-check";

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: min, maxLength: max });

const integer = fc
  .tuple(fc.constantFrom("", "-"), fc.constantFrom(..."123456789"), digits(0, 24))
  .map(([sign, first, rest]) => `${sign}${first}${rest}`);

/** The text of a number, more often than not one that JavaScript changes. */
export const awkwardNumber: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "9007199254740993",
    "-9007199254740993",
    "18446744073709551615",
    "10.0",
    "-0",
    "-0.0",
    "0.0",
    "1e400",
  ),
  fc.constantFrom("1E5", "1e+2", "1e-7", "1e-07", "0.10", "100000000000000000000", "0.30000000000000004", "5e-324"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? "0" : String(one))),
  integer,
  fc.tuple(integer, digits(1, 20)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc
    .tuple(integer, fc.constantFrom("e", "E"), fc.constantFrom("", "+", "-"), fc.integer({ min: 0, max: 400 }))
    .map(([whole, mark, sign, power]) => `${whole}${mark}${sign}${power}`),
);

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("1.0", "9007199254740993", "\u2028", '"\\', "😀"));
const key = fc.oneof(
  fc.integer({ min: 0, max: 3000 }).map(String),
  fc.constantFrom("4294967294", "4294967295", "007"),
  text,
);

/** The text of a value without white space. */
export const awkwardJson = (maxDepth = 4): fc.Arbitrary<string> =>
  fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth, withCrossShrink: true },
      awkwardNumber,
      text.map((one) => JSON.stringify(one)),
      fc.constantFrom("true", "false", "null"),
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    object: fc
      .uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 6 })
      .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(",")}}`),
  })).value;

/** The text of an object. */
export const awkwardObject = (maxDepth = 4): fc.Arbitrary<string> =>
  fc
    .uniqueArray(fc.tuple(key, awkwardJson(maxDepth)), { selector: ([name]) => name, maxLength: 5 })
    .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(",")}}`);
