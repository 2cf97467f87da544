/** `ot.help` (`tool-ot.md` 12). */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run-demo.js";

const { root, server, ok } = runDemo(join(CHECKOUT, "test/support/ot-demo/definitions"));

const help = (query: string, info = "min"): Promise<string> =>
  ok(`ot.help(query=${JSON.stringify(query)}, info="${info}")`);

const DOCS = "https://onetool.beycom.online/reference/tools";

const SEARCH = `# demo.search
Search things.
## Signature
demo.search(query: str, count: int = 5) -> dict
## Arguments
- query (str, required): What to look for
- count (int, default 5)
## Returns
dict
## Example
demo.search(query="a")
## Docs
${DOCS}/demo/`;

const BRAVE_FULL = `# brave.web_search
Searches the web for pages.
## Signature
brave.web_search(query: str, count: float = 5) -> str
## Arguments
- query (str, required): words
- count (float, default 5)
## Returns
str
## Example
brave.web_search(query="<query>")
## Policy
- do: Questions about today
- don't: Questions about files
- edge case: Without results, ask
## Kind
read
## Source
local
## Aliases
again, ws
## Docs
${DOCS}/brave-search/`;

const FIRECRAWL = `# firecrawl pack
Source: local
Prefer it to web for pages that need a browser.
## Tools
- **firecrawl.scrape**: Reads what a page shows.
## Docs
${DOCS}/firecrawl/`;

const HI = `# Snippet $hi
name: hi
description: Say hi
params:
  name: {description: "Who"}
  n: {type: str, default: 3, description: "How often"}
body: |
  "{{ name }}" * {{ n }}

# Example with defaults:
# $hi name=Bob
# Expands to:
"Bob" * 3`;

describe("pages", () => {
  test("[OT-12.1] without a query: how to find things", async () => {
    const page = await help("");
    const titles = page.split("\n").filter((line) => line.startsWith("#"));
    expect(titles).toEqual(["# Help", "## Discovery", "## Info levels", "## Examples", "## Tips"]);
    for (const name of ["tools", "packs", "snippets", "aliases"]) expect(page).toContain(`\n- ot.${name}(): `);
    expect(await ok("ot.help()")).toBe(page);
  });

  test.each([
    ["[OT-12.2] a tool", "demo.search", "min", SEARCH],
    ["[OT-12.10] a tool with everything", "brave.web_search", "full", BRAVE_FULL],
    ["[OT-12.8] the name of a tool", "demo.search", "list", "demo.search"],
    ["[OT-12.3] a pack with its instructions", "firecrawl", "min", FIRECRAWL],
    ["[OT-12.8] the names in a pack", "web", "list", "- web.fetch\n- web.fetch_batch"],
    ["[OT-12.4] a snippet", "$hi", "min", HI],
    ["[OT-12.5] an alias", "ws", "min", `# Alias ws\nMaps to brave.web_search.\nCall ws(query="...")\n${BRAVE_FULL}`],
    [
      "[OT-12.5] an alias of an alias",
      "again",
      "min",
      `# Alias again\nMaps to ws.\nCall again(query="...")\n${BRAVE_FULL}`,
    ],
  ])("%s", async (_, query, info, page) => {
    expect(await help(query, info)).toBe(page);
    const { value } = await server().call("tool_exec", { op: "ot.help", args: { query, info } });
    expect(value.result).toBe(page);
  });

  test(
    "[OT-12.2] on the command line",
    async () => {
      const { stdout } = await toolwright([
        "exec",
        "ot.help",
        "--root",
        root(),
        "--json",
        "--args",
        `{"query":"demo.search"}`,
      ]);
      expect(JSON.parse(stdout).result).toBe(SEARCH);
    },
    SLOW,
  );

  test.each([
    ["brave", "brave-search"],
    ["web", "web-fetch"],
    ["demo", "demo"],
    ["ot", "ot"],
  ])("[OT-12.11] the documentation of %s", async (pack, slug) => {
    expect((await help(pack)).endsWith(`\n## Docs\n${DOCS}/${slug}/`)).toBe(true);
  });

  test("what the caller may not see has no page", async () => {
    expect(await help("custom.secret")).not.toContain("administrator");
    expect(await help("custom")).not.toContain("custom.secret");
  });
});

describe("search", () => {
  test("[OT-12.9] names with one sentence, whether the level is named or not", async () => {
    const page = await help("brave search");
    expect(page).toMatch(/\n- brave\.web_search: \S.*\n/);
    expect(await help("brave search", "min")).toBe(page);
  });

  test("[OT-12.6] by words: groups, each with the best first", async () => {
    const page = await help("web fetch");
    expect(page).toMatch(
      /^# Results for 'web fetch'\n## Tools\n- web\.fetch: Get a page\.\n- web\.fetch_batch: Get several/,
    );
    const titles = page.split("\n").filter((line) => line.startsWith("## "));
    expect(titles).toEqual(["## Tools", "## Packs", "## Aliases"]);
    expect(page).toContain("\n- web (2 tools)");
    expect(page).toContain("\n- fetch -> web.fetch");
  });

  test.each([
    ["scaffoldl", ["scaffold", "scaffold.create"]],
    ["frirecrawl", ["firecrawl", "firecrawl.scrape"]],
    ["serch", ["demo.search", "github.search"]],
  ])("[OT-12.7] %s, mistyped", async (query, names) => {
    const lines = (await help(query, "list")).split("\n");
    expect(lines).toEqual(expect.arrayContaining(names.map((name) => `- ${name}`)));
    const [first] = lines.filter((line) => line.startsWith("- "));
    expect(names.map((name) => `- ${name}`).concat("- brave.web_search")).toContain(first);
  });

  test.each([
    ["what an argument may be", "library", "- scaffold.create"],
    ["other forms of a word", "searching", "- brave.web_search"],
    ["an argument's description", "repository owner", "- github.search"],
    ["a snippet by its description", "say", "- $hi"],
  ])("%s", async (_, query, line) => expect((await help(query, "list")).split("\n")).toContain(line));

  test("[OT-12.8] names only", async () => {
    const lines = (await help("web fetch", "list")).split("\n").filter((line) => !line.startsWith("#"));
    expect(lines.slice(0, 2)).toEqual(["- web.fetch", "- web.fetch_batch"]);
    expect(lines.join("\n")).not.toContain(": ");
  });

  test("[OT-12.10] signatures and bodies", async () => {
    expect(await help("web fetch", "full")).toContain("- web.fetch: Get a page.\n  web.fetch(url: str) -> str\n");
    expect(await help("say", "full")).toContain('- $hi: Say hi\n  "{{ name }}" * {{ n }}');
  });

  test("[OT-12.4] an unknown snippet is looked for among the snippets", async () => {
    expect(await help("$resarch", "list")).toBe("# Results for '$resarch'\n## Snippets\n- $research");
  });

  test("[OT-12.12] nothing found", async () => {
    const none = "Browse with ot.tools(), ot.packs(), ot.snippets(), ot.aliases().";
    expect(await help("xyznonexistent")).toBe(`No matches for 'xyznonexistent'.\n${none}`);
    expect(await help("how do i")).toBe(`No matches for 'how do i'.\n${none}`);
  });
});
