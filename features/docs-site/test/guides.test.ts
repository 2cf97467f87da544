/** Guides of a project: read from the disk, linked with each other and with ops, shown beside the reference. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { GET, LIST, repository } from "../../../test/support/breaking-repository.js";
import { toolwright } from "../../../test/support/project.js";
import { guidesOf } from "../guide-pages.js";
import { createColours } from "../text.js";
import { brokenLinks, buildSite, foreignScripts, pagesIn, partsOf } from "./sites.js";

const SLOW = { timeout: 120_000 };

const INDEX = `# Handbook

How the shop is run:

1. [Run it](zebra.md)
2. [Look up](reference/keys.md#a-key-with-code)
`;

const ZEBRA = `# Run the shop

Call \`shop.get_item\` first; \`shop.nothing\` is no op.

|     | Open |
| :-- | ---: |
| Mon | 9 |

## Ünïcode & signs

[itself](#ünïcode--signs), [index](./), [keys](reference/keys.md), [code](../handlers.ts), [data](data.json), [web](https://example.com/)
[runs](javascript:alert(1)) ![picture](picture.png) [\`shop.list_items\`](reference/keys.md)

\`\`\`ts
const a = 1;
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> B
\`\`\`

| a | b |
|:-:|--:|
| <b>1</b> | x<br>y |

<table>
<tr><td>

\`\`\`console
$ toolwright generate
done
\`\`\`

</td></tr>
</table>

<!-- a comment <script> -->
<script>alert(1)</script>

## Ünïcode & signs
`;

const GUIDES = {
  "index.md": INDEX,
  "zebra.md": ZEBRA,
  "apple.md": "No heading, and <i onclick=x>an element</i> that is text.\n\n| k | v | w |\n|-|-|-|\n| 1 | 2 | |\n",
  "reference/keys.md": "# Keys\n\n## A key, with `code`\n\nSee [the shop](../zebra.md#ünïcode--signs-1).\n",
};

const writeGuides = (folder: string, guides: Readonly<Record<string, string>>): void => {
  for (const [file, text] of Object.entries(guides)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
};

describe("guides of a project", () => {
  const { root, define } = repository();
  const folder = join(root, "site");
  const html = (path: string): string => readFileSync(join(folder, path), "utf8");

  beforeAll(async () => {
    await define([GET, LIST], "docs: { title: Shop }\n");
    writeGuides(join(root, "definitions/guides"), { ...GUIDES, "data.json": "{}", ".hidden.md": "# No" });
    symlinkSync("/etc/hostname", join(root, "definitions/guides/elsewhere.md"));
    await buildSite(root, folder);
  }, SLOW.timeout);

  test("each is a page, a folder's index is the page of the folder, and no link is dead", () => {
    const guides = pagesIn(folder).filter((one) => one.startsWith("guides/"));
    expect(guides).toEqual(
      ["guides/apple", "guides", "guides/reference/keys", "guides/zebra"].map((one) => `${one}/index.html`),
    );
    expect(brokenLinks(folder)).toEqual([]);
  });

  test("a heading of a table that has no text is an ordinary cell", () => {
    const main = html("guides/zebra/index.html").split("<main")[1] ?? "";
    expect(main).toMatch(/<td><\/td>\s*<th>Open<\/th>/);
    expect(main).not.toMatch(/<th><\/th>/);
  });

  test("links lead to guides and ops; what the site does not hold is text", () => {
    const { targets, text } = partsOf(html("guides/zebra/index.html"));
    const main = html("guides/zebra/index.html").split("<main")[1] ?? "";
    for (const target of [
      "#%C3%BCn%C3%AFcode--signs",
      "../index.html",
      "../reference/keys/index.html",
      "../../shop/shop.get_item/index.html",
    ])
      expect(targets).toContain(target);
    for (const part of ["handlers.ts", "data.json", "javascript:", "picture.png"])
      expect(targets.join()).not.toContain(part);
    for (const part of ["shop.nothing is no op", "picture", "[runs](javascript:alert(1))"])
      expect(text).toContain(part);
    expect(main).toContain('<a href="../reference/keys/index.html"><code>shop.list_items</code></a>');
  });

  test("headings have GitHub's anchors and a link; code has colours; a diagram is its text", () => {
    const page = html("guides/zebra/index.html");
    const { ids } = partsOf(page);
    expect(ids).toEqual(expect.arrayContaining(["run-the-shop", "ünïcode--signs", "ünïcode--signs-1"]));
    expect(page).toContain(
      '<a class="anchor" href="#ünïcode--signs" aria-label="Link to Ünïcode &amp; signs">#</a></h2>',
    );
    expect(page).toContain('<span class="hljs-keyword">const</span>');
    expect(page).toContain("<figcaption>Diagram, in Mermaid</figcaption>");
    expect(page).toContain("A --&gt; B");
  });

  test("only elements without attributes are HTML", () => {
    for (const path of ["guides/zebra/index.html", "guides/apple/index.html"]) {
      const parts = partsOf(html(path));
      expect([parts.active, foreignScripts(parts), parts.elements.has("i"), parts.elements.has("b")]).toEqual([
        [],
        [],
        false,
        false,
      ]);
    }
    const { text, elements } = partsOf(html("guides/zebra/index.html"));
    expect(text).toContain("<script>alert(1)</script>");
    expect(text).not.toContain("a comment");
    expect([elements.has("table"), elements.has("br")]).toEqual([true, true]);
    expect(partsOf(html("guides/apple/index.html")).text).toContain("<i onclick=x>an element</i>");
  });

  test("every page lists them, in the order of the index", () => {
    for (const path of pagesIn(folder)) {
      const [, side = ""] = /<nav class="beside"([\s\S]*?)<\/nav>/.exec(html(path)) ?? [];
      const names = ["Handbook", "Run the shop", "Apple", "Keys", "shop"].map((name) => side.indexOf(`>${name}<`));
      expect(names, path).toEqual(names.toSorted((a, b) => a - b));
      expect(names[0], path).toBeGreaterThan(0);
    }
    expect(partsOf(html("index.html")).text).toContain("Shop");
  });

  test("the first page begins with the index, and leads where it leads", () => {
    const [, main = ""] = html("index.html").split("<main");
    expect(main).toContain('<p class="lead">How the shop is run.</p>');
    expect(main).toContain('<li><a href="guides/zebra/index.html">Run it</a></li>');
    expect(main).not.toContain("Handbook");
  });

  test("a cell of a wide table names its column, for phones", () => {
    expect(html("guides/apple/index.html")).toContain(
      '<td data-label="">1</td>\n<td data-label="v">2</td>\n<td data-label="w"></td>',
    );
    expect(html("guides/zebra/index.html")).not.toContain("data-label");
  });

  test("machines get them as they are written", () => {
    expect(html("guides/zebra.md")).toBe(GUIDES["zebra.md"]);
    expect(html("guides/index.md")).toBe(INDEX);
    const pages = pagesIn(folder).filter((one) => !one.startsWith("search/"));
    const alternate =
      /<link rel="alternate" type="text\/markdown" href="([^"]+)">[\s\S]*<button class="quiet copy-page"/;
    for (const path of pages) {
      const [, href = ""] = alternate.exec(html(path)) ?? [];
      expect(html(posix.join(posix.dirname(path), href)), path).not.toBe("");
    }
    expect(html("llms.txt")).toContain("- [Keys](guides/reference/keys.md)");
    expect(html("llms-full.txt")).toContain("Call `shop.get_item` first");
  });

  test("the site's own pages: 404 with links from the root; no sitemap and no permanent address without docs.base", async () => {
    expect(partsOf(html("404.html")).targets).toEqual(expect.arrayContaining(["/index.html", "/assets/site.css"]));
    expect(pagesIn(folder).filter((path) => partsOf(html(path)).canonical !== "")).toEqual([]);
    expect(() => html("sitemap.xml")).toThrow(/ENOENT/);
    await buildSite(root, folder, "--base", "https://docs.example.com/x");
    expect(partsOf(html("404.html")).targets).toContain("/x/assets/site.css");
    const listed = [...html("sitemap.xml").matchAll(/<loc>(.*)<\/loc>/g)].map(([, one]) => one);
    const pages = pagesIn(folder).filter((path) => !path.startsWith("search/"));
    expect(listed.toSorted()).toEqual(pages.map((path) => partsOf(html(path)).canonical).toSorted());
  });
});

describe("what is wrong with guides is said with its place", () => {
  const parse = (guides: Readonly<Record<string, string>>) =>
    guidesOf(
      {
        name: "docs",
        guides: Object.entries(guides).map(([file, text]) => ({ file, text })),
        files: new Set([...Object.keys(guides), "logo.svg"]),
      },
      createColours(),
    );

  test.each([
    ["a guide that is not there", "# A\n\n[x](b.md)", /docs\/a\.md:3: b\.md leads to no file/],
    [
      "a heading that is not there",
      "# A\n\n## B\n\n[x](#c)",
      /docs\/a\.md:5: #c leads to no heading of a\.md: it has #a, #b/,
    ],
    ["an element that stays open", "# A\n\n<details>\n\nx", /docs\/a\.md:3: <details> is not closed/],
    ["an element that closes nothing", "# A\n\n</table>\n\nx", /docs\/a\.md:3: <\/table> closes nothing/],
  ])("such as %s", (_what, text, message) => {
    expect(() => parse({ "a.md": text })).toThrow(message);
  });

  /** The guide `a.md` as HTML. */
  const htmlOf = (text: string): string => {
    const [guide] = parse({ "a.md": text });
    return String(
      guide?.parsed.html(
        () => undefined,
        () => undefined,
      ),
    );
  };

  test("each heading has an anchor of its own, also beside numbered ones", () => {
    const [guide] = parse({ "a.md": "# Usage\n\n## Usage\n\n## Usage 1\n\n## 🎉\n\n## 🎉\n\n[x](#usage-1-1)" });
    expect(guide?.sections.map(({ id }) => id)).toEqual(["", "usage", "usage-1", "usage-1-1", "section", "section-1"]);
  });

  test("front matter gives title and description, and is not shown; lines keep their numbers", () => {
    const front = "---\ntitle: The shop\ndescription: How it is run.\ntags: [a]\n---\n";
    const [guide] = parse({ "a.md": `${front}# Run it\n\nMany words.\n` });
    expect([guide?.title, guide?.about]).toEqual(["The shop", "How it is run."]);
    expect(htmlOf(`${front}# Run it\n`)).toBe('<h1 id="run-it">Run it</h1>\n');
    expect(parse({ "a.md": "---\r\n---\r\nWords." })[0]).toMatchObject({ title: "A", about: "Words." });
    expect(() => parse({ "a.md": `${front}[x](b.md)` })).toThrow(/docs\/a\.md:6: b\.md leads to no file/);
  });

  test.each([
    ["no map", "---\n\nWords.\n\n---\n", "<hr>"],
    ["no YAML", "---\na: [\n---\n", "a: ["],
    ["nothing that ends it", "---\na: 1\n", "a: 1"],
    ["not at the beginning", "Words.\n\n---\na: 1\n---\n", "a: 1"],
  ])("%s is no front matter, and is shown", (_what, text, shown) => {
    expect(htmlOf(text)).toContain(shown);
  });

  test("footnotes stand at the end, each with a link there and back", () => {
    const html = htmlOf("A word[^w], and again[^w]; [^none].\n\n[^w]: See `x` <b>.\n\n## Last\n");
    expect(html).toContain('A word<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup>');
    expect(html).toMatch(/<\/h2>\n<hr class="footnotes-sep">\n<section class="footnotes">[\s\S]*<li id="fn1"/);
    expect(html).toContain("See <code>x</code> &lt;b&gt;.");
    expect(html).toContain('href="#fnref1:1"');
    expect(html).toContain("[^none]");
    expect(() => parse({ "a.md": "a[^1]\n\n[^1]: [x](b.md)" })).toThrow(/docs\/a\.md:3: b\.md leads to no file/);
  });

  test("what lists show of a long guide ends with a word", () => {
    const [guide] = parse({ "a.md": `# A\n\n${"several words ".repeat(40)}` });
    expect(guide?.about).toMatch(/^several .{150,200} (?:several|words) …$/);
  });

  test("a link to a file of the folder, and one out of the folder, are no faults", () => {
    expect(parse({ "a.md": "[x](logo.svg) [y](../README.md) [z](/x)" })).toHaveLength(1);
  });

  test.each([
    ["nowhere", /docs\.guides nowhere: there is no such folder/],
    ["../up", /docs\.guides \.\.\/up: give a folder below the project root/],
    [".", /docs\.guides \.: give a folder below the project root/],
    ["/etc", /docs\.guides \/etc: give a folder below the project root/],
  ])("the folder %s", { tags: "full", ...SLOW }, async (guides, message) => {
    const { root, define } = repository();
    await define([GET], `docs: { guides: ${JSON.stringify(guides)} }\n`);
    const { code, stderr } = await toolwright(["docs", "build", "--root", root]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
