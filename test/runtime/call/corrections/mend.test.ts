/** What becomes of arguments with faults: each is mended, or replaced by a placeholder, and none is dropped. */

import { describe, expect, test } from "vitest";
import type { Undecided } from "../../../../runtime/call/arguments/notes.js";
import { inSignatureOrder, mendArguments } from "../../../../runtime/call/corrections/mend.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import type { Constraint } from "../../../../runtime/contract/registry.js";
import { tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const ITEM = closed({ c: TEXT, m: { type: "string", enum: ["active", "done"] } }, ["c"]) as JsonObject;
const SCHEMA = closed(
  {
    n: { ...WHOLE, maximum: 9 },
    o: ITEM,
    l: { type: "array", items: ITEM, minItems: 2 },
    t: TEXT,
    tags: { type: "array", items: TEXT },
  },
  ["n"],
);

interface Fault {
  readonly path: string;
  readonly keyword: string;
  readonly expected?: string;
  readonly did_you_mean?: string;
}

interface More {
  readonly schema?: JsonSchema;
  readonly undecided?: readonly Undecided[];
  readonly constraints?: readonly Constraint[];
}

function mended(args: JsonObject, faults: readonly Fault[], more: More = {}): JsonObject {
  const { schema = SCHEMA, undecided = [], constraints = [] } = more;
  const tool = toolOf({ op: "onto.a.set", tool: "set_a", kind: "write", schema, extra: { constraints } });
  const errors = faults.map((fault) => ({ message: "", expected: "", received: "", ...fault }));
  return mendArguments(tool, args, { errors, undecided }) ?? { lost: true };
}

const UNKNOWN = "additionalProperties";
const long = (length: number) => "x".repeat(length);

test("without findings arguments stay", () => {
  const exact = new ExactNumber("9007199254740993") as unknown as JsonValue;
  const args = { n: exact, o: { c: null }, l: [1, { c: "a" }], other: [true, { x: long(1000) }] };
  expect(mended(args, [])).toEqual(args);
});

describe("an unknown name", () => {
  test("of an argument that is free becomes that one", () => {
    expect(mended({ N: "7" }, [{ path: "N", keyword: UNKNOWN }])).toEqual({ n: "7" });
    expect(mended({ o: { C: "x" } }, [{ path: "o.C", keyword: "unevaluatedProperties" }])).toEqual({ o: { c: "x" } });
    expect(mended({ o: { C: long(1001) } }, [{ path: "o.C", keyword: UNKNOWN }])).toEqual({
      o: { c: long(1001) },
    });
  });

  test("of two for one argument only one is renamed", () => {
    const faults = [
      { path: "T_", keyword: UNKNOWN },
      { path: "t-", keyword: UNKNOWN },
    ];
    expect(mended({ T_: "a", "t-": "b" }, faults)).toEqual({ t: "a", "t-": expect.stringMatching(/^<t_: no such/) });
    const taken = mended({ t: "a", T: "b" }, [{ path: "T", keyword: UNKNOWN }]);
    expect(taken).toEqual({ t: "a", T: '<T: no such argument for "b"; use n, o, l, tags, or leave it out>' });
  });

  test.each<readonly [value: JsonValue, isLost: boolean]>([
    [null, true],
    ["", true],
    [[], true],
    [{}, true],
    [" ", false],
    [0, false],
    [false, false],
    [[0], false],
    [new ExactNumber("1e400") as unknown as JsonValue, false],
  ])("of nothing that is meant, with %j", (value, isLost) => {
    const said = expect.stringMatching(/^<zzz: no such argument for .+; use n, o, l, t, tags, or leave it out>$/);
    expect(mended({ zzz: value }, [{ path: "zzz", keyword: UNKNOWN }])).toEqual(isLost ? {} : { zzz: said });
  });

  test("of nothing that is meant: six others are listed, none if none is free", () => {
    const schema = closed(Object.fromEntries([..."abcdefg"].map((name) => [name, WHOLE])));
    const fault = [{ path: "zzz", keyword: UNKNOWN }];
    expect(mended({ zzz: 1 }, fault, { schema })["zzz"]).toContain("use a, b, c, d, e, f, or leave");
    expect(mended({ zzz: 1 }, fault, { schema: closed({}) })).toEqual({
      zzz: "<zzz: no such argument for 1; leave it out>",
    });
  });

  test("takes what is missing: the one whose name ends in it, or the only one", () => {
    const schema = closed({ title: { type: "string" }, new_title: { type: "string" }, body: { type: "string" } }, [
      "new_title",
    ]);
    const missing = { path: "new_title", keyword: "required" };
    const fault = { path: "wording", keyword: UNKNOWN };
    expect(mended({ wording: "x" }, [missing, fault], { schema })).toEqual({ new_title: "x" });
    expect(mended({ wording: 7 }, [missing, fault], { schema })).toMatchObject({ new_title: "<new_title>" });
    const text = { path: "text", keyword: UNKNOWN };
    expect(mended({ text: "x" }, [missing, text], { schema })).toEqual({ body: "x", new_title: "<new_title>" });
  });

  test("that is id means the only id that is missing", () => {
    const schema = closed({ run_id: TEXT, title: TEXT, plan_id: TEXT }, ["run_id", "title"]);
    const missing = ["run_id", "title"].map((path) => ({ path, keyword: "required" }));
    const fault = { path: "id", keyword: UNKNOWN };
    expect(mended({ id: "7" }, [...missing, fault], { schema })).toEqual({ run_id: "7", title: "<title>" });
    const given = { id: "7", run_id: "8", title: "x" };
    expect(mended(given, [fault], { schema })).toMatchObject({ id: expect.stringMatching(/^<id: no such/) });
  });

  test("is none that the schema declares, whatever is missing", () => {
    const schema = closed({ title: { type: "string" }, new_title: { type: "string" } }, ["new_title"]);
    const missing = { path: "new_title", keyword: "required" };
    expect(mended({ title: "x" }, [missing], { schema })).toEqual({ title: "x", new_title: "<new_title>" });
  });

  test("in an open object is only compared with what is missing", () => {
    const schema = { type: "object", properties: { state: TEXT, title: TEXT }, required: ["state", "kind"] };
    const missing = [{ path: "state", keyword: "required" }];
    expect(mended({ State: "x" }, missing, { schema })).toEqual({ state: "x" });
    expect(mended({ Title: "x" }, missing, { schema })).toEqual({ Title: "x", state: "<state>" });
    expect(mended({ Kind: "x" }, [{ path: "kind", keyword: "required" }], { schema })).toEqual({ kind: "x" });
    expect(mended({ title: "x" }, [{ path: "state", keyword: "type" }], { schema })).toEqual({ title: "x" });
  });
});

describe("a value", () => {
  test.each<readonly [args: JsonObject, fault: Fault, args: JsonObject]>([
    [{ n: "7" }, { path: "n", keyword: "type" }, { n: 7 }],
    [{ n: 10 }, { path: "n", keyword: "maximum" }, { n: "<n: integer at most 9>" }],
    [{ o: { c: "a", m: "actve" } }, { path: "o.m", keyword: "enum" }, { o: { c: "a", m: "active" } }],
    [{ o: { m: "zzz" } }, { path: "o.m", keyword: "enum", did_you_mean: "done" }, { o: { m: "<m: active or done>" } }],
    [{ t: "actve" }, { path: "t", keyword: "enum", did_you_mean: "active" }, { t: "active" }],
    [{ t: "actve" }, { path: "t", keyword: "pattern", did_you_mean: "active" }, { t: "<t>" }],
    [{ t: "actve" }, { path: "t", keyword: "enum" }, { t: "<t>" }],
    [{ t: "zzz" }, { path: "t", keyword: "enum", did_you_mean: "active" }, { t: "<t>" }],
    [{ n: "<n>" }, { path: "n", keyword: "type" }, { n: "<n: integer at most 9>" }],
    [{ n: " " }, { path: "n", keyword: "required" }, { n: "<n: integer at most 9>" }],
    [{ o: { c: null } }, { path: "o.c", keyword: "required" }, { o: { c: "<c>" } }],
    [{ o: {} }, { path: "o.c", keyword: "required" }, { o: { c: "<c>" } }],
    [{ n: true }, { path: "n", keyword: "requires", expected: "n beside t" }, { n: "<n: n beside t>" }],
    [{ x: 1 }, { path: "x", keyword: "oneOf", expected: "a|b|c" }, { x: "<x: a or b or c>" }],
    [{ tags: ["a", 1] }, { path: "tags[1]", keyword: "maximum" }, { tags: ["a", "1"] }],
    [{ tags: ["a", null] }, { path: "tags[1]", keyword: "type" }, { tags: ["a", "<tags>"] }],
    [{ l: [] }, { path: "l", keyword: "minItems" }, { l: [{ c: "<c>" }, { c: "<c>" }] }],
    [{ l: [{ c: "a" }] }, { path: "l", keyword: "minItems" }, { l: [{ c: "a" }, { c: "<c>" }] }],
    [{ l: 7 }, { path: "l", keyword: "minItems" }, { l: expect.stringMatching(/^<l: /) }],
    [{ l: [{ c: "a" }] }, { path: "l", keyword: "maxItems" }, { l: expect.stringMatching(/^<l: /) }],
  ])("%j with %j is %j", (args, fault, expected) => expect(mended(args, [fault])).toEqual(expected));

  test("that is missing is null where it may be, at every level; one that a change lacks is to be filled in", () => {
    const maybe = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] });
    const users = closed({ users: { type: "array", items: TEXT }, team: { type: ["string", "null"] } }, [
      "users",
      "team",
    ]) as JsonObject;
    const schema = closed({ branch: TEXT, restrictions: maybe(users), rule: users, any: {} }, [
      "branch",
      "restrictions",
      "rule",
      "any",
    ]);
    const missing = ["restrictions", "rule", "any"].map((path) => ({ path, keyword: "required" }));
    expect(mended({ branch: "main" }, missing, { schema })).toEqual({
      branch: "main",
      restrictions: null,
      rule: { users: ["<user>"], team: null },
      any: "<any>",
    });
    const optional = closed({ due_at: maybe(TEXT), id: TEXT }, ["id"]);
    const constraints: readonly Constraint[] = [{ kind: "at_least_one_change", of: ["due_at"] }];
    const fault = { path: "*", keyword: "at_least_one_change" };
    expect(mended({ id: "a" }, [fault], { schema: optional, constraints })).toEqual({ id: "a", due_at: "<due_at>" });
  });

  test("that is one of two names both", () => {
    const undecided = [{ path: "n", values: [1, "2"] }];
    expect(mended({ n: 1 }, [], { undecided })).toEqual({ n: '<n: 1 or "2">' });
    expect(mended({ o: { c: "a" } }, [], { undecided: [{ path: "o.c", values: ["a", "b"] }] })).toEqual({
      o: { c: '<c: "a" or "b">' },
    });
  });
});

