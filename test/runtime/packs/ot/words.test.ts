/** Words of a query: the entries that contain them, and their scores. */

import { expect, test } from "vitest";
import { wordSearchOf } from "../../../../runtime/packs/ot/words.js";

const entry = (name: string, description: string, args = "", values = "") => ({ name, description, args, values });

const ENTRIES = [
  entry("web.fetch", "Gets a page.", "url"),
  entry("web.fetch_batch", "Gets several pages.", "urls"),
  entry("report.render", "Renders a chart.", "format", "png svg"),
  entry("getHTTPUrl", "Says where a service is."),
];

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
])("%s: %s", async (_, query, found) => {
  const search = await wordSearchOf(ENTRIES);
  expect([...search(query).keys()].sort()).toEqual(found);
});

test("an entry with every word is before one with some, and forms of a word count once", async () => {
  const search = await wordSearchOf(ENTRIES);
  const scores = search("fetch several pages");
  expect(scores.get(1)).toBeGreaterThan(scores.get(0) ?? 1);
  expect(search("fetch fetching fetched page pages")).toEqual(search("fetch page"));
  for (const score of scores.values()) expect(score > 0 && score <= 1).toBe(true);
});

test("of a very long query the first words are looked up", async () => {
  const search = await wordSearchOf(ENTRIES);
  const words = Array.from({ length: 20_000 }, (_, i) => `unheard${i}`);
  expect(search(["svg", ...words].join(" ")).has(2)).toBe(true);
  expect(search([...words, "svg"].join(" ")).has(2)).toBe(false);
});
