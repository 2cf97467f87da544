import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshRoot, type Json, type Served, serve, toolwright } from "../support/project.js";
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
const ops = (answer: Json): readonly string[] => answer.items.map((item: Json) => item.op);

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
          { group: "ot", ops: 13 },
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

  test("[GW-2.4] the read half of an entity holds its reads", async () => {
    expect(ops(await help("onto.task.read"))).toEqual(
      ["docs.list", "get", "list", "search"].map((one) => `onto.task.${one}`),
    );
  });

  test("[GW-2.5] the write half of an entity holds its writes", async () => {
    expect(ops(await help("onto.task.write"))).toEqual(
      ["create", "delete", "doc.create_or_attach", "update"].map((one) => `onto.task.${one}`),
    );
  });

  test("[GW-2.6] help of util and of util.web", async () => {
    expect((await help("util")).items).toEqual([
      { group: "util.buildos", ops: 2 },
      { group: "util.schema", ops: 1 },
      { group: "util.web", ops: 2 },
    ]);
    expect(ops(await help("util.web"))).toEqual(["util.web.search", "util.web.visit"]);
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
    for (const [op, , kind] of MAPPING) {
      const answer = await help(op);
      expect(answer, op).toMatchObject({ type: "op", path: op, kind });
      expect(answer.usage, op).toMatch(new RegExp(`^${op.replaceAll(".", "\\.")}\\(.*\\)$`));
      expect(answer.examples.length, op).toBeGreaterThanOrEqual(1);
      expect(answer.notes.length, op).toBeLessThanOrEqual(4);
      for (const arg of answer.args) expect(Object.keys(arg), op).toEqual(expect.arrayContaining(["name", "type"]));
      expect(answer).not.toHaveProperty("description");
      expect(answer).not.toHaveProperty("schema");
    }
  });

  test("[GW-2.8] full help adds descriptions, results, errors and what to see also; flags add and remove", async () => {
    for (const [op] of MAPPING) {
      const answer = await help(op, { format: "full", include_schemas: true, include_examples: false });
      expect(answer, op).toMatchObject({
        description: expect.any(String),
        returns: expect.any(String),
        errors: expect.any(Array),
      });
      expect(answer.schema, op).toMatchObject({ type: "object", additionalProperties: false });
      expect(answer, op).not.toHaveProperty("examples");
    }
    const update = await help("onto.task.update", { format: "full", include_schemas: true });
    expect(update.args[0]).toMatchObject({ name: "task_id", required: true });
    expect(update.examples[0].args.task_id).toBe("<task_id>");
    expect(Object.keys(update.examples[0].args).length).toBeGreaterThan(1);
  });

  test("[GW-2.9] create_onto_task carries a compact policy, in short help too", async () => {
    for (const format of ["short", "full"]) {
      const { policy } = await help("onto.task.create", { format });
      for (const list of ["do", "dont", "edge_cases"]) {
        expect(policy[list].length).toBeGreaterThan(0);
        for (const rule of policy[list]) expect(rule.length).toBeLessThanOrEqual(90);
      }
      expect(policy.dont.join(" ")).toMatch(/what you can do now/i);
    }
  });

  test("[GW-2.10] create_onto_project carries a compact policy", async () => {
    const answer = await help("onto.project.create");
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
