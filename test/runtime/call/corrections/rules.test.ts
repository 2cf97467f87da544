/** The rules of corrected calls, row by row: what is kept, what is mapped, what is refused. */

import { describe, expect, test } from "vitest";
import { startSession } from "../../../../runtime/catalog/session.js";
import { fail, type JsonObject } from "../../../../runtime/codegen.js";
import { errorOf, fieldErrorsOf, fixture, handler, okOf, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const answerTo = (call: unknown) => fixture().gateway.dispatch(call, principal());
const corrected = async (call: unknown) => errorOf(await answerTo(call)).corrected_call;
const TASK = { task_id: "task_1" };
const DELETE = { op: "onto.task.delete", args: TASK };

describe("the effect of a call is kept", () => {
  test.each<[JsonObject]>([
    [{ ...DELETE, dryRun: true }],
    [{ ...DELETE, "dry-run": "yes" }],
    [{ ...DELETE, dry_run: "true" }],
    [{ op: DELETE.op, args: { ...TASK, dry_run: true } }],
    [{ op: DELETE.op, args: { ...TASK, preview: true } }],
    [{ op: DELETE.op, args: { task_id: " ", id: "task_1" }, dry_run: true }],
  ])("%j stays a dry run", async (call) => {
    expect((await corrected(call))?.dry_run).toBe(true);
  });

  test.each<[JsonObject, string]>([
    [{ ...DELETE, idempotency_key: 7 }, "7"],
    [{ ...DELETE, idempotencyKey: "k" }, "k"],
    [{ op: DELETE.op, args: { ...TASK, idempotency_key: "k" } }, "k"],
    [{ op: "onto.task.update", args: { ...TASK, titel: "A" }, idempotency_key: "k" }, "k"],
    [{ op: "onto.tsk.delete", args: TASK, idempotency_key: "k" }, "k"],
  ])("%j keeps its key", async (call, key) => {
    expect((await corrected(call))?.idempotency_key).toBe(key);
  });

  test.each<[JsonObject]>([
    [{ ...DELETE, dry_run: "perhaps" }],
    [{ ...DELETE, dry_run: null, dryRun: [] }],
    [{ ...DELETE, idempotency_key: { a: 1 } }],
    [{ ...DELETE, dryRun: true, "dry-run": false }],
  ])("%j cannot be carried over, so there is no corrected call", async (call) => {
    expect(await corrected(call)).toBeUndefined();
  });
});

describe("a given value is never replaced by another one", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["onto.task.list", { state_key: "finished" }, { state_key: "<state_key: todo or in_progress or blocked or done>" }],
    ["onto.task.list", { state_key: "undone" }, { state_key: "<state_key: todo or in_progress or blocked or done>" }],
    ["onto.task.list", { limit: 1000 }, { limit: "<limit: integer 1..50>" }],
    [
      "onto.task.create",
      { project_id: "proj_1", title: "A", priority: "high" },
      { project_id: "proj_1", title: "A", priority: "<priority: integer 1..5>" },
    ],
    ["onto.task.list", { stat_key: "done" }, { state_key: "done" }],
    [
      "onto.task.search",
      { search: "a", assignee: "Anna" },
      { search: "a", assignee: expect.stringMatching(/^<assignee: /) },
    ],
  ])("in a call of %s with %j", async (op, args, expected) => {
    expect((await corrected({ op, args }))?.args).toEqual(expected);
  });
});

