/** Where the parts of a call are found, and which of them may be something else. */

import { describe, expect, test } from "vitest";
import { asksForHelp, isWithheld, opTexts, readCall } from "../../../../runtime/call/corrections/read-call.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { closed, TOOLS, toolOf } from "../../gateway/fixture-tools.js";

const TEXT: JsonSchema = { type: "string" };

describe("the parts of a call", () => {
  const [search] = TOOLS.filter(({ op }) => op === "onto.task.search");
  const tool = toolOf({
    op: "onto.a.get",
    tool: "get_a",
    kind: "read",
    schema: closed({ a: TEXT as JsonObject, type: TEXT as JsonObject }),
  });
  const find = (text: string) => [tool, search].find((one) => one?.op === text);
  const read = (sent: JsonObject) => readCall(tool, sent, find);
  const op = tool.op;

  test.each<readonly [sent: JsonObject, args: JsonObject]>([
    [{ op }, {}],
    [{ op, args: { a: "b" } }, { a: "b" }],
    [{ op, args: null }, {}],
    [{ op, args: [] }, {}],
    [{ op, args: "  " }, {}],
    [{ op, args: [{ a: "b" }] }, { a: "b" }],
    [{ op, args: '{"a": "b"}' }, { a: "b" }],
    [{ op, a: "b" }, { a: "b" }],
    [{ op, toolInput: { a: "b" } }, { a: "b" }],
    [{ op, params: { arguments: { a: "b" } } }, { a: "b" }],
    [
      { op, args: { params: { a: "b" }, more: 1 } },
      { params: { a: "b" }, more: 1 },
    ],
    [{ op, args: { op, args: { a: "b" } } }, { a: "b" }],
    [
      { op: "exec", tool: op, a: "b" },
      { op: "exec", a: "b" },
    ],
    [{ name: "tool_exec", op, a: "b" }, { a: "b" }],
    [{ op, id: "call_1", a: "b" }, { a: "b" }],
    [{ op, thought: "so", a: "b" }, { a: "b" }],
    [{ op, thought: { x: 1 } }, { thought: { x: 1 } }],
    [{ op, type: "function" }, { type: "function" }],
    [{ function: { name: op, arguments: '{"a":"b"}' } }, { a: "b" }],
    [{ op, a: "b", args: { a: "b" } }, { a: "b" }],
    [{ op, dry_run: null }, {}],
  ])("%j has the arguments %j", (sent, args) => expect(read(sent)).toEqual({ args, effect: {} }));

  test.each<readonly [sent: JsonObject, effect: object]>([
    [{ op, dry_run: true }, { dry_run: true }],
    [{ op, args: { preview: "yes" } }, { dry_run: true }],
    [{ op, dry_run: true, args: { dryRun: 1 } }, { dry_run: true }],
    [{ op, idempotencyKey: "k" }, { idempotency_key: "k" }],
  ])("%j has the effect %j", (sent, effect) => expect(read(sent)).toEqual({ args: {}, effect }));

  test.each<readonly [sent: JsonObject]>([
    [{ op, args: 7 }],
    [{ op, args: "text" }],
    [{ op, args: [{ a: "b" }, { a: "c" }] }],
    [{ op, a: "b", args: { a: "c" } }],
    [{ op, dry_run: "perhaps" }],
    [{ op, dry_run: true, args: { dry_run: false } }],
    [{ op, ...Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x${i}`, i])) }],
    [{ op, args: { args: { args: { args: { args: { a: "b" } } } } } }],
  ])("%j is not clear", (sent) => expect(read(sent)).toBeUndefined());

  test("texts that may be the op, the field for it first, inner calls last, four levels deep", () => {
    expect(opTexts({ name: "b", op: "a", args: { tool: "c" }, function: { name: "d" } })).toEqual(["a", "b", "c", "d"]);
    expect(opTexts({ op: " ", name: 7 })).toEqual([]);
    expect(opTexts('[{"op": "a"}]')).toEqual(["a"]);
    expect(opTexts([{ op: "a" }, { op: "b" }])).toEqual([]);
    const nested = (levels: number): JsonObject => (levels === 0 ? { op: "a" } : { args: nested(levels - 1) });
    expect([opTexts(nested(4)), opTexts(nested(5))]).toEqual([["a"], []]);
  });
});

describe("what stands beside the arguments", () => {
  const op = "onto.a.set";
  const of = (names: string, more: JsonObject = {}) => {
    const properties = Object.fromEntries(names.split(" ").map((name) => [name, TEXT as JsonObject]));
    return toolOf({ op, tool: "set_a", kind: "write", schema: closed({ ...properties, ...more }) });
  };
  const tool = of("a title previews");
  const read = (sent: JsonObject, one = tool) => readCall(one, sent, (text) => (text === op ? one : undefined));

  test.each<readonly [sent: JsonObject, args: JsonObject]>([
    [{ op, pack: "onto", a: "b" }, { a: "b" }],
    [
      { op, pack: "other", x: "onto" },
      { pack: "other", x: "onto" },
    ],
    [{ op, method: "tools/call", a: "b" }, { a: "b" }],
    [{ op, x: "tools/call" }, { x: "tools/call" }],
    [{ op, type: "tool_use", a: "b" }, { a: "b" }],
    [{ op, type: "other" }, { type: "other" }],
    [{ op, title: "x", args: "" }, { title: "x" }],
    [{ op, title: "x", args: null }, { title: "x" }],
    [{ op, title: "x", args: {} }, { title: "x" }],
    [{ op, title: "x", params: [] }, { title: "x" }],
    [{ op, args: { preview: true } }, { preview: true }],
    [{ op: "onto.a", action: "set", args: { a: "b" } }, { a: "b" }],
    [{ op: "onto.a", verb: "set", args: { a: "b" } }, { a: "b" }],
    [{ entity: "onto.a", method: "set", args: { a: "b" } }, { a: "b" }],
    [{ resource: "onto.a", action: "set", args: { a: "b" } }, { a: "b" }],
  ])("%j has the arguments %j", (sent, args) => expect(read(sent)).toEqual({ args, effect: {} }));

  test("a text beside the arguments may be a remark about the call", () => {
    expect(read({ op, title: "x", args: { a: "b" } })).toBeUndefined();
    expect(read({ op, a: "x", args: { title: "b" } })).toEqual({ args: { a: "x", title: "b" }, effect: {} });
  });

  test("an object of arguments is spread, unless it holds another value, something else, or nothing", () => {
    const spread = (args: JsonObject) => read({ op, args })?.args;
    expect(spread({ updates: { a: "b" } })).toEqual({ a: "b" });
    expect(spread({ updates: '{"a": "b"}' })).toEqual({ a: "b" });
    expect(spread({ a: "b", updates: { a: "b", title: "c" } })).toEqual({ a: "b", title: "c" });
    expect(read({ op, args: { updates: { a: "b", dry_run: true } } })).toEqual({
      args: { a: "b" },
      effect: { dry_run: true },
    });
    for (const updates of [{ a: "c" }, { a: "b", x: 1 }, {}, "text", 7, [1]])
      expect(spread({ a: "b", updates })).toEqual({ a: "b", updates });
    expect(spread({ other: { a: "b" } })).toEqual({ other: { a: "b" } });
    const takes = of("a", { updates: { type: "object" } });
    expect(read({ op, args: { updates: { a: "b" } } }, takes)?.args).toEqual({ updates: { a: "b" } });
  });

  test("an argument that is called as a field of a call is an argument", () => {
    expect(read({ op, args: { name: op } }, of("name a"))).toEqual({ args: { name: op }, effect: {} });
    expect(read({ op, args: { name: op, a: "b" } }, of("a"))).toEqual({ args: { a: "b" }, effect: {} });
  });

  test("calls inside calls are read four levels deep", () => {
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { op, args: { a: "b" } } : { request: nested(levels - 1) };
    expect([read(nested(3))?.args, read(nested(4))]).toEqual([{ a: "b" }, undefined]);
  });
});

test.each([
  ["tool_help", true],
  ["describe", true],
  ["help op", true],
  ["tool_exec", false],
  ["help task", false],
  ["", false],
])("%j asks for help: %s", (text, asks) => expect(asksForHelp(text)).toBe(asks));

test("what is nested too deep may hold anything", () => {
  const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });
  expect([isWithheld("a", nested(4)), isWithheld("a", nested(5))]).toEqual([false, true]);
  expect([isWithheld("a", [[[[1]]]]), isWithheld("a", [[[[[1]]]]])]).toEqual([false, true]);
  const many = (count: number): JsonObject => ({
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1])),
    confirm: false,
  });
  expect([isWithheld("a", many(99)), isWithheld("a", many(100))]).toEqual([true, false]);
});
