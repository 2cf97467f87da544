/** The envelope of a request, and how its op is found. */

import { describe, expect, test } from "vitest";
import type { ErrorBody } from "../../../runtime/contract/error-body.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { errorOf, fieldErrorsOf, fixture, grant, okOf, principal } from "../gateway/fixture.js";
import { closed, TOOLS, toolOf } from "../gateway/fixture-tools.js";

const suggestionsOf = ({ details }: ErrorBody) => (details?.["suggestions"] ?? []) as readonly string[];

describe("envelope (step 1)", () => {
  test.each([
    ["nothing", undefined],
    ["an empty object", {}],
    ["a blank op", { op: "  " }],
    ["an op that is no text", { op: 7 }],
    ["null", null],
    ["an array", []],
  ])("%s is a VALIDATION_ERROR with help at the root and a call to copy", async (_, call) => {
    const { gateway, calls } = fixture();
    const error = errorOf(await gateway.dispatch(call, principal()));
    expect(error).toMatchObject({
      code: "VALIDATION_ERROR",
      help_path: "root",
      corrected_call: { op: "onto.task.list", args: {} },
    });
    expect(calls).toEqual([]);
  });

  test("case 12: the first finding is about op", async () => {
    const error = errorOf(await fixture().gateway.dispatch({}, principal()));
    expect(error.details?.["field_errors"]).toMatchObject([{ path: "op", keyword: "required" }]);
  });

  test("unknown keys get the nearest one, and the op's own call to copy", async () => {
    const envelope = await fixture().gateway.dispatch({ op: "onto.task.list", arg: { limit: 3 } }, principal());
    const error = errorOf(envelope);
    expect(error.details?.["field_errors"]).toMatchObject([{ path: "arg", keyword: "additionalProperties" }]);
    expect(error.corrected_call).toEqual({ op: "onto.task.list", args: { limit: 3 } });
  });

  test.each([[""], ["x".repeat(201)], ["a\nb"], [7]])("idempotency_key %j is refused", async (key) => {
    const error = errorOf(await fixture().exec("onto.task.list", {}, { idempotency_key: key }));
    expect(error.details?.["field_errors"]).toMatchObject([{ path: "idempotency_key" }]);
  });

  test("success has its keys in the documented order", async () => {
    const { exec } = fixture({ options: { traceId: () => "tr_0123456789abcdef", clock: () => 5 } });
    expect(JSON.stringify(await exec("onto.task.list"))).toBe(
      '{"op":"onto.task.list","ok":true,"result":{"done":"onto.task.list"},"meta":{"trace_id":"tr_0123456789abcdef","latency_ms":0,"warnings":[]}}',
    );
  });

  test("trace ids are tr_ and 16 hexadecimal digits", async () => {
    const { meta } = await fixture().exec("onto.task.list");
    expect(meta.trace_id).toMatch(/^tr_[0-9a-f]{16}$/);
  });
});

