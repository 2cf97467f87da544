/** Pages of names that are no ops, the change log, and hostile definitions, through the command line. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Registry } from "../../../runtime/contract/registry.js";
import { GET, id, LIST, repository } from "../../../test/support/breaking-repository.js";
import { tool } from "../../../test/support/generator-host.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { brokenLinks, buildSite, foreignScripts, pagesIn, partsOf, siteFilesIn } from "./sites.js";

const SLOW = { timeout: 120_000 };

const CONFIG = `
ops:
  get_item: { op: shop.get_item, aliases: [shop.fetch_item] }
  veiled_item: { op: shop.veiled_item, hidden: true, aliases: [shop.veiled_too] }
aliases: { item: shop.get_item, it: item, veil: shop.veiled_item }
reserved:
  - { tool: old_item, op: shop.old_item, since: 2026-08-01, sunset: 2026-11-01, use: shop.get_item }
  - { tool: lost, op: shop.lost, since: 2026-08-01 }
docs: { base: "https://docs.example.com/x/", slugs: { shop: the-shop } }
`;
const BESIDE = {
  "snippets.yaml": `show:
  description: Show an item
  params: { id: {}, lang: { default: de, enum: [de, en], description: "Its language." } }
  body: |
    {% if lang %}shop.get_item(id="{{ id }}", lang="{{ lang }}"){% endif %}
typed: { language: typescript, body: "await shop.get_item({ id: 1 })" }
`,
  "prompts.yaml": "packs: { shop: 'Ask for the id **first**.' }\n",
};
const VEILED = tool("veiled_item", { id });

describe("pages of other things than ops", () => {
  const { root, define, commit } = repository();
  const folder = join(root, "site");
  const page = (path: string) => partsOf(readFileSync(join(folder, path), "utf8"));
  let said: Json;

  beforeAll(async () => {
    await define([GET, LIST, tool("gone"), tool("veiled_item", { id, more: id })], CONFIG, BESIDE);
    commit();
    await define([GET, tool("list_items", { limit: { type: "integer", default: 50 } }), VEILED], CONFIG, BESIDE);
    said = await buildSite(root, folder, "--against", "git:main");
  }, SLOW.timeout);

  test("aliases, op aliases and tombstones name the op to use, and lead to it", () => {
    const op = "the-shop/shop.get_item/index.html";
    for (const path of ["aliases/item", "aliases/it", "the-shop/shop.fetch_item", "the-shop/shop.old_item"]) {
      const { text, targets } = page(`${path}/index.html`);
      expect(text, path).toContain("Go to shop.get_item");
      expect(
        targets.map((one) => join(path, one)),
        path,
      ).toContain(op);
    }
    expect(page("the-shop/shop.old_item/index.html").text).toMatch(/old_item.*gone since 2026-08-01.*2026-11-01/);
    expect(page("the-shop/shop.lost/index.html").text).toContain("Nothing takes its place");
    expect(page("aliases/it/index.html").canonical).toBe("https://docs.example.com/x/aliases/it/");
  });

  test("beside an op stand the ops of its pack, of which the current one is marked", () => {
    const beside = (path: string) => {
      const [, list = ""] = /<nav class="beside"([\s\S]*?)<\/nav>/.exec(readFileSync(join(folder, path), "utf8")) ?? [];
      const links = [...list.matchAll(/<a href="([^"]*)"( aria-current="page")?>([^<]*<wbr>[^<]*)<\/a>/g)];
      return links.map(([, href = "", current]) => `${join(path, "..", href)}${current ? " current" : ""}`);
    };
    const [get, list] = ["the-shop/shop.get_item/index.html", "the-shop/shop.list_items/index.html"];
    expect(beside(get)).toEqual([`${get} current`, list]);
    expect(beside(list)).toEqual([get, `${list} current`]);
    expect(beside("the-shop/index.html")).toEqual([get, list]);
  });

  test("aliases are called in five ways, by their own name", () => {
    const { text } = page("aliases/it/index.html");
    for (const part of ["it stands for shop.get_item, by way of item.", "Does get_item.", "toolwright exec it --id"])
      expect(text).toContain(part);
    expect(readFileSync(join(folder, "aliases/it.md"), "utf8")).toContain('Call: `{"op":"it","args":{"id":"<id>"}}`');
  });

  test("a snippet has a page with its call, its parameters and its template, as ot.help has", () => {
    const { text } = page("snippets/show/index.html");
    const twin = readFileSync(join(folder, "snippets/show.md"), "utf8");
    for (const part of [
      "Show an item",
      "$show id=<id>",
      '{% if lang %}shop.get_item(id="{{ id }}", lang="{{ lang }}")',
    ]) {
      expect(text).toContain(part);
      expect(twin).toContain(part);
    }
    expect(text).toContain("it becomes the Python of the template");
    expect(twin).toContain("Language: Python");
    expect(page("snippets/typed/index.html").text).toContain("it becomes the TypeScript of the template");
    expect(readFileSync(join(folder, "snippets/typed.md"), "utf8")).toContain("Language: TypeScript");
    for (const part of ["required", "de|en", 'default "de"', "Its language."]) expect(text).toContain(part);
    expect(twin).toContain('- `lang` (one of de, en, default "de"): Its language.');
  });

  test("a pack has the instructions that models get", () => {
    expect(page("the-shop/index.html").text).toMatch(/How to use it #\s+Ask for the id first\./);
    expect(readFileSync(join(folder, "the-shop.md"), "utf8")).toContain("Ask for the id");
  });

  test("a hidden op is on no page, in no list, in no index and in no change", () => {
    expect(said).toMatchObject({ ops: 2 });
    for (const path of siteFilesIn(folder)) {
      expect(path).not.toContain("veil");
      expect(readFileSync(join(folder, path), "utf8"), path).not.toContain("veil");
    }
    expect(readFileSync(join(root, "generated/registry.json"), "utf8")).toContain("shop.veiled_item");
  });

  test(
    "the change log lists what broke since the baseline; without a baseline its files are removed",
    SLOW,
    async () => {
      const { text } = page("changes/index.html");
      expect(said.changes).toBeGreaterThan(1);
      for (const part of ["since main", "tool-removed", "arg-default-changed", "breaks callers", "a new major version"])
        expect(text).toContain(part);
      expect(brokenLinks(folder)).toEqual([]);
      const again = await buildSite(root, folder);
      expect(again.changes).toBeUndefined();
      expect(siteFilesIn(folder).filter((one) => one.startsWith("changes"))).toEqual([]);
      expect(page("index.html").text).not.toContain("Changes");
    },
  );

  test("--base takes the place of the configured address, and no other path changes", {
    ...SLOW,
    tags: "full",
  }, async () => {
    const [plain, other] = [join(temporaryFolder(), "plain"), join(temporaryFolder(), "x")];
    await buildSite(root, plain);
    await buildSite(root, other, "--base", "http://localhost:1/y");
    expect(pagesIn(other)).toEqual(pagesIn(plain));
    expect(partsOf(readFileSync(join(other, "the-shop/index.html"), "utf8")).canonical).toBe(
      "http://localhost:1/y/the-shop/",
    );
  });

  test("two pages of one address are refused", { ...SLOW, tags: "full" }, async () => {
    const slugs = CONFIG.replace("the-shop", "search");
    await define([GET, LIST, VEILED], slugs, BESIDE);
    const { code, stderr } = await toolwright(["docs", "build", "--root", root, "--out", join(root, "other")]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/search\/index\.html: rename one, or give the pack/)]);
  });
});

/** Text that means something to Markdown, templates, browsers or components. */
const EVIL = [
  "<script>alert(1)</script>",
  "</textarea></title><img src=x onerror=alert(1)>",
  "{{ 7*7 }} {% raw %} {# x #}",
  "<Component :a='b' />",
  "[a](javascript:alert(1)) ![b](https://example.com/b.png) <a href=x>y</a>",
  "`tick` ``` | pipe | # head",
  "-->\u2028<!-- x",
  "\u202eturned\u2066 \u200bno width\u{e0041} \u0007",
].join("\n\n");

