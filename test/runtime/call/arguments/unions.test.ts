/** Arguments whose schema is a union: defaults, repairs and findings are those of the matching branch. */

import { describe, expect, test } from "vitest";
import type { JsonObject, JsonSchema } from "../../../../runtime/codegen.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { okOf, tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const json = (schema: JsonSchema): JsonObject => schema as JsonObject;
const CIRCLE = closed({ kind: { const: "circle" }, r: { type: "number" }, unit: { type: "string", default: "cm" } }, [
  "kind",
  "r",
]);
const BOX = closed(
  { kind: { const: "box" }, w: { type: "number" }, color: { enum: ["red", "green"] }, in: { $ref: "#/$defs/shape" } },
  ["kind", "w"],
);
const drawing = (shape: JsonSchema, more: JsonSchema = {}): Tool =>
  toolOf({
    op: "util.shape.draw",
    tool: "draw_shape",
    kind: "read",
    schema: { ...closed({ shape: json(shape) }, ["shape"]), ...more },
    extra: { target: "global" },
  });
const $defs = {
  circle: json(CIRCLE),
  box: json(BOX),
  shape: { anyOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/box" }, { type: "null" }] },
};
const FORMS: readonly (readonly [string, Tool])[] = [
  ["inline", drawing({ oneOf: [json(CIRCLE), json(BOX)] }, { $defs })],
  ["of references", drawing({ oneOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/box" }] }, { $defs })],
  ["behind a reference", drawing({ $ref: "#/$defs/shape" }, { $defs })],
  ["inside a union", drawing({ oneOf: [{ type: "string" }, { $ref: "#/$defs/shape" }] }, { $defs })],
];

describe.each(FORMS)("a union of objects, %s", (_, tool) => {
  test("defaults are those of the branch that fits", async () => {
    const box = await tryArgs(tool, { shape: { kind: "box", w: 1 } });
    okOf(box.envelope);
    expect(box.handed).toEqual({ shape: { kind: "box", w: 1 } });
    const circle = await tryArgs(tool, { shape: { kind: "circle", r: 1 } });
    expect(circle.handed).toEqual({ shape: { kind: "circle", r: 1, unit: "cm" } });
  });

  test("values are repaired by the matching branch", async () => {
    const { handed } = await tryArgs(tool, { shape: { kind: "box", w: 1, color: "Red" } });
    expect(handed).toEqual({ shape: { kind: "box", w: 1, color: "red" } });
  });

  test("findings are those of the branch that was meant, at their own paths", async () => {
    const { errors, corrected } = await tryArgs(tool, { shape: { kind: "box", w: 1, color: "rad" } });
    expect(errors).toMatchObject([
      { path: "shape.color", keyword: "enum", expected: "red|green", did_you_mean: "red" },
    ]);
    expect(errors).toHaveLength(1);
    expect(corrected).toEqual({ shape: { kind: "box", w: 1, color: "red" } });
  });

  test("so are those of a union inside it", async () => {
    const { errors, corrected } = await tryArgs(tool, {
      shape: { kind: "box", w: 1, in: { kind: "box", w: "2", colour: "red" } },
    });
    expect(errors).toMatchObject([
      { path: "shape.in.colour", keyword: "additionalProperties", did_you_mean: "color" },
      { path: "shape.in.w", keyword: "type", expected: "number" },
    ]);
    expect(corrected).toEqual({ shape: { kind: "box", w: 1, in: { kind: "box", w: 2, color: "red" } } });
  });

  test("missing members are reported for the matching branch", async () => {
    const lacking = await tryArgs(tool, { shape: { kind: "box" } });
    expect(lacking.errors).toMatchObject([{ path: "shape.w", keyword: "required", expected: "number" }]);
    const unmarked = await tryArgs(tool, { shape: { w: 3 } });
    expect(unmarked.errors).toMatchObject([{ path: "shape.kind", keyword: "required" }]);
    expect(unmarked.corrected).toEqual({ shape: { kind: "box", w: 3 } });
  });

  test("a mark that no branch knows is one finding, and the rest stays", async () => {
    const { errors, corrected } = await tryArgs(tool, { shape: { kind: "bix", w: 3 } });
    expect(errors).toMatchObject([
      { path: "shape.kind", keyword: "enum", expected: "circle|box", did_you_mean: "box" },
    ]);
    expect(corrected).toEqual({ shape: { kind: "box", w: 3 } });
  });

  test("a value of no branch's type is one finding", async () => {
    const { errors } = await tryArgs(tool, { shape: 7 });
    expect(errors).toMatchObject([{ path: "shape", received: "7" }]);
    expect(errors).toHaveLength(1);
  });
});

describe("where several branches could be meant", () => {
  test("nothing is filled in", async () => {
    const either = drawing({
      anyOf: ["a", "b"].map((name) => ({
        type: "object",
        properties: { [name]: { type: "string", default: "x" } },
      })),
    });
    expect((await tryArgs(either, { shape: { c: 1 } })).handed).toEqual({ shape: { c: 1 } });
  });

  test("a branch that lacks only what has a default fits", async () => {
    const tool = drawing({
      oneOf: [
        json(closed({ a: { type: "string" }, u: { type: "string", default: "cm" } }, ["a", "u"])),
        json(closed({ b: { type: "string" } }, ["b"])),
      ],
    });
    expect((await tryArgs(tool, { shape: { a: "1" } })).handed).toEqual({ shape: { a: "1", u: "cm" } });
  });

  test("blank text and null are still nothing for a required union of texts", async () => {
    const tool = drawing({ anyOf: ["date", "date-time"].map((format) => ({ type: "string", format })) });
    for (const shape of [" ", null])
      expect((await tryArgs(tool, { shape })).errors).toMatchObject([{ path: "shape", keyword: "required" }]);
  });
});
