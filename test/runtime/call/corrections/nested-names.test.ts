/** Members that stand beside the object they belong to: when they are put back into it, and when that would be a guess. */

import { describe, expect, test } from "vitest";
import { nestMembers } from "../../../../runtime/call/corrections/nested-names.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import { errorOf, fieldErrorsOf, fixture, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const TEXT = { type: "string" };
const ENDS = closed({ from: TEXT, to: TEXT, label: TEXT }, ["from", "to"]) as JsonObject;
const POINT = closed({ lat: TEXT, lng: TEXT }, ["lat", "lng"]) as JsonObject;
const SCHEMA: JsonSchema = {
  ...closed({
    title: TEXT,
    parent: closed({ kind: TEXT, id: TEXT, "sub-kind": TEXT }) as JsonObject,
    relations: { type: "array", items: { $ref: "#/$defs/ends" } },
    point: { $ref: "#/$defs/point" },
  }),
  $defs: { ends: ENDS, point: POINT },
};
const exact = new ExactNumber("9007199254740993") as unknown as JsonValue;

describe("members of an object", () => {
  test.each<readonly [given: JsonObject, nested: JsonObject]>([
    [{ parent_id: "p" }, { parent: { id: "p" } }],
    [{ parentId: null }, { parent: { id: null } }],
    [{ parentSubKind: "k" }, { parent: { "sub-kind": "k" } }],
    [
      { title: "t", parent_kind: "k", "parent.id": "p" },
      { title: "t", parent: { kind: "k", id: "p" } },
    ],
    [{ parent_id: "p", parent: { kind: "k" } }, { parent: { kind: "k", id: "p" } }],
    [
      { title: "t", lat: "1", lng: null },
      { title: "t", point: { lat: "1", lng: null } },
    ],
    [{ from: "a", to: "b" }, { relations: [{ from: "a", to: "b" }] }],
    [{ from: "a", label: "x", to: "b" }, { relations: [{ from: "a", label: "x", to: "b" }] }],
  ])("%j are put into it: %j", (given, nested) => expect(nestMembers(given, SCHEMA)).toEqual(nested));

  test.each<readonly [given: JsonObject]>([
    [{ title: "t" }],
    [{ parent_id: { a: 1 } }],
    [{ parent_id: "p", parent: { id: "q" } }],
    [{ parent_id: "p", parent: "q" }],
    [{ parent_id: "p", parent: exact }],
    [{ parent_name: "p" }],
    [{ id: "p", kind: "k" }],
    [{ from: "a" }],
    [{ from: "a", to: "b", other: 1 }],
    [{ from: "a", to: "b", relations: [] }],
    [{ relations_from: "a" }],
    [{ lat: "1" }],
  ])("%j stay where they are", (given) => expect(nestMembers(given, SCHEMA)).toEqual(given));
});

test("members that two objects declare belong to neither", () => {
  const both = closed({ first: POINT, second: POINT });
  expect(nestMembers({ lat: "1", lng: "2" }, both)).toEqual({ lat: "1", lng: "2" });
  expect(nestMembers({ lat: "1", lng: "2", first: {} }, both)).toEqual({ first: {}, second: { lat: "1", lng: "2" } });
  const parts = closed({ a: closed({ b_c: TEXT }) as JsonObject, a_b: closed({ c: TEXT }) as JsonObject });
  expect(nestMembers({ a_b_c: 1 }, parts)).toEqual({ a_b_c: 1 });
});

test("two hundred arguments are compared with a name", () => {
  const many = (count: number) =>
    closed({ point: POINT, ...Object.fromEntries(Array.from({ length: count - 1 }, (_, i) => [`x${i}`, TEXT])) });
  expect(nestMembers({ point_lat: 1 }, many(200))).toEqual({ point: { lat: 1 } });
  expect(nestMembers({ point_lat: 1 }, many(201))).toEqual({ point_lat: 1 });
});

describe("a name that means another argument", () => {
  const schema = closed({
    title: TEXT,
    publisher: closed({ name: TEXT, city: TEXT }, ["name"]) as JsonObject,
  });
  test.each<readonly [given: JsonObject]>([[{ name: "n" }], [{ name: "n", city: "c" }]])(
    "is put into no object: %j",
    (given) => expect(nestMembers(given, schema)).toEqual(given),
  );

  test("is put there if that argument is given", () =>
    expect(nestMembers({ title: "t", name: "n" }, schema)).toEqual({ title: "t", publisher: { name: "n" } }));

  test("is named by the correction as by the finding", async () => {
    const tool = toolOf({ op: "onto.book.create", tool: "create_book", kind: "write", schema });
    const { gateway } = fixture({ more: [tool] });
    const envelope = await gateway.dispatch({ op: tool.op, args: { name: "n" } }, principal());
    const [first] = fieldErrorsOf(envelope);
    expect(first?.did_you_mean).toBe("title");
    expect(errorOf(envelope).corrected_call?.args).toEqual({ title: "n" });
  });
});
