/** Changes of one tool, part by part. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeTool, type PartialTool } from "../../../test/support/partial-registry.js";
import { compareTool } from "../tool.js";

await loadChecks();

function changes(before: PartialTool, after: PartialTool): readonly string[] {
  return compareTool(completeTool(before), completeTool(after)).map((one) =>
    [one.rule, one.at, one.before, one.after, one.level, one.more]
      .map((part) => part ?? "-")
      .join(" | ")
      .replace(/( \| -)+$/, ""),
  );
}

test.each<readonly [what: string, before: PartialTool, after: PartialTool, found: readonly string[]]>([
  ["nothing", {}, {}, []],
  ["another op", {}, { op: "p.thing.find" }, ["op-renamed | - | p.thing.get | p.thing.find"]],
  [
    "another op whose old path is kept",
    { op: "p.thing.get", aliases: ["p.t"] },
    { op: "q.item.find", aliases: ["p.thing.get"] },
    [
      "op-renamed | - | p.thing.get | q.item.find | warning | ; the old path is kept",
      "op-pack-changed | - | p | q",
      "op-entity-changed | - | thing | item",
      "op-action-changed | - | get | find",
      "op-alias-removed | - | p.t",
    ],
  ],
  [
    "an op without an entity whose old path is kept",
    { op: "p.get" },
    { op: "p.thing.get", aliases: ["p.get"] },
    ["op-renamed | - | p.get | p.thing.get | warning | ; the old path is kept", "op-entity-changed | - |  | thing"],
  ],
  ["another name", {}, { tool_name: "find_thing" }, ["tool-renamed | - | get_thing | find_thing"]],
  ["a new alias", {}, { aliases: ["p.x"] }, ["op-alias-added | - | - | p.x"]],
  ["more access", {}, { access: "admin" }, ["access-raised | - | read | admin"]],
  ["less access", { access: "write" }, { access: "read" }, ["access-lowered | - | write | read"]],
  [
    "more of the installation, and less access",
    { access: "write", target: "project" },
    { access: "read", target: "global" },
    [
      "access-raised | - | write of one project | read of the installation",
      "access-lowered | - | write of one project | read of the installation",
    ],
  ],
  [
    "one project only",
    { target: "global" },
    { target: "project" },
    ["access-lowered | - | read of the installation | read of one project"],
  ],
  ["other texts", {}, { description: "Finds  a thing." }, ["description-changed | - | Gets a thing. | Finds a thing."]],
  ["other spaces", {}, { description: " Gets\na thing. " }, []],
  ["no text", {}, { description: " " }, ["description-removed | - | Gets a thing. | "]],
  [
    "another source",
    {},
    { source: { kind: "proxy", server: "notion", file: "n.json" } as never },
    ["source-changed | - | definitions/p.json | notion: n.json"],
  ],
  ["a result", {}, { result_schema: { type: "string" } }, ["result-schema-added | - | - | string"]],
  ["no result", { result_schema: { type: "string" } }, {}, ["result-schema-removed | - | string"]],
])("the changes of a tool are told part by part: %s", (_, before, after, found) =>
  expect(changes(before, after)).toEqual(found),
);

describe("hints", () => {
  test("say what became of them, unless the kind says it", () => {
    const hints = (one: object): PartialTool => ({ annotations: one });
    expect(changes(hints({ destructiveHint: false }), hints({ destructiveHint: true }))).toEqual([
      "annotation-destructive-added | - | false | true",
    ]);
    expect(changes(hints({ destructiveHint: true }), hints({ destructiveHint: false }))).toEqual([
      "annotation-destructive-removed | - | true | false",
    ]);
    expect(changes(hints({ idempotentHint: true }), hints({ idempotentHint: false }))).toEqual([
      "annotation-idempotent-removed | - | true | false",
    ]);
    expect(changes(hints({ idempotentHint: false }), hints({ idempotentHint: true }))).toEqual([
      "annotation-idempotent-added | - | false | true",
    ]);
    expect(changes(hints({ readOnlyHint: true }), hints({ readOnlyHint: false }))).toEqual([
      "annotation-read-only-changed | - | true | false",
    ]);
    expect(changes(hints({ openWorldHint: true }), hints({ openWorldHint: false }))).toEqual([
      "annotation-open-world-changed | - | true | false",
    ]);
    expect(changes({ kind: "read", access: "read" }, { kind: "write", access: "read" })).toEqual([
      "kind-widened | - | read | write",
    ]);
    expect(
      changes({ kind: "write", access: "read", ...hints({ destructiveHint: true }) }, { kind: "read", access: "read" }),
    ).toEqual(["kind-narrowed | - | write | read"]);
  });
});

describe("arguments", () => {
  const of = (
    names: string,
    required = "",
    aliases: Readonly<Record<string, readonly string[]>> = {},
  ): PartialTool => ({
    parameters_schema: {
      type: "object",
      properties: Object.fromEntries(
        names
          .split(" ")
          .filter((one) => one !== "")
          .map((name) => [name, { type: "string", ...(aliases[name] ? { "x-aliases": aliases[name] } : {}) }]),
      ),
      required: required === "" ? [] : required.split(" "),
    } as never,
  });
  const positions = (before: PartialTool, after: PartialTool) =>
    changes(before, after).filter((one) => one.startsWith("arg-position"));

  test("have positions", () => {
    expect(positions(of("a b c"), of("b a c"))).toEqual(["arg-position-changed | 1 | a, b | b, a"]);
    expect(positions(of("a b c"), of("a c b"))).toEqual(["arg-position-changed | 2 | b, c | c, b"]);
    expect(positions(of("a b"), of("a b c"))).toEqual([]);
    expect(positions(of("a b"), of("a c b"))).toEqual(["arg-position-changed | 2 | b | c, b"]);
    expect(positions(of("a b c"), of("a c"))).toEqual([]);
    expect(positions(of("a b"), of("a b", "b"))).toEqual([]);
    expect(positions(of("a b"), of("a b n", "n"))).toEqual([]);
  });

  test("have other names", () => {
    const alias = (one: readonly string[]) => of("a", "", { a: one });
    expect(changes(alias(["x", "y"]), alias(["y", "z"]))).toEqual([
      "arg-alias-removed | a | x",
      "arg-alias-added | a | - | z",
    ]);
    expect(
      changes(of("query"), of("search", "", { search: ["query"] })).filter((one) => one.startsWith("arg-renamed")),
    ).toEqual([
      expect.stringMatching(/^arg-renamed \| .* \| query \| search \| warning \| ; the old name is an alias/),
    ]);
  });
});

describe("rules across arguments", () => {
  const of = (...constraints: readonly object[]): PartialTool => ({
    parameters_schema: { type: "object", properties: { a: {}, b: {}, c: {} } } as never,
    constraints: constraints as never,
  });
  const rules = (before: PartialTool, after: PartialTool) =>
    changes(before, after).map((one) => one.split(" | ").slice(0, 5).join(" | "));
  const some = (...names: readonly string[]) => ({ kind: "at_least_one_change", of: names });

  test("that are gone or new are written out", () => {
    const needs = { kind: "requires", argument: "a", needs: ["b", "c"] };
    expect(rules(of(needs), of())).toEqual(["constraint-removed | - | a needs b and c"]);
    expect(rules(of(), of({ ...needs, equals: "x" }))).toEqual([
      'constraint-added | - | - | a being "x" needs b and c',
    ]);
    expect(rules(of({ kind: "one_of", branches: [["a"], ["b", "c"]] }), of())).toEqual([
      "constraint-removed | - | exactly one of a or b with c",
    ]);
    expect(rules(of(), of(some("b", "a")))).toEqual(["constraint-added | - | - | at least one of a, b"]);
  });

  test("a single set of changes is compared by the arguments of both sides", () => {
    expect(rules(of(some("a", "b")), of(some("b", "a")))).toEqual([]);
    expect(rules(of(some("a", "b")), of(some("a")))).toEqual([
      "constraint-added | - | at least one of a, b | at least one of a",
    ]);
    expect(rules(of(some("a")), of(some("a", "b")))).toEqual([
      "constraint-removed | - | at least one of a | at least one of a, b",
    ]);
    expect(rules(of(some("a", "old")), of(some("a", "new")))).toEqual([]);
    expect(rules(of(some("a"), some("b")), of(some("a")))).toEqual(["constraint-removed | - | at least one of b"]);
  });
});

test("policies: what is gone, what is new, and what is only said otherwise", () => {
  const policy = (one: object): PartialTool => ({ policy: one as never });
  expect(changes(policy({ do: ["ask first", "log  it"] }), policy({ do: ["log it"] }))).toEqual([
    "policy-do-removed | - | ask first",
  ]);
  expect(changes(policy({ dont: ["delete"] }), policy({}))).toEqual(["policy-dont-removed | - | delete"]);
  expect(changes(policy({ edge_cases: ["empty list"] }), policy({}))).toEqual([
    "policy-edge-case-removed | - | empty list",
  ]);
  expect(changes(policy({}), policy({ dont: ["guess"] }))).toEqual(["policy-changed | - | - | do not: guess"]);
  expect(changes(policy({ do: ["ask the person first"] }), policy({ do: ["always Ask the person, first"] }))).toEqual([
    "policy-changed | - | do: ask the person first | do: always Ask the person, first",
  ]);
  expect(changes(policy({ edge_cases: ["one two three four"] }), policy({ edge_cases: ["one two five six"] }))).toEqual(
    ["policy-edge-case-removed | - | one two three four", "policy-changed | - | - | edge case: one two five six"],
  );
  expect(changes(policy({ do: ["one two", "one  three"] }), policy({ do: ["one two four"] }))).toEqual([
    "policy-changed | - | do: one two | do: one two four",
    "policy-do-removed | - | one three",
  ]);
});
