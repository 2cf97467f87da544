/** Redaction and the boundary of untrusted content. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Data } from "../../../runtime/run/languages/language.js";
import {
  boundaryText,
  isFailureSanitized,
  isSanitized,
  newBoundary,
  redactedText,
} from "../../../runtime/run/sanitize.js";
import { runs } from "../../support/random.js";

describe("redacted", () => {
  const rows: readonly (readonly [text: string, clean: string])[] = [
    ["__ot x mcp__onetool__run() </external-content-abcd>", "[REDACTED:trigger] x [REDACTED:trigger]() [REDACTED:tag]"],
    ["__ot__run __onetool __onetool__run", "[REDACTED:trigger] [REDACTED:trigger] [REDACTED:trigger]"],
    ["__OT MCP__OneTool__whatever_1", "[REDACTED:trigger] [REDACTED:trigger]"],
    ["x__ot __otter __ot_ __onetools é__ot mcp__one", "x__ot __otter __ot_ __onetools é__ot mcp__one"],
    ["(__ot)", "([REDACTED:trigger])"],
    ['"\\x41__ot \\x4__ot \\xgg__ot"', '"\\x41[REDACTED:trigger] \\x4__ot \\xgg__ot"'],
    ['"\\u00e9__ot \\u00e__ot"', '"\\u00e9[REDACTED:trigger] \\u00e__ot"'],
    ...[..."abefnrtvLNP0"].map((letter) => [`\\${letter}__ot`, `\\${letter}[REDACTED:trigger]`] as const),
    ["\\c__ot", "\\c__ot"],
    [
      '["a\\n__ot hi","\\u0000__onetool","\\tmcp__onetool__run()"]',
      '["a\\n[REDACTED:trigger] hi","\\u0000[REDACTED:trigger]","\\t[REDACTED:trigger]()"]',
    ],
    ['<external-content-1 source="x">a</ external-content-1 >b', "[REDACTED:tag]a[REDACTED:tag]b"],
    ["< EXTERNAL-content-zz", "[REDACTED:tag]"],
    ["<external-content-", "[REDACTED:tag]"],
    ["< / external-content-a>x", "[REDACTED:tag]x"],
    ["<external-content>", "<external-content>"],
    ["<external-content-a <external-content-b>", "[REDACTED:tag] [REDACTED:tag]"],
  ];
  it.each(rows)("%j is %j", (text, clean) => {
    expect(redactedText(text)).toBe(clean);
  });

  it("leaves no live trigger and no boundary, and is done at once", () => {
    const pieces = fc.constantFrom(
      "__ot",
      "__onetool",
      "__run",
      "mcp__onetool",
      "MCP",
      "<",
      "</",
      "external-content-",
      "ab1",
      ">",
      " ",
      "\n",
      "_",
      "é",
      '"',
      "x",
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = redactedText(parts.join(""));
        expect(text).not.toMatch(/(?<![\p{L}\p{N}_])(mcp__onetool|__(ot|onetool)(__run)?(?![\p{L}\p{N}_]))/iu);
        expect(text).not.toMatch(/<\s*\/?\s*external-content-/i);
        expect(redactedText(text)).toBe(text);
      }),
      runs(20_000),
    );
  });

  it("takes little time for hostile text", () => {
    for (const text of [
      "<external-content-".repeat(50_000),
      "< ".repeat(100_000),
      `<external-content-${" ".repeat(200_000)}`,
    ]) {
      const start = performance.now();
      redactedText(text);
      expect(performance.now() - start).toBeLessThan(3_000);
    }
  });
});

describe("a boundary", () => {
  it("stands around the text, with the ops that asked for it", () => {
    const { id } = newBoundary([]);
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(newBoundary([]).id).not.toBe(id);
    expect(boundaryText("hi", { id, sources: [] })).toBe(`<external-content-${id}>\nhi\n</external-content-${id}>`);
    expect(boundaryText("hi", { id: "9f31c0a4d27e", sources: ["brave.web_search", 'a">'] })).toBe(
      '<external-content-9f31c0a4d27e source="brave.web_search,a__">\nhi\n</external-content-9f31c0a4d27e>',
    );
  });

  it.each([
    [undefined, [], false],
    [undefined, ["a.b"], true],
    [null, ["a.b"], true],
    [false, ["a.b"], false],
    [true, [], true],
    [0, ["a.b"], false],
    ["", ["a.b"], false],
    ["no", [], true],
    [[], ["a.b"], false],
    [{ $: "float", text: "0.0" }, ["a.b"], false],
    [{ $: "dict", entries: [] }, ["a.b"], false],
    [{ $: "tuple", items: [1] }, [], true],
  ] as readonly (readonly [Data | undefined, readonly string[], boolean])[])("%j and %j: %s", (magic, sources, is) => {
    expect(isSanitized(magic, sources)).toBe(is);
  });
});

describe("the truth of __sanitize__", () => {
  const rows: readonly (readonly [Data, boolean])[] = [
    [true, true],
    [false, false],
    [0, false],
    [1, true],
    ["", false],
    ["0", true],
    [0n, false],
    [5n, true],
    [[], false],
    [[0], true],
    [new Uint8Array(0), false],
    [new Uint8Array(1), true],
    [{ $: "dict", entries: [] }, false],
    [{ $: "dict", entries: [[0, 0]] }, true],
    [{ $: "tuple", items: [] }, false],
    [{ $: "tuple", items: [0] }, true],
    [{ $: "set", items: [] }, false],
    [{ $: "set", items: [0] }, true],
    [{ $: "float", text: "0.0" }, false],
    [{ $: "float", text: "-0.0" }, false],
    [{ $: "float", text: "0.5" }, true],
    [{ $: "float", text: "nan" }, true],
    [{ $: "opaque", text: "0" }, true],
  ];
  it.each(rows)("row %#", (value, truth) => {
    expect([isSanitized(value, []), isSanitized(value, ["web.fetch"])]).toEqual([truth, truth]);
  });

  it("is that of the called ops where the code sets none", () => {
    for (const none of [undefined, null])
      expect([isSanitized(none, []), isSanitized(none, ["web.fetch"])]).toEqual([false, true]);
  });
});

describe("isFailureSanitized", () => {
  it.each([
    ["1/0", false],
    ["__sanitize__ = False\n1/0", false],
    ["__sanitize__=None;1/0", false],
    ["__sanitize__ \t=\t 0 \t# off\n1/0", false],
    ["__sanitize__ =False", false],
    ["__sanitize__ = False \n", false],
    ["__sanitize__ = False\n__sanitize__ = None\n1/0", false],
    ["__sanitize__ = True\n1/0", true],
    ["__sanitize__ = False\n__sanitize__ = True\n1/0", true],
    ["__sanitize__ = False if x else True\n1/0", true],
    ["__sanitize__ = 0or 1\n1/0", true],
    ["__sanitize__ = 01\n1/0", true],
    ["__sanitize__ = FalseOrTrue()", true],
    ["__sanitize__\n= False", true],
    ["__sanitize__x = False", true],
    ["__sanitize__ = xFalse\n1/0", true],
  ] as const)("%j without an op that asks for it: %s", (code, expected) => {
    expect(isFailureSanitized(code, [])).toBe(expected);
    expect(isFailureSanitized(code, ["web.fetch"])).toBe(true);
  });
});
