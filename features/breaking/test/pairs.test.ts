/** Which tool became which: by op, by an old path that stays, by name, by content; and only where that is certain. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeTool, type PartialTool } from "../../../test/support/partial-registry.js";
import { compareTools, pairTools } from "../compare.js";

await loadChecks();

function pairs(before: readonly PartialTool[], after: readonly PartialTool[]) {
  const { kept, removed, added } = pairTools(before.map(completeTool), after.map(completeTool));
  return [
    kept.map((one) => `${one.before.op} > ${one.after.op}`),
    removed.map(({ op }) => op),
    added.map(({ op }) => op),
  ];
}

const of = (op: string, tool_name: string, description = `About ${op}.`, more: object = {}): PartialTool => ({
  op,
  tool_name,
  description,
  ...more,
});

describe("tools are paired", () => {
  test.each<readonly [how: string, before: readonly PartialTool[], after: readonly PartialTool[], expected: unknown]>([
    [
      "by op",
      [of("p.a.get", "a"), of("p.b.get", "b")],
      [of("p.b.get", "x"), of("p.a.get", "y")],
      [["p.a.get > p.a.get", "p.b.get > p.b.get"], [], []],
    ],
    [
      "by an old op that is an alias",
      [of("p.a.get", "a")],
      [of("p.z.get", "z", "New.", { aliases: ["p.a.get"] })],
      [["p.a.get > p.z.get"], [], []],
    ],
    [
      "by an old alias that is the op",
      [of("p.a.get", "a", "Old.", { aliases: ["p.z.get"] })],
      [of("p.z.get", "z")],
      [["p.a.get > p.z.get"], [], []],
    ],
    [
      "by pack and name",
      [of("p.a.get", "a"), of("q.a.get", "a")],
      [of("p.x.get", "a"), of("q.x.get", "a")],
      [["p.a.get > p.x.get", "q.a.get > q.x.get"], [], []],
    ],
    ["by name", [of("p.a.get", "a")], [of("q.x.get", "a")], [["p.a.get > q.x.get"], [], []]],
    ["by content", [of("p.a.get", "a", "Same.")], [of("p.x.get", "x", "Same.")], [["p.a.get > p.x.get"], [], []]],
    [
      "not by content of another pack",
      [of("p.a.get", "a", "Same.")],
      [of("q.x.get", "x", "Same.")],
      [[], ["p.a.get"], ["q.x.get"]],
    ],
    [
      "not by content of another kind",
      [of("p.a.get", "a", "Same.")],
      [of("p.x.get", "x", "Same.", { kind: "write" })],
      [[], ["p.a.get"], ["p.x.get"]],
    ],
    ["not by another text", [of("p.a.get", "a", "One.")], [of("p.x.get", "x", "Two.")], [[], ["p.a.get"], ["p.x.get"]]],
    [
      "not by a name that several have, before",
      [of("p.a.get", "n", "One."), of("p.b.get", "n", "Two.")],
      [of("p.x.get", "n", "Three.")],
      [[], ["p.a.get", "p.b.get"], ["p.x.get"]],
    ],
    [
      "not by a name that several have, after",
      [of("p.a.get", "n", "One.")],
      [of("p.x.get", "n", "Two."), of("p.y.get", "n", "Three.")],
      [[], ["p.a.get"], ["p.x.get", "p.y.get"]],
    ],
    [
      "once, though two aliases lead to one",
      [of("p.a.get", "a", "One."), of("p.b.get", "b", "Two.")],
      [of("p.x.get", "x", "Three.", { aliases: ["p.a.get", "p.b.get"] })],
      [["p.a.get > p.x.get"], ["p.b.get"], []],
    ],
    [
      "once, though one has two old aliases",
      [of("p.a.get", "a", "One.", { aliases: ["p.x.get", "p.y.get"] })],
      [of("p.x.get", "x", "Two."), of("p.y.get", "y", "Three.")],
      [["p.a.get > p.x.get"], [], ["p.y.get"]],
    ],
  ])("old and new ones %s", (_, before, after, expected) => expect(pairs(before, after)).toEqual(expected));
});

test("help paths are lost with the last op in them, at every level, unless an op or an alias leads there", () => {
  const lost = (before: readonly PartialTool[], after: readonly PartialTool[]) =>
    compareTools(before.map(completeTool), after.map(completeTool))
      .filter(({ rule }) => rule === "help-path-removed")
      .map(({ op, before: path, tool, file }) => [op, path, tool, file]);
  const deep = of("p.a.b.get", "deep");
  expect(lost([deep, of("p.c.get", "c")], [of("p.c.get", "c")])).toEqual([
    ["p.a", "p.a", "", ""],
    ["p.a.b", "p.a.b", "", ""],
  ]);
  expect(lost([deep], [])).toHaveLength(3);
  expect(lost([deep], [of("p.x.get", "x", "X.", { aliases: ["p.a.b.list"] })])).toEqual([]);
  expect(lost([deep], [of("p.a.b", "x", "X.")])).toEqual([]);
});

test("the same tools in another order, or with equal parts, are no change", () => {
  const tools = [of("p.a.get", "a"), of("p.b.get", "b")].map(completeTool);
  expect(compareTools(tools, structuredClone(tools).toReversed())).toEqual([]);
  const [one, two] = [["x"], ["x", "y"]].map((notes) => [completeTool({ notes })]);
  expect(compareTools(one ?? [], two ?? [])).toEqual([]);
  expect(compareTools([completeTool({ description: "A." })], [completeTool({ description: "B." })])).toHaveLength(1);
});
