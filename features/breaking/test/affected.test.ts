/** Whom a finding hurts: what refers to the op, and recorded calls. */

import { expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeFile, configOf, type PartialTool } from "../../../test/support/partial-registry.js";
import { withHurt } from "../affected.js";
import { compareTools } from "../compare.js";

await loadChecks();

test("aliases, snippets, examples, pins and recorded calls are named; an info names nothing", () => {
  const schema = (values: readonly string[]) =>
    ({ type: "object", properties: { a: { enum: values }, b: {} } }) as const;
  const tool: PartialTool = { examples: [{ args: { a: "x" }, title: "One" }, { args: { b: 1 } }] as never };
  const listed = { aliases: [{ name: "thing", target: "p.thing.get" }], snippets: [{ name: "do", params: [] }] };
  const before = completeFile("a", { ...listed, tools: [{ ...tool, parameters_schema: schema(["x", "y"]) }] });
  const after = completeFile("b", { ...listed, tools: [{ ...tool, parameters_schema: schema(["y", "z"]) }] });
  const found = compareTools(before.registry.tools, after.registry.tools);
  const config = configOf({ policies: { "p.thing.get": {} } } as never);
  const usage = new Map([["p.thing.get", { calls: 412, callers: 3 }]]);
  const snippets = 'do:\n  body: "p.thing.get()"\n';
  const hurt = withHurt(found, { before, after, config, snippets, usage });
  expect(hurt.map(({ rule, hurt: whom }) => [rule, whom])).toEqual([
    [
      "arg-enum-value-removed",
      [
        "alias thing",
        "snippet $do",
        'example "One"',
        "the pinned policy of p.thing.get",
        "called 412 times in 30 days by 3 keys",
      ],
    ],
    ["arg-enum-value-added", undefined],
  ]);
});

const SCHEMA = (values: readonly string[], required: readonly string[] = []) =>
  ({ type: "object", properties: { a: { enum: values }, "b/c": {} }, required }) as const;

function hurtBy(before: PartialTool, after: PartialTool | undefined, more: object = {}) {
  const { config = {}, usage, aliases = [] } = more as { config?: object; usage?: never; aliases?: never[] };
  const sides = [
    completeFile("a", { aliases, tools: [before] }),
    completeFile("b", { tools: after ? [after] : [] }),
  ] as const;
  const found = compareTools(sides[0].registry.tools, sides[1].registry.tools);
  const users = { before: sides[0], after: sides[1], config: configOf(config as never), snippets: undefined, usage };
  return withHurt(found, users).map(({ rule, hurt }) => [rule, hurt]);
}

test("examples are hurt that give an argument, or that do not give a demanded one", () => {
  const examples = [{ args: { a: "x" } }, { args: { "b/c": 1 }, title: "Two" }] as never;
  const tool = (values: readonly string[], required?: readonly string[]): PartialTool => ({
    examples,
    parameters_schema: SCHEMA(values, required),
  });
  expect(hurtBy(tool(["x", "y"]), tool(["y"]))).toEqual([["arg-enum-value-removed", ["example 1"]]]);
  expect(hurtBy(tool(["x"]), tool(["x"], ["a"]))).toEqual([["arg-became-required", ['example "Two"']]]);
  expect(hurtBy(tool(["x"]), tool(["x"], ["b/c"]))).toContainEqual(["arg-became-required", ["example 1"]]);
  expect(hurtBy(tool(["x"]), undefined)).toContainEqual(["tool-removed", ["example 1", 'example "Two"']]);
  expect(hurtBy(tool(["x"]), { ...tool(["x"]), op: "p.thing.find" })).toContainEqual([
    "op-renamed",
    ["example 1", 'example "Two"'],
  ]);
  expect(
    hurtBy({ ...tool(["x"]), kind: "read", access: "read" }, { ...tool(["x"]), kind: "write", access: "read" }),
  ).toEqual([["kind-widened", undefined]]);
});

test("old paths, aliases of the op and overrides of the tool count, with the calls of all of them", () => {
  const before: PartialTool = { aliases: ["p.t"], parameters_schema: SCHEMA(["x", "y"]) };
  const after: PartialTool = { aliases: ["p.t"], parameters_schema: SCHEMA(["x"]) };
  const config = { ops: { get_thing: {}, other: {} }, policies: { "p.t": {}, "p.other": {} } };
  const usage = new Map([
    ["p.thing.get", { calls: 2, callers: 1 }],
    ["p.t", { calls: 3, callers: 2 }],
    ["p.other", { calls: 9, callers: 9 }],
  ]);
  const aliases = [
    { name: "one", target: "p.t" },
    { name: "two", target: "p.other" },
  ];
  expect(hurtBy(before, after, { config, usage, aliases })).toEqual([
    [
      "arg-enum-value-removed",
      ["alias one", "the pinned policy of p.t", "the override of get_thing", "called 5 times in 30 days by 2 keys"],
    ],
  ]);
  const one = new Map([["p.t", { calls: 1, callers: 1 }]]);
  expect(hurtBy(before, after, { usage: one })).toEqual([
    ["arg-enum-value-removed", ["called 1 time in 30 days by 1 key"]],
  ]);
  expect(hurtBy(before, after, { usage: new Map([["p.t", { calls: 0, callers: 0 }]]) })).toEqual([
    ["arg-enum-value-removed", undefined],
  ]);
});
