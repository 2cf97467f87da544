/** `tool_batch`: entries, modes, references to earlier results, and corrections. */

import { describe, expect, test } from "vitest";
import { type BatchResults, isBatchRefusal } from "../../../runtime/call/batch/batch.js";
import { startSession } from "../../../runtime/catalog/session.js";
import { fail } from "../../../runtime/codegen.js";
import { overlapOf } from "../../support/overlap.js";
import { type Fixture, fixture, grant, handler, principal } from "../gateway/fixture.js";

async function run(request: object, { gateway }: Fixture = fixture(), who = principal()): Promise<BatchResults> {
  const answer = await gateway.batch(request, who);
  if (isBatchRefusal(answer)) throw new Error(JSON.stringify(answer));
  return answer;
}
async function refused(request: unknown, who = principal()) {
  const { gateway, calls } = fixture();
  const answer = await gateway.batch(request, who);
  expect(calls).toEqual([]);
  if (!isBatchRefusal(answer)) throw new Error("the batch ran");
  return answer.error;
}

const found = () =>
  fixture({
    handlers: {
      "onto.task.search": handler(async () => ({ items: [{ id: "task_9", "a/b": [7] }] })),
      "onto.search": handler(async () => fail("UNAVAILABLE", "down")),
    },
  });

describe("batch", () => {
  test("an entry whose op is a gateway tool says so, without a corrected call", async () => {
    const { results } = await run({ ops: [{ type: "exec", op: "run", args: { command: "1+1" } }] });
    const message = "run is a tool of its own, not an op: call it with its own arguments.";
    expect(results[0]).toMatchObject({ ok: false, error: { code: "NOT_FOUND", message } });
    expect(results[0]?.["error"]).not.toHaveProperty("corrected_call");
  });

  test("case 25: one succeeds, one fails, both answers are kept in order", async () => {
    const { ok, results, summary, meta } = await run({
      ops: [
        { type: "exec", op: "util.buildos.overview" },
        { type: "exec", op: "onto.task.delete", args: {} },
      ],
    });
    expect(ok).toBe(false);
    expect(summary).toEqual({ total: 2, succeeded: 1, failed: 1, skipped: 0 });
    expect(results[0]).toMatchObject({
      index: 0,
      type: "exec",
      op: "util.buildos.overview",
      ok: true,
      result: { done: "util.buildos.overview" },
    });
    expect(results[1]).toMatchObject({
      index: 1,
      ok: false,
      error: { code: "VALIDATION_ERROR", help_path: "onto.task.delete" },
    });
    expect(Object.keys(meta)).toEqual(["trace_id", "latency_ms", "warnings"]);
  });

  test("help and exec in one round trip; the type is implied by op or path", async () => {
    const { ok, results } = await run({
      ops: [{ path: "onto.task.list" }, { op: "onto.task.list", id: "list" }, { type: "help" }],
    });
    expect(ok).toBe(true);
    expect(results[0]).toMatchObject({
      index: 0,
      type: "help",
      ok: true,
      help_type: "op",
      path: "onto.task.list",
      usage: expect.any(String),
    });
    expect(results[1]).toMatchObject({ index: 1, id: "list", type: "exec", ok: true });
    expect(results[2]).toMatchObject({ type: "help", help_type: "directory", path: "root" });
  });

  test("help that finds nothing is a failed entry", async () => {
    const { summary } = await run({ ops: [{ path: "nowhere.at.all" }, { path: 7 }] });
    expect(summary).toMatchObject({ failed: 2 });
  });

  test.each([
    [7],
    [null],
    [{}],
    [{ op: "a", path: "b" }],
    [{ type: "batch", ops: [] }],
    [{ type: "exec", op: "onto.task.list", id: "a b" }],
    [{ type: "exec", op: "onto.task.list", id: 7 }],
  ])("a broken entry %j fails by itself", async (entry) => {
    const { results, summary } = await run({ ops: [entry, { op: "onto.task.list" }] });
    expect(summary).toEqual({ total: 2, succeeded: 1, failed: 1, skipped: 0 });
    expect(results[0]).toMatchObject({
      index: 0,
      ok: false,
      error: { code: "VALIDATION_ERROR", help_path: expect.any(String) },
    });
  });

  test.each([
    [{ op: "onto.task.list", id: "a b", args: { limit: 1 } }, { limit: 1 }],
    [{ op: "onto.task.list", id: 7, arg: { limit: "1" } }, { limit: 1 }],
    [{ op: "onto.task.list", type: "exek", limit: 1 }, { limit: 1 }],
    [{ op: "onto.task.list", arg: { limit: 1 } }, { limit: 1 }],
    [{ op: "onto.task.delete", id: "", args: { task_id: { $ref: "0#/result/done" } } }, { task_id: "<task_id>" }],
  ])("a broken entry %j that names its op gets a call to copy", async (entry, args) => {
    const { results } = await run({ ops: [{ op: "onto.task.list" }, entry] });
    expect(results[1]?.["error"]).toMatchObject({ corrected_call: { op: entry.op, args } });
  });

  test("a broken entry without a known op gets none", async () => {
    const { results } = await run(
      {
        ops: [
          { op: "onto.nothing", id: 7 },
          { op: "admin.keys.list", id: 7 },
        ],
      },
      fixture(),
      grant("read"),
    );
    for (const { error } of results) expect(error).not.toHaveProperty("corrected_call");
  });

  test("what is wrong with an id is its form, not its type", async () => {
    const { results } = await run({ ops: [{ op: "onto.task.list", id: "a b" }] });
    expect(results[0]?.["error"]).toMatchObject({
      details: { field_errors: [{ keyword: "pattern", message: "ops[0].id is not 1 to 64 of A-Z a-z 0-9 _ -" }] },
    });
  });

  test.each([
    [{}, "ops"],
    [{ ops: [] }, "ops"],
    [{ ops: Array.from({ length: 21 }, () => ({ path: "" })) }, "ops"],
    [{ ops: "x" }, "ops"],
    [{ ops: [{ path: "" }], mode: "fast" }, "mode"],
    [{ ops: [{ path: "" }], stop_on_error: 1 }, "stop_on_error"],
    [{ ops: [{ path: "" }], more: 1 }, "more"],
    [
      {
        ops: [
          { path: "", id: "a" },
          { path: "", id: "a" },
        ],
      },
      "ops[1].id",
    ],
    [null, ""],
  ])("a broken batch %# is refused whole", async (request, path) => {
    const error = await refused(request);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", help_path: "root" });
    expect(error.details?.["field_errors"]).toMatchObject([{ path }]);
  });

  test("what refuses a batch is said in full", async () => {
    const findings = async (request: unknown) => (await refused(request)).details?.["field_errors"];
    const two = [
      { path: "", id: "a" },
      { path: "", id: "a" },
    ];
    expect(await findings({ ops: two })).toEqual([
      {
        path: "ops[1].id",
        keyword: "uniqueItems",
        message: "ops[1].id is the id of ops[0] too",
        expected: "an id of its own",
        received: "a",
      },
    ]);
    expect(await findings({ ops: [] })).toMatchObject([{ expected: "array of 1 to 20 entries" }]);
    const ops = [
      { op: "delete_onto_task", args: { task_id: "task_1" } },
      { op: "onto.search", args: { query: { $ref: "0#/ok" } } },
    ];
    const fault = { keyword: "parallel", expected: "reads without references" };
    expect(await findings({ ops, mode: "parallel" })).toEqual([
      { ...fault, path: "ops[0]", message: "ops[0] is a write", received: "delete_onto_task" },
      { ...fault, path: "ops[1]", message: "ops[1] refers to another entry", received: "onto.search" },
    ]);
  });

  test("the batch to copy is one that is accepted, in sequence if it cannot be parallel", async () => {
    const ops = [
      { id: "a", op: "onto.task.list" },
      { id: "b", op: "delete_onto_task", args: { task_id: "task_1" } },
    ];
    expect((await refused({ ops, mode: "parallel" })).corrected_call).toEqual({ ops, mode: "sequential" });
    const twice = ops.map((one) => ({ ...one, id: "a" }));
    expect(await refused({ ops: twice, mode: "parallel" })).not.toHaveProperty("corrected_call");
  });

  test("a list in place of a batch gets the batch of its entries to copy", async () => {
    expect((await refused([{ op: "onto.task.list" }])).corrected_call).toEqual({ ops: [{ op: "onto.task.list" }] });
    expect(await refused(7)).not.toHaveProperty("corrected_call");
  });

  test.each(["sequential", "parallel"])("progress counts entries, not what their handlers report: %s", async (mode) => {
    const { gateway } = fixture({ handlers: { "onto.task.list": handler(async (_, ctx) => ctx.progress(50, 100)) } });
    const progress: unknown[] = [];
    const ops = [{ op: "onto.task.list" }, { op: "onto.task.list" }, { path: "root" }];
    await gateway.batch({ ops, mode }, principal(), { progress: (...told) => void progress.push(told) });
    expect(progress).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  test("stop_on_error skips what comes after the first failure", async () => {
    const made = fixture();
    const { results, summary, ok } = await run(
      { ops: [{ op: "onto.task.delete" }, { op: "onto.task.list", id: "b" }, { path: "root" }], stop_on_error: true },
      made,
    );
    expect(results[1]).toEqual({ index: 1, id: "b", type: "exec", op: "onto.task.list", ok: false, skipped: true });
    expect(results[2]).toMatchObject({ type: "help", skipped: true });
    expect(summary).toEqual({ total: 3, succeeded: 0, failed: 1, skipped: 2 });
    expect(ok).toBe(false);
    expect(made.calls).toEqual([]);
  });

  test("a session counts and remembers across entries", async () => {
    const { gateway } = fixture();
    const session = startSession();
    await gateway.batch({ ops: [{ path: "onto.task.list" }] }, principal(), { session });
    expect(gateway.help({ path: "session" }, principal(), session)).toMatchObject({
      items: [{ op: "onto.task.list" }],
    });
  });
});

describe("parallel", () => {
  test("reads run side by side, answers stay in order", async () => {
    const overlap = overlapOf(8);
    const slow = handler(async () => {
      (await overlap.enter())();
      return {};
    });
    const made = fixture({ handlers: { "onto.task.list": slow } });
    const ops = Array.from({ length: 10 }, (_, limit) => ({ op: "onto.task.list", args: { limit: limit + 1 } }));
    const { results, ok } = await run({ ops, mode: "parallel" }, made);
    expect(ok).toBe(true);
    expect(results.map(({ index }) => index)).toEqual(ops.map((_, index) => index));
    expect(overlap.most()).toBe(8);
  });

  test("stop_on_error starts no further entries; without it all are called", async () => {
    const ops = [{ op: "onto.search", args: { query: "x" } }, { op: "onto.task.list" }, { path: "root" }];
    const one = () =>
      fixture({
        handlers: { "onto.search": handler(async () => fail("UNAVAILABLE", "down")) },
        settings: { parallelCalls: 1 },
      });
    const stopped = one();
    expect((await run({ ops, mode: "parallel", stop_on_error: true }, stopped)).summary).toEqual({
      total: 3,
      succeeded: 0,
      failed: 1,
      skipped: 2,
    });
    expect(stopped.calls).toEqual([]);
    expect((await run({ ops, mode: "parallel" }, one())).summary).toMatchObject({
      succeeded: 2,
      failed: 1,
      skipped: 0,
    });
  });

  test("a write or a reference refuses the whole batch, named", async () => {
    const ops = [
      { op: "onto.task.list" },
      { op: "delete_onto_task", args: { task_id: "task_1" } },
      { op: "onto.search", args: { query: { $ref: "0#/ok" } } },
      { op: "onto.search", args: '{"query":{"$ref":"0#/ok"}}' },
    ];
    const error = await refused({ ops, mode: "parallel" });
    expect(((error.details?.["field_errors"] ?? []) as { path: string }[]).map(({ path }) => path)).toEqual([
      "ops[1]",
      "ops[2]",
      "ops[3]",
    ]);
  });

  test("a write that the caller may not see fails by itself, like an unknown op", async () => {
    const { summary } = await run(
      { ops: [{ op: "onto.task.delete" }, { op: "onto.nothing" }], mode: "parallel" },
      fixture(),
      grant("read"),
    );
    expect(summary).toMatchObject({ failed: 2 });
  });
});

describe("references", () => {
  test.each([["find"], ["0"]])("by %s, whole values at any depth", async (name) => {
    const made = found();
    const args = {
      project_id: "proj_1",
      title: "A",
      connections: [{ kind: "task", id: { $ref: `${name}#/result/items/0/id` } }],
      props: { seven: { $ref: `${name}#/result/items/0/a~1b/0` }, all: { $ref: `${name}#/ok` } },
    };
    const { ok } = await run(
      {
        ops: [
          { id: "find", op: "onto.task.search", args: { search: "x" } },
          { op: "onto.task.create", args },
        ],
      },
      made,
    );
    expect(ok).toBe(true);
    expect(made.calls[0]?.args).toMatchObject({ connections: [{ id: "task_9" }], props: { seven: 7, all: true } });
  });

  test("args as a whole, and args as text", async () => {
    const made = found();
    const handlers = [
      { op: "onto.task.search", args: { search: "x" } },
      { op: "onto.task.delete", args: '{"task_id":{"$ref":"0#/result/items/0/id"}}' },
    ];
    expect((await run({ ops: handlers }, made)).ok).toBe(true);
    expect(made.calls).toEqual([{ op: "onto.task.delete", args: { task_id: "task_9" } }]);
  });

  test("a $literal is passed as it is", async () => {
    const made = found();
    const props = { a: { $literal: { $ref: "0#/ok" } }, b: { $ref: "x", more: 1 } };
    await run({ ops: [{ op: "onto.task.create", args: { project_id: "proj_1", title: "A", props } }] }, made);
    expect(made.calls[0]?.args["props"]).toEqual({ a: { $ref: "0#/ok" }, b: { $ref: "x", more: 1 } });
  });

  test.each([
    ["1#/ok"],
    ["later#/ok"],
    ["0#/result/nothing"],
    ["0#/result/items/01/id"],
    ["0"],
    ["#/ok"],
    [7],
    ["0#/__proto__"],
    ["0#/constructor"],
    ["-1#/ok"],
  ])("%j leads nowhere: keyword ref, and the handler is not called", async ($ref) => {
    const made = found();
    const { results } = await run(
      {
        ops: [
          { op: "onto.task.search", args: { search: "x" } },
          { op: "onto.task.delete", args: { task_id: { $ref } } },
          { id: "later", op: "onto.task.list" },
        ],
      },
      made,
    );
    expect(results[1]).toMatchObject({
      ok: false,
      error: { details: { field_errors: [{ path: "task_id", keyword: "ref" }] }, help_path: "onto.task.delete" },
    });
    expect(made.calls.map(({ op }) => op)).toEqual(["onto.task.list"]);
  });

  test("an entry whose source failed or was skipped is skipped", async () => {
    const ops = [
      { id: "a", op: "onto.search", args: { query: "x" } },
      { id: "b", op: "onto.task.search", args: { search: { $ref: "a#/result" } } },
      { op: "onto.task.search", args: { search: { $ref: "b#/result" } } },
    ];
    const { summary } = await run({ ops }, found());
    expect(summary).toEqual({ total: 3, succeeded: 0, failed: 1, skipped: 2 });
  });
});
