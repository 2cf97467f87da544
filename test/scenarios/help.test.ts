/** Scenarios of `tool_help`: directories, ops, and paths that are not found. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUT, freshRoot, generatedRoot, type Json, type Served, serve, toolwright } from "../support/project.js";
import { MAPPING } from "./mapping.js";

const clean: (() => void)[] = [];
let server: Served;

beforeAll(async () => {
  server = await serve(freshRoot((one) => clean.push(one)));
});
afterAll(async () => {
  await server.close();
  for (const one of clean) one();
});

const help = async (path: string, more: object = {}): Promise<Json> =>
  (await server.call("tool_help", { path, ...more })).value;
/** All pages of an answer as one. */
async function whole(path: string, more: object): Promise<Json> {
  const answer = await help(path, more);
  let next = answer.next;
  while (next?.page !== undefined) {
    const { type: _, path: at, ...page } = await help(next.path, next);
    for (const [name, value] of Object.entries<Json>(page))
      answer[name] = Array.isArray(value) ? [...(answer[name] ?? []), ...value] : (answer[name] ?? value);
    expect(at).toBe(path);
    next = page.next;
  }
  const parts = (of: string): string => answer.parts.flatMap((one: Json) => (one.of === of ? [one.text] : [])).join("");
  return answer.parts ? { ...answer, schema: answer.schema ?? JSON.parse(parts("schema")) } : answer;
}
const ops = (answer: Json): readonly string[] => answer.items.map((item: Json) => item.op);

/** The policy of an op as the registry holds it, without the places in the text that it comes from. */
function recordedPolicy(op: string): Json {
  const { tools } = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const { source: _, ...policy } = tools.find((tool: Json) => tool.op === op).policy;
  return policy;
}

describe("directories", () => {
  test("[GW-2.1] help of nothing, of an empty path and of root lists the packs", async () => {
    for (const path of ["", "root", " . "]) {
      const answer = await help(path);
      expect(answer).toMatchObject({
        type: "directory",
        items: [
          { group: "brave", ops: 4 },
          { group: "llm", ops: 1 },
          { group: "onto", ops: 48 },
          { group: "ot", ops: 18 },
          { group: "oubliette", ops: 16 },
          { group: "proj", ops: 2 },
          { group: "util", ops: 5 },
          { group: "web", ops: 2 },
        ],
      });
      expect(answer.registry_version).toMatch(/^[0-9a-f]{12}$/);
    }
    expect((await server.call("tool_help")).value).toEqual(await help("root"));
  });

  test("[GW-2.2] help of a pack lists its entities, and the ops that belong to none", async () => {
    const { items } = await help("onto");
    const names = items.map((item: Json) => item.group ?? item.op);
    expect(names).toEqual(
      [
        "document",
        "edge",
        "entity",
        "goal",
        "milestone",
        "plan",
        "project",
        "requirement",
        "risk",
        "search",
        "task",
      ].map((one) => `onto.${one}`),
    );
  });

  test("[GW-2.3] help of an entity lists each op with one sentence", async () => {
    const { items } = await help("onto.task");
    expect(items.map((item: Json) => item.op)).toEqual(
      ["create", "delete", "doc.create_or_attach", "docs.list", "get", "list", "search", "update"].map(
        (one) => `onto.task.${one}`,
      ),
    );
    for (const { summary } of items) {
      expect(summary.length).toBeLessThanOrEqual(60);
      expect(summary).toMatch(/^[A-Z][^.]*\.$/);
    }
  });

  test.each([
    ["[GW-2.4]", "read", ["docs.list", "get", "list", "search"]],
    ["[GW-2.5]", "write", ["create", "delete", "doc.create_or_attach", "update"]],
  ])("%s the %s half of an entity holds its own ops, under the path that was asked for", async (_, kind, names) => {
    const answer = await help(`onto.task.${kind}`);
    expect(answer).toMatchObject({ type: "directory", path: `onto.task.${kind}` });
    expect(ops(answer)).toEqual(names.map((one) => `onto.task.${one}`));
    expect(new Set(answer.items.map((item: Json) => item.kind))).toEqual(new Set([kind]));
  });

  test("[GW-2.6] help of util and of util.web", async () => {
    expect((await help("util")).items).toEqual([
      { group: "util.buildos", ops: 2 },
      { group: "util.schema", ops: 1 },
      { group: "util.web", ops: 2 },
    ]);
    expect((await help("util.web")).items).toEqual([
      { op: "util.web.search", kind: "read", summary: "Search the web." },
      { op: "util.web.visit", kind: "read", summary: "Read a web page as text." },
    ]);
  });

  test("[GW-2.11] an unknown path answers with the nearest paths and the top directory", async () => {
    const { value, isError } = await server.call("tool_help", { path: "onto.porject" });
    expect(isError).toBe(true);
    expect(value).toMatchObject({
      type: "not_found",
      path: "onto.porject",
      error: { code: "NOT_FOUND", help_path: "onto" },
    });
    expect(value.suggestions[0]).toBe("onto.project");
    expect(value.items).toEqual((await help("root")).items);
    expect((await toolwright(["help", "onto.porject"])).code).toBe(1);
  });
});

