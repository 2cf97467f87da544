/**
 * The generator clause by clause: each scenario checks output that the command line has just written, not the committed
 * one.
 */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../support/compile.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../support/project.js";

const READ = [
  { name: "list_onto_tasks", description: "List tasks.", properties: { limit: { type: "integer", default: 20 } } },
  {
    name: "get_onto_task_details",
    description: "Get a task.",
    properties: { task_id: { type: "string", pattern: "^(a+)+$" }, deep: { type: "boolean" } },
    required: ["task_id"],
  },
];
const WRITE = [
  {
    name: "create_onto_task",
    description:
      "Create a task.\n\nCreate a task when:\n- The user asks for one\n- A person must act\n\nDo not create a task for:\n- Research\n\nTo clarify:\n- Ask once when unclear",
    properties: { title: { type: "string", description: "What to do." }, due: { type: "string", format: "date" } },
    required: ["title"],
  },
];
const UTILITY = [{ name: "web_search", description: "Search the web.", properties: { query: { type: "string" } } }];
type Given = (typeof READ | typeof WRITE | typeof UTILITY)[number];

const parametersOf = ({ properties, ...rest }: Given): Json => ({
  type: "object",
  properties,
  ...("required" in rest ? { required: rest.required } : {}),
  additionalProperties: false,
});
const arrayOf = (name: string, tools: readonly Given[]): string => {
  const items = tools.map((one) => {
    const { name: called, description } = one;
    return { type: "function", function: { name: called, description, parameters: parametersOf(one) } };
  });
  return `export const ${name} = ${JSON.stringify(items)};\n`;
};

const CONFIGURATION = `use: []
sources:
  - { chat-tools: read.ts, exports: [ONTOLOGY_READ_TOOLS], pack: onto }
  - { chat-tools: write.ts, exports: [ONTOLOGY_WRITE_TOOLS], pack: onto }
  - { chat-tools: util.ts, exports: [UTILITY_TOOL_DEFINITIONS], pack: util }
  - mcp: servers/*.json
packs: { onto: { entities: { task: tasks } }, util: { topics: [web] } }
ops: { list_onto_tasks: { aliases: [onto.tasks] } }
`;
const HINTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
const REPLACE = {
  name: "replace-doc",
  title: "Replace a document",
  description: "Replace a document as a whole.",
  inputSchema: { type: "object", properties: { "doc-id": { type: "string" } }, required: ["doc-id"] },
  outputSchema: {
    type: "object",
    properties: { size: { type: "integer" } },
    required: ["size"],
    additionalProperties: false,
  },
  annotations: HINTS,
};

/** A project with the three arrays and a server, all of them in the given order; generated. */
async function project(remove: (clean: () => void) => void, order: (tools: readonly Given[]) => readonly Given[]) {
  const root = temporaryFolder(remove);
  const write = (file: string, text: string): void => writeFileSync(join(root, "definitions", file), text);
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  write("toolwright.yaml", CONFIGURATION);
  write("read.ts", arrayOf("ONTOLOGY_READ_TOOLS", order(READ)));
  write("write.ts", arrayOf("ONTOLOGY_WRITE_TOOLS", WRITE));
  write("util.ts", arrayOf("UTILITY_TOOL_DEFINITIONS", UTILITY));
  write("servers/docs.json", JSON.stringify({ tools: [REPLACE] }));
  write("servers/raw.json", JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [{ name: "ping" }] } }));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules/toolwright"));
  return root;
}

