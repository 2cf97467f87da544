/** Modules of tools: what is read of them, and what their code cannot do while it is read. Each is run in a real child process. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import { buildProject, type Project } from "../../support/generator-host.js";
import { buildModules, moduleRoot } from "../../support/modules.js";

/** Time limit of a module that does not end: enough to start a process on a busy machine. */
const SHORT_MS = 6000;
const ZOD = 'import { z } from "zod";\n';
const plainTool = (name: string): string =>
  `{ name: ${JSON.stringify(name)}, description: "Gets it.", inputSchema: { type: "object" }, execute: () => 1 }`;

const said = async (source: string, ms?: number, others: Project = {}): Promise<readonly string[]> => {
  const { diagnostics } = await buildModules(moduleRoot({ "tools.ts": source, ...others }), ms);
  return diagnostics.map((one) => formatDiagnostic(one).replaceAll("definitions/", ""));
};
const toolsOf = async (source: string, others: Project = {}) => {
  const { registry, diagnostics } = await buildModules(moduleRoot({ "tools.ts": source, ...others }));
  expect(diagnostics.filter(({ severity }) => severity === "error").map(formatDiagnostic)).toEqual([]);
  return registry?.tools ?? [];
};

describe("what is read", () => {
  test("names are those of tools, else keys; an object counts once, and a re-exported one is found", async () => {
    const source = `${ZOD}const one = { description: "Gets a.", inputSchema: z.object({}), execute: () => 1 };
export default { wrong_name: one };
export const get_a = one;
export const group = { inner: { get_b: { description: "Gets b.", parameters: {}, handler: () => 1 } } };
export { other as get_c } from "./other.js";`;
    const other = `export const other = { description: "Gets c.", schema: { type: "object" }, func: () => 1 };`;
    const tools = await toolsOf(source, { "other.ts": other });
    expect(tools.map(({ tool_name, source: { call } }) => [tool_name, call])).toEqual([
      ["get_a", { export: "get_a", tool: "get_a" }],
      ["get_b", { export: "group", tool: "get_b" }],
      ["get_c", { export: "get_c", tool: "get_c" }],
    ]);
  });

  test("Zod 3 is read with its exporter, and says what it takes", async () => {
    const source = `import { z } from "zod/v3";
export const get_a = { description: "A.", inputSchema: z.object({ n: z.string().transform(Number), m: z.number().default(2) }), execute: () => 1 };`;
    const [one] = await toolsOf(source);
    expect(one?.parameters_schema).toMatchObject({
      properties: { n: { type: "string" }, m: { type: "number", default: 2 } },
      required: ["n"],
    });
  });

  test.each([
    ["1", "@modelcontextprotocol/sdk/server/mcp.js", "{ a: z.string() }"],
    ["2", "@modelcontextprotocol/server", "z.object({ a: z.string() })"],
  ])("a server of version %s of the MCP SDK is asked for its tools", async (_version, from, inputSchema) => {
    const source = `import { McpServer } from "${from}";
import { z } from "zod";
export const server = new McpServer({ name: "s", version: "1" });
server.registerTool("get_a", { description: "Gets a.", inputSchema: ${inputSchema}, annotations: { openWorldHint: true } }, async () => ({ content: [] }));
server.registerTool("gone", { description: "Is gone." }, async () => ({ content: [] })).disable();
export default server;`;
    const tools = await toolsOf(source);
    expect(tools.map(({ tool_name, source: { call } }) => [tool_name, call])).toEqual([
      ["get_a", { export: expect.stringMatching(/default|server/), tool: "get_a" }],
    ]);
    expect(tools[0]?.parameters_schema).toMatchObject({ properties: { a: { type: "string" } }, required: ["a"] });
    expect(tools[0]?.annotations.openWorldHint).toBe(true);
  });

  test("places are those of names, keys and exports in the text", async () => {
    const source = `export const all = [\n  { name: "get_a", description: "A.", parameters: {}, run: () => 1 },\n  {\n    name: "get_b", inputSchema: {},\n  },\n];
export const get_c = {\n  description: "C.", inputSchema: {} };`;
    expect(await said(source)).toEqual([
      "tools.ts:4:11 error module-tool  get_b has no function that handles its calls; give it `execute`, `handler`, `func` or `run`; a tool of LangChain has `invoke`",
      "tools.ts:7:14 error module-tool  get_c has no function that handles its calls; give it `execute`, `handler`, `func` or `run`; a tool of LangChain has `invoke`",
    ]);
  });

  test("`exports` of the entry chooses, and a wrong name is reported with the nearest one", async () => {
    const config = "use: []\nsources:\n  - { module: tools.ts, pack: p, exports: [good] }\n";
    const source = `export const good = [${plainTool("get_a")}];\nexport const bad = [${plainTool("get_b")}];`;
    const tools = await toolsOf(source, { "toolwright.yaml": config });
    expect(tools.map(({ op }) => op)).toEqual(["p.get_a"]);
    expect(await said(source, undefined, { "toolwright.yaml": config.replace("good", "god") })).toEqual([
      expect.stringContaining("no export god"),
    ]);
  });

  test("the same module gives the same files, and a change of a file that it imports is a change of the definitions", async () => {
    const root = moduleRoot({
      "tools.ts": `import { text } from "./text.js";\nexport const a = { name: "get_a", description: text, inputSchema: {}, run: () => 1 };`,
      "text.ts": `export const text = "Gets it.";`,
    });
    const [first, second] = [await buildModules(root), await buildModules(root)];
    expect(first.files).toEqual(second.files);
    expect(first.files.length).toBeGreaterThan(5);
    expect([...first.disk.seen.keys()]).toContain("definitions/text.ts");
  });
});

