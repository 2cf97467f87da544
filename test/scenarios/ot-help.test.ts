/** `ot.help`. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { CHECKOUT, generatedRoot, type Json, serve, temporaryFolder, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run/run-demo.js";

const { root, server, ok } = runDemo(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));

const help = (query: string, info = "min"): Promise<string> =>
  ok(`ot.help(query=${JSON.stringify(query)}, info="${info}")`);

const DOCS = "https://docs.example/tools";

const SEARCH = `# demo.search
Search things.
## Signature
demo.search(query: str, count: int = 5) -> dict
## Arguments
- query (string, required): What to look for
- count (integer, default 5)
## Returns
object
## Example
demo.search(query="a")
## Docs
${DOCS}/demo/`;

const BRAVE_FULL = `# brave.web_search
Searches the web for pages.
## Signature
brave.web_search(query: str, count: float = 5) -> str
## Arguments
- query (string, required): words
- count (number, default 5)
## Returns
string
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

const OVERVIEW = `# Help
## Discovery
- ot.tools(): tools, by pattern of their name
- ot.packs(): packs, with the number of their tools
- ot.snippets(): templates of code, called as $name key=value
- ot.aliases(): short names of tools
## Info levels
- info="list": names only
- info="min": names with one sentence (default)
- info="full": everything
## Examples
- ot.tools(pattern="search", info="full")
- ot.help(query="ot.result")
- ot.help(query="how to fetch a page")
- ot.help(query="$name")
## Tips
- Parameters may be shortened: ot.tools(p="search", i="list")
- Call a tool as pack.tool(key=value); the last expression is the answer
- ot.result(handle="...") pages through an answer that was stored
- ot.batch(calls=[("pack.tool", {"key": 1}), ...]) makes several calls at once`;

const BRAVE = `# brave pack
Source: local
## Tools
- **brave.web_search**: Searches the web for pages.
## Docs
${DOCS}/brave-search/`;

const RESEARCH = `# Snippet $research
name: research
params:
  topic: {description: "Topic to research"}
  count: {default: 5, description: "Number of sources"}
body: |
  results = brave.web_search(query="{{ topic }}", count={{ count }})
  results

# Example with defaults:
# $research topic=Python
# Expands to:
results = brave.web_search(query="Python", count=5)
results`;

/** A project with a tool `go` in each pack but the shipped one. */
async function documented(packs: readonly string[], configured: object): Promise<string> {
  const definitions = join(temporaryFolder(), "definitions");
  mkdirSync(definitions, { recursive: true });
  const own = packs.filter((pack) => pack !== "ot");
  const go = "/**\n * Goes.\n *\n * @kind read\n */\nexport async function go(): Promise<string> {\n  return '';\n}\n";
  for (const pack of own) writeFileSync(join(definitions, `${pack}.ts`), go);
  const config = { use: ["ot"], sources: own.map((pack) => ({ functions: `${pack}.ts` })), ...configured };
  writeFileSync(join(definitions, "toolwright.yaml"), stringify(config));
  return generatedRoot(definitions);
}