describe("what means the same is mapped", () => {
  const list = (args: unknown) => ({ op: "onto.task.list", args });
  test.each<[JsonObject, JsonObject]>([
    [list({ limit: "20" }) as JsonObject, { limit: 20 }],
    [list("{'limit': 3, 'state_key': None}") as JsonObject, { limit: 3 }],
    [list('```json\n{"limit": 3}\n```') as JsonObject, { limit: 3 }],
    [list('{"limit": 3,}') as JsonObject, { limit: 3 }],
    [list('"{\\"limit\\": 3}"') as JsonObject, { limit: 3 }],
    [list([{ limit: 3 }]) as JsonObject, { limit: 3 }],
    [{ op: "onto.task.list", kwargs: { limit: 3 } }, { limit: 3 }],
    [{ op: "onto.task.delete", args: { task_id: { id: "task_1", title: "A" } } }, TASK],
    [{ op: "onto.task.delete", args: { task_id: "<task_4t8w1n6y>" } }, { task_id: "task_4t8w1n6y" }],
    [{ op: "onto.task.delete", args: { task_id: "https://app.example.com/t/task_1?x=1" } }, TASK],
    [
      { op: "onto.task.update", args: { ...TASK, due_at: "March 5, 2026 2:30 pm" } },
      { ...TASK, due_at: "2026-03-05T14:30:00Z" },
    ],
    [
      { op: "onto.task.update", args: { ...TASK, dueDate: "5.3.2026" } },
      { ...TASK, due_at: "2026-03-05T00:00:00Z" },
    ],
    [
      {
        op: "onto.task.create",
        args: { project_id: "proj_1", title: "A", connections: { kind: "goal", id: "goal_1" } },
      },
      { project_id: "proj_1", title: "A", connections: [{ kind: "goal", id: "goal_1" }] },
    ],
    [
      { op: "onto.task.create", args: { project_id: "proj_1", title: "A", props: "{'a': True}" } },
      { project_id: "proj_1", title: "A", props: { a: true } },
    ],
  ])("in %j", async (call, args) => {
    expect((await corrected(call))?.args).toEqual(args);
  });

  test.each(["3/5/2026", "tomorrow", "31.2.2026", "05:00"])(
    "the date %s can be read in several ways or none",
    async (due_at) => {
      const call = await corrected({ op: "onto.task.update", args: { ...TASK, due_at } });
      expect(call?.args["due_at"]).toBe("<due_at: date-time>");
    },
  );
});

describe("a placeholder that comes back is refused", () => {
  test.each(["<title>", "<title: what is to be done>", "‹title›", " <name> ", "<task_id>"])(
    "%s is, at the top and within",
    async (title) => {
      const { exec, calls } = fixture();
      const envelope = await exec("onto.task.create", { project_id: "proj_1", title });
      expect(fieldErrorsOf(envelope)).toMatchObject([{ path: "title", keyword: "placeholder" }]);
      const nested = await exec("onto.task.create", { project_id: "proj_1", title: "A", props: { a: [title] } });
      expect(fieldErrorsOf(nested)).toMatchObject([{ path: "props.a[0]", keyword: "placeholder" }]);
      expect(calls).toEqual([]);
    },
  );

  test.each(["example", "string", "<br>", "a <b> c", "<p>x</p>", "x < y > z"])("%s is a value", async (title) => {
    okOf(await fixture().exec("onto.task.create", { project_id: "proj_1", title }));
  });
});

