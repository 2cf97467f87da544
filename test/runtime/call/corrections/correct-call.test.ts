/** Refused calls as a whole: which are small enough to be corrected, and how a call inside its own op is read. */

import { describe, expect, test } from "vitest";
import { isCorrectable } from "../../../../runtime/call/corrections/correct-call.js";
import type { JsonObject } from "../../../../runtime/codegen.js";
import { errorOf, fixture, principal, tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const corrected = async (call: unknown) => errorOf(await fixture().gateway.dispatch(call, principal())).corrected_call;
const OP = "onto.task.list";
const LIST = { op: OP, args: { limit: 3 } };

describe("a call inside its op", () => {
  test.each<readonly [call: JsonObject]>([
    [{ op: `${OP}({"limit": 3})` }],
    [{ op: ` ${OP} ( {'limit': 3} ); ` }],
    [{ op: `${OP}({"limit": 3})`, args: {} }],
    [{ op: [`${OP}({"limit":\n3})`] }],
    [{ op: JSON.stringify(LIST) }],
    [{ op: JSON.stringify(LIST), args: {} }],
    [{ op: LIST }],
    [{ op: [LIST] }],
    [{ op: `{"op": "${OP}"}`, args: { Limit: "3" } }],
  ])("%j is read", async (call) => expect(await corrected(call)).toEqual(LIST));

  test("keeps what stands beside it", async () => {
    const op = 'onto.task.delete({"task_id": "task_1"})';
    expect(await corrected({ op, dry_run: true })).toEqual({
      op: "onto.task.delete",
      args: { task_id: "task_1" },
      dry_run: true,
    });
  });

  test("keeps the semicolons of its values", async () => {
    const op = 'onto.task.search({"search": "a;b"});';
    expect((await corrected({ op }))?.args).toEqual({ search: "a;b" });
  });

  test.each<readonly [call: JsonObject]>([
    [{ op: `${OP}({"limit": 3})`, args: { limit: 4 } }],
    [{ op: JSON.stringify(LIST), args: { limit: 4 } }],
    [{ op: `${OP}({"limit": 3}), then stop` }],
    [{ op: `${OP}({"limit": 3` }],
  ])("%j is not, as it would lose a part", async (call) => {
    expect((await corrected(call))?.args).not.toEqual({ limit: 3 });
  });
});

describe("what is mended takes several passes", () => {
  test("a value under another name, inside a text", async () => {
    const args = JSON.stringify({ State: "dne", Limit: "3" });
    expect(await corrected({ op: OP, args })).toEqual({ op: OP, args: { state_key: "done", limit: 3 } });
  });

  test("arguments of which not all were looked at are not offered", async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i]));
    expect(
      await corrected({ op: "onto.task.create", args: { project_id: "proj_1", title: "A", props: 1, ...many } }),
    ).toBeUndefined();
    const connections = [{ kind: "goal", id: "goal_1", ...many }];
    expect(
      await corrected({ op: "onto.task.create", args: { project_id: "proj_1", title: "A", connections } }),
    ).toBeUndefined();
  });
});

describe("a corrected call", () => {
  test("has its arguments in the order of the signature", async () => {
    const call = await corrected({ op: "onto.task.create", args: { titel: "A", project_id: "proj_1" } });
    expect(Object.keys(call?.args ?? {})).toEqual(["project_id", "title"]);
  });

  test("is another one than the refused call", async () => {
    expect(await corrected({ op: "onto.task.delete", args: { task_id: "<task_id>" } })).toBeUndefined();
  });

  test("is not offered where the op says another value than the arguments", async () => {
    const schema = closed({ goal_id: { type: "string" }, state_key: { type: "string", enum: ["active", "achieved"] } });
    const more = [toolOf({ op: "onto.goal.update", tool: "update_onto_goal", kind: "write", schema })];
    const { exec } = fixture({ more });
    const args = { goal_id: "g", state_key: "active" };
    expect(errorOf(await exec("onto.goal.complete", args)).corrected_call).toBeUndefined();
    expect(errorOf(await exec("onto.goal.complete", { goal_id: "g" })).corrected_call?.args).toEqual({
      goal_id: "g",
      state_key: "achieved",
    });
  });

  test("is not offered where findings were not looked at", async () => {
    const schema = closed({ list: { type: "array", items: { type: "string" } } });
    const tool = toolOf({ op: "util.any.read", tool: "read_any", kind: "read", schema, extra: { target: "global" } });
    const numbers = (length: number) => ({ list: Array.from({ length }, (_, i) => i) });
    expect((await tryArgs(tool, numbers(100))).corrected).toEqual({ list: numbers(100).list.map(String) });
    expect((await tryArgs(tool, numbers(600))).corrected).toBeUndefined();
  });

  test("keeps references to earlier results of a batch", async () => {
    const args = { limit: { $ref: "0#/result/none" }, State: "done" };
    const entry = { op: OP, args, extra: 1 };
    const answer = await fixture().gateway.batch({ ops: [{ op: OP, args: {} }, entry] }, principal());
    expect(answer).toMatchObject({
      results: [{}, { error: { corrected_call: { op: OP, args: { limit: { $ref: "0#/result/none" } } } } }],
    });
  });
});

