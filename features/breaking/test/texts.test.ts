/** Texts that are tried on schemas: those of a pattern match it and reach its ends, those of a format have it, odd ones differ. */

import { describe, expect, test } from "vitest";
import { hasFormat } from "../accepts.js";
import { formatTexts, matchingTexts, ODD_TEXTS } from "../texts.js";

describe("texts of a pattern", () => {
  test.each<readonly [pattern: string, texts: readonly string[]]>([
    ["^[a-c]{2,4}$", ["aa", "ac", "cc", "aaa", "aca", "ccc", "aaaa", "acac", "cccc"]],
    ["^(?:a|bc)$", ["a", "bc"]],
    ["^(a|b)?c$", ["c", "ac", "bc"]],
    ["^ab*$", ["a", "ab", "abbb"]],
    ["x+", ["x", "xxx", "-x-", " x ", "xx", "xxxx", "-xx-", " xx ", "xxxxxx", "-xxxx-", " xxxx "]],
    ["^\\d{3}-\\w$", ["000-a", "090-9", "999-a", "090-a", "000-0", "000-A"]],
    ["^[^a]$", ["0", "é", "A", "_", "-", " "]],
    ["^\\u{1F600}$", ["😀"]],
    ["^(?=a)a(?!b)$", ["a"]],
    ["(", []],
    ["^a$|x{5000}", ["a"]],
    [`^${"a".repeat(1998)}$`, ["a".repeat(1998)]],
    [`^${"a".repeat(1999)}$`, []],
  ])("%s are %j", (pattern, texts) => expect(matchingTexts(pattern, [])).toEqual(texts));

  test("reach the lengths that are asked for", () => {
    expect(matchingTexts("^a{2,}$", [10])).toEqual(["aa", "aaa", "aaaaa", "a".repeat(12)]);
    expect(matchingTexts("^a{2,}$", [])).toEqual(["aa", "aaa", "aaaaa"]);
    expect(matchingTexts("^a{0,3}$", [10])).toEqual(["", "a", "aaa"]);
    expect(matchingTexts("^a*$", [3998, 5000]).map((one) => one.length)).toEqual([0, 1, 3, 3998, 200, 4000]);
  });

  test("are the same each time, also after two thousand others", () => {
    const first = matchingTexts("^[xy]$", []);
    expect(matchingTexts("^[xy]$", [])).toBe(first);
    for (let i = 0; i < 2001; i++) matchingTexts(`^a${i}$`, []);
    expect(matchingTexts("^[xy]$", [])).not.toBe(first);
    expect(matchingTexts("^[xy]$", [])).toEqual(first);
  });
});

test.each(
  (
    "date-time iso-date-time date time iso-time duration uri url uri-reference uri-template email hostname ipv4 ipv6 uuid " +
    "regex json-pointer json-pointer-uri-fragment relative-json-pointer byte"
  ).split(" "),
)("texts of the format %s have it, and differ", { tags: "slow" }, (format) => {
  const texts = formatTexts(format);
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.filter((one) => hasFormat(format, one) !== true)).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

test("a format that is not known has none", () => {
  expect([formatTexts("none"), formatTexts("constructor"), formatTexts(7), formatTexts(undefined)]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

test("odd texts are all different: the empty one, short and long ones", () => {
  expect(new Set(ODD_TEXTS).size).toBe(ODD_TEXTS.length);
  expect(ODD_TEXTS).toContain("");
  expect([ODD_TEXTS[0], Math.max(...ODD_TEXTS.map((one) => one.length))]).toEqual(["x", 1200]);
});
