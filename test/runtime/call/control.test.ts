/** Permission to write, dry runs, time limits, and failures of handlers. */

import { describe, expect, test } from "vitest";
import { startSession } from "../../../runtime/catalog/session.js";
import { fail, unbound } from "../../../runtime/codegen.js";
import { ERROR_CODES } from "../../../runtime/contract/handler.js";
import { errorOf, fieldErrorsOf, fixture, handler, okOf, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const DELETE = { task_id: "task_1" };

describe("control (step 8)", () => {
  test("case 22: a write without allow_write", async () => {
    const { exec, calls } = fixture();
    const error = errorOf(await exec("onto.task.delete", DELETE, {}, principal({ allowWrite: false })));
    expect(error).toMatchObject({
      code: "PERMISSION_DENIED",
      details: { granted: "read", required: "write" },
      help_path: "onto.task.delete",
    });
    expect(error).not.toHaveProperty("corrected_call");
    expect(calls).toEqual([]);
  });

  test("a dry run needs the same permission; a read does not", async () => {
    const { exec } = fixture();
    const reader = principal({ allowWrite: false });
    expect(errorOf(await exec("onto.task.delete", DELETE, { dry_run: true }, reader)).code).toBe("PERMISSION_DENIED");
    expect((await exec("onto.task.list", {}, {}, reader)).ok).toBe(true);
  });

  test("validation comes before permission", async () => {
    const error = errorOf(await fixture().exec("onto.task.delete", {}, {}, principal({ allowWrite: false })));
    expect(error.code).toBe("VALIDATION_ERROR");
  });
});

describe("dry run (step 9)", () => {
  test("a write without a planner is previewed", async () => {
    const { exec, calls } = fixture();
    const { result, meta } = okOf(await exec("onto.task.delete", DELETE, { dry_run: true }));
    expect(result).toEqual({ dry_run: true, would_call: { tool: "delete_onto_task", args: DELETE } });
    expect(meta.warnings).toEqual([expect.stringMatching(/^existence_not_checked: /)]);
    expect(calls).toEqual([]);
  });

  test("a read runs and says so", async () => {
    const { exec, calls } = fixture();
    expect(okOf(await exec("onto.task.list", {}, { dry_run: true })).meta.warnings).toEqual([
      "dry_run_ignored: a read changes nothing",
    ]);
    expect(calls.length).toBe(1);
  });

  const REORGANIZE = { project_id: "proj_1", nodes: [{ id: "task_1", kind: "task", connections: [] }] };
  const planned = () =>
    fixture({
      handlers: {
        "onto.project.graph.reorganize": {
          run: handler(async (args) => ({ dry_run: args["dry_run"] ?? null })) as never,
          plan: handler(async (args) => ({ counts: { create: 1 }, asked: args["dry_run"] ?? null })) as never,
        },
      },
    });

  test("case 23: the argument's default plans, false applies, in either place", async () => {
    const { exec } = planned();
    const plan = okOf(await exec("onto.project.graph.reorganize", REORGANIZE));
    expect(plan.result).toEqual({ dry_run: true, counts: { create: 1 }, asked: true });
    expect(plan.meta.warnings).toEqual(["dry_run_default: nothing was changed; send dry_run=false to apply"]);
    expect(okOf(await exec("onto.project.graph.reorganize", REORGANIZE, { dry_run: false })).result).toEqual({
      dry_run: false,
    });
    expect(okOf(await exec("onto.project.graph.reorganize", { ...REORGANIZE, dry_run: false })).result).toEqual({
      dry_run: false,
    });
    const asked = okOf(await exec("onto.project.graph.reorganize", { ...REORGANIZE, dry_run: true }));
    expect(asked.meta.warnings).toEqual([]);
  });

  test("two different values are an error", async () => {
    const envelope = await planned().exec(
      "onto.project.graph.reorganize",
      { ...REORGANIZE, dry_run: false },
      { dry_run: true },
    );
    expect(fieldErrorsOf(envelope)).toMatchObject([{ path: "dry_run", keyword: "one_of" }]);
  });

  test("an op's default comes from the settings too", async () => {
    const { exec } = fixture({ settings: { ops: new Map([["onto.task.delete", { dry_run: true }]]) } });
    expect(okOf(await exec("onto.task.delete", DELETE)).meta.warnings).toEqual([
      expect.stringMatching(/^dry_run_default: /),
      expect.stringMatching(/^existence_not_checked: /),
    ]);
    expect(okOf(await exec("onto.task.delete", DELETE, { dry_run: false })).result).toEqual({
      done: "onto.task.delete",
    });
  });
});

const SAY_WHY = 'Its code can say why: throw fail("VALIDATION_ERROR", "…") of toolwright/codegen.';

describe("handlers (step 10)", () => {
  const failing = (run: Parameters<typeof handler>[0], callTimeoutMs = 1000) =>
    fixture({
      handlers: { "onto.task.delete": handler(run), "onto.task.list": handler(run) },
      settings: { callTimeoutMs },
    });

  test.each(ERROR_CODES.map((code) => [code]))(
    "a failure with %s keeps its code and details, has help, and suggests no call that was just made",
    async (code) => {
      const { exec } = failing(async () => fail(code, "said so", { kind: "task", id: "task_1", more: [1] }));
      const error = errorOf(await exec("onto.task.delete", DELETE));
      const message = code === "NOT_FOUND" ? "said so. Ids come from onto.task.list or onto.task.search." : "said so";
      expect(error).toMatchObject({ code, message, details: { more: [1] }, help_path: "onto.task.delete" });
      const keys = ["code", "message", "details", "help_path"];
      expect(Object.keys(error)).toEqual(code === "NOT_FOUND" ? [...keys, "corrected_call"] : keys);
      if (code === "NOT_FOUND") expect(error.corrected_call?.args).toEqual({ task_id: "<task_id>" });
    },
  );

  test("a conflict over the version names the current one, and overwrites nothing when the call is copied", async () => {
    const { exec } = fixture({
      handlers: {
        "onto.task.update": handler(async () =>
          fail("CONFLICT", "changed", { expected_version: 1, current_version: 4 }),
        ),
      },
    });
    const error = errorOf(await exec("onto.task.update", { ...DELETE, title: "A", expected_version: 1 }));
    const { args = {} } = error.corrected_call ?? {};
    expect(args).toEqual({
      ...DELETE,
      title: "A",
      expected_version: "<expected_version: 4, after reading what changed>",
    });
    expect(errorOf(await exec("onto.task.update", args))).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { field_errors: [{ path: "expected_version", keyword: "placeholder" }] },
    });
  });

  test.each([
    ["an exception", async () => Promise.reject(new Error("cannot read /etc/secret: token=hunter22222"))],
    ["a thrown text", async () => Promise.reject("boom /etc/secret")],
    ["an unknown code", async () => fail("WHATEVER" as never, "boom /etc/secret")],
    ["a function", async () => ({ a: () => 1 })],
    ["a class instance", async () => new Date(0)],
    ["a bigint", async () => ({ n: 1n })],
    ["not a number", async () => ({ n: Number.NaN })],
    [
      "a circle",
      async () => {
        const a: Record<string, unknown> = {};
        a["a"] = a;
        return a;
      },
    ],
  ])(
    "%s is INTERNAL; the original is in the log under the trace id, and the answer says how to say why",
    async (_, run) => {
      const { exec, lines } = failing(run);
      const envelope = await exec("onto.task.delete", DELETE);
      const error = errorOf(envelope);
      expect(error.code).toBe("INTERNAL");
      expect(error.message).toBe(
        `onto.task.delete failed; see the log under ${envelope.meta.trace_id}. It may have taken effect: read before you repeat it. ${SAY_WHY}`,
      );
      expect(error.details).toEqual({ outcome: "unknown" });
      expect(JSON.stringify(envelope)).not.toContain("/etc/secret");
      expect(lines.find(({ level }) => level === "error")?.fields).toMatchObject({ trace_id: envelope.meta.trace_id });
      expect(JSON.stringify(lines)).not.toContain("hunter22222");
    },
  );

  test("one that reads, plans or works in a transaction has changed nothing, so its failure says nothing of it", async () => {
    const boom = async () => Promise.reject(new Error("boom"));
    const planned = { run: boom, plan: boom } as never;
    const { exec } = fixture({ handlers: { "onto.task.delete": planned, "onto.task.list": handler(boom) } });
    for (const envelope of [await exec("onto.task.delete", DELETE, { dry_run: true }), await exec("onto.task.list")]) {
      const { message, details } = errorOf(envelope);
      expect(message).not.toContain("taken effect");
      expect(details).toEqual({});
    }
  });

  test("only code of the project is told how to say why", async () => {
    const boom = handler(async () => Promise.reject(new Error("boom")));
    const kinds = { own: {}, shipped: { shipped: true }, python: { code: "x.py" } };
    const more = Object.entries(kinds).map(([name, source]) =>
      toolOf({
        op: `onto.${name}.list`,
        tool: name,
        kind: "read",
        schema: closed({}),
        extra: { source: { kind: "local", file: "a.ts", ...source } as never },
      }),
    );
    const { exec } = fixture({ more, handlers: Object.fromEntries(more.map(({ op }) => [op, boom])) });
    const said = await Promise.all(more.map(async ({ op }) => errorOf(await exec(op)).message.includes(SAY_WHY)));
    expect(said).toEqual([true, false, false]);
  });

  test("a handler that throws at once does no harm either", async () => {
    const { exec } = failing(() => {
      throw new TypeError("x");
    });
    expect(errorOf(await exec("onto.task.list")).code).toBe("INTERNAL");
  });

  test("a result of undefined is null, undefined members are left out", async () => {
    expect(okOf(await failing(async () => undefined).exec("onto.task.list")).result).toBeNull();
    expect(
      JSON.stringify(okOf(await failing(async () => ({ a: undefined, b: [undefined] })).exec("onto.task.list")).result),
    ).toBe('{"b":[null]}');
  });

  test("the time limit: TIMEOUT, and for a write an unknown outcome", async () => {
    let aborted = false;
    const slow = failing(
      async (_, ctx) =>
        new Promise((_resolve, reject) => {
          (ctx.signal as AbortSignal).addEventListener("abort", () => {
            aborted = true;
            reject(new Error("late"));
          });
        }),
      20,
    );
    expect(errorOf(await slow.exec("onto.task.delete", DELETE))).toMatchObject({
      code: "TIMEOUT",
      details: { limit_ms: 20, outcome: "unknown" },
    });
    expect(aborted).toBe(true);
    expect(errorOf(await slow.exec("onto.task.list")).details).toEqual({ limit_ms: 20 });
  });

  test("cancellation: CANCELLED, while running and before", async () => {
    const { exec } = failing(() => new Promise(() => {}));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    expect(
      errorOf(await exec("onto.task.delete", DELETE, {}, principal(), { signal: controller.signal })),
    ).toMatchObject({ code: "CANCELLED", details: { outcome: "unknown" } });
    expect(
      errorOf(await exec("onto.task.delete", DELETE, {}, principal(), { signal: controller.signal })),
    ).toMatchObject({ code: "CANCELLED", details: { outcome: "none" } });
  });

  test("an op's own deadline wins", async () => {
    const { exec } = fixture({
      handlers: { "onto.task.list": handler(() => new Promise(() => {})) },
      settings: { ops: new Map([["onto.task.list", { deadline_ms: 15 }]]) },
    });
    expect(errorOf(await exec("onto.task.list")).details).toEqual({ limit_ms: 15 });
  });

  test.each([["bound with unbound()"], ["not bound at all"]])(
    "a dry run of a write that is %s says what would be called",
    async (how) => {
      const bound = how === "not bound at all" ? undefined : unbound("definitions/onto/handlers.ts");
      const { exec } = fixture({ handlers: { "onto.task.delete": bound as never } });
      const dry = await exec("onto.task.delete", DELETE, { dry_run: true });
      expect(dry).toMatchObject({
        ok: true,
        result: { dry_run: true, would_call: { tool: "delete_onto_task", args: DELETE } },
        meta: { warnings: ["unbound: onto.task.delete has no handler yet, so a call answers UNAVAILABLE"] },
      });
      const invalid = await exec("onto.task.delete", {}, { dry_run: true });
      expect(errorOf(invalid).code).toBe("VALIDATION_ERROR");
      expect(errorOf(await exec("onto.task.delete", DELETE)).code).toBe("UNAVAILABLE");
    },
  );

  test.each([["bound with unbound()"], ["not bound at all"]])("so does that of a read that is %s", async (how) => {
    const bound = how === "not bound at all" ? undefined : unbound("definitions/onto/handlers.ts");
    const { exec } = fixture({ handlers: { "onto.task.list": bound as never } });
    expect(await exec("onto.task.list", { limit: 1 }, { dry_run: true })).toMatchObject({
      ok: true,
      result: { dry_run: true, would_call: { tool: "list_onto_tasks", args: { limit: 1 } } },
      meta: { warnings: ["unbound: onto.task.list has no handler yet, so a call answers UNAVAILABLE"] },
    });
    expect(errorOf(await exec("onto.task.list", { limit: 1 })).code).toBe("UNAVAILABLE");
  });

  test("unbound and missing handlers are UNAVAILABLE, naming the file", async () => {
    const { exec } = fixture({ handlers: { "util.web.search": undefined as never } });
    expect(errorOf(await exec("util.web.visit", { url: "https://example.com" }))).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("definitions/onto/util-handlers.ts"),
    });
    expect(errorOf(await exec("util.web.search", { query: "a" }))).toMatchObject({
      code: "UNAVAILABLE",
      details: { file: "util/tools.ts" },
    });
  });

  test("the context: secrets are asked for by name and kept out of failures", async () => {
    const secret = (name: string) => (name === "API" ? "s3cr3t-value" : undefined);
    const run = handler(async (_, ctx) =>
      fail("UNAVAILABLE", `upstream said no to ${ctx.secret("API")}`, { url: `https://x/?k=${ctx.secret("API")}` }),
    );
    const { exec } = fixture({
      handlers: { "onto.task.list": run, "onto.search": handler(async (_, ctx) => ctx.secret("OTHER")) },
      options: { secret },
    });
    const envelope = await exec("onto.task.list");
    expect(JSON.stringify(envelope)).not.toContain("s3cr3t-value");
    expect(errorOf(await exec("onto.search", { query: "a" }))).toMatchObject({
      code: "UNAVAILABLE",
      details: { secret: "OTHER" },
    });
  });

  test("the context: warnings, progress, trace id, no fetch without a guard", async () => {
    const progress: unknown[] = [];
    const run = handler(async (_, ctx) => {
      ctx.warn("mine: hello");
      ctx.progress(1, 2);
      return {
        trace: ctx.traceId,
        fetched: await ctx.fetch("http://127.0.0.1/").catch((error: Error) => error.message),
      };
    });
    const { exec } = fixture({ handlers: { "onto.task.list": run } });
    const { result, meta } = okOf(
      await exec("onto.task.list", {}, {}, principal(), { progress: (...p) => progress.push(p) }),
    );
    expect(result).toEqual({ trace: meta.trace_id, fetched: "This server has no web client." });
    expect(meta.warnings).toEqual(["mine: hello"]);
    expect(progress).toEqual([[1, 2]]);
  });

  test("an identical failing call is counted within a session", async () => {
    const { exec } = fixture();
    const hooks = { session: startSession() };
    const repeated = async (args: object) =>
      errorOf(await exec("onto.task.delete", args, {}, principal(), hooks)).details?.["repeated"];
    expect([await repeated({}), await repeated({}), await repeated({}), await repeated({ task_id: "x" })]).toEqual([
      undefined,
      2,
      3,
      undefined,
    ]);
  });

  test("a missing validator is INTERNAL and says in the log what to do", async () => {
    const { exec, lines } = fixture({ project: { validators: async () => new Map() } });
    expect(errorOf(await exec("onto.task.list")).code).toBe("INTERNAL");
    expect(JSON.stringify(lines)).toContain("toolwright generate");
  });
});
