/** Scenarios of `tool_exec`: envelopes, errors, corrections. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp } from "../support/http.js";
import { keysOfEveryGrant } from "../support/keys.js";
import { CHECKOUT, freshRoot, generatedRoot, type Json, type Served, serve, toolwright } from "../support/project.js";
import { isOfTables, MAPPING } from "./mapping.js";

const cleaning: (() => void)[] = [];
const later = (one: () => void): void => void cleaning.push(one);
let server: Served;
let readOnly: Served;
let faulty: Served;
let project = "";

beforeAll(async () => {
  const faultyRoot = generatedRoot(join(CHECKOUT, "test/support/demos/faulty/definitions"), later);
  [server, readOnly, faulty] = await Promise.all([
    serve(freshRoot(later), ["--allow-write"]),
    serve(freshRoot(later)),
    faultyRoot.then((root) => serve(root)),
  ]);
  const created = await server.call("tool_exec", {
    op: "onto.project.create",
    args: { project: { name: "Launch", type_key: "project.business.launch" }, entities: [], relationships: [] },
  });
  project = created.value.result.project.id;
});
afterAll(async () => {
  await Promise.all([server, readOnly, faulty].map((one) => one.close()));
  for (const one of cleaning) one();
});

const exec = (
  op: string,
  args: object = {},
  more: object = {},
  on: Served = server,
): Promise<{ value: Json; isError: boolean }> => on.call("tool_exec", { op, args, ...more });

describe("envelopes", () => {
  test("[GW-3.1] a call that is done answers op, ok, result and meta", async () => {
    const { value, isError } = await exec("onto.task.list");
    expect(isError).toBe(false);
    expect(Object.keys(value)).toEqual(["op", "ok", "result", "meta"]);
    expect(value).toMatchObject({ op: "onto.task.list", ok: true, result: { items: [] }, meta: { warnings: [] } });
    expect(value.meta.trace_id).toMatch(/^tr_[0-9a-f]{16}$/);
    expect(value.meta.latency_ms).toBeGreaterThanOrEqual(0);
    // It hangs until its limit of 200 ms ends it. Another test sends the same call without dry_run, and must not repeat this one.
    const slow = await exec("demo.hang", {}, { dry_run: false }, faulty);
    expect(slow.value.meta.latency_ms).toBeGreaterThanOrEqual(150);
  });

  test("[GW-3.2] every code comes with help_path, and with a corrected call where another call can do better", async () => {
    const absent = "task_0000000000000000";
    const table: readonly (readonly [
      code: string,
      call: Promise<{ value: Json; isError: boolean }>,
      helpPath: string,
      details: object,
    ])[] = [
      [
        "VALIDATION_ERROR",
        exec("onto.task.list", { limit: 51 }),
        "onto.task.list",
        { field_errors: [expect.objectContaining({ path: "limit", keyword: "maximum" })] },
      ],
      [
        "PERMISSION_DENIED",
        exec("onto.task.create", { project_id: project, title: "Call Anna" }, {}, readOnly),
        "onto.task.create",
        { granted: "read", required: "write" },
      ],
      ["NOT_FOUND", exec("onto.task.get", { task_id: absent }), "onto.task.get", { kind: "task", id: absent }],
      ["CONFLICT", exec("demo.clash", {}, {}, faulty), "demo.clash", { expected_version: 1, current_version: 2 }],
      ["INTERNAL", exec("demo.crash", {}, {}, faulty), "demo.crash", {}],
      ["UNAVAILABLE", exec("demo.unplugged", {}, {}, faulty), "demo.unplugged", {}],
      ["TIMEOUT", exec("demo.hang", {}, {}, faulty), "demo.hang", { limit_ms: 200 }],
    ];
    for (const [code, call, helpPath, details] of table) {
      const { value, isError } = await call;
      expect(isError, code).toBe(true);
      expect(Object.keys(value), code).toEqual(["op", "ok", "error", "meta"]);
      expect(value, code).toMatchObject({ ok: false, error: { code, help_path: helpPath } });
      const isCorrected = code === "VALIDATION_ERROR" || code === "NOT_FOUND";
      const keys = ["code", "message", "details", "help_path", ...(isCorrected ? ["corrected_call"] : [])];
      expect(Object.keys(value.error), code).toEqual(keys);
      if (isCorrected) expect(value.error.corrected_call, code).toMatchObject({ op: helpPath });
      expect(value.error.details, code).toEqual(details);
      expect(value.error.message.length, code).toBeGreaterThan(10);
    }
  });

  test("[GW-3.2] an invalid key and a rate-limited key get the same envelope before the op is looked up", {
    timeout: 120_000,
  }, async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
    const config = "sources: [{ functions: vault.ts }]\naccess: { rate: { burst: 1, per_second: 0.001 } }\n";
    writeFileSync(join(root, "definitions", "toolwright.yaml"), config);
    const { keys, read } = await keysOfEveryGrant(root);
    const call = async (key: string): Promise<Json> => {
      const served = await serve(root, [], { OUBLIETTE_API_KEY: key });
      const answers = [await exec("vault.list_notes", {}, {}, served), await exec("vault.list_notes", {}, {}, served)];
      await served.close();
      return answers[1];
    };
    for (const [code, key, details] of [
      ["UNAUTHENTICATED", "garbage", {}],
      ["RATE_LIMITED", read.key, { retry_after_ms: expect.any(Number) }],
    ] as const) {
      const { value, isError } = await call(key);
      expect(isError, code).toBe(true);
      expect(Object.keys(value), code).toEqual(["op", "ok", "error", "meta"]);
      expect(value, code).toMatchObject({ op: "vault.list_notes", ok: false, error: { code, help_path: "root" } });
      expect(Object.keys(value.error), code).toEqual(["code", "message", "details", "help_path"]);
      expect(value.error.details, code).toEqual(details);
    }
    await keys.close();
  });

  test("[GW-3.2] every error has details in a batch, in help and over HTTP too", async () => {
    const { value } = await faulty.call("tool_batch", {
      ops: [
        { op: "demo.crash" },
        { op: "demo.nothing" },
        { path: "nowhere" },
        { type: "exec" },
        { path: 7 },
        { op: "demo.clash" },
      ],
    });
    for (const { error } of value.results) expect(error.details).toEqual(expect.any(Object));
    expect(value.results[0].error).toMatchObject({ code: "INTERNAL", details: {} });
    expect((await faulty.call("tool_batch", { ops: [] })).value.error.details.field_errors).toHaveLength(1);
    expect((await faulty.call("tool_help", { path: "nowhere" })).value.error).toMatchObject({ details: {} });
    const http = await serveHttp(await generatedRoot(join(CHECKOUT, "test/support/demos/faulty/definitions")));
    const post = async (path: string, body: string): Promise<Json> =>
      (
        await fetch(`${http.url.replace(/\/mcp$/, "")}${path}`, {
          method: "POST",
          body,
          headers: { "content-type": "application/json" },
        })
      ).json();
    const crash = JSON.stringify({ op: "demo.crash", args: {} });
    expect((await post("/api/exec", crash)).error).toMatchObject({ code: "INTERNAL", details: {} });
    expect((await post("/api/exec", "{")).error).toMatchObject({
      code: "VALIDATION_ERROR",
      details: expect.any(Object),
    });
    const batch = await post("/api/batch", JSON.stringify({ ops: [{ op: "demo.crash" }] }));
    expect(batch.results[0].error.details).toEqual({});
  });

  test("[GW-3.2] an op without handler is listed, and names the file to bind it in", async () => {
    expect((await faulty.call("tool_help", { path: "demo.unplugged" })).value.type).toBe("op");
    const { error } = (await exec("demo.unplugged", {}, {}, faulty)).value;
    expect(error.message).toContain("definitions/handlers.ts");
  });

  test("[GW-3.3] a validation error names each field, what was expected, and the nearest argument", async () => {
    const { value } = await exec("onto.task.create", { titel: "Call Anna", state_key: "bloked" });
    expect(value.error.details.field_errors).toEqual([
      expect.objectContaining({
        path: "project_id",
        keyword: "required",
        expected: "id<project>",
        received: "nothing",
      }),
      expect.objectContaining({ path: "titel", keyword: "additionalProperties", did_you_mean: "title" }),
      expect.objectContaining({
        path: "state_key",
        keyword: "enum",
        expected: "todo|in_progress|blocked|done",
        did_you_mean: "blocked",
      }),
    ]);
    expect(value.error.help_path).toBe("onto.task.create");
    expect(value.error.corrected_call).toEqual({
      op: "onto.task.create",
      args: { project_id: "<project_id>", title: "Call Anna", state_key: "blocked" },
    });
  });

  test("[GW-3.3] errors inside lists and objects are found and placed", async () => {
    const { value } = await exec("onto.project.graph.reorganize", {
      project_id: project,
      nodes: [
        { id: "task_a", kind: "document", connections: [] },
        { id: "task_b", kind: "task", connections: [{ kind: "goal", id: "no id" }] },
      ],
    });
    const paths = value.error.details.field_errors.map((one: Json) => one.path);
    expect(paths).toEqual(expect.arrayContaining(["nodes[0].kind", "nodes[1].connections[0].id"]));
  });

  test("[GW-3.4] an unknown op is NOT_FOUND with the nearest ops", async () => {
    const { value } = await exec("onto.tsk.list");
    expect(value.error).toMatchObject({ code: "NOT_FOUND", help_path: "onto" });
    const { suggestions } = value.error.details;
    expect(suggestions[0]).toBe("onto.task.list");
    expect(suggestions.length).toBeGreaterThan(2);
    expect(suggestions.slice(1)).toEqual(expect.arrayContaining([expect.stringMatching(/^onto\.(task\.|\w+\.list$)/)]));
  });

  test("[GW-3.5] without allow_write a write is refused, and nothing is written", async () => {
    const refused = await exec(
      "onto.project.create",
      { project: { name: "X", type_key: "project.business.x" }, entities: [], relationships: [] },
      {},
      readOnly,
    );
    expect(refused.value.error).toMatchObject({
      code: "PERMISSION_DENIED",
      details: { granted: "read", required: "write" },
    });
    expect(refused.isError).toBe(true);
    const { result } = (await exec("onto.project.list", {}, {}, readOnly)).value;
    expect(result.items).toEqual([]);
    expect((await readOnly.call("tool_help", { path: "onto.task.create" })).value.denied).toBe(true);
  });

  test("[GW-3.9] a handler that throws becomes INTERNAL; the message tells no path and no secret; the next call works", async () => {
    const { value } = await exec("demo.crash", {}, {}, faulty);
    expect(value.error.code).toBe("INTERNAL");
    expect(JSON.stringify(value)).not.toMatch(/home|secret\.ts|hunter22|at .*:\d+/);
    expect(value.error.message).toBe(
      `demo.crash failed; see the log under ${value.meta.trace_id}. Its code can say why: throw fail("VALIDATION_ERROR", "…") of toolwright/codegen.`,
    );
    expect(value.error).toMatchObject({ details: {}, help_path: "demo.crash" });
    expect(value.error).not.toHaveProperty("corrected_call");
    const lines: readonly Json[] = faulty
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    const logged = lines.filter((line) => line.trace_id === value.meta.trace_id);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: 50, span: "demo.crash", error_type: "INTERNAL" });
    expect(logged[0].error).toMatch(/^Error: boom in .*\n +at demo\.crash \(.*:\d+:\d+\)\n/);
    expect(faulty.stderr()).not.toContain("hunter22");
    expect((await exec("demo.strange", {}, {}, faulty)).value.error.code).toBe("INTERNAL");
    expect((await exec("demo.answer", { text: "ab", count: 2 }, {}, faulty)).value.result).toEqual({ text: "abab" });
  });
});

describe("batch", () => {
  test("[GW-4.1] help and exec in one round trip: order kept, failures alone", async () => {
    const { value } = await server.call("tool_batch", {
      ops: [
        { type: "exec", id: "first", op: "onto.project.list" },
        { type: "help", path: "onto.task.list" },
        { type: "exec", op: "onto.document.get", args: {} },
        { type: "exec", op: "onto.project.get", args: { project_id: { $ref: "first#/result/items/0/id" } } },
      ],
    });
    expect(value.ok).toBe(false);
    expect(value.results.map((one: Json) => [one.index, one.type])).toEqual([
      [0, "exec"],
      [1, "help"],
      [2, "exec"],
      [3, "exec"],
    ]);
    expect(value.results[0]).toMatchObject({ id: "first", ok: true });
    expect(value.results[2]).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
    expect(value.results[3]).toMatchObject({ ok: true, result: { project: { id: project } } });
    expect(value.summary).toEqual({ total: 4, succeeded: 3, failed: 1, skipped: 0 });
    const ops = [{ op: "onto.nothing" }, { path: "onto.task.list" }, { op: "onto.project.list" }];
    const parallel = (await server.call("tool_batch", { ops, mode: "parallel" })).value;
    expect(parallel.results.map((one: Json) => [one.index, one.type, one.ok])).toEqual([
      [0, "exec", false],
      [1, "help", true],
      [2, "exec", true],
    ]);
  });

  test("[GW-4.2] a first call of an op: its short help and the call together", async () => {
    const { value, isError } = await server.call("tool_batch", {
      ops: [
        { type: "help", path: "onto.project.get", format: "short" },
        { type: "exec", op: "onto.project.get", args: { project_id: project } },
        { type: "help", path: "onto.project.get", format: "full", include_examples: false },
      ],
    });
    expect(isError).toBe(false);
    for (const [at, more] of [
      [0, { format: "short" }],
      [2, { format: "full", include_examples: false }],
    ] as const) {
      const { type, ...alone } = (await server.call("tool_help", { path: "onto.project.get", ...more })).value;
      expect(value.results[at]).toEqual({ index: at, type: "help", ok: true, help_type: type, ...alone });
    }
    expect(value).toMatchObject({
      ok: true,
      results: [
        { type: "help", help_type: "op", usage: "onto.project.get(project_id)", args: [{ name: "project_id" }] },
        { type: "exec", ok: true, result: { project: { id: project } } },
        { type: "help", help_type: "op", description: expect.any(String) },
      ],
    });
  });
});

describe("names", () => {
  test("[GW-5.1] every row of the mapping tables holds in both directions", async () => {
    const { readFileSync } = await import("node:fs");
    const registry: Json = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8"));
    const tools: readonly Json[] = registry.tools.filter(isOfTables);
    const byOp = new Map<string, Json>(tools.map((one) => [one.op, one]));
    expect(tools.length).toBe(MAPPING.length);
    for (const [op, tool, kind] of MAPPING) {
      expect(byOp.get(op), op).toMatchObject({ tool_name: tool, kind });
      expect((await server.call("tool_help", { path: tool })).value.path, tool).toBe(op);
      expect((await exec(op, { " ": 0 })).value.error.help_path, op).toBe(op);
      expect((await exec(tool, { " ": 0 })).value.error.help_path, tool).toBe(op);
    }
  });

  test("[GW-8.1] a client sees the gateway tools and not one of the individual tools", async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map((one) => one.name)).toEqual(["run", "tool_help", "tool_exec", "tool_batch"]);
    for (const [, tool] of MAPPING) expect(tools.map((one) => one.name)).not.toContain(tool);
    await expect(server.client.callTool({ name: "list_onto_tasks", arguments: {} })).rejects.toThrow(
      /Unknown tool: list_onto_tasks\. It is an op: call tool_exec with \{"op":"onto\.task\.list","args":\{\}\}/,
    );
    const long = { name: "list_onto_tasks", arguments: { search: "a".repeat(3000) } };
    await expect(server.client.callTool(long)).rejects.toThrow(
      /tool_exec with \{"op":"onto\.task\.list","args":"<args: /,
    );
    await expect(server.client.callTool({ name: "onto.task.lst" })).rejects.toThrow(/tool_help lists the ops/);
    expect((await server.client.callTool({ name: "tool.help", arguments: {} })).isError).toBeFalsy();
  });

  test("the command line answers with the same envelope", async () => {
    const { code, stdout } = await toolwright(["exec", "onto.tsk.list", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.details.suggestions[0]).toBe("onto.task.list");
  });
});
