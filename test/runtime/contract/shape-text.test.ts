/** The notation of shapes in help, and the places that their `…` stand for. */

import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import { type DescribedTool, placeAtPath } from "../../../runtime/contract/schema-place.js";
import { shapeOf } from "../../../runtime/contract/shape-text.js";

const text = (schema: unknown, characters = 200): string => shapeOf(schema, schema as JsonSchema, characters).text;
const STRING = { type: "string" };

describe("the notation", () => {
  test.each<readonly [schema: unknown, shape: string]>([
    [{}, "any"],
    [false, "never"],
    [{ type: "evil\n# Heading" }, "any"],
    [{ type: "boolean", nullable: true }, "boolean | null"],
    [{ type: ["null", "string"] }, "string | null"],
    [{ anyOf: [{ type: "null" }, { type: "object", properties: { a: STRING } }] }, "{ a?: string } | null"],
    [{ enum: ["x", "y", null] }, '"x" | "y" | null'],
    [{ const: 1 }, "1"],
    [{ enum: [] }, "never"],
    [{ type: "array", items: { enum: ["x", "y"] } }, '("x" | "y")[]'],
    [{ type: "array", items: { type: "integer", minimum: 1, maximum: 5 } }, "(integer 1..5)[]"],
    [{ type: "array" }, "any[]"],
    [{ type: "string", "x-id": "task" }, "id<task>"],
    [{ type: "string", anyOf: [{ format: "date" }, { format: "uuid" }] }, "date | uuid"],
    [{ type: "object" }, "object"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "Record<string, integer>"],
    [{ type: "array", prefixItems: [STRING, { type: "integer" }], items: false }, "[string, integer]"],
    [
      { type: "array", items: { properties: { b: { type: "number" }, a: STRING }, required: ["a"] } },
      "{ a: string; b?: number }[]",
    ],
    [{ properties: { "a b": STRING, "c\u2028": STRING } }, '{ "a b"?: string; "c\\u2028"?: string }'],
    [{ allOf: [{ properties: { a: STRING } }, { properties: { b: STRING } }] }, "{ a?: string; b?: string }"],
  ])("%j is %s", (schema, shape) => expect(text(schema)).toBe(shape));

  test("a type that holds itself is written once, and nothing of it counts as left out", () => {
    const node: JsonSchema = {
      $ref: "#/$defs/node",
      $defs: { node: { properties: { name: STRING, below: { type: "array", items: { $ref: "#/$defs/node" } } } } },
    };
    expect(shapeOf(node, node, 200)).toEqual({ text: "{ name?: string; below?: { … }[] }" });
    const loop: JsonSchema = {
      $ref: "#/$defs/list",
      $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
    };
    expect(shapeOf(loop, loop, 200).text).toBe("any[][][][][][][]");
  });
});

describe("what is left out", () => {
  const deep = {
    properties: {
      id: STRING,
      owner: { type: "object", properties: { login: STRING, team: { properties: { name: STRING, size: STRING } } } },
      title: STRING,
    },
    required: ["id"],
  };

  test("levels are added breadth first, as far as they fit, and the first place that is cut is named", () => {
    expect(shapeOf(deep, deep, 200)).toEqual({
      text: "{ id: string; owner?: { login?: string; team?: { name?: string; size?: string } }; title?: string }",
    });
    expect(shapeOf(deep, deep, 80)).toEqual({
      text: "{ id: string; owner?: { login?: string; team?: { … } }; title?: string }",
      cut: "owner.team",
    });
    expect(shapeOf(deep, deep, 50)).toEqual({ text: "{ id: string; owner?: { … }; title?: string }", cut: "owner" });
    expect(shapeOf(deep, deep, 30)).toEqual({ text: "{ id: string; … }", cut: "" });
  });

  test("no text is longer than asked for, whatever the schema", () => {
    const wide = { properties: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`name_${at}`, deep])) };
    const values = { enum: Array.from({ length: 500 }, (_, at) => `value ${at}`) };
    for (const schema of [deep, wide, values, { anyOf: [wide, values, deep] }, { enum: ["x".repeat(5000)] }])
      for (const characters of [20, 100, 200, 600, 1000]) {
        const shape = shapeOf(schema, schema as JsonSchema, characters);
        expect(shape.text.length).toBeLessThanOrEqual(characters);
        expect(shape.text.includes("…")).toBe(shape.cut !== undefined);
      }
  });

  test("a schema that unfolds without end takes bounded time", () => {
    const many = { anyOf: Array.from({ length: 12 }, () => ({ $ref: "#/$defs/a" })) };
    const hostile: JsonSchema = { $ref: "#/$defs/a", $defs: { a: { type: "array", items: many } } };
    expect(shapeOf(hostile, hostile, 600).text.length).toBeLessThanOrEqual(600);
  });
});

describe("places", () => {
  const tool: DescribedTool = {
    parameters: [{ name: "from_", original: "from", required: true, aliases: [], type: "string" }],
    parameters_schema: {
      type: "object",
      properties: {
        from: { type: "string" },
        entities: { type: "array", items: { properties: { props: { properties: { "a.b": { const: 1 } } } } } },
        map: { type: "object", additionalProperties: { const: 2 } },
        either: { anyOf: [{ properties: { x: { const: 3 } } }, { properties: { x: { const: 4 }, y: { const: 5 } } }] },
        pair: { type: "array", items: [{ const: 6 }, { const: 7 }] },
      },
    },
    result_schema: {
      type: "array",
      items: { $ref: "#/$defs/it" },
      $defs: { it: { properties: { id: { const: 8 } } } },
    },
  };

  test.each<readonly [path: string, schema: unknown]>([
    ["from_", { type: "string" }],
    ["from", { type: "string" }],
    ["entities[].props.a.b", { const: 1 }],
    ["entities.props.a.b", { const: 1 }],
    ["map.*", { const: 2 }],
    ["either.x", { anyOf: [{ const: 3 }, { const: 4 }] }],
    ["either.y", { const: 5 }],
    ["pair[1]", { const: 7 }],
    ["returns[].id", { const: 8 }],
    ["->[].id", { const: 8 }],
    ["", undefined],
    ["entities[].pros", undefined],
    ["from.x", undefined],
    ["constructor", undefined],
    ["returnsx", undefined],
    ["__proto__", undefined],
  ])("the schema at %s is found, if there is one", (path, schema) =>
    expect(placeAtPath(tool, path)?.schema).toEqual(schema),
  );
});
