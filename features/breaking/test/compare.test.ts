/** Pairing of tools before and after, effects of tombstones, and equivalent schemas in different forms. */

import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import type { Finding } from "../../../runtime/contract/finding.js";
import { registryOf, tool } from "../../../test/support/generator-host.js";
import {
  completeFile,
  completeTool,
  type PartialRegistry,
  type PartialTool,
} from "../../../test/support/partial-registry.js";
import { compareTools } from "../compare.js";
import { compareSchemas } from "../schema.js";
import { applyTombstones } from "../tombstones.js";

await loadChecks();

const said = (findings: readonly Finding[]): readonly string[] =>
  findings.map((one) => `${one.level} ${one.rule} ${one.op}: ${one.message}`);
const compare = (before: readonly PartialTool[], after: readonly PartialTool[]): readonly string[] =>
  said(compareTools(before.map(completeTool), after.map(completeTool)));
const properties = (members: object, rest: object = {}): JsonSchema =>
  ({ type: "object", properties: members, ...rest }) as JsonSchema;
const rules = (before: unknown, after: unknown): readonly string[] =>
  compareSchemas("input", properties({ n: before }), properties({ n: after })).map(
    (one) => `${one.rule} ${one.pointer}`,
  );

describe("which tool became which", () => {
  const input = properties({ code: { type: "string" } });
  const other = { op: "p.thing.list", tool_name: "list_things" };

  test("name and op both new: recognised by what it takes and says, two findings and no removal", () => {
    const before = { op: "p.get_thing", tool_name: "get_thing", parameters_schema: input };
    expect(compare([before, other], [{ ...before, op: "p.fetch_thing", tool_name: "fetch_thing" }, other])).toEqual([
      "error op-renamed p.fetch_thing: op was p.get_thing, is p.fetch_thing",
      "error tool-renamed p.fetch_thing: tool name was get_thing, is fetch_thing",
    ]);
  });

  test("a name that several tools have proves nothing", () => {
    const [a, b] = ["p.a.get", "p.b.get"].map((op) => ({ op, parameters_schema: input }));
    const found = compare([a ?? {}, b ?? {}], [{ op: "q.c.get", tool_name: "get_c" }]);
    expect(found.filter((line) => line.includes(" tool-"))).toEqual([
      "error tool-removed p.a.get: tool get_thing is gone",
      "error tool-removed p.b.get: tool get_thing is gone",
      "info tool-added q.c.get: tool get_c is new",
    ]);
  });

  test("two tools that swap their names are two renames, since the op is the identity", () => {
    expect(compare([{}, other], [{ tool_name: "list_things" }, { ...other, tool_name: "get_thing" }])).toEqual([
      "error tool-renamed p.thing.get: tool name was get_thing, is list_things",
      "error tool-renamed p.thing.list: tool name was list_things, is get_thing",
    ]);
  });

  test("an old path that stays as alias makes a renamed op a warning", () => {
    expect(compare([{}], [{ op: "p.thing.read", aliases: ["p.thing.get"] }])).toEqual([
      "warning op-action-changed p.thing.read: action was get, is read",
      "warning op-renamed p.thing.read: op was p.thing.get, is p.thing.read; the old path is kept",
    ]);
  });

  test("an old name that stays as alias makes a renamed argument a warning, and moves no position", () => {
    const text = { type: "string" };
    const before = { parameters_schema: properties({ query: text, limit: { type: "integer" } }) };
    const after = {
      parameters_schema: properties({ search: { ...text, "x-aliases": ["query"] }, limit: { type: "integer" } }),
    };
    expect(compare([before], [after])).toEqual([
      "warning arg-renamed p.thing.get: argument query is search now; the old name is an alias",
    ]);
  });
});