describe("what cannot be read is an error that says what to do", () => {
  test.each([
    [
      "a type that JSON does not have",
      `${ZOD}export const get_a = { description: "A.", inputSchema: z.object({ at: z.date() }), execute: () => 1 };`,
      /tools\.ts:2:14 error module-tool {2}get_a has an input schema that is not JSON Schema: Date cannot be represented in JSON Schema; use types that JSON has/,
    ],
    [
      "an unknown library",
      `const schema = { "~standard": { version: 1, vendor: "own", validate: (value: unknown) => ({ value }) } };\nexport const get_a = { description: "A.", inputSchema: schema, execute: () => 1 };`,
      /get_a has an input schema of own, which has no JSON Schema; write the schema as JSON Schema, or with a library/,
    ],
    [
      "schemas by name",
      `${ZOD}export const get_a = { description: "A.", inputSchema: { a: z.string() }, execute: () => 1 };`,
      /get_a has schemas by name as its input schema; join them in an object/,
    ],
    [
      "a tool without a name",
      `export const all = [{ description: "A.", inputSchema: {}, execute: () => 1 }];`,
      /tools\.ts:1:14 error module-tool {2}a tool of the export all has no name; give it a `name`/,
    ],
    [
      "a member of a list that is no tool",
      `export const all = [${plainTool("get_a")}, { id: 1 }];`,
      /tools\.ts:1:14 error module-tool {2}item 1 of all is no tool; export \{ name/,
    ],
    [
      "a server that is connected already",
      `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
export const server = new McpServer({ name: "s", version: "1" });
server.registerTool("get_a", {}, async () => ({ content: [] }));
await server.connect(new StdioServerTransport());`,
      /gives no tools: the server `server` cannot be read: .*already connected/i,
    ],
    ["no tools", "export const a = 1;", /toolwright\.yaml:3:5 error no-tools {2}no tool was read from tools\.ts/],
    [
      "a package that is not installed",
      'import "not-there";\nexport const a = 1;',
      /tools\.ts:1:8 error module-failed {2}tools\.ts gives no tools: Could not resolve "not-there"; install what it imports/,
    ],
    ["a syntax error", "export const = 1;", /tools\.ts:1:14 error module-failed/],
    ["a module that throws", 'throw new Error("no key\\nat all");', /gives no tools: no key; correct the module/],
  ])("with %s", async (_, source, line) => {
    expect(await said(source)).toEqual([expect.stringMatching(line)]);
  });

  test("a library whose exporter is not installed", async () => {
    const source = `import * as v from "valibot";\nexport const get_a = { description: "A.", inputSchema: v.object({}), execute: () => 1 };`;
    const { diagnostics } = await buildModules(moduleRoot({ "tools.ts": source }, { only: "valibot" }));
    expect(diagnostics.map(formatDiagnostic)).toEqual([
      "definitions/tools.ts:2:14 error module-tool  get_a has an input schema of valibot, for which @valibot/to-json-schema is missing; install @valibot/to-json-schema",
    ]);
  });

  test("where no code is run, a module is an error", async () => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": "use: []\nsources:\n  - module: tools.ts\n",
      "tools.ts": `export const a = [${plainTool("get_a")}];`,
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(["module-failed"]);
  });
});