describe("rules across arguments", () => {
  const schema = closed({ a: TEXT, b: TEXT, flag: { type: "boolean" }, c: TEXT });
  const fault = [{ path: "", keyword: "x" }];
  const by = (constraint: Constraint, args: JsonObject) => mended(args, fault, { schema, constraints: [constraint] });

  test("hold nothing back where nothing is wrong", () => {
    const constraints: readonly Constraint[] = [{ kind: "at_least_one_change", of: ["a"] }];
    expect(mended({ c: "x" }, [], { schema, constraints })).toEqual({ c: "x" });
  });

  test("a change is asked for if there is none", () => {
    const rule: Constraint = { kind: "at_least_one_change", of: ["a", "b"] };
    expect(by(rule, { c: "x" })).toEqual({ c: "x", a: "<a>" });
    expect(by(rule, { b: null })).toEqual({ b: null });
  });

  test("what another argument needs is added, a flag as on", () => {
    const rule: Constraint = { kind: "requires", argument: "a", needs: ["flag", "b"] };
    expect(by(rule, { a: "x" })).toEqual({ a: "x", flag: true, b: "<b>" });
    expect(by(rule, { a: "x", flag: false, b: "y" })).toEqual({ a: "x", flag: false, b: "y" });
    expect(by(rule, { c: "x" })).toEqual({ c: "x" });
    const change: Constraint = { kind: "at_least_one_change", of: ["flag"] };
    expect(by(change, {})).toEqual({ flag: "<flag: boolean>" });
  });

  test("the branch of which most is given is kept, the first of equal ones", () => {
    const rule: Constraint = { kind: "one_of", branches: [["a"], ["b", "c"]] };
    expect(by(rule, {})).toEqual({ a: "<a>" });
    expect(by(rule, { b: "x" })).toEqual({ b: "x", c: "<c>" });
    expect(by(rule, { a: " ", b: "x" })).toEqual({ a: " ", b: "x", c: "<c>" });
    expect(by(rule, { a: "x", b: "y" })).toEqual({ a: "x", b: "<b: leave it out, or leave out a>" });
    expect(by(rule, { a: "x", b: "y", c: "z", flag: true })).toEqual({
      a: "<a: leave it out, or leave out b and c>",
      b: "y",
      c: "z",
      flag: true,
    });
    expect(by(rule, { b: " ", c: "z" })).toEqual({ c: "z", b: "<b>" });
  });
});