describe("positions", () => {
  const order = (before: readonly string[], after: readonly string[], required: readonly string[] = []): boolean => {
    const of = (names: readonly string[]) =>
      completeTool({
        parameters_schema: properties(Object.fromEntries(names.map((name) => [name, { title: name }])), { required }),
      });
    return compareTools([of(before)], [of(after)]).some((one) => one.rule === "arg-position-changed");
  };

  test.each([
    ["one more at the end", ["a", "b"], ["a", "b", "c"], false],
    ["one more in the middle", ["a", "b"], ["a", "c", "b"], true],
    ["two swapped", ["a", "b"], ["b", "a"], true],
    ["one gone, which is told by itself", ["a", "b", "c"], ["a", "c"], false],
  ])("are compared by their order: %s", (_, before, after, moved) => {
    expect(order(before, after)).toBe(moved);
  });
});

describe("the same in another form is no change", () => {
  const forms: readonly (readonly [string, unknown, unknown])[] = [
    ["nullable", { type: ["string", "null"] }, { anyOf: [{ type: "string" }, { type: "null" }] }],
    ["enum and consts", { enum: ["a", "b"] }, { oneOf: [{ const: "b" }, { const: "a" }] }],
    ["const and enum of one", { const: 1 }, { enum: [1] }],
    ["allOf of one", { allOf: [{ type: "integer", minimum: 1 }] }, { type: "integer", minimum: 1 }],
    ["an exclusive bound of whole numbers", { type: "integer", exclusiveMinimum: 0 }, { type: "integer", minimum: 1 }],
    [
      "items and prefixItems",
      { type: "array", items: [{ type: "string" }] },
      { type: "array", prefixItems: [{ type: "string" }] },
    ],
    [
      "required in another order",
      properties({ a: {}, b: {} }, { required: ["a", "b"] }),
      properties({ b: {}, a: {} }, { required: ["b", "a"] }),
    ],
    ["additionalProperties said or not", properties({}), properties({}, { additionalProperties: true })],
    ["a bound that bounds nothing", { type: "string", minLength: 0 }, { type: "string" }],
  ];

  test.each(forms)("for %s, in both directions", (_, before, after) => {
    expect(rules(before, after)).toEqual([]);
    expect(rules(after, before)).toEqual([]);
  });

  test("a reference and what it stands for, a recursive one too", () => {
    const node = (child: object) => properties({ v: { type: "string" }, next: child });
    const direct = properties({ n: node({ $ref: "#/properties/n" }) });
    const named = properties({ n: { $ref: "#/$defs/node" } }, { $defs: { node: node({ $ref: "#/$defs/node" }) } });
    expect(compareSchemas("input", direct, named)).toEqual([]);
  });
});