describe("one op", () => {
  test("[GW-2.7] short help has summary, usage, args, notes and an example, for every op", async () => {
    const registry: Json = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8"));
    for (const [op, , kind] of MAPPING) {
      const answer = await help(op);
      const { summary, parameters_schema: schema } = registry.tools.find((one: Json) => one.op === op);
      expect(answer, op).toMatchObject({ type: "op", path: op, kind, summary });
      expect(summary, op).toMatch(/^[A-Z].*[.!?…]$/);
      const { properties = {}, required = [] } = schema;
      expect(
        answer.args.map((one: Json) => [one.name, one.required ?? false, one.default]),
        op,
      ).toEqual(
        expect.arrayContaining(
          Object.entries<Json>(properties).map(([name, one]) => [name, required.includes(name), one.default]),
        ),
      );
      expect(answer.args.length, op).toBe(Object.keys(properties).length);
      for (const { type } of answer.args) expect(type, op).toMatch(/^\S+/);
      for (const note of answer.notes) expect(note, op).toMatch(/^\S.*\S$/);
      for (const { args } of answer.examples)
        expect(Object.keys(properties), op).toEqual(expect.arrayContaining(Object.keys(args)));
      expect(answer.usage, op).toMatch(new RegExp(`^${op.replaceAll(".", "\\.")}\\(.*\\)$`));
      expect(answer.examples.length, op).toBeGreaterThanOrEqual(1);
      expect(answer.notes.length, op).toBeLessThanOrEqual(4);
      for (const arg of answer.args) expect(Object.keys(arg), op).toEqual(expect.arrayContaining(["name", "type"]));
      expect(answer).not.toHaveProperty("description");
      expect(answer).not.toHaveProperty("schema");
    }
  });

  test("[GW-2.7] short help of one op, whole", async () => {
    const { registry_version, examples, ...answer } = await help("onto.task.docs.list");
    expect(answer).toEqual({
      type: "op",
      path: "onto.task.docs.list",
      kind: "read",
      summary: "List the documents attached to a task.",
      usage: "onto.task.docs.list(task_id, offset=0)",
      args: [
        { name: "task_id", type: "id<task>", required: true },
        { name: "offset", type: "integer 0..5000", default: 0 },
      ],
      notes: ["Find task ids with onto.task.search."],
    });
    expect(registry_version).toMatch(/^[0-9a-f]{12}$/);
    expect(examples[0].args).toEqual({ task_id: "<task_id>" });
    const { args, usage } = await help("onto.task.list");
    expect(usage).toBe("onto.task.list(project_id?, state_key?, limit=20, offset=0)");
    expect(args.find((one: Json) => one.name === "limit")).toMatchObject({ type: "integer 1..50", default: 20 });
  });

  test("[GW-2.8] full help adds descriptions, results, errors and what to see also; flags add and remove", async () => {
    for (const [op] of MAPPING) {
      const answer = await whole(op, { format: "full", include_schemas: true, include_examples: false });
      expect(answer, op).toMatchObject({
        description: expect.any(String),
        returns: expect.any(String),
        errors: expect.any(Array),
      });
      expect(answer.schema, op).toMatchObject({ type: "object", additionalProperties: false });
      expect(answer, op).not.toHaveProperty("examples");
    }
    const update = await whole("onto.task.update", { format: "full", include_schemas: true });
    expect(update.args[0]).toMatchObject({ name: "task_id", required: true });
    expect(update.examples[0].args.task_id).toBe("<task_id>");
    expect(Object.keys(update.examples[0].args).length).toBeGreaterThan(1);
  });

  test.each(["short", "full"])("[GW-2.8] %s help has what its flags ask for, and no more", async (format) => {
    for (const [include_schemas, include_examples] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ]) {
      const answer = await whole("onto.task.update", { format, include_schemas, include_examples });
      const has = ["description", "returns", "errors", "schema", "examples"].filter((name) => name in answer);
      expect(has, JSON.stringify({ include_schemas, include_examples })).toEqual([
        ...(format === "full" ? ["description", "returns", "errors"] : []),
        ...(include_schemas ? ["schema"] : []),
        ...(include_examples ? ["examples"] : []),
      ]);
    }
  });

  test("[GW-2.9] create_onto_task carries a compact policy, in short help too", async () => {
    for (const format of ["short", "full"]) {
      const { policy } = await help("onto.task.create", { format });
      const { source, ...rules } = policy;
      expect(Object.keys(rules)).toEqual(["do", "dont", "edge_cases"]);
      expect(rules).toEqual(recordedPolicy("onto.task.create"));
      expect(source !== undefined).toBe(format === "full");
      for (const list of ["do", "dont", "edge_cases"]) {
        expect(policy[list].length).toBeGreaterThan(0);
        for (const rule of policy[list]) expect(rule.length).toBeLessThanOrEqual(90);
      }
      expect(policy.dont.join(" ")).toMatch(/what you can do now/i);
    }
  });

  test("[GW-2.10] create_onto_project carries a compact policy", async () => {
    const answer = await help("onto.project.create");
    expect(Object.keys(answer.policy)).toEqual(["do", "dont", "edge_cases"]);
    expect(answer.policy).toEqual(recordedPolicy("onto.project.create"));
    for (const rule of Object.values<readonly string[]>(answer.policy).flat())
      expect(rule.length).toBeLessThanOrEqual(90);
    expect(answer.policy.do.length).toBeGreaterThan(0);
    expect(answer.policy.dont.length).toBeGreaterThan(0);
    expect(answer.policy.edge_cases.length).toBeGreaterThan(0);
    expect(answer.examples[0].args).toMatchObject({ entities: [], relationships: [] });
    expect(answer.notes.join(" ")).toContain("{temp_id, kind}");
  });

  test("[GW-7.2] the policy of create-task is there at the moment of the call: in one batch with it", async () => {
    const { value } = await server.call("tool_batch", {
      ops: [{ path: "onto.task.create" }, { op: "onto.task.create", args: { title: "Call Anna" } }],
    });
    expect(value.results[0].policy).toEqual((await help("onto.task.create")).policy);
    expect(value.results[0].policy.dont.length).toBeGreaterThan(0);
    expect(value.results[1].error.help_path).toBe("onto.task.create");
  });

  test("a tool name and an alias lead to their op, and say so", async () => {
    expect(await help("get_document_tree")).toMatchObject({
      path: "onto.document.tree.get",
      requested_path: "get_document_tree",
    });
    expect(await help("onto.task.doc.list")).toMatchObject({
      path: "onto.task.docs.list",
      requested_path: "onto.task.doc.list",
    });
  });
});

