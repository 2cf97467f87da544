/** The context of a handler, and which part of its answer reaches the caller. */

import { describe, expect, test, vi } from "vitest";
import { type Context, ToolFailure } from "../../../runtime/codegen.js";
import { errorOf, fixture, grant, handler, okOf, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const DELETE = { task_id: "task_1" };

/** The context that a handler is called with. */
async function contextOf(hooks: object = {}, options: object = {}): Promise<Context> {
  let seen: Context | undefined;
  const { exec } = fixture({
    handlers: {
      "onto.task.list": handler(async (_, ctx) => {
        seen = ctx;
        return null;
      }),
    },
    options,
  });
  okOf(await exec("onto.task.list", {}, {}, principal(), hooks));
  if (!seen) throw new Error("not called");
  return seen;
}

describe("the context of a handler", () => {
  test("has the caller, the trace id and the deadline", async () => {
    const ctx = await contextOf({ client: "agent" }, { clock: () => 1000, traceId: () => "tr_1" });
    expect(ctx).toMatchObject({ client: "agent", traceId: "tr_1", principal: { id: "local" } });
    // What was asked before the call, such as the key, counts.
    expect(ctx.deadline).toBeGreaterThan(1500);
    expect(ctx.deadline).toBeLessThanOrEqual(2000);
    expect(Number.isInteger(ctx.deadline)).toBe(true);
    expect(ctx).not.toHaveProperty("host");
    expect(ctx).not.toHaveProperty("tx");
    expect(await contextOf()).not.toHaveProperty("client");
  });

  test("passes on progress, and ignores it without a listener", async () => {
    const progress = vi.fn();
    (await contextOf({ progress })).progress(1, 3);
    expect(progress.mock.calls).toEqual([[1, 3]]);
    expect(() => void contextOf().then((ctx) => ctx.progress(1))).not.toThrow();
    (await contextOf()).progress(1);
  });

  test("warnings reach the answer", async () => {
    const { exec } = fixture({ handlers: { "onto.task.list": handler(async (_, ctx) => ctx.warn("slow: today")) } });
    expect(okOf(await exec("onto.task.list")).meta.warnings).toEqual(["slow: today"]);
  });

  test("a secret that is not set, or empty, is UNAVAILABLE by its name; without a store it is the environment's", async () => {
    const secret = (name: string) => (name === "EMPTY" ? "" : undefined);
    for (const name of ["EMPTY", "ABSENT"]) {
      const { exec } = fixture({
        handlers: { "onto.task.list": handler(async (_, ctx) => ctx.secret(name)) },
        options: { secret },
      });
      expect(errorOf(await exec("onto.task.list"))).toMatchObject({
        code: "UNAVAILABLE",
        message: `The secret ${name} is not set.`,
        details: { secret: name },
      });
    }
    vi.stubEnv("CONTEXT_TEST", "from outside");
    const ctx = await contextOf();
    expect(ctx.secret("CONTEXT_TEST")).toBe("from outside");
    vi.unstubAllEnvs();
  });

  test("fails to fetch without a guarded web client", async () => {
    const { exec } = fixture({
      handlers: { "onto.task.list": handler(async (_, ctx) => ctx.fetch("http://localhost/")) },
    });
    expect(errorOf(await exec("onto.task.list"))).toMatchObject({
      code: "UNAVAILABLE",
      message: "This server has no web client.",
    });
    const fetch = async () => new Response("page");
    const served = fixture({
      handlers: { "onto.task.list": handler(async (_, ctx) => (await ctx.fetch("http://localhost/")).text()) },
      options: { fetch: fetch as never },
    });
    expect(okOf(await served.exec("onto.task.list")).result).toBe("page");
  });

  test("its log names the call, holds no secret, and reaches the client without the fields", async () => {
    const logged = vi.fn();
    const { exec, lines } = fixture({
      handlers: {
        "onto.task.list": handler(async (_, { log, secret }) => {
          secret("API");
          for (const level of ["debug", "info", "warn", "error"] as const)
            log[level](`${level} of s3cr3t-value`, { url: "https://x/?k=s3cr3t-value" });
          return null;
        }),
      },
      options: { secret: () => "s3cr3t-value", traceId: () => "tr_1" },
    });
    okOf(await exec("onto.task.list", {}, {}, principal(), { logged }));
    const own = lines.filter(({ message }) => / of /.test(message));
    expect(own.map(({ level, message }) => [level, message])).toEqual(
      ["debug", "info", "warn", "error"].map((level) => [level, `${level} of ***`]),
    );
    for (const { fields } of own)
      expect(fields).toEqual({ trace_id: "tr_1", op: "onto.task.list", url: "https://x/?k=***" });
    expect(logged.mock.calls.map(([line]) => line)).toEqual(
      ["debug", "info", "warn", "error"].map((level) => ({
        level,
        op: "onto.task.list",
        trace_id: "tr_1",
        message: `${level} of ***`,
      })),
    );
    const quiet = fixture({ handlers: { "onto.task.list": handler(async (_, { log }) => log.info("x")) } });
    okOf(await quiet.exec("onto.task.list"));
  });
});

describe("calls that a handler makes", () => {
  const OP = "util.own.read";
  const seenBy = async (source: object | undefined, hooks: object) => {
    let seen: Record<string, unknown> = {};
    const more = [
      toolOf({ op: OP, tool: "read_own", kind: "read", schema: closed({}), extra: { target: "global", ...source } }),
    ];
    const run = handler(async (_, ctx) => {
      seen = ctx as unknown as Record<string, unknown>;
      ctx.log.info("working");
      return null;
    });
    okOf(await fixture({ more, handlers: { [OP]: run } }).exec(OP, {}, {}, principal(), hooks));
    return seen;
  };
  const hooks = () => ({
    client: "agent",
    logged: vi.fn(),
    answered: vi.fn(),
    attach: vi.fn(),
    forward: { roots: true },
    inputRequired: { capabilities: {}, given: {}, end: () => undefined },
    record: { counts: new Map(), underWay: new Map(), called: new Set(), foreign: new Set() },
    failedAs: vi.fn(),
    session: undefined,
  });

  test("inherit what its own call has, and its span", async () => {
    const given = hooks();
    const { inherited, forward, attach, inputRequired } = await seenBy(undefined, given);
    const { client, logged, answered } = given;
    const [attached, span] = [expect.any(Function), expect.any(Object)];
    expect(inherited).toEqual({ client, logged, answered, forward, attach: attached, span });
    expect([forward, inputRequired]).toEqual([given.forward, given.inputRequired]);
    // What it attaches goes through a mask of secrets.
    (attach as (block: object) => void)({ type: "text", text: "a" });
    expect(given.attach).toHaveBeenCalledWith({ type: "text", text: "a" });
    (inherited as { attach(block: object): void }).attach({ type: "text", text: "b" });
    expect(given.attach).toHaveBeenLastCalledWith({ type: "text", text: "b" });
    expect(given.logged.mock.calls).toMatchObject([[{ level: "info", op: OP, message: "working" }]]);
  });

  test("a handler of the project gets nothing of what shipped ones get", async () => {
    const seen = await seenBy(undefined, hooks());
    for (const name of ["host", "record", "failedAs"]) expect(seen).not.toHaveProperty(name);
  });

  test("a shipped handler has the gateway and the record, and its log is not the client's", async () => {
    const given = hooks();
    const source = { source: { kind: "local", file: "x.ts", shipped: true } as never };
    const seen = (await seenBy(source, given)) as { failedAs?: (code: string) => void };
    expect(seen).toMatchObject({ host: expect.any(Object), record: { ...given.record, called: new Set([OP]) } });
    seen.failedAs?.("NOT_FOUND");
    expect(given.failedAs).toHaveBeenCalledExactlyOnceWith("NOT_FOUND");
    expect(given.logged).not.toHaveBeenCalled();
  });
});

describe("failures of a handler", () => {
  const failing = async (error: unknown, op = "onto.task.list", args: object = {}) => {
    const { exec, lines } = fixture({
      handlers: {
        [op]: handler(async () => {
          throw error;
        }),
      },
      options: { traceId: () => "tr_1" },
    });
    return { error: errorOf(await exec(op, args)), lines };
  };

  test("what is no failure of a tool is INTERNAL, says nothing and goes to the log", async () => {
    for (const thrown of [new Error("boom"), "boom", new ToolFailure("NO_SUCH_CODE" as never, "boom", {})]) {
      const { error, lines } = await failing(thrown);
      expect(error).toMatchObject({
        code: "INTERNAL",
        message:
          'onto.task.list failed; see the log under tr_1. Its code can say why: throw fail("VALIDATION_ERROR", "…") of toolwright/codegen.',
      });
      expect(JSON.stringify(error)).not.toContain("boom");
      expect(JSON.stringify(lines)).toContain("boom");
    }
  });

  test("a message is cut, details that JSON cannot hold are left out", async () => {
    const circle: { self?: object } = {};
    circle.self = circle;
    const { error } = await failing(new ToolFailure("CONFLICT", "m".repeat(5000), circle as never));
    expect(error.message.length).toBeLessThanOrEqual(2000);
    expect(error.details ?? {}).toEqual({});
    const listed = await failing(new ToolFailure("CONFLICT", "m", [1] as never));
    expect(listed.error.details ?? {}).toEqual({});
  });

  test("NOT_FOUND of an id: the call to copy has a placeholder in its place, at any depth", async () => {
    const link = { src_kind: "task", src_id: "task_1", dst_kind: "goal", dst_id: "goal_2", rel: "has" };
    const not = (details: object) =>
      failing(new ToolFailure("NOT_FOUND", "no", details as never), "onto.edge.link", link);
    expect((await not({ kind: "goal", id: "goal_2" })).error.corrected_call?.args).toEqual({
      ...link,
      dst_id: "<goal_id>",
    });
    expect((await not({ id: "goal_2" })).error.corrected_call?.args).toEqual({ ...link, dst_id: "<id>" });
    expect((await not({ kind: "", id: "goal_2" })).error.corrected_call?.args).toEqual({ ...link, dst_id: "<id>" });
    // Nothing would change.
    expect((await not({ kind: "goal", id: 2 })).error).not.toHaveProperty("corrected_call");
    const nodes = [{ id: "task_1", kind: "task", connections: [{ kind: "goal", id: "goal_2" }] }];
    const graph = { project_id: "proj_1", nodes, dry_run: false };
    const { error } = await failing(
      new ToolFailure("NOT_FOUND", "no", { kind: "goal", id: "goal_2" }),
      "onto.project.graph.reorganize",
      graph,
    );
    expect(error.corrected_call?.args).toEqual({
      ...graph,
      nodes: [{ id: "task_1", kind: "task", connections: [{ kind: "goal", id: "<goal_id>" }] }],
    });
  });
});

describe("a dry run", () => {
  const bound = (plan?: () => Promise<unknown>) =>
    fixture({
      handlers: { "onto.task.delete": { run: async () => "done", ...(plan ? { plan } : {}) } as never },
    });

  test("without a planner says what would be called; the plan of one that does not say so is marked", async () => {
    const preview = { dry_run: true, would_call: { tool: "delete_onto_task", args: DELETE } };
    expect(okOf(await bound().exec("onto.task.delete", DELETE, { dry_run: true })).result).toEqual(preview);
    const plans: readonly (readonly [unknown, unknown])[] = [
      [{ changes: 2 }, { dry_run: true, changes: 2 }],
      [
        { dry_run: true, changes: 2 },
        { dry_run: true, changes: 2 },
      ],
      [
        { dry_run: false, changes: 2 },
        { dry_run: false, changes: 2 },
      ],
      ["text", "text"],
      [null, null],
    ];
    for (const [plan, result] of plans)
      expect(okOf(await bound(async () => plan).exec("onto.task.delete", DELETE, { dry_run: true })).result).toEqual(
        result,
      );
  });

  test("that fails has changed nothing, and a key of it is ignored", async () => {
    const late = bound(() => new Promise(() => {}));
    const { details } = errorOf(await late.exec("onto.task.delete", DELETE, { dry_run: true }));
    expect(details).toMatchObject({ outcome: "none" });
    const { meta } = okOf(await bound().exec("onto.task.delete", DELETE, { dry_run: true, idempotency_key: "k" }));
    const ignored = "idempotency_ignored: nothing is written, so nothing is kept under the key";
    expect(meta.warnings).toEqual([ignored, expect.stringMatching(/^existence_not_checked: /)]);
    expect(okOf(await fixture().exec("onto.task.list", {}, { idempotency_key: "k" })).meta.warnings).toEqual([ignored]);
  });

  test("writing that is switched off names both levels", async () => {
    const error = errorOf(await bound().exec("onto.task.delete", DELETE, {}, principal({ allowWrite: false })));
    expect(error).toMatchObject({
      code: "PERMISSION_DENIED",
      message:
        "onto.task.delete writes, and writing is switched off. Start the server with --allow-write, or call with a key that may write.",
      details: { granted: "read", required: "write" },
    });
  });
});

describe("keys of some projects", () => {
  const own = (projects: readonly string[]) => {
    const projectOf = async (_: string, id: string) => ({ task_1: "proj_1", task_2: "proj_2" })[id];
    const served = fixture({ options: { projectOf } });
    const key = grant("write", projects);
    return (op: string, args: object) => served.exec(op, args, {}, key);
  };

  test("reach what belongs to their projects and nothing else, whether it is there or not", async () => {
    const exec = own(["proj_1"]);
    okOf(await exec("onto.task.delete", { task_id: "task_1" }));
    for (const task_id of ["task_2", "task_3"])
      expect(errorOf(await exec("onto.task.delete", { task_id }))).toMatchObject({
        code: "NOT_FOUND",
        message: `No task ${task_id}. Ids come from onto.task.list or onto.task.search.`,
        details: { kind: "task", id: task_id },
      });
  });
});

describe("ids of several projects in one call", () => {
  const ID = { type: "string", "x-id": "project" };
  const both = toolOf({
    op: "onto.project.merge",
    tool: "merge_projects",
    kind: "write",
    schema: closed({ a: ID, l: { type: "array", items: ID }, note: { type: "string" } }),
  });
  const merge = (who: ReturnType<typeof principal>, args: object) =>
    fixture({ more: [both] }).exec(both.op, args, {}, who);

  test("are left to the handler for a caller with all projects, and refused for a key of some", async () => {
    const args = { a: "proj_1", l: ["proj_1", "proj_2"], note: "x" };
    okOf(await merge(principal(), args));
    okOf(await merge(grant("write", ["proj_1", "proj_2"]), { ...args, l: ["proj_1"] }));
    expect(errorOf(await merge(grant("write", ["proj_1", "proj_2"]), args))).toMatchObject({
      code: "NOT_FOUND",
      message: "No project proj_2.",
      details: { kind: "project", id: "proj_2" },
    });
  });

  test("an op that writes needs one, for a key of some projects", async () => {
    expect(errorOf(await merge(grant("write", ["proj_1"]), { note: "x" }))).toMatchObject({
      code: "NOT_FOUND",
      message: "onto.project.merge needs the id of something in a project of this key.",
    });
    okOf(await fixture().exec("onto.task.list", { state_key: "done" }, {}, grant("read", ["proj_1"])));
  });
});
