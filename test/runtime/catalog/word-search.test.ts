/** Words of a query: the entries that contain them, and their scores. */

import { expect, test } from "vitest";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { scoringOf } from "../../support/reference-words.js";

const field = (name: string, description: string, args = "", values = "") => ({ name, description, args, values });

const FIELDS = [
  field("web.fetch", "Gets a page.", "url"),
  field("web.fetch_batch", "Gets several pages.", "urls"),
  field("report.render", "Renders a chart.", "format", "png svg"),
  field("getHTTPUrl", "Says where a service is."),
];

const search = scoringOf([{ index: indexWords(FIELDS), entries: Int32Array.of(0, 1, 2, 3) }]);

test.each([
  ["a word of the name", "fetch", [0, 1]],
  ["a part of a name in camel case", "http", [3]],
  ["another form of a word", "rendering", [2]],
  ["an argument", "format", [2]],
  ["a value", "svg", [2]],
  ["a mistyped word", "sevreal", []],
  ["a word with a letter too many", "rendeer", [2]],
  ["words that say nothing", "how do I", []],
  ["no word", "?", []],
])("%s: %s", (_, query, found) => {
  expect([...search(query).keys()].sort()).toEqual(found);
});

test("an entry with every word is before one with some, and forms of a word count once", () => {
  const scores = search("fetch several pages");
  expect(scores.get(1)).toBeGreaterThan(scores.get(0) ?? 1);
  expect(search("fetch fetching fetched page pages")).toEqual(search("fetch page"));
  for (const score of scores.values()) expect(score > 0 && score <= 1).toBe(true);
});

test("of a very long query the first words are looked up", () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `unheard${i}`);
  expect(search(["svg", ...words].join(" ")).has(2)).toBe(true);
  expect(search([...words, "svg"].join(" ")).has(2)).toBe(false);
  // Few words take long too, if there are megabytes of them.
  expect(search(`${"rendering ".repeat(1000)}http`).has(3)).toBe(false);
});

const QUERIES = ["fetch several pages", "rendeer", "urls", "http", "chart of a service"];

test.each(QUERIES)("entries may have their texts in several indexes: %s", (query) => {
  const [first, second] = [indexWords(FIELDS.toReversed().slice(0, 3)), indexWords(FIELDS.slice(0, 1))];
  const both = [
    { index: first, entries: Int32Array.of(3, 2, 1) },
    { index: second, entries: Int32Array.of(0) },
  ];
  expect(search(query).size).toBeGreaterThan(0);
  const scores = new Map(scoringOf(both)(query));
  expect([...scores.keys()].sort()).toEqual([...search(query).keys()].sort());
  for (const [entry, score] of search(query)) expect(scores.get(entry)).toBeCloseTo(score, 12);
});

test.each(QUERIES)("texts that are not searched change nothing: %s", (query) => {
  const seen = scoringOf([{ index: indexWords(FIELDS), entries: Int32Array.of(0, -1, 1, -1) }]);
  const alone = scoringOf([
    { index: indexWords([FIELDS[0], FIELDS[2]].flatMap((one) => one ?? [])), entries: Int32Array.of(0, 1) },
  ]);
  expect(seen(query)).toEqual(alone(query));
});

test("a word that only texts have that are not searched is treated as mistyped", () => {
  const texts = [field("a.calculate", "Adds."), field("b.calcualte", "Adds.")];
  const seen = scoringOf([{ index: indexWords(texts), entries: Int32Array.of(0, -1) }]);
  expect([...seen("calcualte").keys()]).toEqual([0]);
});

test("no entries: nothing is found", () => {
  expect(scoringOf([])("fetch several pages").size).toBe(0);
  expect(scoringOf([{ index: indexWords([]), entries: new Int32Array(0) }])("fetch several pages").size).toBe(0);
});

test.each([
  ["few", 50],
  // More than are kept.
  ["very many", 110_000],
])("words that came before count the same, in %s entries", (_, count) => {
  const texts = Array.from({ length: count }, (_, at) =>
    field(`item${at % 7}`, at % 2 === 0 ? "Reads a page." : "Reads."),
  );
  const all = { index: indexWords(texts), entries: Int32Array.from(texts, (_, at) => at) };
  const queries = ["read", "page", "read page item3", "item3", "raed page", "read"];
  const search = scoringOf([all]);
  for (const query of [...queries, ...queries]) expect(search(query)).toEqual(scoringOf([all])(query));
});
