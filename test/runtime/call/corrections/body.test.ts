/** Refused calls of ops whose body is one argument: what was given stays, in the body. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../runtime/codegen.js";
import { errorOf, fixture, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const text = { type: "string" };
const object = (properties: JsonObject, required: readonly string[] = [], more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required,
  ...more,
});
const CARD = object({ kind: { const: "card" }, number: text, holder: text }, ["kind", "number"]);
const IBAN = object({ kind: { const: "iban" }, iban: text, note: text }, ["kind", "iban"]);
const CAT = object({ name: text, lives: { type: "integer" } }, ["name"], { additionalProperties: false });
const DOG = object({ name: text, breed: text }, ["name", "breed"], { additionalProperties: false });
const BODIES: Readonly<Record<string, JsonObject>> = {
  pay_order: { oneOf: [CARD, IBAN] },
  create_pet: { anyOf: [CAT, DOG] },
  create_part: object({ title: text }, ["title", "owner"], { additionalProperties: text }),
  create_mark: object({ a: text, b: { type: "integer" } }, ["a"], { patternProperties: { "^x-": text } }),
};
const OPTIONAL: ReadonlySet<string> = new Set(["create_mark"]);

const tools = Object.entries(BODIES).map(([tool, body]) =>
  toolOf({
    ...{ op: `shop.${tool}`, tool, kind: "write" },
    schema: closed({ order_id: text, draft: { type: "boolean" }, body }, OPTIONAL.has(tool) ? [] : ["body"]),
  }),
);
const get = toolOf({
  ...{ op: "shop.get_order", tool: "get_order", kind: "read" },
  schema: closed({ order_id: text, expand: { type: "boolean" } }, ["order_id"]),
});
const { gateway } = fixture({ more: [...tools, get] });

async function corrected(op: string, args: object): Promise<unknown> {
  const error = errorOf(await gateway.dispatch({ op: `shop.${op}`, args }, principal()));
  expect(error.code).toBe("VALIDATION_ERROR");
  return error.corrected_call?.args;
}

describe("what was given stays in the corrected call", () => {
  test.each<readonly [op: string, args: object, corrected: object]>([
    ["pay_order", { kind: "card", number: "1" }, { body: { kind: "card", number: "1" } }],
    ["pay_order", { kind: "iban", iban: "DE", note: "n" }, { body: { kind: "iban", iban: "DE", note: "n" } }],
    ["pay_order", { kind: "card", number: 1, orderId: "7" }, { order_id: "7", body: { kind: "card", number: "1" } }],
    [
      "pay_order",
      { body: { kind: "card", number: "1" }, holder: "h" },
      { body: { kind: "card", number: "1", holder: "h" } },
    ],
    ["pay_order", { body: { number: "1" } }, { body: { number: "1", kind: "card" } }],
    ["create_pet", { name: "a", lives: "9" }, { body: { name: "a", lives: 9 } }],
    ["create_pet", { breed: "b" }, { body: { breed: "b", name: "<name>" } }],
    ["create_part", { title: "t", color: "red" }, { body: { title: "t", color: "red", owner: "<owner>" } }],
    ["create_mark", { b: 2 }, { body: { b: 2, a: "<a>" } }],
    ["create_mark", { a: "1", "x-y": { z: 1 } }, { body: { a: "1", "x-y": expect.stringMatching(/^<x-?_?y/) } }],
  ])("of %s with %j", async (op, args, expected) => expect(await corrected(op, args)).toEqual(expected));

  test("no call is offered that would lose a part of a body", async () => {
    expect(await corrected("create_pet", { body: { name: "a", breed: "b", lives: 9 } })).toBeUndefined();
    expect(await corrected("create_pet", { name: "a", breed: "b", lives: 9 })).toBeUndefined();
    expect(await corrected("pay_order", { card: { kind: "card", number: "1" } })).toBeUndefined();
  });
});

test("an id alone is that of what the op is about", async () => {
  expect(await corrected("get_order", { id: "7", expand: "true" })).toEqual({ order_id: "7", expand: true });
  expect(await corrected("get_order", { id: "7", order_id: 7 })).toEqual({
    order_id: "7",
    id: expect.stringMatching(/^<id: no such argument/),
  });
});
