/** `toolwright names`: the table of ops, and ops that are pinned; `generate` says what was inferred. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import type { NamedDefinition } from "../../../generator/core/ir.js";
import { nameOps } from "../../../generator/pipeline.js";
import { pageText, section } from "../../support/doc-pages.js";
import { buildProject, errorsOf, hostOf, openapi, type Project, tool } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

/** The project of the documentation: its files, and what the command prints. */
function documented() {
  const text = section(pageText("docs/adding-a-tool.md"), "Names");
  const [source = "", config = "", printed = ""] = [...text.matchAll(/^```(?:ts|yaml|console)\n([\s\S]*?)^```$/gm)].map(
    ([, body]) => body ?? "",
  );
  return { source, config, printed: printed.replace(/^\$ .*\n/, "") };
}

function projectOf(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  return root;
}

const configOf = (root: string): string => readFileSync(join(root, "definitions/toolwright.yaml"), "utf8");

interface Listed {
  readonly names: readonly { readonly tool: string; readonly op: string; readonly named_by: string }[];
}

const opsOf = async (root: string): Promise<readonly (readonly [tool: string, op: string, by: string])[]> => {
  const { stdout } = await toolwright(["names", "--json", "--root", root]);
  return (JSON.parse(stdout) as Listed).names.map((one) => [one.tool, one.op, one.named_by]);
};

describe("the project of the documentation", { timeout: 120_000 }, () => {
  test("prints what the documentation says, and `generate` says what was inferred", async () => {
    const { source, config, printed } = documented();
    const root = projectOf({ "onto.ts": source, "toolwright.yaml": config });
    expect(await toolwright(["names", "--root", root])).toMatchObject({ code: 0, stdout: printed });
    expect((await toolwright(["generate", "--root", root])).stdout).toContain(
      'names: 6 inferred (onto: note, task); "toolwright names" shows them, and pins them with --write\n',
    );
    expect(configOf(root)).toBe(config);
  });

  test("a new tool moves names; once they are pinned, it does not", { tags: "full" }, async () => {
    const { source, config } = documented();
    const more = (name: string) =>
      source.replace(/^];$/m, `  { type: "function", function: { name: "${name}" } },\n];`);
    const root = projectOf({ "onto.ts": source, "toolwright.yaml": `# mine\n${config}` });
    const before = await opsOf(root);
    writeFileSync(join(root, "definitions/onto.ts"), more("get_onto_task"));
    const moved = (await opsOf(root)).find(([tool]) => tool === "get_onto_task_details");
    expect(moved?.[1]).toBe("onto.task.details.get");

    writeFileSync(join(root, "definitions/onto.ts"), source);
    const { code, stdout } = await toolwright(["names", "--write", "--root", root]);
    expect([code, stdout]).toEqual([0, "pinned 7 names in definitions/toolwright.yaml\n"]);
    expect(configOf(root).startsWith(`# mine\n${config}`)).toBe(true);
    expect(await opsOf(root)).toEqual(before.map(([tool, op]) => [tool, op, "configured"]));
    writeFileSync(join(root, "definitions/onto.ts"), more("get_onto_task"));
    const after = await opsOf(root);
    expect(after).toEqual(expect.arrayContaining(before.map(([tool, op]) => [tool, op, "configured"])));
    expect(after.find(([tool]) => tool === "get_onto_task")).toEqual(["get_onto_task", "onto.get_onto_task", "name"]);
    expect((await toolwright(["names", "--write", "--root", root])).stdout).toBe(
      "pinned 1 name in definitions/toolwright.yaml\n",
    );
    expect((await toolwright(["names", "--write", "--root", root])).stdout).toBe("every name is pinned already\n");
  });
});