describe("what is compared is what stands in a place", () => {
  test("a change in a shared definition is reported wherever it is used", () => {
    const of = (values: readonly string[]) =>
      properties(
        { a: { $ref: "#/$defs/s" }, b: { type: "array", items: { $ref: "#/$defs/s" } } },
        { $defs: { s: { enum: values } } },
      );
    const found = compareSchemas("input", of(["x", "y"]), of(["x"]));
    expect(found.map((one) => one.pointer)).toEqual(["/properties/a", "/properties/b/items"]);
  });

  test("a change in a recursive definition is reported once for each use, not for each depth", () => {
    const tree = (type: string) =>
      properties(
        { root: { $ref: "#/$defs/t" } },
        { $defs: { t: properties({ v: { type }, kids: { type: "array", items: { $ref: "#/$defs/t" } } }) } },
      );
    const found = compareSchemas("input", tree("string"), tree("integer"));
    expect(found.map((one) => `${one.rule} ${one.pointer}`)).toEqual([
      "arg-type-changed /properties/root/properties/v",
    ]);
  });

  test("alternatives of objects are told apart by their constant property", () => {
    const a = (rest: object) => properties({ kind: { const: "a" }, ...rest });
    const b = properties({ kind: { const: "b" }, x: { type: "string" } });
    const before = { oneOf: [a({ n: { type: "integer" } }), b] };
    expect(rules(before, { oneOf: [b, a({ n: { type: "string" } })] })).toEqual([
      "arg-type-changed /properties/n/oneOf/1/properties/n",
    ]);
    expect(rules(before, { oneOf: [b] })).toEqual(["arg-type-narrowed /properties/n"]);
  });

  test.each([
    [
      "a property required but declared no more, in a closed object",
      properties({ a: {} }, { required: ["a"], additionalProperties: false }),
      properties({}, { required: ["a"], additionalProperties: false }),
      "arg-type-narrowed /properties/n/properties/a",
    ],
    [
      "a rule across properties",
      properties({ a: {}, b: {} }),
      properties({ a: {}, b: {} }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      "arg-type-narrowed /properties/n",
    ],
    [
      "a keyword that is not decided",
      { type: "string", not: { const: "a" } },
      { type: "string", not: { const: "b" } },
      "arg-type-changed /properties/n",
    ],
    [
      "a step that is no multiple of the old",
      { type: "integer", multipleOf: 4 },
      { type: "integer", multipleOf: 6 },
      "arg-range-narrowed /properties/n,arg-range-widened /properties/n",
    ],
    ["values of another type than before", { type: "integer" }, { enum: ["a"] }, "arg-type-changed /properties/n"],
    ["nothing fits any more", { type: "string" }, false, "arg-type-narrowed /properties/n"],
  ])("for %s", (_, before, after, expected) => {
    expect(rules(before, after).join()).toBe(expected);
  });
});

describe("tombstones", () => {
  const stone = { tool: "get_thing", op: "p.thing.get", since: "2026-08-01", sunset: "2026-11-01" };
  const apply = (before: PartialRegistry, after: PartialRegistry, today?: string): readonly string[] => {
    const [old, now] = [completeFile("a", before).registry, completeFile("b", after).registry];
    return said(applyTombstones(compareTools(old.tools, now.tools), old, now, today));
  };

  test("the removal of a help path has the level of the tools that were in it", () => {
    const kept = { op: "p.item.get", tool_name: "get_item" };
    expect(apply({ tools: [{}, kept] }, { tools: [kept], reserved: [stone] }, "2026-12-01")).toEqual([
      "info help-path-removed p.thing: help path p.thing leads nowhere",
      "info tool-removed p.thing.get: tool get_thing is gone",
    ]);
  });

  test("a sunset without a day is a fault that names the flag", () => {
    expect(() => apply({ tools: [{}] }, { reserved: [stone] })).toThrow("give --today YYYY-MM-DD");
  });

  test("a tool may live on under its tombstone until it goes; with another input it is reused", () => {
    expect(apply({ tools: [{}] }, { tools: [{}], reserved: [stone] }, "2026-09-01")).toEqual([]);
    const other = { parameters_schema: properties({ code: { type: "string" } }) };
    expect(apply({ tools: [{}], reserved: [stone] }, { tools: [other] }, "2026-09-01").join()).toContain(
      "reserved-name-reused",
    );
  });

  test("a renamed op with a tombstone for the old path", () => {
    const after = { tools: [{ op: "p.thing.read" }], reserved: [{ ...stone, use: "p.thing.read" }] };
    expect(apply({ tools: [{}] }, after, "2026-10-01")[0]).toContain(
      "error op-renamed p.thing.read: op was p.thing.get",
    );
    expect(apply({ tools: [{}] }, after, "2026-11-02")[0]).toContain("info op-renamed");
  });
});

describe("definition files", () => {
  const tools = [tool("get_a", { x: { type: "string" } }), tool("list_b"), tool("delete_c", { id: {} })];
  const project = (files: Readonly<Record<string, readonly object[]>>) => ({
    "toolwright.yaml": `sources:\n${Object.keys(files)
      .map((file) => `  - { chat-tools: ${file}, pack: p }\n`)
      .join("")}`,
    ...Object.fromEntries(Object.entries(files).map(([file, list]) => [file, JSON.stringify(list)])),
  });

  test("in another order, and spread over other files: at most source-changed", async () => {
    const before = await registryOf(project({ "a.json": tools }));
    const same = await registryOf(project({ "a.json": tools.toReversed() }));
    const moved = await registryOf(project({ "z.json": tools.slice(1), "b.json": tools.slice(0, 1) }));
    expect(compareTools(before.tools, same.tools)).toEqual([]);
    expect([...new Set(compareTools(before.tools, moved.tools).map((one) => one.rule))]).toEqual(["source-changed"]);
  });
});
