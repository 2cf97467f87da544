/** Arguments whose schema has `allOf`, tuples or references to itself. */

import { describe, expect, test } from "vitest";
import { typesOf } from "../../../../runtime/call/arguments/schema.js";
import type { JsonObject, JsonSchema } from "../../../../runtime/codegen.js";
import type { Constraint } from "../../../../runtime/contract/registry.js";
import { typeText } from "../../../../runtime/contract/type-text.js";
import { tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const json = (schema: JsonSchema): JsonObject => schema as JsonObject;
const toolWith = (schema: JsonSchema, constraints: readonly Constraint[] = []) =>
  toolOf({ op: "util.any.read", tool: "read_any", kind: "read", schema, extra: { target: "global", constraints } });
const int = { type: "integer" };
const text = { type: "string" };

describe("allOf", () => {
  const schema: JsonSchema = {
    type: "object",
    allOf: [{ $ref: "#/$defs/page" }, { properties: { state: { enum: ["open", "done"] } }, required: ["state"] }],
    properties: { nested: { allOf: [{ $ref: "#/$defs/page" }] } },
    $defs: { page: { type: "object", properties: { limit: { type: "integer", default: 5 } } } },
    unevaluatedProperties: false,
  };

  test("defaults, repairs and nested members are seen", async () => {
    const { handed } = await tryArgs(toolWith(schema), { state: "Open", nested: {} });
    expect(handed).toEqual({ state: "open", nested: { limit: 5 }, limit: 5 });
  });

  test("misspelt and missing arguments are reported with the expected ones", async () => {
    const { errors, corrected } = await tryArgs(toolWith(schema), { stat: "open" });
    expect(errors).toMatchObject([{ path: "stat", did_you_mean: "state" }]);
    expect(corrected).toEqual({ state: "open" });
    expect((await tryArgs(toolWith(schema), { limit: 1 })).errors).toMatchObject([
      { path: "state", keyword: "required", expected: "open|done" },
    ]);
  });

  test("a member that forbids what it does not know keeps the others' defaults out", async () => {
    const shut = {
      type: "object",
      allOf: [json(closed({ a: text })), { properties: { b: { type: "string", default: "x" } } }],
    };
    expect((await tryArgs(toolWith(shut), { a: "1" })).handed).toEqual({ a: "1" });
  });

  test("one that leads back to itself ends", () => {
    const loop = { $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } } };
    expect(typeText(loop)).toBe("any");
  });
});

describe("tuples", () => {
  const tuple: JsonSchema = {
    type: "array",
    prefixItems: [text, int],
    items: json(closed({ state: { enum: ["open"] } })),
  };

  test.each([
    [tuple, "[string, integer, ...{state?}[]]"],
    [{ type: "array", prefixItems: [text], items: false }, "[string]"],
    [{ type: "array", items: [text], additionalItems: int }, "[string, ...integer[]]"],
    [{ type: "array", items: { prefixItems: [text, {}] } }, "[string, any, ...any[]][]"],
  ])("%j is %s", (schema, name) => expect(typeText(schema)).toBe(name));

  test("the entries after them are read by items", async () => {
    const tool = toolWith(closed({ t: json(tuple) }));
    expect((await tryArgs(tool, { t: ["a", 1, { state: "Open" }] })).handed).toEqual({
      t: ["a", 1, { state: "open" }],
    });
    expect((await tryArgs(tool, { t: ["a", "b"] })).errors).toMatchObject([{ path: "t[1]", expected: "integer" }]);
  });
});

