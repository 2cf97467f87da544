/** The text of a result by `__format__`. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { joinReply } from "../../../runtime/run/format.js";
import type { Data, FinishedRun } from "../../../runtime/run/languages/language.js";
import { valueRepr } from "../../../runtime/run/languages/python/python-text.js";
import { formatValue } from "../../../runtime/run/languages/python/value-text.js";
import { runs } from "../../support/random.js";

const STATS = { engine: "none", wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 };
const finished = (value: Data, more: Partial<FinishedRun> = {}): FinishedRun => ({
  ok: true,
  outcome: "value",
  value,
  stats: STATS,
  ...more,
});
const dict = (...entries: readonly (readonly [Data, Data])[]): Data => ({ $: "dict", entries });
const tuple = (...items: readonly Data[]): Data => ({ $: "tuple", items });
const set = (...items: readonly Data[]): Data => ({ $: "set", items });
const float = (text: string): Data => ({ $: "float", text });
const opaque = (text: string): Data => ({ $: "opaque", text });

const format = (value: Data, format?: string, isOt = false): Promise<string | undefined> =>
  formatValue(finished(value, format === undefined ? {} : { format }), { depth: 64, isOt });

const EXAMPLE = dict(["a", 1], ["b", [1, dict(["c", "d: e"])]]);

describe("formats", () => {
  it.each([
    ["yml", ["a\nb", "c"], '["a\\nb", c]'],
    ["yml_h", dict(["a\nb", 1]), '"a\\nb": 1'],
    ["yml_h", ["a\nb"], "- |-\n  a\n  b"],
  ] as readonly (readonly [string, Data, string])[])("%s of texts with newlines: row %#", async (name, value, text) => {
    expect(await format(value, name)).toBe(text);
  });

  it.each([
    [undefined, '{"a":1,"b":[1,{"c":"d: e"}]}'],
    ["json", '{"a":1,"b":[1,{"c":"d: e"}]}'],
    ["bogus", '{"a":1,"b":[1,{"c":"d: e"}]}'],
    ["json_h", '{\n  "a": 1,\n  "b": [\n    1,\n    {\n      "c": "d: e"\n    }\n  ]\n}'],
    ["yml", "{a: 1, b: [1, {c: 'd: e'}]}"],
    ["yml_h", "a: 1\nb:\n- 1\n- c: 'd: e'"],
    ["raw", "{'a': 1, 'b': [1, {'c': 'd: e'}]}"],
  ])("%s writes %j", async (name, text) => {
    expect(await format(EXAMPLE, name)).toBe(text);
  });

  it.each([
    [tuple(1, 2), "[1,2]"],
    [set(1), "[1]"],
    [true, "true"],
    [float("1.0"), "1.0"],
    [float("1e+16"), "1e+16"],
    [new TextEncoder().encode("bytes"), "Ynl0ZXM="],
    [opaque("(1+2j)"), "(1+2j)"],
    [dict(["a", 1], ["b", [1, 2]]), '{"a":1,"b":[1,2]}'],
    [dict([1, 2]), '{"1":2}'],
    [
      dict([true, 1], [null, 2], [float("1.5"), 3], [tuple(1, "x"), 4], [5n, 6]),
      `{"true":1,"null":2,"1.5":3,"(1, 'x')":4,"5":6}`,
    ],
    [dict(["a", tuple(1, 2)]), '{"a":[1,2]}'],
    [[null, true, float("nan"), Number.NaN, float("inf"), float("-inf")], "[null,true,null,null,null,null]"],
    [dict(["a", set(1)]), '{"a":[1]}'],
    [
      [set(10, 9, float("9.5"), true), set("b", "a", "\u{1f600}", "\uffee"), set("b", 1)],
      '[[true,9,9.5,10],["a","b","\uffee","😀"],[1,"b"]]',
    ],
    [
      [
        { $: "datetime", text: "2024-01-02T03:04:05" },
        { $: "timedelta", text: "90.0" },
      ],
      '["2024-01-02T03:04:05",90.0]',
    ],
    [2n ** 70n, "1180591620717411303424"],
    [dict(["b", 1], ["10", 2], ["2", 3], ["__proto__", 4]), '{"b":1,"10":2,"2":3,"__proto__":4}'],
    ["日 \u2028", "日 \u2028"],
    [["日"], '["日"]'],
    [dict(), "{}"],
  ] as readonly (readonly [Data, string])[])("row %#", async (value, text) => {
    expect(await format(value)).toBe(text);
  });

  it("writes tuples in YAML as lists, and text at the top as itself", async () => {
    expect(await format(dict(["x", tuple(1, 2)]), "yml")).toBe("{x: [1, 2]}");
    expect(await format(dict(["a", 1], ["b", [1, dict(["c", 2])]]), "yml_h")).toBe("a: 1\nb:\n- 1\n- c: 2");
    expect(await format(dict(["t", "a\nb\n"], ["u", []], ["v", dict()]), "yml_h")).toBe("t: |\n  a\n  b\nu: []\nv: {}");
    // The newlines at the end of a document are not those of its last text: where YAML would lose some, it is JSON.
    expect(await format(dict(["t", "a\n\n"]), "yml_h")).toBe('{"t":"a\\n\\n"}');
    expect(await format(dict(["t", "a\nb"]), "yml")).toBe('{t: "a\\nb"}');
    for (const name of ["json", "json_h", "yml", "yml_h", "raw"])
      expect(await format("a: 'b'\n", name)).toBe("a: 'b'\n");
  });

  it("takes the JSON of the guest, which keeps 1.0, long integers and the order of keys", async () => {
    const json = '{"b": 1.0, "10": 12345678901234567890, "2": [], "__proto__": {"x": "\\u00e9\\"]"}}';
    const of = (name: string): Promise<string | undefined> =>
      formatValue(finished(null, { json, format: name }), { depth: 64, isOt: false });
    expect(await of("json")).toBe('{"b":1.0,"10":12345678901234567890,"2":[],"__proto__":{"x":"é\\"]"}}');
    expect(await of("yml")).toBe("{b: 1.0, '10': 12345678901234567890, '2': [], __proto__: {x: 'é\"]'}}");
    expect(await formatValue(finished([1], { json: "[NaN" }), { depth: 64, isOt: false })).toBe("[1]");
  });

  it("cuts what nests too deep", async () => {
    const json = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
    expect(await formatValue(finished(null, { json }), { depth: 2, isOt: false })).toBe('[["..."]]');
    expect(await formatValue(finished([[[1], 2], 3]), { depth: 2, isOt: false })).toBe('[["...",2],3]');
  });

  it("says None, and nothing without a value", async () => {
    expect(await formatValue(finished(null, { outcome: "none" }), { depth: 1, isOt: true })).toBe("None");
    expect(await formatValue(finished(null, { outcome: "novalue" }), { depth: 1, isOt: true })).toBeUndefined();
    expect(await formatValue(finished([1], { format: "raw", str: "[1]!" }), { depth: 1, isOt: true })).toBe("[1]!");
  });
});

describe("answers of ot", () => {
  const objects = [dict(["name", "a"], ["n", 1]), dict(["name", "b"], ["n", 2])];
  const long = Array.from({ length: 40 }, (_, i) => `word${i}`);
  it.each([
    [
      dict(["status", "ok"], ["tools", dict(["n", 3], ["by", dict(["demo", 2])])]),
      "status: ok\ntools: {n: 3, by: {demo: 2}}",
    ],
    [["demo.big", "demo.boom"], "- demo.big\n- demo.boom"],
    [objects, "- {name: a, n: 1}\n- {name: b, n: 2}"],
    [dict(["tools", objects], ["n", 2]), "tools:\n  - {name: a, n: 1}\n  - {name: b, n: 2}\nn: 2"],
    [dict(["words", ["a", "b"]]), "words: [a, b]"],
    [dict(["words", long]), `words:\n${long.map((one) => `  - ${one}`).join("\n")}`],
    [dict(["a", dict(["b", dict(["c", dict(["d", 1])])])]), "a:\n  b: {c: {d: 1}}"],
    [[], "[]"],
    [dict(["text", "a\nb"]), 'text: "a\\nb"'],
    [dict(["a", dict()], ["b", []]), "a: {}\nb: []"],
    [dict(["k", [tuple(1, 2), [3, 4]]]), "k: [[1, 2], [3, 4]]"],
    [dict(["k", [[[1]], 2]]), "k:\n  - [[1]]\n  - 2"],
    [dict(["k", ["a", dict(["b", 1])]]), "k:\n  - a\n  - {b: 1}"],
    [dict(["k", ["x".repeat(58), "y".repeat(58)]]), `k: [${"x".repeat(58)}, ${"y".repeat(58)}]`],
    [dict(["k", ["x".repeat(58), "y".repeat(59)]]), `k:\n  - ${"x".repeat(58)}\n  - ${"y".repeat(59)}`],
    [dict(["k", ["x".repeat(130), ["y"]]]), `k: [${"x".repeat(130)}, [y]]`],
    [["a\nb\n\n  c", "d"], "- |-\n  a\n  b\n\n    c\n- d"],
    [["ends\n", "two\n\n"], '- |\n  ends\n- "two\\n\\n"'],
    [["  first\nsecond"], "- |2-\n    first\n  second"],
    [dict(["pages", ["a\nb", "c"]]), "pages:\n  - |-\n    a\n    b\n  - c"],
    [["a\u0001\nb", "c\u2028\nd"], '- "a\\x01\\nb"\n- "c\u2028\\nd"'],
    [["\n\n", "a"], '- "\\n\\n"\n- a'],
    [[1, "a\nb"], '- 1\n- "a\\nb"'],
    [[["a\nb"]], "- - |-\n    a\n    b"],
  ] as readonly (readonly [Data, string])[])("row %#", async (value, text) => {
    expect(await format(value, undefined, true)).toBe(text);
  });

  it("are JSON where a format is set, and only lists and dicts are YAML", async () => {
    expect(await format([1], "json", true)).toBe("[1]");
    expect(await format([1], "bogus", true)).toBe("[1]");
    expect(await format(5, undefined, true)).toBe("5");
  });
});

const json = fc.letrec<{ value: Data }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "grapheme" }),
    fc.string({
      unit: fc.constantFrom(
        "-",
        " ",
        ":",
        "#",
        "'",
        '"',
        "\n",
        "\t",
        "a",
        "1",
        ".",
        "{",
        "]",
        ",",
        "&",
        "*",
        "?",
        "~",
        "\u2028",
        "\0",
      ),
    }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => float(Object.is(n, -0) ? "-0.0" : String(n))),
    fc.array(tie("value")),
    fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => dict(...entries)),
  ),
})).value;

describe("properties", () => {
  it("YAML reads back as what JSON says, in every style, and flow is one line", { tags: "full" }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json), async (value) => {
        const expected = JSON.parse((await format(value)) ?? "");
        for (const style of ["yml", "yml_h"]) {
          const text = (await format(value, style)) ?? "";
          expect(parse(text)).toEqual(expected);
          if (style === "yml") expect(text).not.toMatch(/\n/);
        }
        expect(parse((await format(value, undefined, true)) ?? "")).toEqual(expected);
        expect(JSON.parse((await format(value, "json_h")) ?? "")).toEqual(expected);
      }),
      runs(2_000),
    );
  });

  it("is the same from a value and from its JSON", async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const text = (await format([value])) ?? "";
        expect(await formatValue(finished(null, { json: text }), { depth: 64, isOt: false })).toBe(text);
      }),
      runs(5_000),
    );
  });
});

describe("joinReply", () => {
  it.each([
    ["a\n", "5", "a\n5"],
    ["a\n\n", "5", "a\n5"],
    ["  a \n", "5", "  a \n5"],
    ["", "5", "5"],
    ["\n", "5", "5"],
    ["a\n", undefined, "a"],
    ["", undefined, "OK: no return value"],
    ["", "", ""],
  ])("%j and %j are %j", (printed, value, text) => {
    expect(joinReply(printed, value)).toBe(text);
  });
});

describe("valueRepr", () => {
  it.each([
    ["it's", `"it's"`],
    [`it's "so"`, `'it\\'s "so"'`],
    ["a\n\t\\\x01\u200b\u{e0001}", "'a\\n\\t\\\\\\x01\\u200b\\U000e0001'"],
    [tuple(1), "(1,)"],
    [set(), "set()"],
    [new Uint8Array([97, 39, 0, 10, 255]), "b'a\\'\\x00\\n\\xff'"],
    [[null, true, false, Number.NaN, 1n], "[None, True, False, nan, 1]"],
  ] as readonly (readonly [Data, string])[])("row %#", (value, text) => {
    expect(valueRepr(value)).toBe(text);
  });
});