describe("the op of a call", () => {
  test("is looked for in twenty texts", async () => {
    const nested = (depth: number): JsonObject =>
      depth === 0
        ? { op: OP }
        : {
            ...Object.fromEntries("name tool command operation path action".split(" ").map((field) => [field, "x"])),
            args: nested(depth - 1),
          };
    expect((await corrected(nested(3)))?.op).toBe(OP);
    expect((await corrected(nested(4)))?.op).not.toBe(OP);
  });

  test("is not guessed from one that is negated", async () => {
    expect((await corrected({ op: "onto.task.remove", args: { task_id: "task_1" } }))?.op).toBe("onto.task.delete");
    for (const op of ["!onto.task.remove", "onto.task.remove?"])
      expect(await corrected({ op, args: { task_id: "task_1" } })).toBeUndefined();
  });
});

test("a call of a hundred thousand characters is corrected, in names and values", () => {
  const text = (length: number) => "x".repeat(length);
  const fits = (calls: readonly JsonObject[]) => calls.map(isCorrectable);
  expect(fits([{ a: text(99_998) }, { a: text(99_999) }])).toEqual([true, false]);
  expect(fits([{ [text(99_998)]: 1 }, { [text(99_999)]: 1 }])).toEqual([true, false]);
  expect(fits([{ a: Array(99_997).fill(1) }, { a: Array(99_998).fill(1) }])).toEqual([true, false]);
  expect(fits([{ a: [{ b: text(99_996) }] }, { a: { b: text(99_997), c: 1 } }])).toEqual([false, false]);
  const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) });
  expect(fits([nested(50), nested(5000)])).toEqual([true, false]);
});

describe("a long text that was sent", () => {
  const props = { note: "n".repeat(501), tags: ["t".repeat(27_000), "s".repeat(500)] };
  const args = { project_id: "proj_1", title: "A", props };
  const shown = {
    ...args,
    props: { note: "<as sent, 501 characters>", tags: ["<as sent, 27000 characters>", props.tags[1]] },
  };

  test.each<readonly [fault: string, call: JsonObject]>([
    ["op", { op: "onto.task.craete", args }],
    ["argument", { op: "onto.task.create", args: { project_id: "proj_1", titel: "A", props } }],
  ])("is named in the corrected call of a misspelt %s, and the error says what to send", async (_, call) => {
    const error = errorOf(await fixture().gateway.dispatch(call, principal()));
    expect(error.corrected_call).toEqual({ op: "onto.task.create", args: shown });
    expect(error.message).toMatch(
      / In corrected_call, "<as sent, …>" is the text that you sent: send the call again with the text itself, under the corrected names\.$/,
    );
    const again = errorOf(await fixture().gateway.dispatch({ ...error.corrected_call }, principal()));
    expect(again.message).toContain("props.note is a placeholder to fill in");
  });

  test("has no such sentence where it is short", async () => {
    const { message } = errorOf(
      await fixture().gateway.dispatch({ op: "onto.task.craete", args: { title: "A" } }, principal()),
    );
    expect(message).not.toContain("as sent");
  });
});
