/** The rules for arguments, one by one: how schemas are read, text that should be JSON, defaults, constraints, what is required. */

import { describe, expect, test } from "vitest";
import { checkConstraints } from "../../../../runtime/call/arguments/constraints.js";
import { fillDefaults } from "../../../../runtime/call/arguments/defaults.js";
import { emptyRequired } from "../../../../runtime/call/arguments/empty.js";
import { parseObject } from "../../../../runtime/call/arguments/json-text.js";
import {
  admits,
  joinPath,
  mayHave,
  memberSchema,
  memberValue,
  propertiesOf,
  requiredOf,
  typesOf,
} from "../../../../runtime/call/arguments/schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import type { Constraint, Tool } from "../../../../runtime/contract/registry.js";

const TEXT = { type: "string" } as const;
const WHOLE = { type: "integer" } as const;
const of = (schema: object): JsonSchema => schema as JsonSchema;

describe("a schema", () => {
  test.each<readonly [schema: object, types: readonly string[]]>([
    [TEXT, ["string"]],
    [{ type: ["string", 7, "null"] }, ["string", "null"]],
    [{ const: null }, ["null"]],
    [{ const: [1] }, ["array"]],
    [{ const: {} }, ["object"]],
    [{ const: 1 }, ["number"]],
    [{ enum: [1, "a", 2, null] }, ["number", "string", "null"]],
    [{ properties: {} }, ["object"]],
    [{ items: {} }, ["array"]],
    [{ prefixItems: [] }, ["array"]],
    [{}, []],
    [{ anyOf: [TEXT, { type: "null" }] }, ["string", "null"]],
    [{ anyOf: [TEXT, {}] }, []],
    [{ oneOf: [TEXT, TEXT] }, ["string"]],
    [{ $ref: "#/$defs/a", $defs: { a: TEXT } }, ["string"]],
  ])("%j has the types %j", (schema, types) => expect(typesOf(of(schema))).toEqual(types));

  test.each<readonly [type: string, admitted: readonly unknown[], refused: readonly unknown[]]>([
    ["string", ["a"], [1, null, new ExactNumber("1e400")]],
    ["integer", [1, new ExactNumber("9007199254740993")], [1.5, "1", new ExactNumber("9007199254740993.5")]],
    ["number", [1.5, new ExactNumber("1e400")], ["1"]],
    ["boolean", [false], [0]],
    ["array", [[]], [{}]],
    ["object", [{}], [[], null, new ExactNumber("1e400")]],
    ["null", [null], [0, undefined]],
    ["constructor", [], ["a"]],
  ])("of the type %s admits %j, not %j", (type, admitted, refused) => {
    const schema = of({ type });
    const does = (value: unknown) => admits(schema, value, schema);
    expect([admitted.map(does), refused.map(does)]).toEqual([admitted.map(() => true), refused.map(() => false)]);
  });

  test("declares properties that are schemas, and required names that are texts", () => {
    expect([...propertiesOf(of({ properties: { a: TEXT, b: 7 } })).keys()]).toEqual(["a"]);
    expect([...propertiesOf(of({ allOf: [{ properties: { a: TEXT } }] })).keys()]).toEqual(["a"]);
    expect([requiredOf(of({ required: ["a", 7] })), requiredOf(of({}))]).toEqual([["a"], []]);
  });

  test("may have members", () => {
    const schema = of({ properties: { a: {} }, patternProperties: { "^x": {} }, additionalProperties: false });
    expect(["a", "xa", "b", "constructor"].map((name) => mayHave(schema, name))).toEqual([true, true, false, false]);
    expect(mayHave(of({ properties: {} }), "b")).toBe(true);
  });

  test("has schemas of members", () => {
    const rest = { type: "null" };
    const map = of({
      properties: { a: TEXT, f: false },
      patternProperties: { "^x": WHOLE },
      additionalProperties: rest,
    });
    expect(["a", "xa", "b", "f"].map((key) => memberSchema(map, key))).toEqual([TEXT, WHOLE, rest, undefined]);
    expect(memberSchema(of({ properties: {} }), "constructor")).toBeUndefined();
    const list = of({ prefixItems: [TEXT, true], items: WHOLE });
    expect([0, 1, 2].map((key) => memberSchema(list, key))).toEqual([TEXT, undefined, WHOLE]);
  });

  test("own members of values", () => {
    expect([memberValue([1], 0), memberValue([1], "0"), memberValue({ a: 1 }, "a")]).toEqual([1, undefined, 1]);
    expect([memberValue({ 0: 1 }, 0), memberValue({ a: 1 }, "constructor"), memberValue("a", 0)]).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  test.each<readonly [path: string, key: string | number, joined: string]>([
    ["", "a", "a"],
    ["a", "b", "a.b"],
    ["a", 0, "a[0]"],
    ["", 0, "[0]"],
    ["a", "b c", 'a["b c"]'],
    ["", "b.c", '["b.c"]'],
    ["a", "", 'a[""]'],
    ["a", "$é_-1", "a.$é_-1"],
    ["", "x".repeat(80), "x".repeat(80)],
    ["", "x".repeat(81), `${"x".repeat(79)}…`],
    ["a", "half \ud800", 'a["half \\ud800"]'],
    ["a", "\u202eb", 'a["\\u202eb"]'],
    ["a", "\u009bm", 'a["\\u009bm"]'],
  ])("%j and %j are the path %j", (path, key, joined) => expect(joinPath(path, key)).toBe(joined));
});

describe("text that should be JSON", () => {
  test.each<readonly [text: string, position: number]>([
    ['{"a" 1}', 5],
    ['{"a":1 "b":2}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["[1}", 2],
    ['{"a":1]', 6],
    ['{"a":1}}', 7],
    ['{"a":1} 2', 8],
    ['{"a":01}', 5],
    ['{"a":1.}', 5],
    ['{"a":+1}', 5],
    ['{"a":1e}', 5],
    ['{"a":nul}', 5],
    ['{"a":nulls}', 5],
    ['{"a":"b}', 5],
    [String.raw`{"a":"\x"}`, 5],
    ['{"a":"b\nc"}', 5],
    ["{a:1}", 1],
    ["{1:1}", 1],
    ["{,}", 1],
    ["[,]", 1],
    ["]", 0],
    [":", 0],
    ['{"a":[1,{"b":2}],}', 17],
    ['{"a":1', 6],
    ['{"a"', 4],
    ["   ", 3],
    ['{"a": -1.5e+3, "b": true, "c": null, "d": false, "e": "\\u00e9\\n", "f": [], "g": {} x}', 83],
  ])("%j breaks at %d", (text, position) => expect(parseObject(text)).toEqual({ kind: "broken", position }));

  test("an object is one, anything else is something else", () => {
    expect(parseObject(' {"a": 1} ')).toEqual({ kind: "object", value: { a: 1 } });
    for (const text of ["[]", "1", "null", '"a"']) expect(parseObject(text)).toEqual({ kind: "other" });
  });
});

describe("a name that an object has twice", () => {
  test.each([
    ['{"a": 1, "a": 2}', "a"],
    [String.raw`{"\u0061": 1, "a": 2}`, "a"],
    ['{"x": 1, "o": {"c": 1, "d": [], "c": 2}}', "c"],
    ['{"o": {"a": {}}, "a": 1, "a": 2}', "a"],
    ['{"l": [1, {"a": 1}], "b": "c", "l": 2}', "l"],
    ['[{"a": 1}, {"b": 1, "b": 2}]', "b"],
    ['{"": 1, "": 2}', ""],
  ])("%s has %j twice", (text, name) => expect(parseObject(text)).toEqual({ kind: "repeated", name }));

  test.each([
    '{"a": {"a": 1}, "b": {"a": 1}}',
    '{"a": "b", "b": "a", "c": "a"}',
    '{"a": ["a", "a", "b"], "b": 1}',
    '{"l": [{"a": 1}, {"a": 1}], "a": 1}',
    '{"a": [[], {}], "A": 1}',
  ])("%s has none", (text) => expect(parseObject(text)).toEqual({ kind: "object", value: JSON.parse(text) }));
});

describe("defaults", () => {
  const schema = of({
    properties: {
      a: { default: 1 },
      o: { properties: { c: { default: 2 } } },
      l: { items: { properties: { e: { default: [3] } } } },
      r: { $ref: "#/$defs/x" },
      s: { $ref: "#/$defs/x", default: 5 },
    },
    required: ["a", "o"],
    $defs: { x: { default: 4 } },
  });

  test("are filled in at every level, not over null, and never create what is absent", () => {
    const top = { a: 1, r: 4, s: 5 };
    expect(fillDefaults({}, schema)).toEqual(top);
    expect(fillDefaults({ a: null, o: {}, l: [{}, { e: 7 }, 8] }, schema)).toEqual({
      ...top,
      a: null,
      o: { c: 2 },
      l: [{ e: [3] }, { e: 7 }, 8],
    });
    expect(fillDefaults({}, schema, "required")).toEqual({ a: 1 });
    expect(fillDefaults({ o: {} }, schema, "required")).toEqual({ a: 1, o: {} });
  });

  test("are copies", () => {
    const [first, second] = [fillDefaults({ l: [{}] }, schema), fillDefaults({ l: [{}] }, schema)];
    expect(first).toEqual(second);
    const listIn = (args: JsonObject) => ((args["l"] as readonly JsonObject[])[0] as JsonObject)["e"];
    expect(listIn(first)).not.toBe(listIn(second));
  });
});

describe("constraints", () => {
  const check = (constraint: object, given: JsonObject) =>
    checkConstraints({ constraints: [constraint as Constraint] } as unknown as Tool, given);
  const SOME = { kind: "at_least_one_change", of: ["a", "b"] };
  const BRANCHES = { kind: "one_of", branches: [["a"], ["b", "c"]] };
  const NEEDS = { kind: "requires", argument: "a", needs: ["b"] };
  const branch = { keyword: "one_of", expected: "exactly one of: a; or b and c" };

  test.each<readonly [constraint: object, given: JsonObject, findings: readonly object[]]>([
    [SOME, { a: " " }, []],
    [SOME, { b: null }, []],
    [
      SOME,
      {},
      [
        {
          path: "",
          keyword: "at_least_one_change",
          message: "there is nothing to change",
          expected: "at least one of a, b",
          received: "nothing",
        },
      ],
    ],
    [BRANCHES, { a: 1 }, []],
    [BRANCHES, { a: "x" }, []],
    [BRANCHES, { b: 1, c: null }, []],
    [BRANCHES, {}, [{ ...branch, path: "", message: "give a, or b and c", received: "nothing" }]],
    [BRANCHES, { a: " " }, [{ ...branch, path: "", message: "give a, or b and c", received: "nothing" }]],
    [BRANCHES, { a: 1, c: 1 }, [{ ...branch, path: "", message: "a, c do not go together", received: "a, c" }]],
    [BRANCHES, { b: 1 }, [{ ...branch, path: "c", message: "c is missing beside b", received: "nothing" }]],
    [BRANCHES, { c: 1 }, [{ ...branch, path: "b", message: "b is missing beside c", received: "nothing" }]],
    [NEEDS, { b: 1 }, []],
    [NEEDS, { a: 1, b: null }, []],
    [{ ...NEEDS, equals: "x" }, { a: "y" }, []],
    [
      NEEDS,
      { a: 1 },
      [
        {
          path: "b",
          keyword: "requires",
          message: "b is missing, which a needs",
          expected: "b beside a",
          received: "nothing",
        },
      ],
    ],
    [
      { ...NEEDS, equals: "x" },
      { a: "x", b: " " },
      [
        {
          path: "b",
          keyword: "requires",
          message: "b is missing, which a=x needs",
          expected: "b beside a=x",
          received: '" "',
        },
      ],
    ],
    [
      { ...NEEDS, equals: [3] },
      { a: [3], b: false },
      [
        {
          path: "b",
          keyword: "requires",
          message: "b is off, which a=[3] needs",
          expected: "b=true beside a=[3]",
          received: "false",
        },
      ],
    ],
  ])("%j for %j", (constraint, given, findings) => expect(check(constraint, given)).toEqual(findings));

  test("what was received is at most eight names", () => {
    const given = Object.fromEntries([..."mnopqrstu"].map((name) => [name, 1]));
    expect(check(SOME, given)).toMatchObject([{ received: "m, n, o, p, q, r, s, t" }]);
  });
});

describe("required arguments", () => {
  const at = (...pointers: readonly string[]) =>
    pointers.map((instancePath) => ({ instancePath, schemaPath: "", keyword: "type", params: {} }));
  const empty = (property: object, value: JsonValue, issues = at("/a")) =>
    emptyRequired(issues, { a: value }, of({ properties: { a: property }, required: ["a"] }));

  test.each<readonly [property: object, value: JsonValue]>([
    [TEXT, "x"],
    [{ type: ["string", "null"] }, null],
    [{ anyOf: [TEXT, { type: "null" }] }, null],
    [WHOLE, " "],
    [WHOLE, 0],
  ])("%j may be %j", (property, value) => expect(empty(property, value)).toEqual([]));

  test("that no rule refuses are there", () => {
    expect(empty(TEXT, " ", [])).toEqual([]);
  });

  test("that are blank or null and refused are missing, at every level", () => {
    const blank = { keyword: "required", expected: "string", received: '" "' };
    expect(empty(TEXT, " ")).toEqual([{ ...blank, path: "a", message: "a is blank" }]);
    expect(empty(TEXT, null)).toEqual([{ ...blank, path: "a", message: "a is null", received: "null" }]);
    const inner = { properties: { a: TEXT, b: TEXT }, required: ["a"] };
    const schema = of({ properties: { o: inner, l: { items: inner } } });
    const issues = at("/o/a", "/o/b", "/l/1/a", "/l/2", "/l/1/a");
    expect(emptyRequired(issues, { o: { a: " ", b: " " }, l: [{ a: "x" }, { a: " " }, null] }, schema)).toEqual([
      { ...blank, path: "o.a", message: "o.a is blank" },
      { ...blank, path: "l[1].a", message: "l[1].a is blank" },
    ]);
  });
});
