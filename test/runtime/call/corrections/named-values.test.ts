/** Arguments in other notations than JSON, and what may be a flag of the call. */

import { describe, expect, test } from "vitest";
import { readCall } from "../../../../runtime/call/corrections/read-call.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const INTEGER: JsonSchema = { type: "integer" };
const TEXT: JsonSchema = { type: "string" };

describe("arguments as names with values", () => {
  const tool = toolOf({
    op: "onto.a.get",
    tool: "get_a",
    kind: "read",
    schema: closed({ a: TEXT as JsonObject, type: TEXT as JsonObject }),
  });
  const read = (sent: JsonObject) => readCall(tool, sent, (text) => (text === tool.op ? tool : undefined));
  const { op } = tool;

  test.each<readonly [args: JsonValue, expected: JsonObject | undefined]>([
    ["a: b c\ntype: 'd'", { a: "b c", type: "d" }],
    ["- a: b", { a: "b" }],
    ["a: http://x.y", { a: "http://x.y" }],
    ['--a b --type="c d"', { a: "b", type: "c d" }],
    ["<a>b</a>\n<type>c</type>", { a: "b", type: "c" }],
    [[["a", "b"]], { a: "b" }],
    [
      [
        { name: "a", value: "b" },
        { key: "type", value: "c" },
      ],
      { a: "b", type: "c" },
    ],
    [
      [
        { field: "a", value: "b" },
        { argument: "type", value: "c" },
      ],
      { a: "b", type: "c" },
    ],
    ["a: b, type: c", undefined],
    ["a: b\na: c", undefined],
    ["a: null", undefined],
    ["a: |", undefined],
    ["a: b\nother: c", undefined],
    ["a: b\nc", undefined],
    ["--a", undefined],
    ["--a b --other c", undefined],
    ["<a>b</a> c", undefined],
    ["<a>b &amp; c</a>", undefined],
    [[["a", "b", "c"]], undefined],
    [
      [
        { name: "a", value: "b" },
        { name: "type", value: "c", more: 1 },
      ],
      undefined,
    ],
    [`a: ${"x".repeat(10_000)}`, undefined],
  ])("args %j are %j", (args, expected) =>
    expect(read({ op, args })).toEqual(expected && { args: expected, effect: {} }),
  );

  test("a flag among them is the flag of the call", () => {
    expect(read({ op, args: "a: b\ndry_run: true" })).toEqual({ args: { a: "b" }, effect: { dry_run: true } });
    expect(
      read({
        op,
        args: [
          ["a", "b"],
          ["dry_run", true],
        ],
      }),
    ).toEqual({ args: { a: "b" }, effect: { dry_run: true } });
    expect(read({ op, args: "--a b --dry-run" })).toBeUndefined();
  });

  test("a text is the only required argument where it can be nothing else", () => {
    const form = { type: "string", pattern: "^task_[a-z]+$" };
    const of = (action: string, properties: Record<string, object>, required: readonly string[], args: string) => {
      const schema = { ...closed(properties as never), required };
      const one = toolOf({ op: `onto.task.${action}`, tool: "x", kind: "read", schema: schema as never });
      return readCall(one, { op: one.op, args }, () => one)?.args;
    };
    expect(of("search", { query: TEXT, limit: INTEGER }, ["query"], " Anna B. ")).toEqual({ query: "Anna B." });
    expect(of("get", { id: form }, ["id"], "task_a")).toEqual({ id: "task_a" });
    expect(of("get", { id: form }, ["id"], "Anna")).toBeUndefined();
    expect(of("get", { id: TEXT }, ["id"], "Anna")).toBeUndefined();
    expect(of("search", { query: TEXT, mode: TEXT }, ["query", "mode"], "Anna")).toBeUndefined();
    for (const args of ["{query", "a=b", "<b>", "-x", "'a'", "a\nb"])
      expect(of("search", { query: TEXT }, ["query"], args), args).toBeUndefined();
  });
});

describe("what may be a flag of the call", () => {
  test.each<[JsonObject]>([
    [{ args: { a: "b" }, confirm: false }],
    [{ args: { a: "b", execute: "no" } }],
    [{ args: { a: "b" }, mode: "dry_run" }],
    [{ args: { a: "b", how: "preview only" } }],
    [{ args: { a: "b", flags: ["--dry-run"] } }],
    [{ args: { a: "b" }, more: { options: { confirm: "no" } } }],
    [{ args: { a: "b", more: { dryRun: { enabled: true } } } }],
  ])("a write with %j may be meant as a dry run", (sent) => {
    const schema = closed({ a: TEXT as JsonObject });
    const of = (kind: "read" | "write") => {
      const one = toolOf({ op: "onto.a.set", tool: "set_a", kind, schema });
      return readCall(one, { op: one.op, ...sent }, () => one);
    };
    expect(of("write")).toBeUndefined();
    expect(of("read")).toMatchObject({ args: { a: "b" } });
  });

  test("a flag beside the arguments of an op that has an argument of the name may be both", () => {
    const schema = closed({ a: TEXT as JsonObject, dryRun: { type: "boolean" } });
    const own = toolOf({ op: "onto.a.set", tool: "set_a", kind: "write", schema });
    const readOwn = (sent: JsonObject) => readCall(own, { op: own.op, ...sent }, () => own);
    expect(readOwn({ args: { a: "b" }, dryRun: true })).toBeUndefined();
    expect(readOwn({ args: { a: "b", dry_run: true } })).toBeUndefined();
    expect(readOwn({ args: { a: "b", dryRun: true } })).toEqual({ args: { a: "b", dryRun: true }, effect: {} });
    expect(readOwn({ a: "b", dryRun: true })).toEqual({ args: { a: "b", dryRun: true }, effect: {} });
    expect(readOwn({ args: { a: "b" }, dry_run: true })).toEqual({ args: { a: "b" }, effect: { dry_run: true } });
  });
});
