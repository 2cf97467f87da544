/** The lists of the pack `ot`, its configuration and health, and what it prints (`tool-ot.md` 1 to 3, 7, 9 to 11, 15). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, generatedRoot, type Json, serve, toolwright } from "../support/project.js";
import { RUN_DEMO, runDemo, SLOW } from "../support/run-demo.js";

const { root, server, ok, bad } = runDemo(join(CHECKOUT, "test/support/ot-demo/definitions"));

const VERSION = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")).version;

/** What `ot.tools(pattern="demo", info="list")` gives, in order. */
const DEMO = ["demo.big", "demo.boom", "demo.search", "demo.store", "demo.wait"];

const SEARCH = {
  name: "demo.search",
  signature: "demo.search(query: str, count: int = 5) -> dict",
  description: "Search things. Results come as they were asked for.",
  source: "local",
  args: ["query: What to look for", "count: (no description)"],
  returns: "dict",
  example: 'demo.search(query="a")',
};

const GITHUB = {
  name: "github.search",
  signature: "github.search(query: str, repo: str = '...', n: int = 5, m: Any = '...', u: str = 'x')",
  description: "Searches repositories. Code too.",
  source: "proxy:github",
  args: [
    "query: What to look for",
    "repo: Owner and name",
    "n: (no description)",
    "m: (no description)",
    "u: (no description)",
  ],
  example: 'github.search(query="<query>")',
};

const FIRECRAWL = `# firecrawl pack
Source: local
Prefer it to web for pages that need a browser.
## Tools
- **firecrawl.scrape**: Reads what a page shows.`;

const HI = `name: hi
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

const RESEARCH = `name: research
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

/** Every pack, as lists show it. */
const PACKS = [
  { name: "brave", source: "local", tool_count: 1 },
  { name: "demo", source: "local", tool_count: 5 },
  { name: "firecrawl", source: "local", tool_count: 1 },
  { name: "github", source: "proxy", tool_count: 1 },
  { name: "ot", source: "local", tool_count: 13 },
  { name: "proj", source: "local", tool_count: 2 },
  { name: "scaffold", source: "local", tool_count: 1 },
  { name: "web", source: "local", tool_count: 2 },
];

/** Aliases, as lists show them. */
const ALIASES = ["again -> ws", "fetch -> web.fetch", "ws -> brave.web_search"];

/** Snippets, as lists show them. */
const SNIPPETS = ["broken: Uses a package that is not there", "hi: Say hi", "research: (no description)"];

/** Scenario, op, arguments, value. */
const VALUES: readonly (readonly [string, string, Readonly<Record<string, string>>, Json])[] = [
  ["[OT-1.2] a part of the name, in any letters", "ot.tools", { pattern: "MO.SEA", info: "list" }, ["demo.search"]],
  ["[OT-1.3] names", "ot.tools", { pattern: "demo", info: "list" }, DEMO],
  [
    "[OT-1.4] names and one sentence",
    "ot.tools",
    { pattern: "demo.s" },
    [
      { name: "demo.search", description: "Search things." },
      { name: "demo.store", description: "Stores a text." },
    ],
  ],
  ["[OT-1.5] everything", "ot.tools", { pattern: "demo.search", info: "full" }, [SEARCH]],
  ["[OT-1.6] [OT-1.7] a proxied tool", "ot.tools", { pattern: "github.search", info: "full" }, [GITHUB]],
  ["[OT-1.2] nothing that fits", "ot.tools", { pattern: "nowhere" }, []],
  ["[OT-9.1] packs", "ot.packs", {}, PACKS],
  ["[OT-9.4] packs with where they come from and how many tools they have", "ot.packs", { info: "min" }, PACKS],
  ["[OT-9.2] packs by pattern", "ot.packs", { pattern: "Brav" }, [{ name: "brave", source: "local", tool_count: 1 }]],
  ["[OT-9.3] names of packs", "ot.packs", { pattern: "e", info: "list" }, ["brave", "demo", "firecrawl", "web"]],
  ["[OT-9.5] a pack whole", "ot.packs", { pattern: "fire", info: "full" }, [FIRECRAWL]],
  ["[OT-9.6] the instructions of a pack", "ot.packs", { pattern: "firecrawl", info: "full" }, [FIRECRAWL]],
  [
    "[OT-9.7] a proxied pack",
    "ot.packs",
    { pattern: "github", info: "full" },
    ["# github pack\nSource: proxy\n## Tools\n- **github.search**: Searches repositories."],
  ],
  ["[OT-10.1] aliases", "ot.aliases", {}, ALIASES],
  ["[OT-10.4] aliases with what they stand for", "ot.aliases", { info: "min" }, ALIASES],
  ["[OT-10.2] aliases by target", "ot.aliases", { pattern: "SEARCH" }, ["ws -> brave.web_search"]],
  ["[OT-10.3] names of aliases", "ot.aliases", { info: "list" }, ["again", "fetch", "ws"]],
  ["[OT-10.5] an alias as an object", "ot.aliases", { pattern: "ag", info: "full" }, [{ name: "again", target: "ws" }]],
  ["[OT-11.1] snippets", "ot.snippets", {}, SNIPPETS],
  ["[OT-11.4] snippets with their descriptions", "ot.snippets", { info: "min" }, SNIPPETS],
  ["[OT-11.2] snippets by description", "ot.snippets", { pattern: "say" }, ["hi: Say hi"]],
  ["[OT-11.3] names of snippets", "ot.snippets", { info: "list" }, ["broken", "hi", "research"]],
  ["[OT-11.5] [OT-11.6] a snippet whole", "ot.snippets", { pattern: "hi", info: "full" }, [HI]],
  ["[OT-11.6] an example value from its enum", "ot.snippets", { pattern: "research", info: "full" }, [RESEARCH]],
  [
    "[OT-2.1] the configuration",
    "ot.config",
    {},
    {
      aliases: { again: "ws", fetch: "web.fetch", ws: "brave.web_search" },
      snippets: {
        broken: { description: "Uses a package that is not there" },
        hi: { description: "Say hi" },
        research: {},
      },
      servers: ["github"],
    },
  ],
  ["[OT-15.1] the version", "ot.version", {}, VERSION],
];