const filesOf = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(join(root, "generated"), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .map((path) => [path.slice(root.length), readFileSync(path, "utf8")] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

describe("a small project, generated now", () => {
  const cleaners: (() => void)[] = [];
  const later = (clean: () => void): void => void cleaners.push(clean);
  let root = "";
  const read = (path: string): string => readFileSync(join(root, "generated", path), "utf8");
  const toolOf = (name: string): Json =>
    JSON.parse(read("registry.json")).tools.find((one: Json) => one.tool_name === name);

  beforeAll(async () => {
    root = await project(later, (tools) => tools);
    const { code, stderr } = await toolwright(["generate", "--root", root]);
    expect(code, stderr).toBe(0);
  });
  afterAll(() => {
    for (const clean of cleaners) clean();
  });

  test.each([
    ["ONTOLOGY_READ_TOOLS", READ],
    ["ONTOLOGY_WRITE_TOOLS", WRITE],
    ["UTILITY_TOOL_DEFINITIONS", UTILITY],
  ] as const)("[GEN-1.1] each tool of %s is read with its description and its parameters", (_, tools) => {
    for (const one of tools)
      expect(toolOf(one.name)).toMatchObject({ description: one.description, parameters_schema: parametersOf(one) });
  });

  test("[GEN-1.2] of a server's tool, everything that tools/list says is read; an answer as it came as well", () => {
    expect(toolOf("replace-doc")).toMatchObject({
      op: "docs.replace_doc",
      description: REPLACE.description,
      parameters_schema: REPLACE.inputSchema,
      result_schema: REPLACE.outputSchema,
      annotations: { ...HINTS, title: REPLACE.title },
      source: { kind: "proxy", server: "docs", file: "definitions/servers/docs.json" },
    });
    expect(toolOf("ping")).toMatchObject({ op: "raw.ping", source: { kind: "proxy", server: "raw" } });
  });

  test("[GEN-2.1] each descriptor has the types of its op, each op stands in the registry, a slip does not compile", () => {
    writeFileSync(
      join(root, "caller.ts"),
      `import { docsReplaceDoc, registry } from "./generated/registry.js";
type TypesOf<D extends { readonly types?: unknown }> = NonNullable<D["types"]>;
type Task = TypesOf<(typeof registry.tools)["onto.task.get"]>;
type Replaced = TypesOf<typeof docsReplaceDoc>;
export const args: Task = { args: { task_id: "aa", deep: true }, result: 1 };
export const size = (one: Replaced): number => one.result.size;
export const ops: readonly (keyof typeof registry.tools)[] = ["docs.replace_doc", "onto.task.create", "onto.task.get", "onto.task.list", "raw.ping", "util.web.search"];
// @ts-expect-error A number is no text.
export const wrong: Task["args"] = { task_id: 1 };
// @ts-expect-error No such argument.
export const unknownArgument: Task["args"] = { task_id: "aa", depth: true };
// @ts-expect-error A required argument is missing.
export const missing: Task["args"] = {};
// @ts-expect-error No such member of the result.
export const noMember = (one: Replaced): unknown => one.result.length;
// @ts-expect-error No such op.
export const op: keyof typeof registry.tools = "onto.task.delete";
`,
    );
    expect(compile(root, ["generated", "caller.ts"])).toBe("");
  });

  test("[GEN-2.2] ops.ts maps all ops and aliases, and nothing else", () => {
    const text = read("ops.ts");
    const pairs = [...text.matchAll(/^ {2}"(.*)": "(.*)",$/gm)].map(([, from, to]) => [from, to]);
    expect(pairs).toEqual([
      ["docs.replace_doc", "replace-doc"],
      ["onto.task.create", "create_onto_task"],
      ["onto.task.get", "get_onto_task_details"],
      ["onto.task.list", "list_onto_tasks"],
      ["raw.ping", "ping"],
      ["util.web.search", "web_search"],
      ["onto.tasks", "onto.task.list"],
    ]);
  });

  test("[GEN-2.3] a help page has usage, arguments, policy, example and signatures; the help index has the same policy", async () => {
    const policy = {
      do: ["The user asks for one", "A person must act"],
      dont: ["Research"],
      edge_cases: ["Ask once when unclear"],
    };
    const page = read("help/onto.task.create.md");
    for (const part of [
      "# onto.task.create (write)\n\nCreate a task.\n",
      "\nUsage: `onto.task.create(title, due?)`\n",
      "| `title` | `string` | yes |  | What to do. |\n",
      "\n## Do\n\n- The user asks for one\n- A person must act\n",
      "\n## Do not\n\n- Research\n",
      "\n## Edge cases\n\n- Ask once when unclear\n",
      '\n## Examples\n\nSmallest call:\n\n```json\n{"op":"onto.task.create","args":{"title":"<title>"}}\n',
      "\n## Signatures\n\n```python\nonto.task.create(",
    ])
      expect(page).toContain(part);
    const { ops } = JSON.parse(read("help/index.json"));
    expect(ops["onto.task.create"].policy).toMatchObject(policy);
    const pages = readdirSync(join(root, "generated/help")).filter((one) => one.endsWith(".md"));
    expect(pages.map((one) => one.replace(/\.md$/, "")).sort()).toEqual(Object.keys(ops).sort());
    const { stdout } = await toolwright(["help", "onto.task.create", "--json", "--root", root]);
    expect(JSON.parse(stdout).policy).toMatchObject(policy);
  });

  test("[GEN-2.4] signatures have the names, types, presets and results of their op, in both languages", () => {
    expect(toolOf("list_onto_tasks").signature).toEqual({
      python: "onto.task.list(limit: int = 20)",
      typescript: "onto.task.list(args?: { limit?: number }): Promise<unknown>",
    });
    expect(toolOf("get_onto_task_details").signature).toEqual({
      python: "onto.task.get(task_id: str, deep: bool = '...')",
      typescript: "onto.task.get(args: { task_id: string; deep?: boolean }): Promise<unknown>",
    });
    expect(toolOf("replace-doc").signature).toEqual({
      python: "docs.replace_doc(doc_id: str) -> dict",
      typescript: 'docs.replace_doc(args: { "doc-id": string }): Promise<{ size: number }>',
    });
    const stubs = read("stubs.pyi");
    expect(stubs).toContain("    def list(self, limit: int = 20) -> Any: ...\n");
    expect(stubs).toContain("    def get(self, task_id: str, deep: bool = ...) -> Any: ...\n");
    expect(stubs).toContain("    def replace_doc(self, doc_id: str) -> _docs_replace_doc_result: ...\n");
  });

  test("[GEN-2.5] each op has a validator that is typed, names every fault, and stands a pattern that explodes", async () => {
    const { validators } = await import(pathToFileURL(join(root, "generated/validators/onto.js")).href);
    expect(Object.keys(validators)).toEqual(["onto.task.create", "onto.task.get", "onto.task.list"]);
    const faults = (op: string, value: unknown): unknown => {
      expect(validators[op](value)).toBe(false);
      return validators[op].errors.map((one: Json) => `${one.instancePath} ${one.keyword}`).sort();
    };
    expect(faults("onto.task.create", { due: "soon", titel: 1 })).toEqual([
      " additionalProperties",
      " required",
      "/due format",
    ]);
    expect(faults("onto.task.list", { limit: "all" })).toEqual(["/limit type"]);
    expect(validators["onto.task.create"]({ title: "Call", due: "2026-11-23" })).toBe(true);
    expect(read("validators/onto.js")).toContain('boundedPattern("^(a+)+$"');
    for (const pack of ["onto", "util", "docs", "raw"])
      expect(read(`validators/${pack}.js`)).not.toMatch(/\brequire\(/);
    writeFileSync(
      join(root, "judge.ts"),
      'import { ontoTaskGet } from "./generated/validators/onto.js";\nexport const verdict: boolean = ontoTaskGet({});\n',
    );
    expect(compile(root, ["judge.ts"])).toBe("");
  });

  test("[GEN-3.1] tools in another order, another folder, time zone, language and time give the same bytes in every file", async () => {
    const other = await project(later, (tools) => [...tools].reverse());
    const env = { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
    const { code, stderr } = await toolwright(["generate", "--root", other], { cwd: other, env });
    expect(code, stderr).toBe(0);
    expect(filesOf(other)).toEqual(filesOf(root));
  });
});
