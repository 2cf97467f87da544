/**
 * The survey of JSON text before it is parsed: it counts what a parser would find, in linear time, for any chunking of
 * the text.
 */

import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { boundText, idAtEdge, passedBound, surveyEvents, surveyText } from "../../../runtime/contract/json-survey.js";
import { randomOf, runs } from "../../support/random.js";
import { threadMs } from "../../support/used.js";

const { seed, numRuns } = runs(20_000);
const bytes = (text: string): Buffer => Buffer.from(text);

/** JSON of any shape, its levels and its parts as a parser finds them. */
function drawn(random: () => number, levels: number): unknown {
  const at = (n: number): number => Math.floor(random() * n);
  const text = () => Array.from({ length: at(60) }, () => '"\\[]{},:\n\u2028x\ud800é'.charAt(at(14))).join("");
  const kinds = [() => at(1e9), text, () => null, () => true, () => -1.5e-7];
  if (levels > 0 && at(3) > 0)
    kinds.push(
      () => Array.from({ length: at(5) }, () => drawn(random, levels - 1)) as never,
      () => Object.fromEntries(Array.from({ length: at(5) }, () => [text(), drawn(random, levels - 1)])) as never,
    );
  return kinds[at(kinds.length)]?.();
}

const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;

/** Halves, as the survey counts them: containers and keys are two, and each comma is one. */
function halvesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = Object.values(value);
  const keys = Array.isArray(value) ? 0 : 2 * members.length;
  return 2 + keys + Math.max(0, members.length - 1) + members.reduce((sum: number, one) => sum + halvesOf(one), 0);
}

/** Hands a text over in pieces of any length. */
function inPieces(text: Buffer, random: () => number, survey: (piece: Buffer) => string | undefined) {
  for (let from = 0; from < text.length; ) {
    const piece = text.subarray(from, from + 1 + Math.floor(random() * 50));
    const passed = survey(piece);
    if (passed) return passed;
    from += piece.length;
  }
  return undefined;
}

test(`${numRuns} texts: the bound is passed exactly where a parser finds more, whole and in pieces`, () => {
  const random = randomOf(seed);
  for (let run = 0; run < numRuns; run++) {
    const value = drawn(random, 6);
    const text = bytes(JSON.stringify(value, null, Math.floor(random() * 3)));
    const [depth, halves] = [levelsOf(value), halvesOf(value)];
    const parts = Math.ceil(halves / 2);
    for (const [bounds, passed] of [
      [{ depth, parts }, undefined],
      [{ depth: Math.max(0, depth - 1), parts }, depth > 0 ? "depth" : undefined],
      [{ depth, parts: Math.max(0, halves - 1) / 2 }, halves > 0 ? "parts" : undefined],
    ] as const) {
      expect(passedBound(text, bounds), text.toString()).toBe(passed);
      expect(inPieces(text, random, surveyText(bounds)), text.toString()).toBe(passed);
    }
  }
});

const MB4 = 4_194_304;
const HOSTILE: readonly (readonly [what: string, textOf: (size: number) => string])[] = [
  ["lists", (size) => "[".repeat(size)],
  ["objects", (size) => '{"a":'.repeat(size / 5)],
  ["short lists", (size) => `[${"[],".repeat(size / 3)}`],
  ["backslashes", (size) => `"${"\\".repeat(size)}`],
  ["escaped quotes", (size) => `"${'\\"'.repeat(size / 2)}`],
  ["quotes", (size) => '"'.repeat(size)],
  ["long strings with one backslash at the end of all", (size) => `${`"${"x".repeat(70)}",`.repeat(size / 74)}\\`],
  ["backslashes that end far away", (size) => `"${`${"\\\\".repeat(50)}${"x".repeat(40)}`.repeat(size / 140)}"`],
  ["one long string", (size) => `"${"x".repeat(size)}"`],
  ["spaces", (size) => " ".repeat(size)],
];

test.each(HOSTILE)(
  "4 MB of %s take no longer than sixteen times a sixteenth of them",
  { tags: "slow" },
  (_what, textOf) => {
    const [whole, part] = [bytes(textOf(MB4)), bytes(textOf(MB4 / 16))];
    const cpuOf = (text: Uint8Array, times: number): number => {
      const before = threadMs();
      for (let i = 0; i < times; i++) passedBound(text, { depth: MB4, parts: MB4 });
      return threadMs() - before;
    };
    const least = (measured: () => number): number => Math.min(...Array.from({ length: 10 }, measured));
    // Work that grew with the square would take sixteen times as long.
    expect(least(() => cpuOf(whole, 1))).toBeLessThan(4 * least(() => cpuOf(part, 16)));
  },
);

test("events: lines of one event are one text, a blank line ends it, and a string ends with its line", () => {
  const bounds = { depth: 10, parts: 1000 };
  const survey = (text: string) => inPieces(bytes(text), randomOf(seed), surveyEvents(bounds));
  const open = "[".repeat(6);
  for (const end of ["\n", "\r\n", "\r"]) {
    expect(survey(`data: ${open}${end}data: ${open}${end}${end}`)).toBe("depth");
    expect(survey(`data: ${open}${end}${end}data: ${open}${end}${end}`)).toBeUndefined();
    expect(survey(`data: "${end}data: ${open}${end}data: ${open}${end}`)).toBe("depth");
    expect(survey(`: it's "quoted${end}${end}data: ${"[".repeat(11)}`)).toBe("depth");
    expect(survey(`data: ["${"[".repeat(50)}"]${end}${end}`.repeat(500))).toBeUndefined();
  }
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"method":"x","params":[[[', "7"],
  ['{ "id" : "a b" , "method":"x","params":[[[', '"a b"'],
  ['{"method":"tools/call","params":[[[]]],"jsonrpc":"2.0","id":12}', "12"],
  ['{"params":[[[]]],"id":"x","jsonrpc":"2.0"}\r', '"x"'],
  ['{"params":{"id":3}}', undefined],
  ['{"params":{"a":1,"id":3}}', undefined],
  ['{"id":1e999,"params":[', undefined],
  ['{"id":-,"params":[', undefined],
  ['{"id":[1],"params":[', undefined],
  ['[{"id":1,"params":[', undefined],
  ["", undefined],
])("the id of %s is %s", (text, id) => {
  expect(idAtEdge(bytes(text))).toBe(id);
});

test("looking for an id is fast for any text", () => {
  const texts = ["{".repeat(600), `{${" ".repeat(600)}`, `{"id":${"1".repeat(600)}`, `{"id":"${"\\".repeat(600)}`];
  texts.push(`{${'"method":"x",'.repeat(50)}`, `${',"id":1'.repeat(100)}}`, `,${'"id":1,'.repeat(100)}`);
  const started = performance.now();
  for (let i = 0; i < 1000; i++) for (const text of texts) idAtEdge(bytes(text));
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a number has a largest length, also over two pieces; digits in a text do not count", () => {
  const bounds = { depth: 9, parts: 9 };
  const digits = (count: number): Buffer => bytes(`[${"7".repeat(count)},"${"7".repeat(9000)}",${"7".repeat(4000)}]`);
  expect(passedBound(digits(5000), bounds)).toBeUndefined();
  expect(passedBound(digits(5001), bounds)).toBe("digits");
  const survey = surveyText(bounds);
  expect([survey(bytes("7".repeat(3000))), survey(bytes("7".repeat(3000)))]).toEqual([undefined, "digits"]);
  expect(boundText("digits", bounds)).toBe("has a number of more than 5000 digits");
});
