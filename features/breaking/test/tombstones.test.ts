/** Tombstones: removals that were announced, that come too early, and names that must not be used again. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeFile, type PartialRegistry, type PartialTool } from "../../../test/support/partial-registry.js";
import { compareTools } from "../compare.js";
import { applyTombstones } from "../tombstones.js";

await loadChecks();

const STONE = { tool: "get_thing", op: "p.thing.get", since: "2026-08-01" };
const KEPT: PartialTool = { op: "p.item.get", tool_name: "get_item" };
const OTHER = { parameters_schema: { type: "object", properties: { code: { type: "string" } } } } as PartialTool;

function apply(before: PartialRegistry, after: PartialRegistry, today?: string): readonly string[] {
  const [old, now] = [completeFile("a", before).registry, completeFile("b", after).registry];
  const found = applyTombstones(compareTools(old.tools, now.tools), old, now, today);
  return found.map(({ level, rule, message }) => `${level} ${rule}: ${message}`);
}

describe("the removal of a tool", () => {
  const removed = (stone: object | undefined, today?: string) =>
    apply({ tools: [{}, KEPT] }, { tools: [KEPT], reserved: stone ? [stone as never] : [] }, today).filter((one) =>
      one.includes(" tool-removed"),
    );

  test("is a warning where it was announced, an info after its sunset, an error before it", () => {
    expect(removed(undefined)).toEqual(["error tool-removed: tool get_thing is gone"]);
    expect(removed(STONE)).toEqual(["warning tool-removed: tool get_thing is gone"]);
    expect(removed({ ...STONE, use: "p.item.get" })).toEqual([
      "warning tool-removed: tool get_thing is gone; use p.item.get",
    ]);
    const sunset = { ...STONE, sunset: "2026-11-01" };
    expect(removed(sunset, "2026-11-01")).toEqual(["info tool-removed: tool get_thing is gone"]);
    expect(removed({ ...sunset, use: "p.item.get" }, "2026-10-31")).toEqual([
      "error tool-removed-before-sunset: tool get_thing is gone, but is promised until 2026-11-01; use p.item.get",
    ]);
    expect(() => removed(sunset)).toThrow(
      "the tombstone of p.thing.get has a sunset, and neither side of p.thing.get is a commit that says which day it is: give --today YYYY-MM-DD",
    );
  });

  test("is not announced by the tombstone of another tool", () => {
    expect(removed({ ...STONE, tool: "x", op: "p.other.get" })).toEqual(["error tool-removed: tool get_thing is gone"]);
    expect(removed({ ...STONE, op: "p.other.get" })).toEqual(["warning tool-removed: tool get_thing is gone"]);
  });
});

test("another name or path is announced by the old one", () => {
  const renamed = apply({ tools: [{}] }, { tools: [{ tool_name: "read_thing" }], reserved: [STONE as never] });
  expect(renamed).toContain("warning tool-renamed: tool name was get_thing, is read_thing");
  const moved = {
    tools: [{ op: "p.thing.read" }],
    reserved: [{ ...STONE, sunset: "2026-11-01", use: "p.thing.read" }],
  };
  expect(apply({ tools: [{}] }, moved as never, "2026-10-01")).toContain(
    "error op-renamed: op was p.thing.get, is p.thing.read, but was promised until 2026-11-01; use p.thing.read",
  );
  const changed = apply({ tools: [{}] }, { tools: [{ description: "Other." }], reserved: [STONE as never] });
  expect(changed).toEqual(['info description-changed: description was "Gets a thing.", is "Other."']);
});

describe("a help path", () => {
  test("has the level of the most severe tool that was in it", () => {
    const second: PartialTool = { op: "p.thing.list", tool_name: "list_things" };
    const stones = (...more: readonly object[]) => ({ tools: [KEPT], reserved: [STONE, ...more] as never });
    const of = (after: PartialRegistry, today?: string) =>
      apply({ tools: [{}, second, KEPT] }, after, today).filter((one) => one.includes("help-path-removed"));
    expect(of(stones())).toEqual(["error help-path-removed: help path p.thing leads nowhere"]);
    const other = { ...STONE, tool: "list_things", op: "p.thing.list" };
    expect(of(stones(other))).toEqual(["warning help-path-removed: help path p.thing leads nowhere"]);
    expect(of(stones({ ...other, sunset: "2026-11-01" }), "2026-10-01")).toEqual([
      "error help-path-removed: help path p.thing leads nowhere",
    ]);
  });
});

test("the removal of a tool elsewhere, and other findings, leave a help path as it was", () => {
  const elsewhere: PartialTool = { op: "q.item.get", tool_name: "q_get_item" };
  const second: PartialTool = { op: "p.thing.list", tool_name: "list_things" };
  const reserved = [STONE, { ...STONE, tool: "list_things", op: "p.thing.list" }] as never;
  const paths = (tools: readonly PartialTool[]) =>
    apply({ tools: [{}, second, KEPT, elsewhere] }, { tools, reserved }).filter((one) =>
      one.includes("help path p.thing "),
    );
  expect(paths([KEPT])).toEqual(["warning help-path-removed: help path p.thing leads nowhere"]);
  expect(paths([KEPT, { ...elsewhere, kind: "write" }])).toEqual([
    "warning help-path-removed: help path p.thing leads nowhere",
  ]);
});

describe("a reserved name", () => {
  const reused = (before: PartialRegistry, after: PartialRegistry) =>
    apply(before, after).filter((one) => one.includes("reserved-name-reused"));
  const reserved = [STONE as never];

  test("may stay with its tool, and be used by no other input", () => {
    expect(reused({ tools: [{}] }, { tools: [{}], reserved })).toEqual([]);
    const byOp =
      "error reserved-name-reused: p.thing.get is reserved since 2026-08-01, but is a tool with another input";
    expect(reused({ tools: [{}], reserved }, { tools: [OTHER] })).toEqual([byOp]);
    expect(reused({}, { tools: [{}], reserved })).toEqual([byOp]);
    expect(reused({ tools: [KEPT], reserved }, { tools: [{ ...KEPT, tool_name: "get_thing" }] })).toEqual([
      "error reserved-name-reused: get_thing is reserved since 2026-08-01, but is a tool with another input",
    ]);
    expect(reused({ tools: [KEPT], reserved }, { tools: [KEPT], reserved })).toEqual([]);
  });

  test("is reported once, though both sides reserve it", () => {
    expect(reused({ reserved }, { tools: [{}], reserved })).toHaveLength(1);
  });
});