describe("attacks", () => {
  test("a module that prints, and writes to every stream, gives its tools", async () => {
    const source = `console.log("[]");\nconsole.error("{}");\nprocess.stdout.write("{\\"tools\\":[]}");\nexport const a = [${plainTool("get_a")}];\nsetInterval(() => {}, 1000);`;
    expect((await toolsOf(source)).map(({ op }) => op)).toEqual(["p.get_a"]);
  });

  test("one that does not end is stopped", async () => {
    expect(await said("for (;;);", SHORT_MS)).toEqual([
      expect.stringContaining(`tools.ts gives no tools: it did not end within ${SHORT_MS / 1000} seconds`),
    ]);
    expect(await said("export const a = new Promise(() => setInterval(() => {}, 1000));", SHORT_MS)).toEqual([
      expect.stringContaining("it did not end within"),
    ]);
  });

  test("one that exits, or never answers, is an error", async () => {
    expect(await said("process.exit(0);")).toEqual([expect.stringContaining("it ended its process (exit code 0)")]);
    expect(await said("export const a = new Promise(() => {});")).toEqual([
      expect.stringContaining("it ended its process (exit code 13)"),
    ]);
  });

  test("one that takes all memory is ended", { tags: "slow" }, async () => {
    const source = "const all = [];\nfor (;;) all.push(new Array(1_000_000).fill(0.5));";
    expect(await said(source)).toEqual([expect.stringContaining("tools.ts gives no tools: it ended its process (SIG")]);
  });

  test("it cannot read hidden files or what is outside, write, or start processes, and has no environment", async () => {
    const secret = "TOOLWRIGHT_MODULE_SECRET";
    process.env[secret] = "s3cret";
    const source = `import { readFileSync, writeFileSync } from "node:fs";
import { execSync } from "node:child_process";
import { Worker } from "node:worker_threads";
const code = (work: () => unknown) => { try { return String(work()).slice(0, 20); } catch (error: any) { return error.code; } };
const here = new URL(".", import.meta.url);
export const get_a = { description: JSON.stringify([
  code(() => readFileSync("/etc/passwd")), code(() => readFileSync(new URL("../.env", here))),
  code(() => readFileSync(new URL("beside.txt", here))), code(() => writeFileSync(new URL("new.txt", here), "")),
  code(() => execSync("true")), code(() => new Worker("1", { eval: true })), code(() => process.env.${secret}),
]), inputSchema: {}, execute: () => 1 };`;
    const root = moduleRoot({ "tools.ts": source, "beside.txt": "a text" });
    writeFileSync(join(root, ".env"), "KEY=1");
    mkdirSync(join(root, ".onetool"), { recursive: true });
    const { registry } = await buildModules(root);
    const denied = "ERR_ACCESS_DENIED";
    expect(JSON.parse(registry?.tools[0]?.description ?? "[]")).toEqual([
      ...[denied, denied, "a text", denied, denied, denied, "undefined"],
    ]);
    expect(existsSync(join(root, "definitions", "new.txt"))).toBe(false);
    delete process.env[secret];
  });

  test("ten thousand tools are read", { tags: "slow" }, async () => {
    const source = `export const all = Array.from({ length: 10_000 }, (_, i) => ({ name: "get_" + i, description: "Gets " + i, inputSchema: {}, execute: () => i }));`;
    expect(await toolsOf(source)).toHaveLength(10_000);
  });

  test("a list without end is refused, and so is a getter that throws", async () => {
    expect(await said("export const all = Array.from({ length: 200_000 }, () => ({}));")).toEqual([
      expect.stringContaining("it exports more than 100000 values"),
    ]);
    expect(await said('export const all = [{ get description() { throw new Error("no"); } }];')).toEqual([
      expect.stringContaining("gives no tools: no;"),
    ]);
  });

  test("names that JavaScript has a use for are names", async () => {
    const names = ["__proto__", "constructor", "toString", "get_\u0000x", "then"];
    const source = `export const all = [${names.map(plainTool).join(", ")}];\nexport const byKey = JSON.parse('{"__proto__": 1}');`;
    const { registry, diagnostics } = await buildModules(moduleRoot({ "tools.ts": source }));
    expect(diagnostics.filter(({ severity }) => severity === "error").map(formatDiagnostic)).toEqual([]);
    expect(registry?.tools.map(({ tool_name }) => tool_name).sort()).toEqual([...names].sort());
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a forged answer on the pipe is checked like any other", async () => {
    const forged = `import { writeSync } from "node:fs";\nwriteSync(3, '{"tools":[{"export":"a","name":5}]}');\nprocess.exit(0);`;
    expect(await said(forged)).toEqual([
      expect.stringContaining("it gives a wrong list of tools: tools[0].name must be"),
    ]);
  });
});