test("names of servers and HTTP APIs are listed, and never pinned", { tags: "full", timeout: 120_000 }, async () => {
  const config = "use: []\nsources: [{ mcp: s.json }, { openapi: shop.yaml }]\n";
  const root = projectOf({
    "s.json": JSON.stringify({ tools: [{ name: "get_a", inputSchema: { type: "object" } }] }),
    "shop.yaml":
      "openapi: 3.1.0\nservers: [{ url: https://a.example }]\npaths: { /b: { get: { operationId: getB, summary: Gets. } } }\n",
    "toolwright.yaml": config,
  });
  const { stdout } = await toolwright(["names", "--root", root]);
  expect(stdout.split("\n").map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
    ["TOOL", "OP"],
    ["get_a", "s.get_a"],
    ["getB", "shop.getB"],
    ["2", "names,"],
    [""],
  ]);
  expect((await toolwright(["names", "--write", "--root", root])).stdout).toBe(
    "nothing to pin: names of servers and HTTP APIs do not move\n",
  );
  expect(configOf(root)).toBe(config);
});

/** The ops that `names` gives to a project in memory. */
async function namedIn(project: Project) {
  const report = new Report();
  const host = hostOf(project);
  const config = loadConfig((file) => host.read(`definitions/${file}`), report);
  if (!config) throw new Error("the configuration is invalid");
  return nameOps(config, host, report);
}

/** A key that looks like an index, and a schema that nothing reads. */
const ANSWERS = { 200: { content: { "application/json": { schema: { type: "object", properties: { b: {} } } } } } };
const kinds = ["get", "post", "delete"].map((method) => [
  method,
  { operationId: `${method}Thing`, responses: ANSWERS },
]);
const project = {
  "toolwright.yaml": "use: []\nsources: [{ chat-tools: a.json }, { openapi: api.json }]\n",
  "a.json": JSON.stringify([tool("get_a"), tool("list_a"), tool("zap_a", { dry_run: { type: "boolean" } })]),
  "api.json": JSON.stringify(openapi({ "/things": Object.fromEntries(kinds) })),
};

test("names are those of a whole build, without its checks of schemas", async () => {
  const [whole, named] = await Promise.all([buildProject(project), namedIn(project)]);
  const namesOf = (drafts: readonly NamedDefinition[] = []) =>
    drafts.map(({ name, op, pack, op_kind, hints, because }) => [name, op, pack, op_kind, hints, because]);
  expect(whole.drafts).toHaveLength(6);
  expect(namesOf(named.drafts)).toEqual(namesOf(whole.drafts));
});

test("what calls answer is not read for names, and schemas are not checked", async () => {
  const broken = { ...project, "a.json": JSON.stringify([tool("get_a", { b: { type: "strin" } })]) };
  expect(errorsOf((await buildProject(broken)).diagnostics)).toEqual([expect.stringContaining("schema-invalid")]);
  const { drafts, diagnostics } = await namedIn(broken);
  expect(errorsOf(diagnostics)).toEqual([]);
  expect(drafts.map(({ op, result }) => [op, result])).toEqual(
    ["a.get_a", "api.getThing", "api.postThing", "api.deleteThing"].map((op) => [op, undefined]),
  );
});

test("two tools with one op are an error of names, too", async () => {
  const twice = {
    ...project,
    "toolwright.yaml": `${project["toolwright.yaml"]}ops: { get_a: { op: a.x }, list_a: { op: a.x } }\n`,
  };
  expect(errorsOf((await namedIn(twice)).diagnostics)).toEqual([expect.stringContaining("op-collision")]);
});

describe("what cannot be pinned", { timeout: 120_000 }, () => {
  const source = JSON.stringify([{ type: "function", function: { name: "get_a", description: "Gets." } }]);

  test("a name in two packs is pinned for its own pack", { tags: "full" }, async () => {
    const config = "use: []\nsources: [{ chat-tools: a.json }, { chat-tools: b.json }]\n";
    const root = projectOf({ "a.json": source, "b.json": source, "toolwright.yaml": config });
    await toolwright(["names", "--write", "--root", root]);
    expect(configOf(root)).toBe(`${config}\nops:\n  a/get_a: { op: a.get_a }\n  b/get_a: { op: b.get_a }\n`);
  });

  test("definitions with errors are not pinned", { tags: "full" }, async () => {
    const config = "use: []\nsources: [{ chat-tools: a.json }, { chat-tools: gone.json }]\n";
    const root = projectOf({ "a.json": source, "toolwright.yaml": config });
    const { code, stderr } = await toolwright(["names", "--write", "--root", root]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Nothing was written.")]);
    expect(configOf(root)).toBe(config);
  });
});