const asPython = (args: Readonly<Record<string, string>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ");

describe("values", () => {
  test.each(VALUES)("%s", async (_, op, args, value) => {
    // A value that is not directly the call's is JSON.
    const inCode = await ok(`x = ${op}(${asPython(args)})\n[x]`);
    expect(JSON.parse(inCode)).toEqual([value]);
    const exec = await server().call("tool_exec", { op, args });
    expect(exec).toMatchObject({ isError: false, value: { ok: true, result: value } });
  });

  test.each(VALUES.filter(([title]) => /1\.5|9\.4|10\.4|11\.6\] a|2\.1|15\.1/.test(title)))(
    "%s, on the command line",
    async (_, op, args, value) => {
      const { stdout, code } = await toolwright([
        "exec",
        op,
        "--root",
        root(),
        "--json",
        "--args",
        JSON.stringify(args),
      ]);
      expect([code, JSON.parse(stdout).result]).toEqual([0, value]);
    },
    SLOW,
  );

  test("[OT-1.1] all tools in order, those of ot too, and none that the caller may not see", async () => {
    const tools: Json[] = parse(await ok("ot.tools()"));
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining([...DEMO, "ot.tools", "proj.list", "github.search"]));
    expect(names).not.toContain("custom.secret");
    expect(new Set(tools.flatMap((tool) => Object.keys(tool)))).toEqual(new Set(["name", "description"]));
  });

  test("a snippet that cannot be rendered says why", async () => {
    const [text] = JSON.parse(await ok('x = ot.snippets(p="broken", i="full")\nx'));
    expect(text).toMatch(/# \$broken\n# Cannot be expanded: snippet '\$broken' uses undefined variable 'nothing'$/);
  });

  test("[RUN-12.4] parameter names may be shortened", async () => {
    expect(JSON.parse(await ok('x = ot.tools(p="fire", i="list")\nx'))).toEqual(["firecrawl.scrape"]);
  });

  test.each(["tools", "packs", "aliases", "snippets", "help"])("ot.%s takes three info levels", async (name) => {
    const text = "ValueError: info must be one of: list, min, full. Got 'x'";
    expect(await bad(`ot.${name}(info="x")`)).toContain(`Error at line 1: ${text}\n`);
    const { value } = await server().call("tool_exec", { op: `ot.${name}`, args: { info: "x" } });
    expect(value.error).toMatchObject({ code: "VALIDATION_ERROR", message: text.replace("ValueError: ", "") });
  });
});

describe("output", () => {
  test.each([
    ["[OT-7.1] a list of names", 'ot.tools(p="demo", i="list")', DEMO.map((op) => `- ${op}`)],
    ["[OT-7.1] a list of objects", 'ot.tools(p="demo.sea")', ["- {name: demo.search, description: Search things.}"]],
    [
      "[OT-7.2] two levels on one line",
      'ot.tools(p="demo.sea", i="full")',
      [
        "- {name: demo.search, signature: 'demo.search(query: str, count: int = 5) -> dict', description: Search things. Results come as they were asked for., source: local, args: ['query: What to look for', 'count: (no description)'], returns: dict, example: demo.search(query=\"a\")}",
      ],
    ],
    [
      "[OT-7.1] [OT-2.1] a dict",
      "ot.config()",
      [
        "aliases: {again: ws, fetch: web.fetch, ws: brave.web_search}",
        "snippets: {broken: {description: Uses a package that is not there}, hi: {description: Say hi}, research: {}}",
        "servers: [github]",
      ],
    ],
    ["[OT-7.1] texts with a colon", 'ot.snippets(p="say")', ["- 'hi: Say hi'"]],
    ["[OT-15.1] a text", "ot.version()", [VERSION]],
  ])("%s", async (_, command, lines) => expect(await ok(command)).toBe(lines.join("\n")));

  test("[RUN-3.9] composed results are one JSON object", async () => {
    const { health, config } = JSON.parse(await ok('{"health": ot.health(), "config": ot.config()}'));
    expect(health.registry).toEqual({ status: "ok", tool_count: 26 });
    expect(config.servers).toEqual(["github"]);
  });

  test("a format that is asked for wins", async () => {
    expect(await ok('__format__ = "json"\not.packs(p="web", i="list")')).toBe('["web"]');
  });
});

