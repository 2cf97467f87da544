/** Whether the next write of a run is one of its plan. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { holdTo } from "../../../../runtime/run/kept/plan-held.js";
import type { Plan, PlanEntry } from "../../../../runtime/run/preview/plan.js";

const entry = (place: string, args: JsonObject, group = Number(place)): PlanEntry => ({
  place,
  op: "a.b",
  args,
  outcome: { kind: "done" },
  is_assumed: false,
  group,
});
const planOf = (...entries: readonly PlanEntry[]): Plan => ({ entries, digest: "", exactness: "exact", reads: 0 });
const write = (place: string, args: JsonObject, op = "a.b") => ({ place, op, args });
const isPlanned = (found: object): boolean => !("expected" in found);

describe("order", () => {
  const plan = planOf(entry("1", { n: 1 }), entry("2", { n: 2 }, 2), entry("3", { n: 3 }, 2), entry("4", { n: 2 }));

  test("entries are made in their order, those of a group in any order, each once", () => {
    const held = holdTo(plan);
    expect(isPlanned(held.next(write("1", { n: 2 })))).toBe(false);
    expect(isPlanned(held.next(write("1", { n: 1 })))).toBe(true);
    expect(isPlanned(held.next(write("2", { n: 3 })))).toBe(true);
    expect(isPlanned(held.next(write("3", { n: 3 })))).toBe(false);
    expect(isPlanned(held.next(write("3", { n: 2 })))).toBe(true);
    expect(held.missing()).toMatchObject([{ place: "4" }]);
    expect(isPlanned(held.next(write("4", { n: 2 }, "a.c")))).toBe(false);
    expect(isPlanned(held.next(write("4", { n: 2 })))).toBe(true);
    expect(held.next(write("5", { n: 2 }))).toEqual({ expected: [] });
    expect(held.missing()).toEqual([]);
  });

  test("the same call is the same entry again, on another server too", () => {
    const first = holdTo(plan);
    first.next(write("7", { n: 1 }));
    const held = holdTo(plan, first.progress());
    expect(held.next(write("7", { n: 1 }))).toMatchObject({ place: "1" });
    expect(isPlanned(held.next(write("7", { n: 2 })))).toBe(false);
    expect(held.next(write("8", { n: 2 }))).toMatchObject({ place: "2" });
  });

  test("after a write that a person has approved, entries may be left out", () => {
    const held = holdTo(plan);
    expect(isPlanned(held.next(write("1", { n: 3 })))).toBe(false);
    held.loosen();
    expect(isPlanned(held.next(write("2", { n: 3 })))).toBe(true);
    expect(held.missing()).toHaveLength(3);
  });
});

describe("labels", () => {
  const label = "‹a.b#1.made.id›";

  test.each<readonly [string, JsonObject, JsonObject, boolean]>([
    ["a text", { id: label }, { id: "x-1" }, true],
    ["another text", { id: label }, { id: "x-2" }, false],
    ["within a text", { text: `see ${label}!` }, { text: "see x-1!" }, true],
    ["in a list", { ids: [label, "y"] }, { ids: ["x-1", "y"] }, true],
    ["in a longer list", { ids: [label] }, { ids: ["x-1", "y"] }, false],
    ["beside another argument", { id: label }, { id: "x-1", force: true }, false],
    ["the label itself", { id: label }, { id: label }, false],
    ["a text that looks like one", { id: "‹‹a.b#1.made.id›" }, { id: label }, true],
    ["a name of all objects", { id: label }, { id: "x-1", toString: "y" }, false],
  ])("a call is planned only if the values in place of its labels fit: %s", (_, planned, args, is) => {
    const held = holdTo(planOf(entry("1", {}), entry("2", planned)));
    held.next(write("1", {}));
    held.answered({ place: "1", op: "a.b" }, { made: { id: "x-1" } });
    expect(isPlanned(held.next(write("2", args)))).toBe(is);
  });

  test("a plain value is itself, or what its label stands for", () => {
    const may_be = { "/n/0": ["‹a.b#1.other›", label] };
    const held = () => {
      const made = holdTo(planOf(entry("1", {}), { ...entry("2", { n: [7], m: 7 }), may_be }));
      made.next(write("1", {}));
      made.answered({ place: "1", op: "a.b" }, { made: { id: 8 } });
      return made;
    };
    expect(isPlanned(held().next(write("2", { n: [7], m: 7 })))).toBe(true);
    expect(isPlanned(held().next(write("2", { n: [8], m: 7 })))).toBe(true);
    expect(isPlanned(held().next(write("2", { n: [9], m: 7 })))).toBe(false);
    expect(isPlanned(held().next(write("2", { n: [7], m: 8 })))).toBe(false);
  });

  test("a number, as it is and in a text", () => {
    const held = holdTo(planOf(entry("1", {}), entry("2", { n: label, text: `no. ${label}`, whole: label })));
    held.next(write("1", {}));
    held.answered({ place: "1", op: "a.b" }, { made: { id: 7 } });
    expect(isPlanned(held.next(write("2", { n: 7, text: "no. 7", whole: "7" })))).toBe(true);
  });

  test("of a read, of a write at another place, and without a value", () => {
    const of = (name: string): PlanEntry => entry("3", { id: `‹${name}›` });
    const read = holdTo(planOf(of("c.get#2.id")));
    read.answered({ place: "2", op: "c.get" }, { id: "r" });
    expect(isPlanned(read.next(write("3", { id: "r" })))).toBe(true);
    const moved = holdTo(planOf(entry("1", {}), of("a.b#1.id")));
    moved.next(write("4", {}));
    moved.answered({ place: "4", op: "a.b" }, { id: "m" });
    expect(isPlanned(moved.next(write("5", { id: "m" })))).toBe(true);
    const unknown = holdTo(planOf(of("a.b#1.__proto__.x")));
    unknown.answered({ place: "1", op: "a.b" }, { other: 1 });
    expect(isPlanned(unknown.next(write("2", { id: "undefined" })))).toBe(false);
  });
});
