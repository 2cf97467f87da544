/** Alternatives of a schema, exact numbers, and the order of findings. */

import { describe, expect, test } from "vitest";
import { chooseBranch, matchingBranch, placeAt } from "../../../../runtime/call/arguments/branch.js";
import {
  judgeExact,
  roundingErrors,
  roundingsIn,
  roundingWarnings,
  withNearestNumbers,
} from "../../../../runtime/call/arguments/exact.js";
import { sortErrors, unknownArgument } from "../../../../runtime/call/arguments/field-errors.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import { closed } from "../../gateway/fixture-tools.js";

const TEXT = { type: "string" } as const;
const WHOLE = { type: "integer" } as const;
const of = (schema: object): JsonSchema => schema as JsonSchema;

describe("alternatives", () => {
  const A = closed({ kind: { const: "a" }, x: WHOLE }, ["kind", "x"]);
  const B = closed({ kind: { const: "b" }, y: WHOLE }, ["kind", "y"]);
  const either = of({ anyOf: [A, B] });
  const chosen = (schema: JsonSchema, value: unknown) => chooseBranch(schema, value, schema);

  test.each<readonly [value: unknown, choice: object]>([
    [{ kind: "a", x: 1 }, { branch: A }],
    [{ kind: "b", y: 1 }, { branch: B }],
    [{ kind: "a" }, { branch: A }],
    [{ kind: "a", y: 1 }, { branch: A }],
    [{ kind: "c", x: 1 }, { wrong: { name: "kind", values: ["a", "b"] } }],
    [{ x: 1 }, { branch: A }],
    [{}, {}],
    ["a", {}],
  ])("the branch that %j resembles is chosen, or none", (value, choice) => {
    const { branch, wrong } = chosen(either, value);
    expect({ ...(branch && { branch }), ...(wrong && { wrong }) }).toMatchObject(choice);
    expect(branch === undefined).toBe(!("branch" in choice));
  });

  test("are told apart by type, by items, and by what is required", () => {
    const byType = of({ anyOf: [TEXT, WHOLE, { type: "array", items: TEXT }, { type: "array", items: WHOLE }] });
    expect(["a", 1, ["a"], [1]].map((value) => chosen(byType, value).branch)).toEqual([
      TEXT,
      WHOLE,
      { type: "array", items: TEXT },
      { type: "array", items: WHOLE },
    ]);
    expect([chosen(byType, true), chosen(byType, []), chosen(of({}), 1)]).toEqual([{}, {}, {}]);
    const needs = (name: string, more: object = {}) => ({
      type: "object",
      properties: { [name]: more },
      required: [name],
    });
    const byNeed = of({ oneOf: [needs("a"), needs("b")] });
    expect([chosen(byNeed, { a: 1 }).branch, chosen(byNeed, { b: 1 }).branch]).toEqual([needs("a"), needs("b")]);
    expect(chosen(byNeed, { a: 1, b: 1 })).toEqual({});
    const preset = of({ oneOf: [needs("a", { default: 1 }), needs("b")] });
    expect(chosen(preset, {}).branch).toEqual(needs("a", { default: 1 }));
  });

  test("are followed to the innermost, and places through them", () => {
    const nested = of({ anyOf: [{ oneOf: [TEXT, WHOLE] }, { type: "null" }] });
    expect(matchingBranch(nested, 1, nested)).toEqual(WHOLE);
    const root = of({ properties: { l: { type: "array", items: either as JsonObject } } });
    expect(placeAt(root, { l: [{ kind: "b", y: 7 }] }, "/l/0/y")).toEqual({
      schema: WHOLE,
      value: 7,
      keys: ["l", 0, "y"],
      path: "l[0].y",
    });
    expect(placeAt(root, { "a/b": 1 }, "/a~1b")).toMatchObject({ value: 1, path: '["a/b"]', schema: undefined });
  });
});

