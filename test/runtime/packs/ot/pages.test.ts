/** The fixed pages of `ot.help`. */

import { expect, test } from "vitest";
import { docsLines } from "../../../../runtime/packs/ot/pages.js";

const SLUGS = new Map([["web", "web-fetch"]]);

test.each([
  ["https://docs.example.com/tools/", "web", "https://docs.example.com/tools/web-fetch/"],
  ["https://docs.example.com/tools", "demo", "https://docs.example.com/tools/demo/"],
])("documentation under %s of %s is at %s", (base, pack, url) => {
  expect(docsLines(pack, { base, slugs: SLUGS })).toEqual(["## Docs", url]);
});

test("without an address there is no section", () => {
  expect(docsLines("demo", { base: "", slugs: SLUGS })).toEqual([]);
});