describe("health", () => {
  test("[OT-3.1] [OT-3.2] a server that is not connected is told, one that is switched off is not", async () => {
    expect(await ok("ot.health()")).toBe(
      [
        `version: ${VERSION}`,
        "python: '3.14'",
        `cwd: ${root()}`,
        "registry: {status: ok, tool_count: 26}",
        "proxy: {status: degraded, server_count: 1, servers: {github: disconnected}}",
      ].join("\n"),
    );
  });

  test(
    "[OT-2.2] [OT-3.1] a project without aliases, snippets and servers",
    async () => {
      const bare = await generatedRoot(join(CHECKOUT, "test/support/ot-demo/bare"));
      const served = await serve(bare);
      const run = async (command: string) =>
        (await served.client.callTool({ name: "run", arguments: { command } })).content;
      expect(await run("ot.config()")).toEqual([{ type: "text", text: "aliases: {}\nsnippets: {}\nservers: []" }]);
      expect(await run('ot.health()["proxy"]')).toEqual([{ type: "text", text: '{"status":"ok","server_count":0}' }]);
      // A reader has no ot.notify.
      expect(await run('[name[3:] for name in ot.tools(p="ot.", i="list")]')).toEqual([
        {
          type: "text",
          text: '["aliases","batch","config","health","help","packs","result","snippets","stats","tools","version"]',
        },
      ]);
      await served.close();
    },
    SLOW,
  );
});

describe("batch", () => {
  test(
    "values in order, with aliases and shortened names; a failure in its place",
    async () => {
      const code =
        'x = ot.batch([("demo.search", {"q": "a"}), ("demo.boom",), ("ws", {"query": "b"}), ["nope", {}]])\nx';
      for (const engine of ["", "import collections\n"])
        expect(JSON.parse(await ok(engine + code))).toEqual([
          { query: "a", count: 5 },
          { error: "KeyError: 'kaput'" },
          "5 b",
          { error: "NameError: name 'nope' is not defined" },
        ]);
    },
    SLOW,
  );

  test("calls run together, at most limits.parallel_calls", async () => {
    const calls = Array.from({ length: 12 }, () => ["demo.wait", { ms: 100 }]);
    const { value } = await server().call("tool_exec", { op: "ot.batch", args: { calls } });
    const spans: readonly (readonly [number, number])[] = value.result;
    const together = spans.map(([at]) => spans.filter(([began, ended]) => began <= at && at < ended).length);
    expect(Math.max(...together)).toBeGreaterThan(1);
    expect(Math.max(...together)).toBeLessThanOrEqual(8);
  });

  test("each call has its own check, and the batch cannot hold itself", async () => {
    expect(JSON.parse(await ok('x = ot.batch([("demo.store", {"text": "t"}), ("custom.secret",)])\nx'))).toEqual([
      { error: "PermissionError: demo.store changes data and writes are not allowed here" },
      { error: "NameError: name 'custom' is not defined" },
    ]);
    expect(await bad('ot.batch([("ot.batch", {"calls": []})])')).toContain("ValueError: ot.batch cannot call itself");
    for (const one of ['"demo.search"', "()", "(1, {})", '("demo.search", "a")', '("demo.search", {}, 1)'])
      expect(await bad(`ot.batch([("ot.version",), ${one}])`)).toContain("ValueError: calls[1] must be (op, args), as");
  });

  test("what was called in it is sanitised as if it were called directly", async () => {
    expect(await ok('ot.batch([("web.fetch", {"url": "__ot x"})])')).toMatch(
      /^<external-content-[0-9a-f]{12} source="web\.fetch">\n- \[REDACTED:trigger\] x\n<\/external-content-[0-9a-f]{12}>$/,
    );
  });

  test("what was called in it counts as called", async () => {
    expect(await bad('ot.batch([("demo.search", {"query": "a"}), ("demo.boom",)])\n1/0')).toContain(
      "Calls already made: ot.batch (1), demo.search (1)",
    );
  });
});

describe("errors name ops of ot where the caller has them", () => {
  test("an unknown pack", async () => {
    expect(await bad("unknown.x()")).toContain(
      'Packs: brave, demo, firecrawl, github, ot, proj, scaffold, web\nNext: ot.packs() lists packs, ot.help(query="unknown") searches',
    );
  });

  test(
    "else tool_help",
    async () => {
      const without = await generatedRoot(RUN_DEMO);
      const file = join(without, "definitions", "toolwright.yaml");
      const { appendFileSync } = await import("node:fs");
      appendFileSync(file, "use: []\n");
      await toolwright(["generate", "--root", without]);
      const { stdout } = await toolwright(["run", "--root", without, "--log-level", "silent", "-c", "unknown.x()"]);
      expect(stdout).toContain('Next: tool_help(path="root") lists packs and their ops');
    },
    SLOW,
  );
});