describe("resolve (step 2)", () => {
  test.each([
    [" onto.task.list ", "op_sanitized"],
    ['"onto.task.list"', "op_sanitized"],
    ["`onto.task.list.`", "op_sanitized"],
    ["ONTO.Task.List", "op_sanitized"],
    ["<tool>onto.task.list</tool>", "op_sanitized"],
    ['<parameter name="op">onto.task.list</parameter>', "op_sanitized"],
    ["onto.task.list<|channel|>commentary", "op_sanitized"],
    ["list_onto_tasks", "op_alias"],
    ["List_Onto_Tasks", "op_alias"],
    ["mine", "op_alias"],
    ["again", "op_alias"],
  ])("%s runs onto.task.list with %s", async (op, code) => {
    const { exec } = fixture();
    const { meta, op: asked } = okOf(await exec(op));
    expect(asked).toBe(op);
    expect(meta.executed_op).toBe("onto.task.list");
    expect(meta.warnings).toEqual([expect.stringMatching(new RegExp(`^${code}: `))]);
  });

  test.each([
    "onto.task.list --dry-run",
    "onto.task.list?dry_run=true",
    "onto.task.list(limit=3)",
    "don't onto.task.list",
    "!onto.task.list",
    "-onto.task.list",
    "onto.task.list?",
    "onto task list ?",
  ])("%s is not carried out without what it says", async (op) => {
    const { exec, calls } = fixture();
    expect(errorOf(await exec(op)).corrected_call).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test.each(['onto.task.list({"limit": 3})', '{"op":"onto.task.list","args":{"limit":3}}'])(
    "the arguments that %s holds are offered",
    async (op) => {
      const { exec, calls } = fixture();
      expect(errorOf(await exec(op)).corrected_call).toEqual({ op: "onto.task.list", args: { limit: 3 } });
      expect(calls).toEqual([]);
    },
  );

  test("a request of help that was sent as a call is told how to send it", async () => {
    const asked = async (request: object) => errorOf(await fixture().gateway.dispatch(request, principal()));
    expect(await asked({ op: "tool_help", args: { path: "onto.task.list" } })).toMatchObject({
      message:
        'tool_help is a tool of its own, not an op: call it with its own arguments. To read about an op, call tool_help with {"path":"onto.task.list"}.',
      details: { suggestions: ["onto.task.list"] },
      help_path: "onto.task.list",
    });
    const advised = [
      ["onto", "onto"],
      ["ONTO.Task", "onto.task"],
      ["", "root"],
      ["zeta.hidden", "root"],
      ["zeta.hidden.write", "root"],
    ];
    for (const [path, help_path] of advised)
      expect(await asked({ op: "help", args: { path } })).toMatchObject({
        message: `No op help. To read about an op, call tool_help with {"path":"${help_path}"}.`,
        details: { suggestions: [] },
        help_path,
      });
  });

  test.each([
    { op: "run", args: { command: "1+1" } },
    { op: "run", args: { command: "onto.task.list" } },
    { op: "tool_help", args: { path: "onto" } },
    { op: "tool_batch", args: { ops: [] } },
  ])("a gateway tool that was taken for an op is named as one: %j", async (request) => {
    const schema = closed({ path: { type: "string" } }, ["path"]);
    const more = ["runs", "help", "batch"].map((tool) => toolOf({ op: `zeta.${tool}`, tool, kind: "read", schema }));
    const error = errorOf(await fixture({ more }).gateway.dispatch(request, principal()));
    expect(error.message).toContain(`${request.op} is a tool of its own, not an op: call it with its own arguments.`);
    expect(error).toMatchObject({ code: "NOT_FOUND", details: { suggestions: [] } });
    expect(error.corrected_call).toBeUndefined();
  });

  test.each([
    ["onto/task/list", "op_sanitized: read as onto.task.list"],
    [" onto.task.list ", "op_sanitized: read as onto.task.list"],
    ["list_onto_tasks", "op_alias: list_onto_tasks stands for onto.task.list"],
    ["<op>onto.task.list</op>", "op_sanitized: read as onto.task.list"],
  ])("%j is read, and says as what", async (op, warning) => {
    expect(okOf(await fixture().exec(op, {})).meta.warnings).toEqual([warning]);
  });

  test("a declared op alias stands for its op", async () => {
    const { meta } = okOf(await fixture().exec("onto.task.doc.list", { task_id: "task_1" }));
    expect(meta.executed_op).toBe("onto.task.docs.list");
  });

  test("two known ops in one text are not repaired", async () => {
    const error = errorOf(await fixture().exec("onto.task.list or onto.task.search"));
    expect(error.code).toBe("NOT_FOUND");
  });

  test("case 13: a near miss names the nearest op, its group, and a call to copy", async () => {
    const error = errorOf(await fixture().exec("onto.tsk.list", { limit: 3 }));
    expect(error).toMatchObject({
      code: "NOT_FOUND",
      help_path: "onto",
      corrected_call: { op: "onto.task.list", args: { limit: 3 } },
    });
    expect(error.details?.["suggestions"]).toEqual(expect.arrayContaining(["onto.task.list"]));
    expect(suggestionsOf(error)[0]).toBe("onto.task.list");
  });

  test("words lead to ops, synonyms too", async () => {
    const error = errorOf(await fixture().exec("find my chore please"));
    expect(suggestionsOf(error)[0]).toMatch(/^onto\.task\./);
  });

  test.each([
    ["custom_secret", "custom_secret"],
    ["delete_unicorn", "delete_unicorn"],
    ["listInvoices", "listInvoices"],
    ["onto.frobnicate", "onto <words>"],
    ["nowhere.frobnicate", "<words>"],
  ])("%s is like nothing: it suggests nothing but the search", async (op, path) => {
    const error = errorOf(await fixture().exec(op));
    expect(error.details).toMatchObject({ suggestions: [], search: `tool_help {"path":"${path}"}` });
    expect(error.message).toBe(`No op ${op}.`);
  });

  test.each([["qqqqqqqq"], ["🙂"], ["a".repeat(5000)], ["...."]])("%s: the answer is never empty", async (op) => {
    const error = errorOf(await fixture().exec(op));
    const shown = [...suggestionsOf(error), ...((error.details?.["items"] as unknown[]) ?? [])];
    expect(shown.length).toBeGreaterThan(0);
  });
});

describe("the exact name of a tool is never another tool", () => {
  const [base] = TOOLS.filter(({ op }) => op === "onto.task.list");
  const more = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([op, tool_name]) => ({
      ...(base as Tool),
      op,
      tool_name,
      group: op.split(".")[0] ?? "",
      aliases: [],
    }));
  const asked = async (names: Readonly<Record<string, string>>, name: string) => {
    const { exec, gateway } = fixture({ more: more(names) });
    const envelope = await exec(name, {});
    const help = gateway.help({ path: name }, principal(), undefined) as {
      readonly type: string;
      readonly path: string;
    };
    return [
      envelope.ok ? (envelope.meta.executed_op ?? name) : envelope.error.code,
      help.type === "op" ? help.path : help.type,
    ];
  };

  test.each([
    [{ "zeta.get_user": "get_user", "zeta.get_user_2": "get-user" }, "get-user", "zeta.get_user_2"],
    [{ "zeta.get_user": "get-user", "zeta.get_user_2": "get_user" }, "get_user", "zeta.get_user_2"],
    [{ "zeta.gettwo": "getTwo", "zeta.gettwo_2": "gettwo" }, "getTwo", "zeta.gettwo"],
    [{ "zeta.gettwo": "getTwo", "zeta.gettwo_2": "gettwo" }, "gettwo", "zeta.gettwo_2"],
    [{ "util.me": "one", "zeta.util_me": "Util.Me" }, "Util.Me", "zeta.util_me"],
    [{ "util.me": "one", "zeta.util_me": "'util.me'" }, "'util.me'", "zeta.util_me"],
    [{ "util.me": "one", "zeta.util_me": "util me" }, "util me", "zeta.util_me"],
  ])("%j: %s is %s", async (names, name, op) => expect(await asked(names, name)).toEqual([op, op]));

  const STATES = { "h.Get_State": "Get_State", "h.get_state_2": "get_state", "h.get_state_3": "get-state" };

  test.each([
    ["h.get_state", "h.get_state_2"],
    ["h.get-state", "h.get_state_3"],
    ["h.Get_State", "h.Get_State"],
    ["get_state", "h.get_state_2"],
  ])("%s, the pack and the exact name, is %s", async (name, op) => expect(await asked(STATES, name)).toEqual([op, op]));

  test("wrapped, the pack and the exact name is that tool, too", async () => {
    const { meta } = okOf(await fixture({ more: more(STATES) }).exec("`h.get-state`", {}));
    expect(meta.executed_op).toBe("h.get_state_3");
  });

  test.each([
    ...["h.GET_STATE", "H.get_state", "h.getState", "h/get_state", "h get state", "hgetstate", "GET_STATE", "getState"],
    ...["h.get_State", "functions.h.get_state", "mcp__h__get_state", "<tool>h.get_STATE</tool>", "h.get.state"],
  ])("%s may mean several tools, so it is refused and none is offered as the call", async (name) => {
    expect(await asked(STATES, name)).toEqual(["NOT_FOUND", "not_found"]);
    const error = errorOf(await fixture({ more: more(STATES) }).exec(name));
    expect(error.corrected_call).toBeUndefined();
    if (name.startsWith("h")) expect(error.message).toContain("may mean several ops");
    if (name.startsWith("h")) expect(suggestionsOf(error).slice(0, 3).sort()).toEqual(Object.keys(STATES).sort());
  });

  test("a name that two tools share is not read as a third one that is spelled like it", async () => {
    const names = { "onto.util_me": "util_me", "zeta.util_me": "util_me", "util.me": "other" };
    expect(await asked(names, "util_me")).toEqual(["NOT_FOUND", "not_found"]);
    const { exec } = fixture({ more: more(names) });
    expect(suggestionsOf(errorOf(await exec("util_me")))).toEqual(
      expect.arrayContaining(["onto.util_me", "zeta.util_me"]),
    );
  });
});

describe("access (step 3)", () => {
  test("a hidden op and an unknown one get equal answers", async () => {
    const options = { traceId: () => "tr_0000000000000000", clock: () => 0 };
    const { exec } = fixture({ options });
    const hidden = JSON.stringify(await exec("admin.keys.list", {}, {}, grant("write")));
    const unknown = JSON.stringify(await exec("admin.keyz.list", {}, {}, grant("write")));
    expect(hidden.replaceAll("admin.keys", "X")).toBe(unknown.replaceAll("admin.keyz", "X"));
  });

  test("by tool name, in markup and with a broken envelope too", async () => {
    const { exec, gateway } = fixture();
    const reader = grant("read");
    for (const op of ["admin.keys.list", "list_keys", "<x>admin.keys.list</x>", "onto.task.create"])
      expect(errorOf(await exec(op, {}, {}, reader)).code).toBe("NOT_FOUND");
    const broken = errorOf(await gateway.dispatch({ op: "admin.keys.list", extra: 1 }, reader));
    expect(JSON.stringify(broken.corrected_call)).not.toContain("admin");
  });

  test("suggestions name visible ops only", async () => {
    const { details } = errorOf(await fixture().exec("onto.task.creat", {}, {}, grant("read")));
    expect(details?.["suggestions"]).not.toContain("onto.task.create");
  });

  test("an op hidden by configuration is callable, but not suggested", async () => {
    const { exec } = fixture();
    expect((await exec("zeta.hidden.write")).ok).toBe(true);
    expect(errorOf(await exec("zeta.hidden.writ")).details?.["suggestions"]).not.toContain("zeta.hidden.write");
  });

  test("of several ops of one tool name, those hidden by configuration are not suggested", async () => {
    const [task] = TOOLS.filter(({ op }) => op === "onto.task.list");
    if (!task) throw new Error("the fixture has no onto.task.list");
    const more = ["zeta.one", "zeta.secret", "zeta.two"].map((op) => ({ ...task, op, tool_name: "tell", aliases: [] }));
    const { exec } = fixture({ more, settings: { ops: new Map([["zeta.secret", { hidden: true }]]) } });
    expect(errorOf(await exec("tell")).details?.["suggestions"]).toEqual(["zeta.one", "zeta.two"]);
  });

  test("the project half: ids outside the grant are not found, those inside pass", async () => {
    const projectOf = async (_: string, id: string) => (id === "task_mine" ? "proj_a" : undefined);
    const { exec, calls } = fixture({ options: { projectOf } });
    const who = grant("write", ["proj_a"]);
    expect(errorOf(await exec("onto.task.list", { project_id: "proj_b" }, {}, who))).toMatchObject({
      code: "NOT_FOUND",
      details: { kind: "project", id: "proj_b" },
    });
    expect(errorOf(await exec("onto.task.delete", { task_id: "task_other" }, {}, who)).corrected_call?.args).toEqual({
      task_id: "<task_id>",
    });
    // The answer says what is called like the id, among what the caller may read.
    expect(calls.map(({ op }) => op)).toEqual(["onto.task.search"]);
    expect((await exec("onto.task.list", { project_id: "proj_a" }, {}, who)).ok).toBe(true);
    expect((await exec("onto.task.delete", { task_id: "task_mine" }, {}, who)).ok).toBe(true);
    expect((await exec("onto.task.list", {}, {}, who)).ok).toBe(true);
  });
});

describe("arguments that are not in args", () => {
  test.each([
    [
      { op: "onto.task.create", args: {}, project_id: "proj_1", title: "x" },
      { project_id: "proj_1", title: "x" },
    ],
    [
      { op: "onto.task.create", name: "x" },
      { project_id: "<project_id>", title: "x" },
    ],
    [
      { op: "onto.task.create", titel: "x", args: { project_id: "proj_1" } },
      { project_id: "proj_1", title: "x" },
    ],
    [{ op: "onto.task.list", arg: { limit: 1 } }, { limit: 1 }],
    [{ op: "onto.task.list", arg: '{"limit":1}' }, { limit: 1 }],
    [
      { op: "onto.task.list", zzzzzz: 1, limit: 2 },
      { limit: 2, zzzzzz: "<zzzzzz: no such argument for 1; use project_id, state_key, or leave it out>" },
    ],
    [
      { op: "onto.edge.link", from: { kind: "task", id: "task_1" }, to: { kind: "goal", id: "goal_1" }, rel: "x" },
      { src_kind: "task", src_id: "task_1", dst_kind: "goal", dst_id: "goal_1", rel: "x" },
    ],
    [
      { op: "onto.task.delete", extra: 1 },
      { extra: "<extra: no such argument for 1; use task_id, or leave it out>", task_id: "<task_id>" },
    ],
  ])("%j: the corrected call has them", async (call, args) => {
    const { gateway, calls } = fixture();
    expect(errorOf(await gateway.dispatch(call, principal())).corrected_call).toEqual({ op: call.op, args });
    expect(calls).toEqual([]);
  });

  test("what is wrong with a key is its form, not its type", async () => {
    expect(fieldErrorsOf(await fixture().exec("onto.task.list", {}, { idempotency_key: "" }))).toMatchObject([
      { keyword: "pattern", message: "idempotency_key is not 1 to 200 printable characters" },
    ]);
    expect(fieldErrorsOf(await fixture().exec("onto.task.list", {}, { idempotency_key: 7 }))).toMatchObject([
      { keyword: "type" },
    ]);
  });
});
