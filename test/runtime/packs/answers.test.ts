/** Any answer of a service gives a result that matches its schema, or a failure of the service. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Context, isToolFailure } from "../../../runtime/contract/handler.js";
import { isTooDeep } from "../../../runtime/contract/json.js";
import { searchLocal } from "../../../runtime/packs/brave/local.js";
import { searchAll, searchNews, searchWeb } from "../../../runtime/packs/brave/search.js";
import { CHECKOUT } from "../../support/project.js";
import { runs } from "../../support/random.js";
import { KEYS } from "./doubles.js";
import { calling } from "./web/loopback.js";

const shipped = JSON.parse(readFileSync(join(CHECKOUT, "shipped.json"), "utf8"));
const ajv = new Ajv2020({ strict: false });

/** Names in the answers of the services, so that values of any type occur where another is expected. */
const NAMES = [
  ...[
    "web",
    "news",
    "results",
    "query",
    "altered",
    "more_results_available",
    "locations",
    "id",
    "title",
    "name",
    "url",
  ],
  ...["description", "age", "page_age", "language", "extra_snippets", "source", "breaking", "meta_url", "hostname"],
  ...["postal_address", "address", "displayAddress", "streetAddress", "contact", "telephone", "coordinates", "rating"],
  ...[
    "ratingValue",
    "reviewCount",
    "opening_hours",
    "days",
    "full_name",
    "opens",
    "closes",
    "distance",
    "value",
    "units",
  ],
  ...["categories", "price_range", "timezone", "latitude", "longitude", "__proto__", "constructor", "toString"],
];
const leaf = [
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("https://example.com/", "javascript:alert(1)", "<b>x</b>", "loc1=", "\ud800"),
];
const anything = fc.anything({ key: fc.constantFrom(...NAMES), values: leaf, maxDepth: 5 });
const list = fc.array(anything, { maxLength: 4 });
const place = fc
  .record({ id: fc.constantFrom("loc1=", "loc2="), rest: anything })
  .map(({ id, rest }) => ({ ...Object(rest), id }));
/** Mostly of the right outer form, so that what is inside is looked at. */
const answer = fc.oneof(
  anything,
  fc.record({ query: anything, web: fc.record({ results: list }), results: list }),
  fc.record({ locations: fc.record({ results: fc.array(place) }), results: fc.array(place) }),
);

const answering = (body: unknown): Context => ({
  ...calling({ secrets: KEYS }).context,
  fetch: async () => new Response(JSON.stringify(body)),
});

test.each([
  ["web_search", (ctx: Context) => searchWeb({ query: "x", count: 3 }, ctx)],
  ["news", (ctx: Context) => searchNews({ query: "x", count: 3 }, ctx)],
  ["local", (ctx: Context) => searchLocal({ query: "x", count: 3 }, ctx)],
  ["batch", (ctx: Context) => searchAll({ queries: ["x", "y"], count: 3 }, ctx)],
] as const)("brave.%s", { tags: "full" }, async (name, search) => {
  const { result } = shipped.brave.find((one: { name: string }) => one.name === name);
  const fits = ajv.compile(result);
  await fc.assert(
    fc.asyncProperty(answer, async (body) => {
      const found = await search(answering(body));
      expect(fits(found), JSON.stringify([found, fits.errors])).toBe(true);
      expect(isTooDeep(found)).toBe(false);
    }),
    runs(2000),
  );
});

test("an answer that is no JSON is the service's failure", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const ctx: Context = {
        ...answering(null),
        fetch: async () => Object.defineProperty(new Response(text), "url", { value: "http://x/" }),
      };
      const failure = await searchWeb({ query: "x", count: 1 }, ctx).catch((error: unknown) => error);
      const isJson = (() => {
        try {
          JSON.parse(text);
          return true;
        } catch {
          return false;
        }
      })();
      expect(isToolFailure(failure) && failure.code === "UNAVAILABLE").toBe(!isJson);
    }),
    runs(2000),
  );
});
