/** What a newcomer does on the first day, with the packed package and the words of the documentation, in a folder whose name must be quoted: each works at the first try. */

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { buildSchema, graphql } from "graphql";
import { expect, onTestFinished, vi } from "vitest";
import { commandsOf } from "../support/doc-blocks.js";
import { pageText } from "../support/doc-pages.js";
import { eachCase, slowRows } from "../support/each-case.js";
import { behaving } from "../support/upstream/servers.js";
import { blocksBelow, commandsBelow, fileIn, inlineCommand, jsonOf, type Newcomer, newcomers } from "./newcomer.js";

const ADDING = "docs/adding-a-tool.md";
const newcomer = newcomers();

/** Answers HTTP requests on a port of its own until the test ends. Gives its address. */
async function answering(answer: (asked: { method: string; url: string; body: string; token: string }) => unknown) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    const value = await answer({ method, url, body, token: headers.authorization ?? "" });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function functions(me: Newcomer): Promise<void> {
  me.write("tools.ts", fileIn(blocksBelow("README.md", "## No project at all"), "tools.ts"));
  const [call = "", serve = "", ...rest] = commandsBelow("README.md", "## No project at all");
  expect(rest).toEqual([]);
  expect(jsonOf(await me.ok(call))).toMatchObject({ op: "get_word_count", ok: true, result: 2 });
  const client = new Client({ name: "test", version: "1" });
  const env = me.env as Record<string, string>;
  await client.connect(
    new StdioClientTransport({ command: "bash", args: ["-c", serve], cwd: me.root, env, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(["run", "tool_batch", "tool_exec", "tool_help"]);
  const asked = { name: "tool_exec", arguments: { op: "tools.get_word_count", args: { text: "a b c" } } };
  expect((await client.callTool(asked)).structuredContent).toMatchObject({ ok: true, result: 3 });
}

async function openapi(me: Newcomer): Promise<void> {
  const order = { id: "A-17", state: "open" };
  const api = await answering(({ method, url, token }) =>
    `${method} ${url} ${token}` === "GET /v1/orders/A-17 Bearer hush" ? order : { method, url, token },
  );
  const blocks = blocksBelow(ADDING, "## HTTP APIs");
  const config = fileIn(blocks, "definitions/toolwright.yaml");
  me.write("definitions/toolwright.yaml", config.replace("https://api.example.com", api));
  me.write("definitions/apis/shop.yaml", fileIn(blocks, "definitions/apis/shop.yaml"));
  await me.ok("npm exec --no -- toolwright generate");
  expect(jsonOf(await me.ok("SHOP_TOKEN=hush toolwright call shop.getOrder id=A-17")).result).toEqual(order);
  const shown = blocks.find(({ text }) => text.startsWith("// tool_exec"))?.text ?? "";
  expect(JSON.parse(shown.replace(/^\/\/.*\n/gm, "")).result).toEqual(order);
  const description = `--openapi shop=definitions/apis/shop.yaml --server ${api}/v1 --header "Authorization: Bearer hush"`;
  expect(jsonOf(await me.ok(`toolwright call shop.getOrder id=A-17 ${description}`)).result).toEqual(order);
}

async function graphQl(me: Newcomer): Promise<void> {
  const blocks = blocksBelow(ADDING, "## GraphQL APIs");
  const text = fileIn(blocks, "definitions/library.graphql");
  const book = { id: "7", title: "Emma", author: { name: "Austen" } };
  const rootValue = { book: () => book };
  const api = await answering(({ body }) => {
    const { query, variables } = JSON.parse(body);
    return graphql({ schema: buildSchema(text), source: query, variableValues: variables, rootValue });
  });
  const config = fileIn(blocks, "definitions/toolwright.yaml");
  me.write("definitions/toolwright.yaml", config.replace("https://api.example.com", api));
  me.write("definitions/library.graphql", text);
  await me.ok("npm exec --no -- toolwright generate");
  expect(jsonOf(await me.ok("LIBRARY_TOKEN=t toolwright call library.book id=7")).result).toEqual(book);
}

async function pythonFile(me: Newcomer): Promise<void> {
  await me.ok("npm exec --no -- toolwright init --yes");
  const [greet] = blocksBelow(ADDING, "## Extension tools");
  me.write(".onetool/tools/greet.py", greet?.text ?? "");
  expect(jsonOf(await me.ok("toolwright call greet.hello name=Ann count=2")).result).toBe("Hello Ann! Hello Ann!");
  expect(await me.ok("toolwright help greet.hello --full")).toContain("Who is greeted.");
  me.write("hello.py", 'greet.hello(name="Ben") + " " + demo.get_greeting(name="Cy")["text"]\n');
  expect(await me.type("toolwright run --check hello.py")).toEqual({ code: 0, text: expect.any(String) });
  expect(await me.ok("toolwright run hello.py")).toMatch(/^Hello Ben! .*Cy/);
}

async function watch(me: Newcomer): Promise<void> {
  await me.ok("npm exec --no -- toolwright init --yes");
  const [line = ""] = commandsBelow("docs/getting-started.md", "## Generate and check").filter((one) =>
    one.includes("--watch"),
  );
  const served = await me.serve(line.replace("8080", "0"));
  const ops = async (): Promise<string> => await (await fetch(new URL("/api/registry", served.url))).text();
  expect(await ops()).toContain("demo.get_greeting");
  const file = join(me.root, "definitions/tools.ts");
  const before = readFileSync(file, "utf8");
  await vi.waitFor(
    async () => {
      // The watch begins a moment after the server answers.
      me.write("definitions/tools.ts", before.replaceAll("get_greeting", "get_welcome"));
      expect(await ops()).toContain("demo.get_welcome");
    },
    { timeout: 60_000, interval: 1000 },
  );
  me.write("definitions/tools.ts", before.replace("[", "[ ] ["));
  await vi.waitFor(() => expect(served.said()).toMatch(/definitions[\\/]tools\.ts:\d+/), { timeout: 60_000 });
  expect(await ops()).toContain("demo.get_welcome");
}

/** The project of the section on names, whose tools answer. */
function namesProject(me: Newcomer, more = ""): void {
  const blocks = blocksBelow(ADDING, "## Names");
  const config = fileIn(blocks, "definitions/toolwright.yaml").replace("use: []\n", "");
  me.write("definitions/onto.ts", fileIn(blocks, "definitions/onto.ts"));
  me.write("definitions/toolwright.yaml", `${config}    handlers: handlers.ts\n${more}`);
  me.write(
    "definitions/handlers.ts",
    `const items = [["call Anna at noon", "todo"], ["Book a room", "done"]].map(([title, state_key]) => ({ title, state_key }));
export default async (tool: string, { state }: { state?: string }) =>
  ({ tool, items: items.filter(({ state_key }) => state === undefined || state_key === state) });\n`,
  );
}

async function snippets(me: Newcomer): Promise<void> {
  namesProject(me);
  const page = "docs/snippets.md";
  me.write("definitions/snippets.yaml", fileIn(blocksBelow(page, "## Declare one"), "definitions/snippets.yaml"));
  await me.ok("toolwright generate");
  const shown = ["## Call one", "## Errors"].flatMap((heading) =>
    blocksBelow(page, heading).filter(({ language }) => language === "console"),
  );
  const commands = shown.flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(3);
  for (const { line, output } of commands)
    expect(await me.ok(line, output.startsWith("Error") ? 1 : 0), line).toBe(output);
}

async function aliases(me: Newcomer): Promise<void> {
  const [, more = ""] = fileIn(blocksBelow(ADDING, "### Other names"), "definitions/toolwright.yaml").split(".yaml\n");
  namesProject(me, more);
  await me.ok("toolwright generate");
  const found = { tool: "list_onto_tasks", items: [{ title: "call Anna at noon", state_key: "todo" }] };
  const called = jsonOf(await me.ok(inlineCommand(ADDING, "toolwright call onto.todo.list")));
  expect(called.result).toEqual(found);
  expect(called.meta.warnings.join()).toMatch(/onto\.todo\.list stands for onto\.task\.list.*status/);
  expect(JSON.parse(await me.ok(inlineCommand(ADDING, "toolwright run -c 'tasks(")))).toEqual(found);
}

async function learn(me: Newcomer): Promise<void> {
  const page = "docs/learned-types.md";
  const tool = { name: "list", description: "Lists books.", inputSchema: { type: "object", properties: { page: {} } } };
  const { command, args } = behaving("tools", [tool]);
  me.write(".mcp.json", JSON.stringify({ mcpServers: { shop: { command, args } } }));
  await me.ok("npm exec --no -- toolwright init --yes --import claude-code");
  const [sample] = blocksBelow(page, "## From calls to types");
  const lines = Array.from({ length: 40 }, (_, at) =>
    (sample?.text ?? "").replace('"page": 1', `"page": ${at}`).replace("-22", at < 20 ? "-22" : "-23"),
  );
  me.write("samples/shop.list.ndjson", lines.join(""));
  expect(await me.ok(inlineCommand(page, "toolwright learn --from"))).toMatch(/shop\.list.*locked|locked.*shop\.list/s);
  expect(await me.ok("toolwright generate")).toMatch(/ops in .*shop/);
  expect(await me.type(inlineCommand(page, "toolwright learn --check"))).toMatchObject({ code: 0 });
  expect(await me.ok("toolwright help shop.list")).toContain("title");
  const wrong = await me.type(`toolwright run --check -c 'shop.list()["itms"]'`);
  expect(wrong.text).toMatch(/no known key 'itms'.*did you mean 'items'/);
}

async function breaking(me: Newcomer): Promise<void> {
  namesProject(me);
  me.write(".gitignore", "node_modules/\n");
  const git = "git -c user.name=T -c user.email=t@example.com";
  await me.ok("toolwright generate");
  await me.ok(`git init -q -b main && git add . && ${git} commit -q -m Start`);
  const [line = ""] = commandsBelow("docs/ci.md", "## Breaking changes: `breaking`");
  expect(await me.ok(line)).toMatch(/compared generated\/registry\.json .* with git:main/);
  const text = fileIn(blocksBelow(ADDING, "## Names"), "definitions/onto.ts");
  me.write("definitions/onto.ts", text.replace('"todo", "done"', '"todo"'));
  await me.ok("toolwright generate");
  expect(await me.ok(line, 1)).toMatch(
    /^onto\.task\.list {2}list_onto_tasks[\s\S]*error +arg-enum-value-removed +state no longer takes done[\s\S]*a new major version; fails on error/,
  );
}

async function site(me: Newcomer): Promise<void> {
  await me.ok("npm exec --no -- toolwright init --yes");
  const page = "docs/documentation-site.md";
  const config = readFileSync(join(me.root, "definitions/toolwright.yaml"), "utf8");
  me.write(
    "definitions/toolwright.yaml",
    `${config}${fileIn(blocksBelow(page, "## Guides"), "definitions/toolwright.yaml")}`,
  );
  me.write("docs/index.md", "# Welcome\n\nThe tools of the shop. See [keys](keys.md#more) and `demo.get_greeting`.\n");
  me.write("docs/keys.md", "# Keys\n\n## More\n");
  const [line = ""] = commandsBelow(page, "# The documentation site");
  await me.ok(line);
  const first = readFileSync(join(me.root, "site/index.html"), "utf8");
  expect(first).toMatch(/<title>[^<]*Shop tools/);
  expect(first).toContain("The tools of the shop.");
  expect(existsSync(join(me.root, "site/guides/keys/index.html"))).toBe(true);
}

async function results(me: Newcomer): Promise<void> {
  await me.ok("npm exec --no -- toolwright init --yes");
  const code = '[{"id": i, "state": "open" if i % 3 else "done"} for i in range(4000)]';
  const reply = JSON.parse(await me.ok(`toolwright run -c '${code}'`));
  expect(reply).toMatchObject({ table: expect.stringMatching(/^r\(id integer, state text\), 4000 rows/) });
  expect(await me.ok(`toolwright run -c "${reply.sql}"`)).toContain("4000");
  const [, sql] =
    /`?ot\.query\(handle, ("select state, count\(\*\) n from r group by 1 order by 2 desc")\)/.exec(
      pageText("docs/large-results.md"),
    ) ?? [];
  const rows = await me.ok(`toolwright run -c 'ot.query("${reply.handle}", ${sql})["rows"]'`);
  expect(JSON.parse(rows)).toEqual([
    ["open", 2666],
    ["done", 1334],
  ]);
  expect(await me.ok(`toolwright run -c "${reply.query}"`)).toContain("id");
}

/** What is done, and how. */
const TASKS: readonly (readonly [name: string, attempt: (me: Newcomer) => Promise<void>])[] = [
  ["functions", functions],
  ["OpenAPI", openapi],
  ["GraphQL", graphQl],
  ["a Python file", pythonFile],
  ["watch", watch],
  ["snippets", snippets],
  ["aliases", aliases],
  ["learned types", learn],
  ["breaking changes", breaking],
  ["the documentation site", site],
  ["large results", results],
];

eachCase(TASKS, "functions", ...slowRows("OpenAPI", "snippets"))(
  "a newcomer succeeds at the first try: %s",
  { timeout: 300_000 },
  async (_name, attempt) => {
    await attempt(newcomer());
  },
);
