/**
 * MCP servers that are packages of npm and need no account: each is added with the words of Getting started, and read.
 *
 * @module-tag full
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsBelow, newcomers } from "./newcomer.js";

const newcomer = newcomers();

/** Name and package with what follows it in the command; a tool that it has; the arguments of a call that needs no network, if there is one. */
const SERVERS: readonly (readonly [name: string, command: string, tool: string, args?: string])[] = [
  ["files", "@modelcontextprotocol/server-filesystem definitions", "list_allowed_directories", ""],
  ["everything", "@modelcontextprotocol/server-everything", "get_sum", "a=2 b=3"],
  ["memory", "@modelcontextprotocol/server-memory", "read_graph", ""],
  ["thinking", "@modelcontextprotocol/server-sequential-thinking", "sequentialthinking"],
  ["context7", "@upstash/context7-mcp", "resolve_library_id"],
  ["playwright", "@playwright/mcp", "browser_navigate"],
  ["devtools", "chrome-devtools-mcp", "list_pages"],
  ["chart", "@antv/mcp-server-chart", "generate_pie_chart"],
  ["runner", "mcp-server-code-runner", "run_code"],
  ["hello", "mcp-hello-world", "echo", "message=hi"],
];

/** How the page adds a server. */
const [ADD = ""] = commandsBelow("docs/getting-started.md", "## Add and remove servers");

test("the page adds a server of npm by its command", () => {
  expect(ADD).toBe("toolwright add notes npx -y @modelcontextprotocol/server-filesystem definitions");
});

test.each(SERVERS)(
  "the server %s is added from npm, and matches its snapshot",
  { timeout: 400_000, tags: "full" },
  async (name, command, tool, args) => {
    const me = newcomer();
    delete me.env["npm_config_offline"];
    await me.ok("npm exec --no -- toolwright init --yes");
    const said = await me.ok(ADD.replace(/add notes npx -y .*/, `add ${name} --yes npx -y ${command}`));
    expect(said).toMatch(new RegExp(`\\+ \\d+ ops?: .*\\b${name}\\.${tool}\\b`));
    expect(readFileSync(join(me.root, "definitions/toolwright.yaml"), "utf8")).toContain(`${name}:`);
    if (args !== undefined) expect(await me.ok(`toolwright call ${name}.${tool} ${args}`)).toContain('"ok": true');
    expect(await me.ok("toolwright snapshot --check")).toMatch(new RegExp(`^${name} +matches`, "m"));
  },
);