/** Named as servers name their tools: what they are of, what they do. */
const MADE = ["order", "bill"].map((one) => tool(`acme_create_${one}`));

describe("hostile definitions", () => {
  test("descriptions, names of values and examples stay text on every page", { tags: "full", ...SLOW }, async () => {
    const { root, define } = repository();
    const property = { type: "string", description: EVIL, default: EVIL, enum: [EVIL, "</script><b>"] };
    const long = `${EVIL}\n${"very long ".repeat(3_400)}`;
    await define(
      [tool("evil", { text: property }, { required: ["text"] }, EVIL), tool("long", {}, {}, long), ...MADE],
      `aliases: { "<b>x": shop.evil, "${"é".repeat(300)}": shop.evil, "../../up": shop.evil, "\\uD800\\u202E": shop.evil }\n` +
        'packs: { shop: { summary: "<script>alert(2)</script> {{ 1 }}" } }\n',
      {
        "snippets.yaml": JSON.stringify({ evil: { description: EVIL, params: { text: property }, body: EVIL } }),
        "prompts.yaml": JSON.stringify({ packs: { shop: EVIL } }),
      },
    );
    const folder = join(root, "site");
    await buildSite(root, folder);
    for (const path of pagesIn(folder)) {
      const parts = partsOf(readFileSync(join(folder, path), "utf8"));
      const { elements, active, targets, text } = parts;
      for (const name of ["img", "component", "textarea", "style", "iframe"])
        expect(elements.has(name), `${path} ${name}`).toBe(false);
      expect([active, foreignScripts(parts)], path).toEqual([[], []]);
      expect(
        targets.filter((one) => /^(javascript|data|vbscript):/i.test(one)),
        path,
      ).toEqual([]);
      expect(readFileSync(join(folder, path), "utf8"), path).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
      if (/shop\.evil\/|snippets\/evil|^shop\/index/.test(path))
        for (const part of ["<script>alert(1)</script>", "{{ 7*7 }} {% raw %} {# x #}", "<Component :a='b' />"])
          expect(text).toContain(part);
    }
    expect(brokenLinks(folder)).toEqual([]);
    expect(pagesIn(folder).filter((path) => path.startsWith("aliases/"))).toHaveLength(4);
    expect(readFileSync(join(folder, "by-action.md"), "utf8")).toMatch(
      /## create\n\n- .*create_bill.*\n- .*create_order/,
    );
    expect(siteFilesIn(folder).filter((path) => path.startsWith("by-entity"))).toEqual([]);
    expect(partsOf(readFileSync(join(folder, "index.html"), "utf8")).text).not.toContain("By entity");
  });

  test("the definitions of the golden case", { ...SLOW, tags: "full" }, async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/cases/hostile/definitions"));
    const folder = join(root, "site");
    await buildSite(root, folder);
    const registry: Registry = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    expect(pagesIn(folder).length).toBeGreaterThan(registry.tools.length);
    expect(brokenLinks(folder)).toEqual([]);
    for (const path of pagesIn(folder)) {
      const parts = partsOf(readFileSync(join(folder, path), "utf8"));
      expect([parts.active, parts.elements.has("img"), foreignScripts(parts)], path).toEqual([[], false, []]);
    }
  });
});
