/** Whom a finding hurts: what refers to the op, and recorded calls. */

import { expect, test } from "vitest";
import { withHurt } from "../../../generator/breaking/affected.js";
import { compareTools } from "../../../generator/breaking/compare.js";
import { completeFile, configOf, type PartialTool } from "../../support/breaking.js";

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
