/** Words of a query that are data of the call, digits or secrets: none of them counts, wherever they stand. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { runs } from "../../../test/support/random.js";
import { countedWords } from "../words/counted-words.js";

const TOOL = toolOf({ op: "shop.pulls.list", tool: "list_pulls", kind: "read", schema: { type: "object" } });
const letters = (min: number, max: number, from = "abcdefghijklmnopqrstuvwxyz") =>
  fc.string({ unit: fc.constantFrom(...from), minLength: min, maxLength: max });
const name = letters(3, 12);

/** Where arguments may stand in a call. */
const PLACES: readonly ((author: string) => object)[] = [
  (author) => ({ args: { author } }),
  (author) => ({ arguments: { filter: { author: [author] } } }),
  (author) => ({ author }),
  (author) => ({ args: JSON.stringify({ author }) }),
  (author) => ({ args: { people: { [author]: 1 } } }),
];

test("a word in the arguments", () => {
  fc.assert(
    fc.property(name, name, fc.constantFrom(...PLACES), fc.boolean(), (first, last, place, isUpper) => {
      const query = isUpper ? `${first.toUpperCase()} ${last}` : `${first}, ${last}`;
      expect(countedWords(query, TOOL, { op: TOOL.op, ...place(`${first} ${last}`) })).toEqual([]);
    }),
    runs(5000),
  );
});

/** Letters as a key has them: many different ones. */
const keyOf = (length: number, from: string) =>
  letters(length, length, from).filter((key) => new Set(key).size >= 8 && /\d/.test(key));
const SECRETS = [
  keyOf(36, "abcdefXYZ01389").map((key) => `ghp_${key}`),
  keyOf(40, "abcdefXYZ01389").map((key) => `sk-proj-${key}`),
  letters(8, 20).map((word) => `password: ${word}`),
];
const DATA = [
  fc.tuple(letters(1, 8), fc.nat(), letters(0, 8)).map(([a, digits, b]) => `${a}${digits}${b}`),
  fc.tuple(name, name).map(([user, host]) => `${user}@${host}.example`),
  fc.tuple(name, name).map((parts) => `/home/${parts.join("/")}`),
  fc.tuple(name, name).map((parts) => `https://${parts.join("/")}`),
  letters(21, 60),
];

test.each([
  ["a secret, and no other word of its query", fc.oneof(...SECRETS), " inbox"],
  ["digits, addresses and long words", fc.oneof(...DATA), ""],
])("no word is counted of %s", (_, data, more) => {
  fc.assert(
    fc.property(data, (text) => {
      expect(countedWords(`${text}${more}`, TOOL, { op: TOOL.op, args: {} }), text).toEqual([]);
    }),
    runs(5000),
  );
});