test("arguments come in the order of the signature, unknown ones last", () => {
  const tool = toolOf({
    op: "onto.a.set",
    tool: "set_a",
    kind: "write",
    schema: closed({ z: TEXT, y: TEXT, x: TEXT }, ["x"]),
  });
  expect(Object.keys(inSignatureOrder({ other: 1, y: 1, more: 1, z: 1, x: 1 }, tool))).toEqual([
    "x",
    "z",
    "y",
    "other",
    "more",
  ]);
});

test("dates of a stay are placed under their names, and a value that cannot be placed stays in its placeholder", async () => {
  const date = { type: "string", format: "date" };
  const stay = toolOf({
    op: "onto.stay.book",
    tool: "book_stay",
    kind: "write",
    schema: closed({ animal_id: TEXT, from: date, to: date, wishes: TEXT }, ["animal_id", "from", "to"]),
  });
  const sent = { animal: "an_3", start: "5 Dec 2026", until: "2026-12-09" };
  expect((await tryArgs(stay, sent)).corrected).toEqual({ animal_id: "an_3", from: "2026-12-05", to: "2026-12-09" });
  const other = await tryArgs(stay, { animal_id: "an_3", arrives: "5 Dec 2026", leaves: "2026-12-09" });
  expect(other.corrected).toEqual({
    animal_id: "an_3",
    from: "<from: date>",
    to: "<to: date>",
    arrives: '<arrives: no such argument for "5 Dec 2026"; use from, to, wishes, or leave it out>',
    leaves: '<leaves: no such argument for "2026-12-09"; use from, to, wishes, or leave it out>',
  });
});