describe("the op", () => {
  test.each([
    "onto/task/list",
    "onto:task:list",
    "onto_task_list",
    "onto-task-list",
    "functions.onto.task.list",
    "ontoTaskList",
    "list tasks",
    "task.list",
    "mcp__toolwright__onto_task_list",
  ])("%s is onto.task.list", async (op) => {
    expect(okOf(await fixture().exec(op, { limit: 1 })).meta).toMatchObject({ executed_op: "onto.task.list" });
  });

  test.each<[JsonObject]>([
    [{ name: "onto/task/delete", args: TASK }],
    [{ tool: "onto.task.delete", argument: TASK }],
    [{ command: "delete_onto_task", args: TASK }],
    [{ operation: "onto/task/delete", args: TASK }],
    [{ path: "onto.task.delete", args: TASK }],
    [{ function: { name: "onto.task.delete", arguments: '{"task_id":"task_1"}' } }],
    [{ args: { op: "onto.task.delete", ...TASK } }],
    [{ op: "exec", args: { op: "onto.task.delete", args: TASK } }],
  ])("%j is found in the whole call", async (call) => {
    expect(await corrected(call)).toEqual(DELETE);
  });

  test.each<[string, string | undefined]>([
    ["onto.task.remove", "onto.task.delete"],
    ["onto.task.add", "onto.task.create"],
    ["onto.task.find", "onto.task.search"],
    ["onto.task.edit", "onto.task.update"],
    ["onto.tsk.list", "onto.task.list"],
    ["onto.risk.delete", undefined],
    ["onto.task.set", "onto.task.update"],
  ])("%s suggests %s", async (op, expected) => {
    const { corrected_call, details } = errorOf(await fixture().exec(op, {}));
    expect(corrected_call?.op).toBe(expected);
    if (expected !== undefined) expect((details["suggestions"] as readonly string[])[0]).toBe(expected);
  });

  test("a verb that sets a state is an update with that state", async () => {
    const schema = closed(
      { goal_id: { type: "string" }, state_key: { type: "string", enum: ["active", "achieved"] } },
      ["goal_id"],
    );
    const more = [toolOf({ op: "onto.goal.update", tool: "update_onto_goal", kind: "write", schema })];
    const { corrected_call } = errorOf(await fixture({ more }).exec("onto.goal.complete", { goal_id: "g" }));
    expect(corrected_call).toEqual({ op: "onto.goal.update", args: { goal_id: "g", state_key: "achieved" } });
  });

  test("an empty call shows how a call looks, and cannot be carried out by copying it", async () => {
    const { exec, gateway, calls } = fixture();
    for (let i = 0; i < 3; i++) await exec("onto.task.search", { search: "a" });
    calls.splice(0);
    const call = errorOf(await gateway.dispatch({}, principal())).corrected_call;
    expect(call).toEqual({ op: "onto.task.search", args: { search: "<search>" } });
    expect((await gateway.dispatch(call, principal())).ok).toBe(false);
    expect(calls).toEqual([]);
  });
});

