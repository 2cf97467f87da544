/**
 * Printed findings: escaping of foreign text in every format, exact examples, and SARIF that fits the official schema.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestText } from "../../../runtime/contract/canonical.js";
import { adviceOf, type Finding } from "../../../runtime/contract/finding.js";
import { completeFile } from "../../../test/support/partial-registry.js";
import { runs } from "../../../test/support/random.js";
import { BREAKING_RULES, type BreakingRule } from "../breaking-rules.js";
import { makeFinding } from "../finding.js";
import { annotation, type Comparison, comparisonText, type Format } from "../report.js";
import { sarifOf } from "../sarif.js";
import { sarifFaults } from "./sarif-schema.js";

const about = { op: "p.thing.get", tool: "get_thing", file: "definitions/p.json" };
const plain = (_: string, text: string): string => text;
const comparison = (findings: readonly Finding[]): Comparison => ({
  baseline: completeFile("git:main", {}),
  head: completeFile("generated/registry.json", {}),
  findings,
  rules: BREAKING_RULES,
  failOn: "error",
  notes: [],
  version: "0.0.0",
});
const print = (format: Format, findings: readonly Finding[]): string =>
  comparisonText(format, comparison(findings), plain);

const hostile = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .map((text) => text.replaceAll("%", "%\r\n::error::\u001b[31m"));
const finding = fc
  .record({
    rule: fc.constantFrom(...(Object.keys(BREAKING_RULES) as readonly BreakingRule[])),
    op: hostile,
    tool: hostile,
    file: hostile,
    line: fc.nat(9),
    column: fc.nat(9),
    pointer: hostile,
    at: hostile,
    before: hostile,
    after: hostile,
    more: hostile,
  })
  .map(({ op, tool, file, line, column, ...found }) => makeFinding({ op, tool, file, line, column }, found));

describe("annotations", () => {
  test("one line, whatever the text", () => {
    const one = makeFinding(
      { ...about, file: "definitions/a,b:c%.json", line: 3, column: 7 },
      { rule: "arg-pattern-added", at: "n", after: "100%\r\n::set-env name=A::b" },
    );
    expect(annotation(one)).toBe(
      "::error file=definitions/a%2Cb%3Ac%25.json,line=3,col=7,title=arg-pattern-added::p.thing.get: n must match 100%25 ::set-env name=A::b",
    );
    expect(annotation({ ...one, level: "info", line: 0, message: "a%0A\nb" })).toBe(
      "::notice file=definitions/a%2Cb%3Ac%25.json,title=arg-pattern-added::p.thing.get: a%250A%0Ab",
    );
    expect(annotation({ ...one, file: "", line: 0, level: "warning" })).toMatch(/^::warning title=arg-pattern-added::/);
  });

  test("what a runner reads is what was written, and nothing else begins a command", () => {
    const undo = (text: string): string => text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
    // The marks of a terminal are written out; line ends are the runner's own escapes.
    const written = (text: string): string =>
      [...text]
        .map((mark) =>
          /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u.test(mark) && !/[\r\n]/.test(mark) ? escaped(mark) : mark,
        )
        .join("");
    const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const undoProperty = (text: string): string => undo(text.replaceAll("%3A", ":").replaceAll("%2C", ","));
    fc.assert(
      fc.property(finding, (one) => {
        const text = annotation(one);
        expect(text).not.toMatch(/[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u);
        const [, command, properties = "", message = ""] = /^::(\w+) (.*?)::(.*)$/su.exec(text) ?? [];
        expect(["error", "warning", "notice"]).toContain(command);
        const read = new Map(
          properties
            .split(",")
            .map((part) => part.split("=", 1).concat(part.slice(part.indexOf("=") + 1)) as [string, string]),
        );
        expect(undoProperty(read.get("file") ?? "")).toBe(written(one.file));
        expect(undo(message)).toBe(written(`${one.op}: ${one.message}`));
      }),
      runs(3000),
    );
  });

  test("the closing lines of the format begin no command", () => {
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 3 }), (findings) => {
        const lines = print("github", findings)
          .split("\n")
          .filter((line) => line.startsWith("::"));
        expect(lines).toHaveLength(findings.length);
      }),
      runs(300),
    );
  });
});

describe("text", () => {
  test("no finding breaks its line, moves the cursor or turns the writing", () => {
    fc.assert(
      fc.property(fc.array(finding, { minLength: 1, maxLength: 4 }), (findings) => {
        const text = print("text", findings);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
        const ops = new Set(findings.map((one) => one.op));
        expect(text.split("\n")).toHaveLength(findings.length + ops.size * 2 + 3);
      }),
      runs(1000),
    );
  });

  test("findings stand under their op, with what is shown beneath them", () => {
    const findings: readonly Finding[] = [
      {
        ...makeFinding({ ...about, line: 3, column: 5 }, { rule: "arg-removed", at: "a", before: "string" }),
        counterexample: '{"a":1}',
        reason: "why",
        hurt: ["alias x", "example 1"],
      },
      makeFinding(about, { rule: "op-alias-added", after: "p.t" }),
      makeFinding({ op: "$x", tool: "", file: "" }, { rule: "snippet-removed", before: "x", at: "x" }),
    ];
    expect(print("text", findings).split("\n").slice(0, 8)).toEqual([
      "p.thing.get  get_thing  definitions/p.json:3:5",
      "  error    arg-removed      argument a is gone",
      `${" ".repeat(28)}accepted before, refused now: {"a":1}`,
      `${" ".repeat(28)}why`,
      `${" ".repeat(28)}hurts alias x; example 1`,
      "  info     op-alias-added   op alias p.t is new",
      "",
      "$x",
    ]);
    const result = { ...makeFinding(about, { rule: "result-undecided", at: "r" }), hurt: [] };
    const shown = (length: number) => print("text", [{ ...result, counterexample: "x".repeat(length) }]);
    expect(shown(301)).toContain(`possible now, not before: ${"x".repeat(300)}…\n`);
    expect(shown(300)).toContain(`possible now, not before: ${"x".repeat(300)}\n`);
    expect(shown(300)).not.toContain("hurts");
  });

  test("the closing lines say what was compared, and the version that follows", () => {
    const closing = (findings: readonly Finding[], failOn: "error" | "warning" | "info" = "error") =>
      comparisonText("text", { ...comparison(findings), failOn }, plain)
        .split("\n")
        .slice(-3);
    const from = "compared generated/registry.json (0 ops, 000000000000) with git:main (0 ops, 000000000000)";
    expect(closing([])).toEqual([from, "no change; at most a new patch version", ""]);
    const of = (rule: BreakingRule) => makeFinding(about, { rule, at: "a" });
    expect(closing([of("access-lowered")], "warning")[1]).toBe("1 warning; a new minor version; fails on warning");
    expect(closing([of("arg-removed"), of("access-lowered"), of("op-alias-added")])[1]).toBe(
      "1 error, 1 warning, 1 info; a new major version; fails on error",
    );
    expect(closing([of("op-alias-added")])[1]).toBe("1 info; at most a new patch version");
  });

  test("infos beyond twenty are counted, errors never are", () => {
    const many = (rule: BreakingRule) =>
      Array.from({ length: 50 }, (_, i) => makeFinding({ ...about, op: `p.t${i}.get` }, { rule, at: "n" }));
    const text = print("text", [...many("arg-became-required"), ...many("arg-became-optional")]);
    expect(text.match(/^ {2}error /gm)).toHaveLength(50);
    expect(text.match(/^ {2}info /gm)).toHaveLength(20);
    expect(text).toContain("… 30 more infos; --format json lists all\n");
    expect(text).toContain("50 errors, 50 infos; a new major version; fails on error\n");
  });

  test("colour stands where the caller paints, and only in this format", () => {
    const one = [makeFinding(about, { rule: "tool-added", after: "x" })];
    const paint = (style: string, text: string): string => `<${style}>${text}</>`;
    expect(comparisonText("text", comparison(one), paint)).toContain("<dim>info   </>");
    for (const format of ["json", "github", "sarif"] as const)
      expect(comparisonText(format, comparison(one), paint)).not.toContain("<dim>");
  });
});

describe("sarif", () => {
  test("the official schema takes every finding, with its text", { tags: "slow" }, () => {
    const all = Object.keys(BREAKING_RULES).map((rule) => makeFinding(about, { rule: rule as BreakingRule, at: "n" }));
    expect(sarifFaults(sarifOf(all, BREAKING_RULES, "1.2.3"))).toEqual([]);
    expect(sarifFaults(sarifOf([], BREAKING_RULES, "1.2.3"))).toEqual([]);
    fc.assert(
      fc.property(fc.array(finding, { minLength: 20, maxLength: 20 }), (findings) => {
        expect(sarifFaults(JSON.parse(print("sarif", findings)))).toEqual([]);
      }),
      runs(100),
    );
  });

  test("foreign text is no placeholder and no link", () => {
    const one = makeFinding(about, { rule: "tool-added", after: "{0} [click](https://example.com) {a: 1}" });
    const {
      runs: [run],
    } = JSON.parse(print("sarif", [one]));
    expect(run.results[0].message.text).toBe("p.thing.get: tool {{0}} \\[click\\](https://example.com) {a: 1} is new");
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("definitions/p.json");
  });
});

describe("findings", () => {
  test("the fingerprint depends on rule, op, pointer, before and after, not on the message", () => {
    const found = { rule: "arg-default-changed", pointer: "/properties/n", before: "1", after: "2" } as const;
    const wanted = digestText("arg-default-changed\0p.thing.get\0/properties/n\x001\x002").slice(0, 12);
    expect(makeFinding(about, { ...found, at: "n" }).fingerprint).toBe(wanted);
    expect(
      makeFinding({ ...about, file: "other.json" }, { ...found, at: "m", more: "!", level: "info" }).fingerprint,
    ).toBe(wanted);
    expect(makeFinding(about, { ...found, after: "3" }).fingerprint).not.toBe(wanted);
  });

  test("a long text that takes the place of none is quoted from its beginning", () => {
    const after = `begins ${"x ".repeat(200)}`;
    const { message } = makeFinding(about, { rule: "description-changed", before: "", after });
    expect(message).toMatch(/is "begins x x /);
  });

  test("the JSON names both sides, their versions and how many ops they have", () => {
    const { baseline, head } = JSON.parse(print("json", []));
    expect(baseline).toEqual({ from: "git:main", registry_version: expect.any(String), ops: 0 });
    expect(head).toEqual({ from: "generated/registry.json", registry_version: expect.any(String), ops: 0 });
  });

  test("long texts are quoted from where they begin to differ; the finding holds all of them", () => {
    const [before, after] = [`${"x ".repeat(200)}old end`, `${"x ".repeat(200)}new end`];
    const one = makeFinding(about, { rule: "description-changed", before, after });
    expect(one.message).toBe('description was "…x x x x x x x x x x old end", is "…x x x x x x x x x x new end"');
    expect([one.before, one.after]).toEqual([before, after]);
  });

  test.each([
    [["arg-removed", "tool-added"], "major"],
    [["arg-default-changed"], "minor"],
    [["tool-added"], "minor"],
    [["arg-optional-added"], "patch"],
    [[], "patch"],
  ] as const)("%j is %s", (rules, advice) => {
    expect(adviceOf(rules.map((rule) => makeFinding(about, { rule })))).toBe(advice);
  });
});
