/** The search of `ot.help` over entries of all kinds. */

import { expect, test } from "vitest";
import { opSearchOf } from "../../../../runtime/catalog/op-search.js";
import { indexRegistry } from "../../../../runtime/catalog/registry.js";
import { PYTHON_LANGUAGE } from "../../../../runtime/contract/python-language.js";
import type { Catalogue } from "../../../../runtime/packs/ot/catalogue.js";
import { inOneOrder, searchOf } from "../../../../runtime/packs/ot/search.js";
import { completeTool } from "../../../support/partial-registry.js";

const tools = Array.from({ length: 30 }, (_, at) =>
  completeTool({ op: `web.fetch_${String(at).padStart(2, "0")}`, description: "Gets a page.".repeat(1 + (at % 3)) }),
);
const settings = { ops: new Map(), aliases: new Map(), synonyms: new Map() };
const registry = { ir_version: 1, registry_version: "0", packs: [], reserved: [], tools } as const;
const view = indexRegistry(registry, settings).view({ level: "admin", projects: "*" });
const pack = { name: "fetch", source: "local", summary: "Gets pages.", instructions: undefined, tools } as const;
const catalogue: Catalogue = {
  tools,
  byOp: new Map(),
  packs: [pack],
  snippets: [{ name: "pages", description: "fetch a page", parameters: new Map(), body: "" }],
  aliases: tools.slice(0, 1).map((tool) => ({ name: "fetch", target: tool.op, tool })),
  language: PYTHON_LANGUAGE,
  docs: { base: "", slugs: new Map() },
  searchOps: (...asked) => opSearchOf(view, { settings })(...asked),
  synonyms: new Map(),
};

const QUERIES = ["fetch", "get a page of the web", "web.fetch_07", "fecth", "pages", "pages fetched", "web fetch"];

test.each(QUERIES)("the best of each kind are the first of all, and all are counted: %s", (query) => {
  const search = searchOf(catalogue);
  const all = search(query, Number.POSITIVE_INFINITY);
  expect(all.map(({ kind }) => kind)).toEqual(["tool", "pack", "snippet", "alias"]);
  for (const { count, best } of all) expect(new Set(best.map(({ entry }) => entry)).size).toBe(count);
  for (const most of [1, 5, 20]) {
    const some = search(query, most);
    expect(some.map(({ kind, count }) => ({ kind, count }))).toEqual(
      all.map(({ kind, best }) => ({ kind, count: best.length })),
    );
    expect(some.map(({ best }) => best)).toEqual(all.map(({ best }) => best.slice(0, most)));
    expect(inOneOrder(some).slice(0, most)).toEqual(inOneOrder(all).slice(0, most));
  }
});

test("an entry whose name is asked for is first, in its kind and of all", () => {
  const search = searchOf(catalogue);
  const [{ best } = { best: [] }] = search("web.fetch_07", 2);
  expect(best[0]).toMatchObject({ entry: { name: "web.fetch_07" } });
  expect(inOneOrder(search("fetch", 3)).map(({ kind, name }) => `${kind} ${name}`)[0]).toBe("pack fetch");
});