describe("caches", () => {
  test("[GW-6.1] equal requests give equal bytes; version, path, format and flags tell answers apart", async () => {
    const texts = new Set<string>();
    const variants = [{}, { format: "full" }, { include_schemas: true }, { include_examples: false }];
    for (const more of variants) {
      const [first, again] = [await help("onto.task.update", more), await help("onto.task.update", more)];
      expect(JSON.stringify(again)).toBe(JSON.stringify(first));
      texts.add(JSON.stringify(first));
    }
    expect(texts.size).toBe(variants.length);
  });

  test("[GW-6.1] help of a registry that was reloaded is that of its new version", {
    timeout: 60_000,
    tags: "slow",
  }, async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"));
    const other = await serve(root);
    const asked = async (): Promise<Json> => (await other.call("tool_help", { path: "vault.list_notes" })).value;
    const before = await asked();
    expect(before.summary).toBe("Lists notes.");
    const file = join(root, "definitions", "vault.ts");
    writeFileSync(file, readFileSync(file, "utf8").replace("Lists notes.", "Lists all notes."));
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    expect(await asked()).toEqual(before);
    expect((await other.call("tool_exec", { op: "ot.reload" })).value.ok).toBe(true);
    const after = await asked();
    expect(after.summary).toBe("Lists all notes.");
    expect(after.registry_version).not.toBe(before.registry_version);
    expect((await other.call("tool_help", { path: "vault" })).value.registry_version).toBe(after.registry_version);
    await other.close();
  });

  test("[GW-6.2] the session node lists the ops whose help this connection has read, with a line of arguments", async () => {
    const clean: (() => void)[] = [];
    const other = await serve(freshRoot((one) => clean.push(one)));
    expect((await other.call("tool_help", { path: "session" })).value.items).toEqual([]);
    await other.call("tool_help", { path: "onto.edge.unlink" });
    await other.call("tool_batch", { ops: [{ path: "onto.task.list" }] });
    const { items } = (await other.call("tool_help", { path: "session" })).value;
    expect(items.map((item: Json) => item.op)).toEqual(["onto.edge.unlink", "onto.task.list"]);
    expect(items[1].usage).toBe("onto.task.list(project_id?, state_key?, limit=20, offset=0)");
    await other.close();
    for (const one of clean) one();
  });
});