describe("pages", () => {
  test("[OT-12.1] without a query: discovery, info levels, examples, tips; each example works", async () => {
    const page = await help("");
    expect(page).toBe(OVERVIEW);
    expect(await ok("ot.help()")).toBe(page);
    const { value } = await server().call("tool_exec", { op: "ot.help" });
    expect(value.result).toBe(page);
    for (const [, call = ""] of page.matchAll(/(?:^- |: )(ot\.\w+\([^.\n]*\))$/gm)) await ok(call);
  });

  test.each([
    ["[OT-12.2] a tool", "demo.search", "min", SEARCH],
    ["[OT-12.10] a tool with everything", "brave.web_search", "full", BRAVE_FULL],
    ["[OT-12.8] the name of a tool", "demo.search", "list", "demo.search"],
    ["[OT-12.3] a pack with its instructions", "firecrawl", "min", FIRECRAWL],
    ["[OT-12.3] a pack without instructions", "brave", "min", BRAVE],
    ["[OT-12.9] a pack, names with one sentence", "brave", "min", BRAVE],
    ["[OT-12.4] a snippet with the default of a parameter", "$research", "min", RESEARCH],
    ["[OT-12.8] the name of a snippet", "$hi", "list", "$hi"],
    ["[OT-12.8] the name of an alias", "ws", "list", "ws"],
    ["[OT-12.8] the names in a pack", "web", "list", "- web.fetch\n- web.fetch_batch"],
    ["[OT-12.4] a snippet", "$hi", "min", HI],
    ["[OT-12.5] an alias", "ws", "min", `# Alias ws\nMaps to brave.web_search.\nCall ws(query="...")\n${BRAVE_FULL}`],
    [
      "[OT-12.5] an alias of an alias",
      "again",
      "min",
      `# Alias again\nMaps to ws.\nCall again(query="...")\n${BRAVE_FULL}`,
    ],
  ])("%s: its page is the same from run and from tool_exec", async (_, query, info, page) => {
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

  test(
    "[OT-12.11] the documentation of every pack and tool, as this repository configures it; of none where nothing is configured",
    async () => {
      const { docs } = parse(readFileSync(join(CHECKOUT, "definitions", "toolwright.yaml"), "utf8"));
      const slugs: Readonly<Record<string, string>> = {
        brave: "brave-search",
        code: "code-search",
        db: "database",
        ground: "grounding-search",
        llm: "transform",
        web: "web-fetch",
        plain: "plain",
        ot: "ot",
      };
      const asked = async (configured: object): Promise<ReadonlyMap<string, string>> => {
        const served = await serve(await documented(Object.keys(slugs), configured));
        const pages = new Map<string, string>();
        for (const pack of Object.keys(slugs))
          for (const query of [pack, pack === "ot" ? "ot.version" : `${pack}.go`]) {
            const { value } = await served.call<Json>("tool_exec", { op: "ot.help", args: { query } });
            pages.set(query, value.result);
          }
        await served.close();
        return pages;
      };
      for (const [query, page] of await asked({ docs })) {
        const slug = slugs[query.split(".")[0] ?? ""];
        const url = `https://onetool.beycom.online/reference/tools/${slug}/`;
        expect(page.split("\n").slice(-2), query).toEqual(["## Docs", url]);
        expect(page.match(/https:/g)).toHaveLength(1);
      }
      for (const [query, page] of await asked({})) {
        expect(page, query).toMatch(/^# /);
        expect(page).not.toMatch(/Docs|https:|beycom/);
      }
    },
    SLOW,
  );

  test("what the caller may not see has no page", async () => {
    expect(await help("custom.secret")).not.toContain("administrator");
    expect(await help("custom")).not.toContain("custom.secret");
  });
});

describe("search", () => {
  test("[OT-12.9] a tool with one sentence, of which the level full has all", async () => {
    const textOf = (page: string): string => page.slice(0, page.indexOf("\n## "));
    const [min, full] = await Promise.all([help("ot.aliases", "min"), help("ot.aliases", "full")]);
    expect(textOf(min)).toMatch(/^# ot\.aliases\n[^\n.]+\.$/);
    expect(textOf(full)).toContain(textOf(min).replace(/\.$/, ""));
    expect(textOf(full).length).toBeGreaterThan(textOf(min).length);
  });

  test("[OT-12.9] names with one sentence, whether the level is named or not", async () => {
    const page = await ok('ot.help(query="web search")');
    expect(page.split("\n").slice(0, 4)).toEqual([
      "# Results for 'web search'",
      "## Tools",
      "- brave.web_search: Searches the web for pages.",
      "  brave.web_search(query, count?) -> string",
    ]);
    for (const line of page.split("\n"))
      expect(line).toMatch(
        /^#|^- \S+(: \S.*| \(\d+ tools?\)| -> \S+)$|^ {2}[\w.]+\(.*\)( -> .*)?$|^\.\.\. and \d+ more/,
      );
    expect(await help("web search", "min")).toBe(page);
  });

  test.each([
    [
      "web fetch",
      [
        "## Tools",
        "- web.fetch: Get a page.",
        "  web.fetch(url) -> string",
        "- web.fetch_batch: Get several pages at once.",
        "  web.fetch_batch(urls) -> string",
        "- brave.web_search: Searches the web for pages.",
        "  brave.web_search(query, count?) -> string",
        "- firecrawl.scrape: Reads what a page shows.",
        "- ot.config: Shows the configured aliases, snippets and servers.",
        '... and 4 more; narrow the query, or pass info="list"',
        "## Packs",
        "- brave (1 tool)",
        "- web (2 tools)",
        "## Aliases",
        "- fetch -> web.fetch",
        "- ws -> brave.web_search",
      ],
    ],
    [
      "search",
      [
        "## Tools",
        "- demo.search: Search things.",
        "  demo.search(query, count?) -> object",
        "- github.search: Searches repositories.",
        "  github.search(query, repo?, n?, m?, u?)",
        "- brave.web_search: Searches the web for pages.",
        "  brave.web_search(query, count?) -> string",
        "- ot.help: Explains a tool, pack, $snippet or alias, or searches all of them; without a query, how to find things.",
        "- ot.result: Pages through a stored result, or searches its lines.",
        '... and 2 more; narrow the query, or pass info="list"',
        "## Packs",
        "- brave (1 tool)",
        "## Snippets",
        "- $research: (no description)",
        "## Aliases",
        "- ws -> brave.web_search",
      ],
    ],
  ])("[OT-12.6] %s: tools, packs, snippets and aliases, each group with the best first", async (query, lines) => {
    expect((await help(query)).split("\n")).toEqual([`# Results for '${query}'`, ...lines]);
  });

  test.each([
    ["scaffoldl", ["## Tools", "- scaffold.create", "## Packs", "- scaffold"]],
    ["frirecrawl", ["## Tools", "- firecrawl.scrape", "## Packs", "- firecrawl"]],
    ["serch", ["## Tools", "- demo.search", "- github.search", "- brave.web_search"]],
    ["fetch_bath", ["## Tools", "- web.fetch_batch", "- web.fetch"]],
    ["agian", ["## Tools", "- ot.reload", "- ot.resume", "## Aliases", "- again"]],
  ])("[OT-12.7] %s, mistyped: the nearest first in each group", async (query, lines) => {
    const found = (await help(query, "list")).split("\n").slice(0, lines.length + 1);
    expect(found).toEqual([`# Results for '${query}'`, ...lines]);
  });

  test("[OT-12.7] a mistyped pack and alias are found, too", async () => {
    expect((await help("scaffoldl", "list")).split("\n")).toContain("- scaffold");
    expect((await help("fetch_bath", "list")).split("\n").slice(-2)).toEqual(["## Aliases", "- fetch"]);
  });

  test.each([
    ["what an argument may be", "library", "- scaffold.create"],
    ["other forms of a word", "searching", "- brave.web_search"],
    ["an argument's description", "repository owner", "- github.search"],
    ["a snippet by its description", "say", "- $hi"],
  ])("what was meant is listed: %s", async (_, query, line) =>
    expect((await help(query, "list")).split("\n")).toContain(line),
  );

  test("[OT-12.8] names only", async () => {
    const lines = (await help("web fetch", "list")).split("\n").filter((line) => !line.startsWith("#"));
    expect(lines.slice(0, 2)).toEqual(["- web.fetch", "- web.fetch_batch"]);
    expect(lines.join("\n")).not.toContain(": ");
  });

  test("[OT-12.8] names of every group, and nothing else", async () => {
    for (const query of ["web fetch", "search", "say", "page"])
      for (const line of (await help(query, "list")).split("\n"))
        expect(line).toMatch(/^# Results for |^## |^- \$?[\w.]+$/);
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
