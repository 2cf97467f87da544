/** What configuration makes of findings: profiles, levels, exceptions, the advice for the version, and the threshold. */

import { describe, expect, test } from "vitest";
import { adviceOf, countLevels, type Finding } from "../../../runtime/contract/finding.js";
import type { BreakingRule } from "../breaking-rules.js";
import { makeFinding, sortFindings } from "../finding.js";
import { judgeFindings, reachesThreshold } from "../judge.js";

const of = (rule: BreakingRule, op = "p.thing.get", more: object = {}): Finding =>
  makeFinding(
    { op, tool: "get_thing", file: "definitions/p.json" },
    { rule, at: "a", before: "x", after: "y", ...more },
  );
const place = () => ({ file: "definitions/toolwright.yaml", line: 7, column: 3 });
const OPS = new Set(["p.thing.get", "q.thing.get"]);
const ALL = [
  of("tool-added"),
  of("description-changed"),
  of("arg-optional-added"),
  of("op-alias-added"),
  of("arg-became-required"),
];
const rules = (findings: readonly Finding[]) => findings.map(({ rule, level }) => `${level} ${rule}`);
const judged = (findings: readonly Finding[], entry: object = {}, profile: "wire" | "code" | "all" = "all") =>
  rules(judgeFindings(findings, entry as never, profile, place as never, OPS));

test("a profile has what touches its surfaces, and what touches none", () => {
  expect(judged(ALL, {}, "wire")).toEqual(["error arg-became-required", "info op-alias-added", "info tool-added"]);
  expect(judged(ALL, {}, "code")).toEqual([
    "error arg-became-required",
    "info arg-optional-added",
    "info op-alias-added",
    "info tool-added",
  ]);
  expect(judged(ALL).length).toBe(5);
});

test("levels are those of the configuration; off leaves a finding out", () => {
  const level = { "arg-became-required": "info", "tool-added": "error", "op-alias-added": "off" };
  expect(judged(ALL, { level }, "wire")).toEqual(["error tool-added", "info arg-became-required"]);
});

describe("exceptions", () => {
  const both = [of("arg-became-required"), of("arg-became-required", "q.thing.get"), of("tool-added")];

  test("are for one rule and the ops of a glob", () => {
    const ignore = { "arg-became-required": ["p.*.get"] };
    expect(
      judgeFindings(both, { ignore } as never, "all", place as never, OPS).map(({ rule, op }) => [rule, op]),
    ).toEqual([
      ["arg-became-required", "q.thing.get"],
      ["tool-added", "p.thing.get"],
    ]);
    expect(judged(both, { ignore: { "arg-became-required": ["p.thing.get", "q.thing.get"] } })).toEqual([
      "info tool-added",
    ]);
    expect(judged([], { ignore })).toEqual([]);
  });

  test("that match no op are named with their place, and the nearest op", () => {
    const ignore = { "tool-added": ["p.thing.get", "p.thng.get"], "tool-removed": ["zzzzzzzzzz"] };
    expect(() => judged(both, { ignore })).toThrow(
      [
        "definitions/toolwright.yaml:7:3 breaking.ignore.tool-added p.thng.get matches no op; did you mean p.thing.get? correct or remove the entry",
        "definitions/toolwright.yaml:7:3 breaking.ignore.tool-removed zzzzzzzzzz matches no op; remove the entry",
      ].join("\n"),
    );
  });
});

test("findings come by level, op, place, rule and values, each once", () => {
  const one = (rule: BreakingRule, op: string, pointer: string, before = "x", after = "y") =>
    of(rule, op, { pointer, before, after });
  const sorted = [
    one("arg-removed", "b", "/b"),
    one("access-raised", "c", "/a"),
    one("arg-removed", "c", "/a"),
    one("arg-removed", "c", "/a", "x", "z"),
    one("arg-removed", "c", "/a", "y"),
    one("arg-removed", "c", "/b"),
    one("access-lowered", "a", "/a"),
    one("tool-added", "a", "/a"),
  ];
  expect(sortFindings([...sorted.toReversed(), ...sorted])).toEqual(sorted);
});

test("the advice and the threshold follow from the most severe finding", () => {
  const [error, warning, added, info] = [
    of("arg-removed"),
    of("access-lowered"),
    of("tool-added"),
    of("op-alias-added"),
  ];
  expect([[error, info], [warning], [added], [info], []].map(adviceOf)).toEqual([
    "major",
    "minor",
    "minor",
    "patch",
    "patch",
  ]);
  expect(countLevels([error, error, warning, info])).toEqual({ error: 2, warning: 1, info: 1 });
  const failing = (one: Finding) =>
    (["error", "warning", "info"] as const).map((level) => reachesThreshold([one], level));
  expect([error, warning, info].map(failing)).toEqual([
    [true, true, true],
    [false, true, true],
    [false, false, true],
  ]);
  expect(reachesThreshold([], "info")).toBe(false);
});