describe("the corrected call", () => {
  const pair = { type: "array", items: json(closed({ k: { enum: ["t"] } }, ["k"])), minItems: 2, maxItems: 2 };
  const two = { b: int, c: int };
  test.each<[string, JsonSchema, JsonObject]>([
    ["minItems", { type: "array", items: text, minItems: 2 }, { a: "x" }],
    ["minItems of arrays", { type: "array", items: pair }, { a: ["x"] }],
    ["many entries", { type: "array", items: int, minItems: 12 }, {}],
    ["multipleOf", { type: "integer", multipleOf: 5, minimum: 7 }, { a: 11 }],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 1 }, { a: 1 }],
    ["minProperties", { ...closed(two), minProperties: 2 }, { a: {} }],
    ["null first", { anyOf: [{ type: "null" }, { type: "integer", minimum: 3 }] }, { a: 1 }],
    ["a union beside", { type: "object", properties: two, oneOf: [{ required: ["b"] }, { required: ["c"] }] }, {}],
    ["allOf", { allOf: [json(closed({ b: { type: "integer", minimum: 4 } }, ["b"]))] }, {}],
    ["a tuple", { type: "array", prefixItems: [int, { type: "boolean" }], minItems: 2 }, { a: [] }],
    ["uniqueItems", { type: "array", items: text, minItems: 2, uniqueItems: true }, {}],
  ])("has nothing wrong but what is left to fill in when it is sent back: %s", async (_, schema, args) => {
    const tool = toolWith(closed({ a: json(schema), z: int }, ["a"]));
    const { corrected } = await tryArgs(tool, { ...args, z: 1 });
    expect(corrected).toMatchObject({ a: expect.anything(), z: 1 });
    const { errors } = await tryArgs(tool, corrected);
    expect(errors.filter(({ keyword }) => keyword !== "placeholder")).toEqual([]);
  });

  test("entries that were given stay where there are too few", async () => {
    const tool = toolWith(closed({ a: { type: "array", items: text, minItems: 3 } }));
    expect((await tryArgs(tool, { a: ["x"] })).corrected).toEqual({ a: ["x", "<a>", "<a>"] });
  });

  test("keeps names that patternProperties allows", async () => {
    const schema = { ...closed({ n: int }), patternProperties: { "^x_": int } };
    const { corrected } = await tryArgs(toolWith(schema), { n: "1", x_a: 2, x_b: "3", y: 4 });
    expect(corrected).toEqual({ n: 1, x_a: 2, x_b: 3, y: expect.stringMatching(/^<y: /) });
  });

  test("does not switch on what was given as off, though another argument needs it", async () => {
    const flag = { type: "boolean", default: false };
    const needs: Constraint = { kind: "requires", argument: "content", equals: true, needs: ["documents"] };
    const tool = toolWith(closed({ content: flag, documents: flag }), [needs]);
    const { errors, corrected } = await tryArgs(tool, { content: true, documents: false });
    expect(errors).toMatchObject([
      { path: "documents", keyword: "requires", expected: "documents=true beside content=true", received: "false" },
    ]);
    expect(corrected).toEqual({ content: true, documents: expect.stringMatching(/^<documents: /) });
    const { corrected: switched } = await tryArgs(tool, { content: true });
    expect(switched).toEqual({ content: true, documents: true });
    expect((await tryArgs(tool, switched)).errors).toEqual([]);
  });
});

describe("formats are reported with an example", () => {
  const zoned = "a time with its zone, as in 2026-01-15T09:00:00Z";
  test.each([
    [
      {
        anyOf: [
          { ...text, format: "date" },
          { ...text, format: "date-time" },
        ],
      },
      "2026-02-20T10:00:00",
      "a is not a date or a time with its zone, as in 2026-01-15 or 2026-01-15T09:00:00Z",
    ],
    [{ anyOf: [{ ...text, format: "date-time" }, { type: "null" }] }, "soon", `a is not ${zoned}`],
    [{ anyOf: [{ ...text, format: "date-time" }, { type: "null" }] }, 7, `a is not ${zoned}`],
    [{ ...text, format: "email" }, "anna", "a is not an email address, as in anna@example.com"],
    [{ ...text, format: "ipv4" }, "x", "a is not an ipv4"],
  ])("where a value does not fit %j", async (schema, a, message) => {
    expect((await tryArgs(toolWith(closed({ a: schema })), { a })).errors).toMatchObject([{ message }]);
  });
});

test("typesOf names the types of unions, references and values", () => {
  expect(typesOf({ anyOf: [text, { enum: [1, null] }] })).toEqual(["string", "number", "null"]);
  expect(typesOf({ $ref: "#/$defs/a" }, { $defs: { a: { type: ["integer", "null"] } } })).toEqual(["integer", "null"]);
  expect(typesOf({ anyOf: [text, {}] })).toEqual([]);
  expect(typesOf({ allOf: [{ type: "object" }] })).toEqual(["object"]);
});
