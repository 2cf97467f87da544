/** Modules of tools that the command line names in place of a project: they are run, in real processes, and it is said. */

import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { toolFileEntry } from "../../../generator/cli/tool-file.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../support/project.js";

const CASE = join(CHECKOUT, "test/cases/modules/definitions");

/** A folder without a project, with the modules of the golden case, the packages of the checkout, and a cache of its own. */
function place(files: Readonly<Record<string, string>> = {}) {
  const [folder, cache] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
  for (const name of ["tools.ts", "shapes.ts"]) copyFileSync(join(CASE, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const env = { XDG_CACHE_HOME: cache, HOME: folder };
  const run = (...args: readonly string[]) => toolwright(args, { cwd: folder, env });
  return { folder, env, run };
}

const ZOD = 'import { z } from "zod";\n';
const SAID = /^tools\.ts was run to read its tools, in a process that may only read\n$/;

describe("a module of tools", { timeout: 120_000 }, () => {
  test("is run to be read, which is said once, and its handlers get what the library makes of arguments", async () => {
    const { folder, run } = place();
    const listed = await run("list", "--tools", "shop=tools.ts");
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringMatching(SAID) });
    for (const op of ["order.get", "order.list", "order.delete", "get_price", "search_items", "track_parcel"])
      expect(listed.stdout).toContain(`shop.${op}(`);
    const called = await run("call", "shop.order.get", "number=a-17", "--tools", "shop=tools.ts", "--json");
    expect(called.stderr).toBe("");
    expect(JSON.parse(called.stdout)).toMatchObject({ ok: true, result: { number: "A-17", detail: "short" } });
    expect(readdirSync(folder).sort()).toEqual(["node_modules", "shapes.ts", "tools.ts"]);
  });

  test("is a server, which runs it again only once it has changed", async () => {
    const { folder, env, run } = place();
    const client = new Client({ name: "test", version: "1" });
    const args = [join(CHECKOUT, "generator/launch.mjs"), "serve", "tools.ts", "--log-level", "warn"];
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args, cwd: folder, env, stderr: "pipe" as const },
    });
    let said = "";
    transport.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const { structuredContent } = await client.callTool({
      name: "tool_exec",
      arguments: { op: "tools.track_parcel", args: { parcel: "p1" } },
    });
    expect(structuredContent).toMatchObject({ ok: true, result: { parcel: "P1", place: "Rome" } });
    expect(said).toMatch(SAID);
    expect(await run("serve", "tools.ts", "--log-level", "error")).toMatchObject({ code: 0, stderr: "" });
  });

  test("of JavaScript may import files beside it, and nothing else of the folder", { tags: "full" }, async () => {
    const { run } = place({
      "shop.mjs": `import { text } from "./text.mjs";
export const get_a = { name: "get_a", description: text, inputSchema: { type: "object" }, execute: () => 1 };`,
      "text.mjs": 'export const text = "Gets it.";',
      "spy.ts": `import { readFileSync } from "node:fs";
const text = readFileSync(new URL("./secret.txt", import.meta.url), "utf8");
export const get_a = { name: "get_a", description: text, inputSchema: { type: "object" }, execute: () => 1 };`,
      "secret.txt": "a secret",
    });
    expect((await run("list", "--tools", "shop.mjs")).stdout).toMatch(/shop\.get_a\(.*\n.*Gets it\./);
    const spied = await run("list", "--tools", "spy.ts");
    expect([spied.code, spied.stderr]).toEqual([
      2,
      expect.stringMatching(
        /module-failed {2}spy\.ts gives no tools: .*; correct the module; it is run with the rights to read what it imports/,
      ),
    ]);
    expect(spied.stderr).not.toContain("a secret");
  });

  test("that has documented functions too is not run, and what is left out is said", { tags: "full" }, async () => {
    const { run } = place({
      "mixed.ts": `${ZOD}/** Helps. */
export function get_help({ a }: { a: string }): string { return a; }
export const get_a = { description: "Gets a.", inputSchema: z.object({}), execute: () => 1 };`,
    });
    const { stdout, stderr } = await run("list", "--tools", "mixed.ts");
    expect(stdout).toMatch(/^mixed {2}1 op\n/);
    expect(stderr).toMatch(
      /^mixed\.ts is read for its documented functions, and not run: put tools that are objects into a file without such functions\n/,
    );
  });

  test("that gives no tools ends with the reason", { tags: "full" }, async () => {
    const { run } = place({ "none.ts": `${ZOD}export const schema = z.object({});` });
    const { code, stderr } = await run("list", "--tools", "none.ts");
    expect(code).toBe(2);
    expect(stderr).toMatch(/no tool was read from none\.ts; export \{ name, description, inputSchema, execute \}/);
    expect(stderr).not.toMatch(/`sources`|allow_empty/);
  });
});

const FUNCTION = "export function get_a({ a }: { a: string }): string { return a; }";

const OBJECT = "export const b = { inputSchema: z.object({}), execute: () => 1 };";

describe("what a file of tools is read as", () => {
  test.each([
    ["a tool of the AI SDK", 'import { tool } from "ai";\nexport const a = tool({});', "module"],
    ["a tool of LangChain", "import { tool } from '@langchain/core/tools';\nexport const a = tool();", "module"],
    ["a server of the MCP SDK", 'import {\n  McpServer,\n} from "@modelcontextprotocol/sdk/server/mcp.js";', "module"],
    ["Zod, with a function beside it", `${ZOD}${FUNCTION}\n${OBJECT}`, "module"],
    ["functions without comments that use Zod", `${ZOD}${FUNCTION}`, "functions"],
    ["JSON Schema without a library", "export default [{ name: 'a', inputSchema: {} }];", "module"],
    ["typed functions", `/** Gets a. */\n${FUNCTION}`, "functions"],
    ["typed functions that use Zod", `${ZOD}/** Gets a. */\n${FUNCTION}`, "functions"],
    ["typed functions in constants", `${ZOD}/** Gets a. */\nexport const a = async (x: string) => x;`, "functions"],
    ["functions without comments", FUNCTION, "functions"],
    ["functions that are exported again", 'export { a } from "./a.js";', "functions"],
    ["types of a library only", `import type { z } from "zod";\n${FUNCTION}`, "functions"],
    ["a library in a comment", `// import { z } from "zod";\n${FUNCTION}`, "functions"],
    ["function tools", `${ZOD}export const a = [{ type: "function" }];`, "chat-tools"],
  ])("its content decides: %s", (_name, text, kind) => {
    expect(Object.keys(toolFileEntry("a.ts", text))[0]).toBe(kind);
  });

  test.each([
    ["a.json", "[]", "chat-tools"],
    ["a.mjs", FUNCTION, "module"],
    ["a.py", "def get_a(): pass", "functions"],
  ])("its ending decides: %s", (file, text, kind) => {
    expect(Object.keys(toolFileEntry(file, text))[0]).toBe(kind);
  });
});
