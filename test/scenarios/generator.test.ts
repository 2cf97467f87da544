/** Scenarios of the generator: input, registry, outputs. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compile } from "../support/compile.js";
import {
  CHECKOUT,
  freshRoot,
  type Json,
  serve,
  serverCommand,
  temporaryFolder,
  toolwright,
} from "../support/project.js";
import { isOfTables, MAPPING } from "./mapping.js";

let made = "";
const read = (path: string): string => readFileSync(join(made, path), "utf8");
const committed = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");
const registry = (): Json => JSON.parse(read("generated/registry.json"));

/** A copy of the definitions that can be changed. */
function copiedRoot(remove: (clean: () => void) => void = onTestFinished): string {
  const root = temporaryFolder(remove);
  cpSync(join(CHECKOUT, "definitions"), join(root, "definitions"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules/toolwright"));
  return root;
}

const cleaners: (() => void)[] = [];
// What the generator makes now, not what is committed.
beforeAll(async () => {
  made = copiedRoot((clean) => cleaners.push(clean));
  const { code, stderr } = await toolwright(["generate", "--root", made]);
  expect(code, stderr).toBe(0);
});
afterAll(() => {
  for (const clean of cleaners) clean();
});

describe("input", () => {
  test("[GEN-1.1] the three arrays of function tools are read from TypeScript", () => {
    const tools = registry().tools.filter(isOfTables);
    expect(tools.map((one: Json) => one.tool_name).sort()).toEqual(MAPPING.map(([, tool]) => tool).sort());
    for (const one of tools) expect(one.source.file, one.op).toMatch(/^definitions\/onto\/\w+\.ts$/);
  });

  test("[GEN-1.2] a snapshot of an MCP server becomes a pack: names made safe, hints kept, a broken tool left out alone", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions/servers"), { recursive: true });
    writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
    const inputSchema = { type: "object", properties: { "library-id": { type: "string" } }, required: ["library-id"] };
    const tools = [
      { name: "resolve-library-id", description: "Resolve a name.", inputSchema, annotations: { readOnlyHint: true } },
      {
        name: "get_docs",
        description: "Fetch documentation.",
        inputSchema,
        outputSchema: { type: "object", properties: { text: { type: "string" } } },
      },
      { name: "broken", description: "Has no schema.", inputSchema: { type: "dict" } },
    ];
    writeFileSync(
      join(root, "definitions/servers/context-7.json"),
      JSON.stringify({ serverInfo: { name: "c7" }, tools }),
    );
    const { code, stderr } = await toolwright(["generate", "--root", root]);
    expect(stderr).toMatch(/servers\/context-7\.json:1:\d+ warning schema-invalid .*broken.*; the tool is left out/);
    expect(code).toBe(0);
    const { tools: made, packs }: Json = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    expect(packs).toMatchObject([{ name: "context_7", source: "proxy" }]);
    expect(made.map((one: Json) => [one.op, one.tool_name, one.kind])).toEqual([
      ["context_7.get_docs", "get_docs", "read"],
      ["context_7.resolve_library_id", "resolve-library-id", "read"],
    ]);
    expect(made[1].parameters).toMatchObject([{ name: "library_id", original: "library-id", required: true }]);
    expect(made[0]).toMatchObject({
      result_schema: { type: "object" },
      source: { kind: "proxy", server: "context_7" },
    });
  });

  test("[GW-5.2] special tools have the ops and kinds of their table", () => {
    const special = {
      search_ontology: "onto.search",
      get_document_tree: "onto.document.tree.get",
      move_document_in_tree: "onto.document.tree.move",
      get_entity_relationships: "onto.entity.relationships.get",
      get_linked_entities: "onto.entity.links.get",
      list_task_documents: "onto.task.docs.list",
      create_task_document: "onto.task.doc.create_or_attach",
      link_onto_entities: "onto.edge.link",
      unlink_onto_edge: "onto.edge.unlink",
      reorganize_onto_project_graph: "onto.project.graph.reorganize",
      get_field_info: "util.schema.field_info",
      web_search: "util.web.search",
      web_visit: "util.web.visit",
      get_buildos_overview: "util.buildos.overview",
      get_buildos_usage_guide: "util.buildos.usage_guide",
    };
    const found = new Map<string, string>(registry().tools.map((one: Json) => [one.tool_name, one.op]));
    for (const [tool, op] of Object.entries(special)) expect(found.get(tool), tool).toBe(op);
    const kinds = new Map<string, string>(registry().tools.map((one: Json) => [one.tool_name, one.kind]));
    const writing = Object.keys(special).filter((tool) => kinds.get(tool) !== "read");
    expect(writing).toEqual([
      "move_document_in_tree",
      "create_task_document",
      "link_onto_entities",
      "unlink_onto_edge",
      "reorganize_onto_project_graph",
    ]);
  });

  test("[GW-5.2] names of another domain become ops by the same rules, and explain says which", async () => {
    const wanted = {
      list_shop_orders: "shop.order.list",
      search_shop_orders: "shop.order.search",
      get_shop_order_details: "shop.order.get",
      get_shop_order_graph: "shop.order.graph.get",
      get_order_history: "shop.order.history.get",
      move_order_in_queue: "shop.order.queue.move",
      post_fetch: "shop.post.fetch",
      get_post_rates: "shop.post.rates",
    };
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions"));
    writeFileSync(
      join(root, "definitions/toolwright.yaml"),
      "sources: [{ chat-tools: tools.json, pack: shop }]\npacks: { shop: { entities: { order: orders }, topics: [post] } }\n",
    );
    const tools = Object.keys(wanted).map((name) => ({
      type: "function",
      function: { name, description: `Do ${name}.` },
    }));
    writeFileSync(join(root, "definitions/tools.json"), JSON.stringify(tools));
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const ops = readFileSync(join(root, "generated/ops.ts"), "utf8");
    for (const [tool, op] of Object.entries(wanted)) expect(ops).toContain(`"${op}": "${tool}",`);
    const made: Json = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    const writes = made.tools.filter((one: Json) => one.op.startsWith("shop.") && one.kind === "write");
    expect(writes.map(({ op }: Json) => op)).toEqual(["shop.order.queue.move"]);
    const { stdout } = await toolwright(["explain", "move_order_in_queue", "--json", "--root", root]);
    expect(JSON.parse(stdout)[0]).toMatchObject({
      op: "shop.order.queue.move",
      because: expect.arrayContaining([
        expect.stringContaining("rule <verb>_<entity>_in_<facet>"),
        "kind write: verb move",
      ]),
    });
    expect((await toolwright(["explain", "move_order_in_queu", "--root", root])).code).toBe(1);
  });
});

describe("registry", () => {
  test("[GW-5.3] a record holds what help, search and calls need", () => {
    for (const one of registry().tools) {
      expect(one, one.op).toMatchObject({
        op: expect.any(String),
        tool_name: expect.any(String),
        description: expect.any(String),
        parameters_schema: { type: "object" },
        group: one.op.split(".")[0],
        kind: expect.stringMatching(/^(read|write)$/),
        action: one.op.split(".").at(-1),
      });
      expect(one.examples.length, one.op).toBeGreaterThan(0);
    }
    const { policy, entity } = registry().tools.find((one: Json) => one.op === "onto.task.create");
    expect(entity).toBe("task");
    expect(Object.keys(policy)).toEqual(["do", "dont", "edge_cases", "source"]);
  });

  test("[GW-5.4] registry.json carries a version that changes with what help or exec can show, and with nothing else", async () => {
    const root = copiedRoot();
    const versionOf = async (): Promise<string> => {
      const { code, stdout, stderr } = await toolwright(["generate", "--json", "--root", root]);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout).registry_version;
    };
    const before = await versionOf();
    expect(before).toBe(JSON.parse(committed("generated/registry.json")).registry_version);
    const file = join(root, "definitions/onto/util.ts");
    const source = readFileSync(file, "utf8");
    writeFileSync(file, `// A comment changes nothing.\n\n${source}`);
    expect(await versionOf()).toBe(before);
    writeFileSync(file, source.replace(/description: "/, 'description: "Truly. '));
    expect(await versionOf()).not.toBe(before);
  });

  test("[GEN-2.1] the registry is typed and compiles under tsc --strict; a missing or ill-typed handler does not", {
    timeout: 60_000,
    tags: "slow",
  }, async () => {
    const root = copiedRoot();
    await toolwright(["generate", "--root", root]);
    const handler = (body: string): void =>
      writeFileSync(
        join(root, "handlers.ts"),
        `import { unbound } from "toolwright/codegen";\nimport type { UtilHandlers } from "./generated/handlers.js";\n${body}`,
      );
    const rest = ["util.buildos.overview", "util.buildos.usage_guide", "util.schema.field_info", "util.web.search"]
      .map((op) => `"${op}": unbound("handlers.ts"),`)
      .join("\n");
    handler(
      `export const handlers: UtilHandlers = { ${rest} "util.web.visit": async ({ url, max_chars }) => url.slice(0, max_chars) };`,
    );
    expect(compile(root, ["generated", "handlers.ts"])).toBe("");
    handler(`export const handlers: UtilHandlers = { ${rest} };`);
    expect(compile(root, ["handlers.ts"])).toMatch(/"util\.web\.visit"/);
    handler(`export const handlers: UtilHandlers = { ${rest} "util.web.visit": async ({ adress }) => adress };`);
    expect(compile(root, ["handlers.ts"])).toMatch(/adress/);
  });

  test("[GEN-2.2] ops.ts maps every op to its tool, a line each", () => {
    const text = read("generated/ops.ts");
    for (const [op, tool] of MAPPING) expect(text).toContain(`\n  "${op}": "${tool}",\n`);
  });

  test("[GEN-2.3] every op has a help document; those with rules have a policy block", () => {
    for (const [op] of MAPPING)
      expect(read(`generated/help/${op}.md`), op).toMatch(new RegExp(`^# ${op} \\((read|write)\\)\\n`));
    const page = read("generated/help/onto.task.create.md");
    for (const heading of ["## Do\n", "## Do not\n", "## Edge cases\n"]) expect(page).toContain(heading);
  });

  test("[GEN-2.4] every op has a Python and a TypeScript signature", ({ annotate }) => {
    const stubs = read("generated/stubs.pyi");
    const parsed = spawnSync("python3", ["-c", "import ast,sys; ast.parse(sys.stdin.read())"], { input: stubs });
    if (parsed.error) void annotate("python3 is not installed: stubs.pyi was not parsed");
    else expect(parsed.stderr.toString()).toBe("");
    for (const { op, signature } of registry().tools) {
      expect(signature.python).toMatch(new RegExp(`^${op.replaceAll(".", "\\.")}\\(`));
      expect(signature.typescript).toMatch(/^[\w.]+\(args\??: .*\): Promise<.*>$/);
      expect(stubs).toContain(`def ${op.split(".").at(-1)}(self`);
    }
    // Each signature as a method of an interface, next to the types that are generated for the same ops.
    const methods = registry().tools.map(({ op, signature }: Json) => {
      expect(signature.typescript.startsWith(`${op}(`), op).toBe(true);
      return `  "${op}"${signature.typescript.slice(op.length)};\n`;
    });
    const root = temporaryFolder();
    writeFileSync(join(root, "types.ts"), read("generated/types.ts"));
    writeFileSync(join(root, "signatures.ts"), `export interface Signatures {\n${methods.join("")}}\n`);
    expect(compile(root, ["types.ts", "signatures.ts"])).toBe("");
    writeFileSync(
      join(root, "signatures.ts"),
      `export interface Signatures {\n${methods.join("").replace(": Promise<", ": Promise<<")}}\n`,
    );
    expect(compile(root, ["signatures.ts"])).toContain("error TS");
  });

  test("[GEN-2.5] validators are plain ESM: they take what fits and say what does not", async () => {
    const { ontoTaskCreate } = await import(join(made, "generated/validators/onto.js"));
    expect(ontoTaskCreate({ project_id: "proj_1", title: "Call Anna" })).toBe(true);
    expect(ontoTaskCreate({ project_id: "task_1", titel: "Call Anna" })).toBe(false);
    const found = ontoTaskCreate.errors.map((one: Json) => one.keyword);
    expect(found.sort()).toEqual(["additionalProperties", "pattern", "required"]);
    for (const pack of ["onto", "util"]) expect(read(`generated/validators/${pack}.js`)).not.toMatch(/\brequire\(/);
  });
});

describe("as a tool of CI", () => {
  test("[GEN-3.1] the same input gives the same bytes in another folder, time zone and language", {
    tags: "slow",
  }, async () => {
    const root = copiedRoot();
    const { code } = await toolwright(["generate", "--root", root], {
      cwd: "/",
      env: { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    });
    expect(code).toBe(0);
    for (const file of [
      "registry.json",
      "registry-index.json",
      "registry.ts",
      "types.ts",
      "stubs.pyi",
      "toolwright.lock",
      "help/index.json",
      "help/search.json",
      "validators/onto.js",
    ])
      expect(readFileSync(join(root, "generated", file), "utf8"), file).toBe(committed(`generated/${file}`));
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
    expect(JSON.parse((await toolwright(["generate", "--json", "--root", root])).stdout)).toMatchObject({
      written: [],
      deleted: [],
    });
  });

  test("check finds stale, missing and orphaned files, shows a diff and ends with 1", { tags: "full" }, async () => {
    const root = copiedRoot();
    await toolwright(["generate", "--root", root]);
    const generated = join(root, "generated");
    writeFileSync(
      join(generated, "ops.ts"),
      readFileSync(join(generated, "ops.ts"), "utf8").replace("list_onto_tasks", "list_tasks"),
    );
    const { rmSync } = await import("node:fs");
    rmSync(join(generated, "stubs.pyi"));
    cpSync(join(generated, "types.ts"), join(generated, "old.ts"));
    const { code, stdout } = await toolwright(["check", "--root", root]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/stale\s+generated\/ops\.ts/);
    expect(stdout).toMatch(/missing\s+generated\/stubs\.pyi/);
    expect(stdout).toMatch(/orphaned\s+generated\/old\.ts/);
    expect(stdout).toContain('-  "onto.task.list": "list_tasks",');
  });

  test("[GEN-3.3] an MCP server runs from the generated code, for current and for older clients", async () => {
    const current = await serve(freshRoot());
    expect((await current.client.listTools()).tools.length).toBe(4);
    expect((await current.call("tool_exec", { op: "onto.project.list" })).value.ok).toBe(true);
    const refused = (await current.call("tool_exec", { op: "onto.project.list", args: { limit: "many" } })).value;
    expect(refused.error).toMatchObject({ code: "VALIDATION_ERROR", details: { field_errors: [{ path: "limit" }] } });
    await current.close();
    const older = new OlderClient({ name: "older", version: "1" });
    await older.connect(new OlderTransport(serverCommand(freshRoot())));
    expect((await older.listTools()).tools.map((one) => one.name)).toEqual([
      "run",
      "tool_help",
      "tool_exec",
      "tool_batch",
    ]);
    const answer = await older.callTool({ name: "tool_exec", arguments: { op: "onto.project.list" } });
    expect(answer.structuredContent).toMatchObject({ ok: true, result: { items: [] } });
    await older.close();
  });

  test("[GEN-3.3] what is in generated/ is what is served: registry, help and validators", {
    tags: "slow",
  }, async () => {
    const root = copiedRoot();
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const edit = (file: string, before: string, after: string): void => {
      const path = join(root, "generated", file);
      const text = readFileSync(path, "utf8");
      expect(text).toContain(before);
      writeFileSync(path, text.replaceAll(before, after));
    };
    const op = registry().tools.find((one: Json) => one.op === "onto.project.list");
    edit("registry.json", JSON.stringify(op.summary), JSON.stringify("Edited in the registry."));
    edit("help/index.json", JSON.stringify(op.summary), JSON.stringify("Edited in the index."));
    edit("validators/onto.js", "additionalProperties", "patternProperties");
    const server = await serve(root);
    try {
      const { items } = (await server.call("tool_help", { path: "onto.project" })).value;
      expect(items).toContainEqual({ op: op.op, kind: "read", summary: "Edited in the registry." });
      const page = await server.call("tool_help", { path: op.op, format: "full" });
      expect(page.value).toMatchObject({ summary: "Edited in the index." });
      // A validator of another build must not judge calls.
      const { value } = await server.call("tool_exec", { op: op.op });
      expect(value.error).toMatchObject({ code: "UNAVAILABLE" });
      expect(value.error.message).toContain("generated/validators/onto.js is of another build");
    } finally {
      await server.close();
    }
  });
});