describe("exact numbers", () => {
  const big = (text: string) => new ExactNumber(text) as unknown as JsonValue;

  test("are rounded for code that takes plain ones, and named", () => {
    const args = { a: [big("9007199254740993")], b: { c: big("0.1234567890123456789") }, d: 1, e: big("10.0") };
    expect(withNearestNumbers(args)).toEqual({ a: [9007199254740992], b: { c: 0.12345678901234568 }, d: 1, e: 10 });
    const plain = { a: 1 };
    expect(withNearestNumbers(plain)).toBe(plain);
    const found = roundingsIn(args);
    expect(found.map(({ path }) => path)).toEqual(["a[0]", "b.c"]);
    expect(roundingWarnings(found)[0]).toBe(
      "number_rounded: a[0] 9007199254740993 was read as 9007199254740992; send it as text if every digit counts",
    );
    const errors = roundingErrors(found).map(({ keyword, message, received }) => [keyword, message, received]);
    expect(errors).toEqual([
      ["rounded", "a[0] is an integer beyond 2**53, which this tool cannot take: send it as text", "9007199254740993"],
      [
        "rounded",
        "b.c is a number of too many digits, which this tool cannot take: send it as text",
        "0.1234567890123456789",
      ],
    ]);
  });

  test("five are named, the others counted; long ones are cut", () => {
    const list = (count: number) =>
      roundingWarnings(roundingsIn(Array.from({ length: count }, () => big("9007199254740993"))));
    expect([list(5).length, list(7).length, list(7).at(-1)]).toEqual([
      5,
      6,
      "number_rounded: 2 more numbers were rounded",
    ]);
    const [error] = roundingErrors(roundingsIn([big("1".repeat(41))]));
    expect(error?.received).toBe(`${"1".repeat(39)}…`);
    expect(roundingErrors(roundingsIn([big("1".repeat(40))]))[0]?.received).toBe("1".repeat(40));
  });

  const judged = (text: string, rule: object, issues: readonly object[] = []) =>
    judgeExact(issues as never, { a: big(text) }, of({ properties: { a: rule } })).map(
      ({ keyword, params, instancePath }) => [keyword, params, instancePath],
    );
  const SAFE = Number.MAX_SAFE_INTEGER;

  test.each<readonly [text: string, rule: object, faults: readonly unknown[]]>([
    ["9007199254740992.5", WHOLE, [["type", { type: "integer" }, "/a"]]],
    ["9007199254740993", WHOLE, []],
    ["9007199254740992.5", { type: ["integer", "number"] }, []],
    ["9007199254740991.5", { maximum: SAFE }, [["maximum", { limit: SAFE }, "/a"]]],
    ["9007199254740991.0", { maximum: SAFE }, []],
    ["-9007199254740991.5", { minimum: -SAFE }, [["minimum", { limit: -SAFE }, "/a"]]],
    ["-9007199254740991.0", { minimum: -SAFE }, []],
    ["9007199254740991.0", { exclusiveMaximum: SAFE }, [["exclusiveMaximum", { limit: SAFE }, "/a"]]],
    ["9007199254740990.5", { exclusiveMaximum: SAFE }, []],
    ["-9007199254740991.0", { exclusiveMinimum: -SAFE }, [["exclusiveMinimum", { limit: -SAFE }, "/a"]]],
    ["-9007199254740990.5", { exclusiveMinimum: -SAFE }, []],
    ["9007199254740995", { maximum: SAFE + 1 }, []],
    ["9007199254740993", { multipleOf: 2 }, [["multipleOf", { multipleOf: 2 }, "/a"]]],
    ["9007199254740994", { multipleOf: 2 }, []],
  ])("%s by %j", (text, rule, faults) => expect(judged(text, rule)).toEqual(faults));

  test("a finding about the rounded number that the exact one does not deserve is dropped", () => {
    const issue = (keyword: string, instancePath = "/a") => ({ keyword, instancePath, schemaPath: "", params: {} });
    expect(judged("9007199254740993", { multipleOf: 3 }, [issue("multipleOf")])).toEqual([]);
    expect(judged("9007199254740993", {}, [issue("maximum"), issue("multipleOf", "/b")])).toHaveLength(2);
    const list = { a: [big("9007199254740993"), big("9007199254740992")] };
    const unique = [issue("uniqueItems")] as never;
    expect(judgeExact(unique, list, of({}))).toEqual([]);
    expect(judgeExact(unique, { a: [1, 1] }, of({}))).toHaveLength(1);
  });
});

describe("findings", () => {
  const finding = (keyword: string, path: string, more: object = {}) => ({
    keyword,
    path,
    message: path,
    expected: "",
    received: "",
    ...more,
  });

  test("come in order: the count of others, missing, unknown, wrong; each once", () => {
    const all = [
      finding("type", "d"),
      finding("additionalProperties", "c"),
      finding("required", "b"),
      finding("maxErrors", "*"),
    ];
    expect(sortErrors([...all, ...all]).map(({ path }) => path)).toEqual(["*", "b", "c", "d"]);
    expect(
      sortErrors([finding("unevaluatedProperties", "c"), finding("required", "b")]).map(({ path }) => path),
    ).toEqual(["b", "c"]);
  });

  test("what is only misspelt is not missing too", () => {
    const meant = (path: string, name: string) => finding("additionalProperties", path, { did_you_mean: name });
    const left = (errors: Parameters<typeof sortErrors>[0]) => sortErrors(errors).map(({ path }) => path);
    expect(left([finding("required", "title"), meant("titel", "title")])).toEqual(["titel"]);
    expect(left([finding("required", "a.title"), meant("a.titel", "title")])).toEqual(["a.titel"]);
    expect(left([finding("required", "a[0].title"), meant("a[0].titel", "title")])).toEqual(["a[0].titel"]);
    expect(left([finding("required", "title"), meant('["ti tel"]', "title")])).toEqual(['["ti tel"]']);
    expect(left([finding("required", "b.title"), meant("a.titel", "title")])).toEqual(["b.title", "a.titel"]);
    expect(left([finding("type", "title"), meant("titel", "title")])).toEqual(["titel", "title"]);
    const value = finding("enum", "sort", { did_you_mean: "title" });
    expect(left([finding("required", "title"), value])).toEqual(["title", "sort"]);
  });

  test("an unknown argument names the nearest that is free", () => {
    const declared = ["title", "limit"];
    const base = { keyword: "additionalProperties", expected: "a declared argument" };
    expect(unknownArgument("titel", { titel: "x" }, declared, "")).toEqual({
      ...base,
      path: "titel",
      message: "titel is unknown",
      received: "string",
      did_you_mean: "title",
    });
    expect(unknownArgument("titel", { titel: 1, title: "x" }, declared, "a")).toEqual({
      ...base,
      path: "a.titel",
      message: "a.titel is unknown",
      received: expect.stringMatching(/^(?:integer|number)$/),
    });
  });
});
