/** The corrected call of a failure: made from what the failure says, and left out where the same call would fail again. */

import { describe, expect, test } from "vitest";
import type { Call } from "../../../../runtime/call/call.js";
import { suggestedCall } from "../../../../runtime/call/corrections/suggest-call.js";
import { fail, type JsonObject } from "../../../../runtime/codegen.js";
import type { ErrorCode, Principal } from "../../../../runtime/contract/handler.js";
import { errorOf, fixture, handler, okOf, principal } from "../../gateway/fixture.js";
import { closed, TOOLS, toolOf } from "../../gateway/fixture-tools.js";

const [update] = TOOLS.filter(({ op }) => op === "onto.task.update");
const ARGS = { title: "A", task_id: "task_9" };

function suggested(code: ErrorCode, details: JsonObject, call: object = {}) {
  const made = { tool: update, args: ARGS, errors: [], request: { op: "onto.task.update", args: ARGS }, ...call };
  return suggestedCall(made as unknown as Call, code, details);
}

describe("after a failure of the handler", () => {
  test("an unknown id is to be replaced, wherever it stands", () => {
    const op = "onto.task.update";
    const details = { kind: "task", id: "task_9" };
    expect(suggested("NOT_FOUND", details)).toEqual({ op, args: { task_id: "<task_id>", title: "A" } });
    const args = { task_id: "task_1", title: "task_9x", props: [{ a: "task_9" }, "task_9", 7, null] };
    expect(suggested("NOT_FOUND", details, { args })?.args).toEqual({
      task_id: "task_1",
      title: "task_9x",
      props: [{ a: "<task_id>" }, "<task_id>", 7, null],
    });
    for (const kind of ["", 7])
      expect(suggested("NOT_FOUND", { kind, id: "task_9" })?.args).toEqual({ task_id: "<id>", title: "A" });
    expect([suggested("NOT_FOUND", { id: 7 }), suggested("NOT_FOUND", { id: "task_1" })]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("an old version is to be replaced by the current one", () => {
    const args = { ...ARGS, expected_version: 3 };
    expect(suggested("CONFLICT", { current_version: 4 }, { args })?.args).toEqual({
      task_id: "task_9",
      title: "A",
      expected_version: "<expected_version: 4, after reading what changed>",
    });
    expect(suggested("CONFLICT", { current_version: 4 })).toBeUndefined();
    expect(suggested("CONFLICT", { current_version: "4" }, { args })).toBeUndefined();
  });

  test("arguments that it names are mended", () => {
    const field_errors = [
      { path: "title", keyword: "maxLength", message: "", expected: "string", received: "" },
      { keyword: "type" },
      7,
      null,
    ];
    const expected = { op: "onto.task.update", args: { task_id: "task_9", title: "<title>" } };
    expect(suggested("VALIDATION_ERROR", { field_errors })).toEqual(expected);
    const request = { dry_run: false, idempotency_key: "k" };
    expect(suggested("VALIDATION_ERROR", { field_errors }, { request })).toEqual({ ...expected, ...request });
    const other = { dry_run: "no", idempotency_key: "" };
    expect(suggested("VALIDATION_ERROR", { field_errors }, { request: other })).toEqual(expected);
    expect(suggested("VALIDATION_ERROR", { field_errors }, { request: "text" })).toEqual(expected);
  });

  test("the same call is not offered again", () => {
    for (const field_errors of [undefined, "text", []])
      expect(suggested("VALIDATION_ERROR", field_errors === undefined ? {} : { field_errors })).toBeUndefined();
  });

  const CORRECTED = { op: "onto.task.list", args: {} };
  test.each<ErrorCode>([
    "UNAVAILABLE",
    "INTERNAL",
    "TIMEOUT",
    "CANCELLED",
    "PERMISSION_DENIED",
    "RATE_LIMITED",
    "UNAUTHENTICATED",
  ])("%s is not about the call", (code) => {
    expect(suggested(code, {}, { corrected: CORRECTED })).toBeUndefined();
  });

  test("a corrected call that is known is offered, unless the call may have been carried out", () => {
    expect(suggested("NOT_FOUND", {}, { corrected: CORRECTED })).toBe(CORRECTED);
    expect(suggested("CONFLICT", { outcome: "unknown" }, { corrected: CORRECTED })).toBeUndefined();
    expect(suggested("NOT_FOUND", { id: "task_9" }, { tool: undefined })).toBeUndefined();
    expect(suggested("NOT_FOUND", { id: "task_9" }, { errors: [{}] })).toBeUndefined();
  });
});

test("a call that its handler refuses is corrected by what the handler says", async () => {
  const lost = handler(async ({ task_id }) => fail("NOT_FOUND", "gone", { kind: "task", id: String(task_id) }));
  const { exec } = fixture({ handlers: { "onto.task.delete": lost } });
  const { corrected_call } = errorOf(await exec("onto.task.delete", { id: "task_9" }));
  expect(corrected_call?.args).toEqual({ task_id: "<task_id>" });
});

test("a corrected call that would be refused again is not offered", async () => {
  // Its schema does not know the error of the handler.
  const schema = closed({ a: { type: "integer", minimum: 5 }, b: { type: "string" } }, ["a"]);
  const tool = toolOf({ op: "onto.task.count", tool: "count", kind: "read", schema });
  const said = (details: JsonObject) => handler(async () => fail("VALIDATION_ERROR", "no", details));
  const corrected = async (details: JsonObject, args: JsonObject) =>
    errorOf(await fixture({ more: [tool], handlers: { [tool.op]: said(details) } }).exec(tool.op, args)).corrected_call;
  const error = (path: string, keyword: string) => ({ path, keyword, message: "", expected: "x", received: "" });
  expect(await corrected({ field_errors: [error("b", "form")] }, { a: 5, b: "x" })).toEqual({
    op: tool.op,
    args: { a: 5, b: "<b>" },
  });
  expect(await corrected({ field_errors: [error("c", "required")] }, { a: 5 })).toBeUndefined();
});

test("a write is not offered to a caller that may not write", async () => {
  const { exec } = fixture();
  const offered = async (allowWrite: boolean) =>
    errorOf(await exec("onto.task.update", { task: "task_1", title: "x" }, {}, principal({ allowWrite })))
      .corrected_call;
  expect(await offered(true)).toMatchObject({ op: "onto.task.update" });
  expect(await offered(false)).toBeUndefined();
});

describe("an example of a call", () => {
  const corrected = async (call: unknown, more: Parameters<typeof fixture>[0] = {}) =>
    errorOf(await fixture(more).gateway.dispatch(call, principal())).corrected_call;

  test("is a read that needs nothing, of the entity with the most ops", async () => {
    const LIST = { op: "onto.task.list", args: { project_id: "<project_id>" } };
    for (const call of [{}, { args: { a: 1 } }, { op: 7 }, "text", { op: "" }])
      expect([call, await corrected(call)]).toEqual([call, LIST]);
    const schema = closed({ x: { type: "string" } });
    const more = [toolOf({ op: "onto.task.all", tool: "all_tasks", kind: "read", schema })];
    expect(await corrected({}, { more })).toEqual(LIST);
  });

  test("is not given where the call names an op", async () => {
    expect(await corrected({ op: ["onto.task.list", "onto.task.delete"] })).toBeUndefined();
    expect(await corrected({ op: "no.such.thing" })).toBeUndefined();
    expect(await corrected({ args: { a: "x".repeat(100_000) } })).toBeUndefined();
  });

  test("names an argument that the schema does not describe", async () => {
    const schema = { type: "object", properties: {}, required: ["nme"] };
    const parameters = [{ name: "nme", original: "nme", required: true, aliases: [], type: "any" }];
    const tool = toolOf({ op: "onto.task.read", tool: "read_task", kind: "read", schema, extra: { parameters } });
    const { gateway, exec } = fixture({ more: [tool] });
    for (let i = 0; i < 2; i++) await exec(tool.op, { nme: "a" });
    expect(errorOf(await gateway.dispatch({}, principal())).corrected_call).toEqual({
      op: tool.op,
      args: { nme: "<nme>" },
    });
  });

  test("is what the caller has used, and what others have only for those who see all statistics", async () => {
    const { gateway, exec } = fixture();
    const key = (id: string, level: "write" | "admin") =>
      principal({ kind: "key", id, grant: { level, projects: "*" } });
    const [one, other, admin] = [key("key_1", "write"), key("key_2", "write"), key("key_3", "admin")];
    const example = async (who: Principal) => errorOf(await gateway.dispatch({}, who)).corrected_call?.op;
    expect(await example(one)).toBe("onto.task.list");
    for (let time = 0; time < 3; time++) okOf(await exec("onto.task.search", { search: "a" }, {}, one));
    expect(await example(one)).toBe("onto.task.search");
    expect(await example(other)).toBe("onto.task.list");
    expect(await example(admin)).toBe("onto.task.search");
    okOf(await exec("onto.task.list", {}, {}, admin));
    expect(await example(admin)).toBe("onto.task.list");
  });

  test("is of the project, not of a shipped pack, even after one is used", async () => {
    const shipped = (name: string) =>
      toolOf({
        op: `ot.${name}`,
        tool: name,
        kind: "read",
        schema: closed({ pattern: { type: "string" } }),
        extra: { source: { kind: "local", file: "ot.ts", shipped: true }, action: "list" },
      });
    const more = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].map(shipped);
    const { gateway, exec } = fixture({ more });
    okOf(await exec("ot.a"));
    const error = errorOf(await gateway.dispatch({}, principal()));
    expect(error.corrected_call).toEqual({ op: "onto.task.list", args: { project_id: "<project_id>" } });
    expect(error.message).toBe(
      '1 argument needs attention: op is missing. To find an op: tool_help {"path": "what it does, in words"}.',
    );
  });

  test("is missing where no op reads with arguments", async () => {
    const registry = { ir_version: 1, registry_version: "0".repeat(64), packs: [], reserved: [] };
    const tools = [
      toolOf({ op: "a.b.get", tool: "get_b", kind: "read", schema: closed({}) }),
      toolOf({ op: "a.b.set", tool: "set_b", kind: "write", schema: closed({ a: { type: "string" } }) }),
    ];
    expect(await corrected({}, { project: { registry: { ...registry, tools } as never } })).toBeUndefined();
  });
});