describe("a call repeated word for word", () => {
  test.each([
    [
      "an op without its arguments",
      { op: "onto.task.search", args: {} },
      /onto\.task\.search\(search: string/,
      /search \(string\)/,
    ],
    ["nothing", {}, /tool_help/, /what is to be done/],
  ])("%s gets a narrower answer each time", async (_, call, usage, ask) => {
    const { gateway } = fixture();
    const session = startSession();
    const errors = [];
    for (let i = 0; i < 3; i++) errors.push(errorOf(await gateway.dispatch(call, principal(), { session })));
    const [first, second, third] = errors;
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(3);
    expect(first?.corrected_call).toBeDefined();
    expect(second?.details["usage"]).toMatch(usage);
    expect(third?.message).toMatch(/^Stop: this call failed 3 times/);
    expect(third?.message).toMatch(ask);
    expect(third).not.toHaveProperty("corrected_call");
  });
});

test.each(["UNAVAILABLE", "INTERNAL", "TIMEOUT", "PERMISSION_DENIED"] as const)(
  "%s carries no corrected call",
  async (code) => {
    const handlers = { "onto.task.search": handler(async () => fail(code, "said so")) };
    const envelope = await fixture({ handlers }).exec("onto.task.search", { query: "a" });
    expect(errorOf(envelope)).not.toHaveProperty("corrected_call");
  },
);

describe("help and batch", () => {
  test.each([
    [{ op: "onto.task.list" }, "onto.task.list"],
    [{ path: ["onto", "task"] }, "onto.task"],
    [{ path: 7 }, "root"],
    [{ path: ["onto.task.list", "onto.task.delete"] }, "onto.task.list"],
    [{ args: { path: "onto.task.list" } }, "onto.task.list"],
    [{ path: { op: "onto.task.list" } }, "onto.task.list"],
    [{ paths: ["onto.task.list"] }, "onto.task.list"],
  ])("help %j is answered with a request that works", async (request, path) => {
    const { gateway } = fixture();
    const answer = gateway.help(request, principal());
    if (answer.type !== "error") throw new Error(answer.type);
    expect(answer.error.corrected_call).toEqual({ path });
    expect(gateway.help(answer.error.corrected_call, principal()).type).not.toBe("error");
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { path: "onto.task.list", format: "FULL" },
      { path: "onto.task.list", format: "full" },
    ],
    [
      { path: "onto.task.list", format: "long" },
      { path: "onto.task.list", format: "<format: short or full>" },
    ],
    [
      { path: "onto.task.list", include_schemas: "true" },
      { path: "onto.task.list", include_schemas: true },
    ],
  ])("help %j keeps what was asked for", (request, expected) => {
    expect(fixture().gateway.help(request, principal())).toMatchObject({ error: { corrected_call: expected } });
  });

  test.each(["onto/task/list", "ontoTaskList", "list tasks"])("help of %s is help of onto.task.list", (path) => {
    expect(fixture().gateway.help({ path }, principal())).toMatchObject({ type: "op", path: "onto.task.list" });
  });

  const ENTRY = { op: "onto.task.list", args: { limit: 1 } };
  test.each<[unknown]>([
    [{ ops: JSON.stringify([ENTRY]) }],
    [{ items: [ENTRY] }],
    [{ operations: ENTRY }],
    [{ ops: ENTRY }],
    [{ ops: { a: ENTRY } }],
    [ENTRY],
    [[ENTRY]],
  ])("batch %j is answered with a batch that works", async (request) => {
    const { gateway } = fixture();
    const answer = await gateway.batch(request, principal());
    if (!("error" in answer)) throw new Error("the batch ran");
    expect(answer.error.corrected_call).toEqual({ ops: [ENTRY] });
    expect((await gateway.batch(answer.error.corrected_call, principal())).ok).toBe(true);
  });

  test("a batch keeps its mode, and is not offered without what cannot be carried over", async () => {
    const { gateway } = fixture();
    const kept = await gateway.batch({ items: [ENTRY], mode: "parallel", stop_on_error: true }, principal());
    expect(kept).toMatchObject({ error: { corrected_call: { ops: [ENTRY], mode: "parallel", stop_on_error: true } } });
    const lost = await gateway.batch({ calls: [ENTRY], dry_run: true }, principal());
    expect(JSON.stringify(lost)).not.toContain("corrected_call");
  });

  test("a batch whose entries would fail is not offered", async () => {
    const answer = await fixture().gateway.batch({ items: [{ title: "x" }] }, principal());
    expect(answer).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR" } });
    expect(JSON.stringify(answer)).not.toContain("corrected_call");
  });

  test.each<[JsonObject, JsonObject]>([
    [{ ops: "onto.task.list" }, { ops: [{ op: "onto.task.list", args: {} }] }],
    [{ calls: ["onto/task/list"] }, { ops: [{ op: "onto/task/list", args: {} }] }],
    [
      { calls: [ENTRY], mode: "Parallel" },
      { ops: [ENTRY], mode: "parallel" },
    ],
    [
      { ops: [ENTRY], stop_on_error: "yes" },
      { ops: [ENTRY], stop_on_error: true },
    ],
    [
      { ops: [ENTRY], stop_on_error: "no" },
      { ops: [ENTRY], stop_on_error: false },
    ],
  ])("batch %j keeps what was asked for", async (request, expected) => {
    const answer = await fixture().gateway.batch(request, principal());
    expect(answer).toMatchObject({ error: { corrected_call: expected } });
  });

  test("an unknown type comes back as such", async () => {
    const answer = await fixture().gateway.batch({ ops: [{ type: "dance", op: "onto.task.list" }] }, principal());
    expect(answer).toMatchObject({ results: [{ type: "dance", ok: false }] });
  });
});
