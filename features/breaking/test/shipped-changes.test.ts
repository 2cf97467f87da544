/** Changes of packs that come with toolwright are information; those that a project has made keep their level. */

import { expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { completeTool, configOf, type PartialTool } from "../../../test/support/partial-registry.js";
import { compareTools } from "../compare.js";
import { makeFinding } from "../finding.js";
import { reachesThreshold } from "../judge.js";
import { withShippedChanges } from "../shipped-changes.js";

await loadChecks();

const source = { kind: "local", file: "toolwright/packs/ot.ts", shipped: true } as const;
const query = (minLength: number, more: PartialTool = {}): PartialTool => ({
  op: "ot.query",
  tool_name: "query",
  source,
  parameters_schema: { type: "object", properties: { sql: { type: "string", minLength } } },
  ...more,
});
const NOTIFY: PartialTool = { op: "ot.notify", tool_name: "notify", source };

function compared(before: readonly PartialTool[], after: readonly PartialTool[], config: object = {}) {
  const [old, now] = [before, after].map((tools) => ({ tools: tools.map(completeTool) }) as unknown as Registry) as [
    Registry,
    Registry,
  ];
  const found = compareTools(old.tools, now.tools);
  return withShippedChanges(found, old, now, configOf(config), "9.9.9");
}
const told = (...given: Parameters<typeof compared>) =>
  compared(...given).map(({ level, rule, op }) => [level, rule, op]);

test("an op of a shipped pack that refuses more is listed, and fails nothing", () => {
  const found = compared([query(0)], [query(1)]);
  expect(found).toMatchObject([
    { level: "info", op: "ot.query", reason: "toolwright 9.9.9 has changed the pack that comes with it" },
  ]);
  expect(reachesThreshold(found, "warning")).toBe(false);
});

test("an op that a shipped pack has no more is information, too", () => {
  expect(told([query(0), NOTIFY], [query(0)])).toEqual([["info", "tool-removed", "ot.notify"]]);
});

test("a pack that the project does not use any more is its own change", () => {
  const own: PartialTool = { op: "p.thing.get" };
  expect(told([query(0), own], [own])).toEqual(expect.arrayContaining([["error", "tool-removed", "ot.query"]]));
});

test.each(["ot/query", "query"])("an op with the entry %s under `ops` keeps its level", (key) => {
  expect(told([query(0)], [query(1)], { ops: { [key]: { enums: {} } } })[0]?.[0]).toBe("error");
  expect(told([query(0)], [query(1)], { ops: { other: {} } })[0]?.[0]).toBe("info");
});

test("an alias of the project for a shipped op keeps its level", () => {
  const registry = { tools: [completeTool(NOTIFY)] } as unknown as Registry;
  const about = { op: "ot.notify", tool: "", file: "definitions/toolwright.yaml" };
  const found = [makeFinding(about, { rule: "alias-removed", at: "tell", before: "ot.notify" })];
  expect(withShippedChanges(found, registry, registry, configOf(), "9.9.9")).toEqual(found);
});

test("an op of the project's own pack keeps its level, also where the pack is called like a shipped one", () => {
  const mine = { kind: "local", file: "definitions/ot.json" } as const;
  const [one] = [query(0, { source: mine })];
  expect(told([one], [query(1, { source: mine })])[0]?.[0]).toBe("error");
  expect(told([one, NOTIFY], [query(1, { source: mine }), NOTIFY])[0]?.[0]).toBe("error");
});
