/** Similar names: those that fuse.js finds, and with its scores. */

import fc from "fast-check";
import Fuse from "fuse.js";
import { expect, test } from "vitest";
import { nearnessOf } from "../../../../runtime/packs/ot/nearness.js";
import { randomOf, runs } from "../../../support/random.js";
import { mistyped } from "../../../support/search/search-quality.js";

const NAMES = [
  "brave.web_search",
  "demo.search",
  "firecrawl.scrape",
  "github.create_pull_request",
  "scaffold",
  "Web.Fetch_Batch",
  "web.fetch",
];

test.each([
  ["web.fetch", 1, "web.fetch"],
  ["fetch", 1, "web.fetch"],
  ["fetch", 0.9, "Web.Fetch_Batch"],
  ["github", 0.9, "github.create_pull_request"],
  ["pull", 0.8, "github.create_pull_request"],
  ["b.f", 0.8, "web.fetch"],
])("%s is %d of %s", (query, score, name) => {
  const nearness = nearnessOf(NAMES);
  expect(nearness(query).get(NAMES.indexOf(name))).toBe(score);
});

test("nothing is near to nothing, and no name to a sentence", () => {
  const nearness = nearnessOf(NAMES);
  const queries = [" ", "zzzzzz", "x".repeat(33), "fetch a web page", "web fetch"];
  expect(queries.map((query) => nearness(query).size)).toEqual([0, 0, 0, 0, 2]);
});

test("names that fuse.js finds, whole or their last segments, are found", () => {
  const nearness = nearnessOf(NAMES);
  const both = NAMES.flatMap((name, at) => [
    { text: name.toLowerCase(), at },
    { text: name.toLowerCase().split(".").at(-1) ?? "", at },
  ]);
  const fuse = new Fuse(
    both.map(({ text }) => text),
    { ignoreLocation: true, threshold: 0.4, includeScore: true, ignoreFieldNorm: true },
  );
  const parts = NAMES.flatMap((name) => [name, ...name.split(/[._]/)]);
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...parts), fc.nat({ max: 6 }), (seed, part, times) => {
      const query = mistyped(part.toLowerCase(), times, randomOf(seed)).trim();
      const wanted = new Map<number, number>();
      for (const { refIndex, score = 1 } of query === "" ? [] : fuse.search(query)) {
        const at = both[refIndex]?.at ?? -1;
        wanted.set(at, Math.min(score, wanted.get(at) ?? 1));
      }
      const found = nearness(query);
      expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
      for (const [at, score] of found)
        if (score < 0.8) expect(score).toBeCloseTo(0.75 * (1 - (wanted.get(at) ?? 1)) ** 2, 6);
    }),
    runs(20_000),
  );
});

test("a name lacks no letter of what it contains", () => {
  const far = nearnessOf(["aé.bı", "zzz.web_fetch"]);
  expect([...far("éxb").keys()]).toEqual([0]);
  expect([...far("web-fetch").keys()]).toEqual([1]);
});
