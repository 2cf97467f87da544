/** The lists of the pack `ot`, its configuration and health, and what it prints. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, generatedRoot, type Json, serve, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run/run-demo.js";

const { root, server, ok, bad } = runDemo(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));

const VERSION = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")).version;

/** What `ot.tools(pattern="demo", info="list")` gives, in order. */
const DEMO = ["demo.big", "demo.boom", "demo.deep", "demo.search", "demo.store", "demo.wait"];

const SEARCH = {
  name: "demo.search",
  signature: "demo.search(query: str, count: int = 5) -> dict",
  description: "Search things. Results come as they were asked for.",
  source: "local",
  args: ["query: What to look for", "count: (no description)"],
  returns: "object",
  example: 'demo.search(query="a")',
};

const GITHUB = {
  name: "github.search",
  signature: "github.search(query: str, repo: str = '...', n: int = 5, m: Any = '...', u: str = 'x')",
  description: "Searches repositories. Code too.",
  source: "proxy:github",
  args: [
    "query: What to look for",
    "repo: Owner and name. Of one repository",
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
  { name: "demo", source: "local", tool_count: 6 },
  { name: "firecrawl", source: "local", tool_count: 1 },
  { name: "github", source: "proxy", tool_count: 1 },
  { name: "ot", source: "local", tool_count: 18 },
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
  [
    "[OT-1.2] wherever it stands in the name",
    "ot.tools",
    { pattern: "search", info: "list" },
    ["brave.web_search", "demo.search", "github.search"],
  ],
  [
    "[OT-1.2] a whole name is a part too",
    "ot.tools",
    { pattern: "web.fetch", info: "list" },
    ["web.fetch", "web.fetch_batch"],
  ],
  ["[OT-1.2] names alone, no descriptions: Searches the web for pages", "ot.tools", { pattern: "pages" }, []],
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
  [
    "[OT-1.4] min, named",
    "ot.tools",
    { pattern: "demo.s", info: "min" },
    [
      { name: "demo.search", description: "Search things." },
      { name: "demo.store", description: "Stores a text." },
    ],
  ],
  ["[OT-9.1] packs", "ot.packs", {}, PACKS],
  ["[OT-9.4] packs with where they come from and how many tools they have", "ot.packs", { info: "min" }, PACKS],
  ["[OT-9.2] packs by pattern", "ot.packs", { pattern: "Brav" }, [{ name: "brave", source: "local", tool_count: 1 }]],
  ["[OT-9.2] in the middle of the name", "ot.packs", { pattern: "RECR", info: "list" }, ["firecrawl"]],
  ["[OT-9.2] names alone, no summaries: Starts projects", "ot.packs", { pattern: "starts" }, []],
  ["[OT-9.3] names of all packs", "ot.packs", { info: "list" }, PACKS.map(({ name }) => name)],
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
  ["[OT-10.2] aliases by name", "ot.aliases", { pattern: "GAI" }, ["again -> ws"]],
  ["[OT-10.2] by name or target", "ot.aliases", { pattern: "ws", info: "list" }, ["again", "ws"]],
  ["[OT-10.2] nothing that fits", "ot.aliases", { pattern: "secret" }, []],
  ["[OT-10.3] names of aliases", "ot.aliases", { info: "list" }, ["again", "fetch", "ws"]],
  ["[OT-10.5] an alias as an object", "ot.aliases", { pattern: "ag", info: "full" }, [{ name: "again", target: "ws" }]],
  [
    "[OT-10.5] all aliases as objects",
    "ot.aliases",
    { info: "full" },
    [
      { name: "again", target: "ws" },
      { name: "fetch", target: "web.fetch" },
      { name: "ws", target: "brave.web_search" },
    ],
  ],
  ["[OT-11.1] snippets", "ot.snippets", {}, SNIPPETS],
  ["[OT-11.4] snippets with their descriptions", "ot.snippets", { info: "min" }, SNIPPETS],
  ["[OT-11.2] snippets by description", "ot.snippets", { pattern: "say" }, ["hi: Say hi"]],
  ["[OT-11.2] snippets by name", "ot.snippets", { pattern: "SEAR" }, ["research: (no description)"]],
  [
    "[OT-11.2] in the middle of a description, in any letters",
    "ot.snippets",
    { pattern: "NOT There" },
    SNIPPETS.slice(0, 1),
  ],
  ["[OT-11.2] not by body: brave.web_search", "ot.snippets", { pattern: "brave" }, []],
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

/** How deep the brackets of a line are nested; brackets in quotes, and those of texts, do not count. */
function flowLevels(line: string): number {
  const plain = line.replace(/'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"/g, "");
  if (!/^(?:\s*- |\s*[\w.]+: )*[[{]/.test(plain)) return 0;
  let [depth, most] = [0, 0];
  for (const one of plain) {
    if ("[{".includes(one)) most = Math.max(most, ++depth);
    else if ("]}".includes(one)) depth--;
  }
  return most;
}

const asPython = (args: Readonly<Record<string, string>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ");

describe("values", () => {
  test.each(VALUES)("%s: the value is the same from run and from tool_exec", async (_, op, args, value) => {
    // A value that is not directly the call's is JSON.
    const inCode = await ok(`x = ${op}(${asPython(args)})\n[x]`);
    expect(JSON.parse(inCode)).toEqual([value]);
    const exec = await server().call("tool_exec", { op, args });
    expect(exec).toMatchObject({ isError: false, value: { ok: true, result: value } });
  });

  test.each(VALUES.filter(([title]) => /1\.5|9\.4|10\.4|11\.6\] a|2\.1|15\.1/.test(title)))(
    "%s, on the command line",
    { timeout: SLOW, tags: "slow" },
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
  );

  /** Tools of the registry that the caller may see, in order of their names. */
  const registered = (): readonly Json[] =>
    JSON.parse(readFileSync(join(root(), "generated", "registry.json"), "utf8"))
      .tools.filter(({ access }: Json) => access !== "admin")
      .sort((a: Json, b: Json) => (a.op < b.op ? -1 : 1));

  test("[OT-1.1] all tools of the registry in order, local and proxied, and none that the caller may not see", async () => {
    const expected = registered().map(({ op, summary }) => ({ name: op, description: summary }));
    expect(expected.length).toBe(32);
    expect(new Set(expected.map(({ name }) => name.split(".")[0]))).toEqual(new Set(PACKS.map(({ name }) => name)));
    expect(parse(await ok("ot.tools()"))).toEqual(expected);
    expect(await ok("ot.tools()")).toBe(await ok('ot.tools(info="min")'));
    expect((await server().call("tool_exec", { op: "ot.tools" })).value.result).toEqual(expected);
    expect(JSON.parse(await ok('x = ot.tools(info="list")\nx'))).toEqual(expected.map(({ name }) => name));
  });

  test("[OT-1.5] [OT-1.6] every tool in full: the fixed members, and optional ones if they exist", async () => {
    const full: readonly Json[] = JSON.parse(await ok('x = ot.tools(info="full")\nx'));
    const tools = registered();
    expect(full.map(({ name }) => name)).toEqual(tools.map(({ op }) => op));
    for (const [at, tool] of tools.entries()) {
      const { name, signature, description, source, args, returns, example, ...more } = full[at] ?? {};
      expect([name, signature, description, more]).toEqual([tool.op, tool.signature.python, tool.description, {}]);
      expect(source, name).toBe(name.startsWith("github.") ? "proxy:github" : "local");
      expect(args, name).toEqual(
        tool.parameters.length === 0
          ? undefined
          : tool.parameters.map((one: Json) => `${one.name}: ${one.description ?? "(no description)"}`),
      );
      expect(returns === undefined, name).toBe(tool.result_schema === undefined);
      if (tool.examples.length === 0) expect(example, name).toBeUndefined();
      else expect(example.startsWith(`${name}(`), name).toBe(true);
    }
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
        "- {name: demo.search, signature: 'demo.search(query: str, count: int = 5) -> dict', description: Search things. Results come as they were asked for., source: local, args: ['query: What to look for', 'count: (no description)'], returns: object, example: demo.search(query=\"a\")}",
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
    [
      "[OT-7.2] five levels: no more than two of them on a line",
      'ot.batch([("demo.deep", {"levels": 5})])',
      ["- level1:", "    level2:", "      level3: {level4: {level5: 1}}"],
    ],
    [
      "[OT-11.6] a snippet whole, in the layout of its definition",
      'ot.snippets(p="hi", i="full")',
      ["- |-", ...HI.split("\n").map((line) => (line === "" ? "" : `  ${line}`))],
    ],
    [
      "[OT-9.5] a pack whole, line by line",
      'ot.packs(p="fire", i="full")',
      ["- |-", ...FIRECRAWL.split("\n").map((line) => `  ${line}`)],
    ],
    ["[OT-7.1] texts with a colon", 'ot.snippets(p="say")', ["- 'hi: Say hi'"]],
    ["[OT-15.1] a text", "ot.version()", [VERSION]],
  ])("%s is printed line by line", async (_, command, lines) => expect(await ok(command)).toBe(lines.join("\n")));

  test("[OT-7.1] [OT-7.2] every answer of ot is YAML of the value, at most two levels to a line", {
    tags: "slow",
  }, async () => {
    const calls = ["tools", "packs", "aliases", "snippets"].flatMap((name) =>
      ["list", "min", "full"].map((info) => `ot.${name}(info="${info}")`),
    );
    calls.push("ot.config()", "ot.health()", 'ot.stats(period="day")["tools"]', "ot.batch(calls=[('ot.config',)])");
    for (const call of calls) {
      const printed = await ok(call);
      const value = JSON.parse(await ok(`x = ${call}\nx`));
      if (!call.includes("stats")) expect(parse(printed), call).toEqual(value);
      for (const line of printed.split("\n")) expect(flowLevels(line), line).toBeLessThanOrEqual(2);
    }
    expect(await ok('ot.stats(period="day")')).toMatch(/^tools:\n(?: {2}- \{tool: .*\}\n)+\w+: /m);
  });

  test("[RUN-3.9] composed results are one JSON object", async () => {
    const { health, config } = JSON.parse(await ok('{"health": ot.health(), "config": ot.config()}'));
    expect(health.registry).toEqual({ status: "ok", tool_count: 32 });
    expect(config.servers).toEqual(["github"]);
  });

  test("a format that is asked for wins", async () => {
    expect(await ok('__format__ = "json"\not.packs(p="web", i="list")')).toBe('["web"]');
  });
});

describe("health", () => {
  test("[OT-3.1] [OT-3.2] a server that is not connected is reported, a disabled one is not", async () => {
    expect(await ok("ot.health()")).toBe(
      [
        `version: ${VERSION}`,
        "python: '3.14'",
        `cwd: ${root()}`,
        "registry: {status: ok, tool_count: 32}",
        "proxy: {status: degraded, server_count: 1, servers: {github: disconnected}}",
      ].join("\n"),
    );
  });

  test("[OT-3.1] python is the version that run offers", async () => {
    const own = JSON.parse(await ok('import sys\n[f"{sys.version_info[0]}.{sys.version_info[1]}"]'));
    expect([JSON.parse(await ok('x = ot.health()["python"]\n[x]'))]).toEqual([own]);
  });

  test(
    "[OT-2.2] [OT-3.1] a project without aliases, snippets and servers",
    async () => {
      const bare = await generatedRoot(join(CHECKOUT, "test/support/demos/ot-demo/bare"));
      const served = await serve(bare);
      const run = async (command: string) =>
        (await served.client.callTool({ name: "run", arguments: { command } })).content;
      expect(await run("ot.config()")).toEqual([{ type: "text", text: "aliases: {}\nsnippets: {}\nservers: []" }]);
      expect((await served.call("tool_exec", { op: "ot.config" })).value.result).toEqual({
        aliases: {},
        snippets: {},
        servers: [],
      });
      expect(await run('ot.health()["proxy"]')).toEqual([{ type: "text", text: '{"status":"ok","server_count":0}' }]);
      // A reader has no ot.notify.
      expect(await run('[name[3:] for name in ot.tools(p="ot.", i="list")]')).toEqual([
        {
          type: "text",
          text: '["aliases","batch","config","health","help","keep","load","packs","query","result","runs","snippets","stats","tools","version"]',
        },
      ]);
      await served.close();
    },
    SLOW,
  );
});
