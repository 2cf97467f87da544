/** Names of typed tools: what another server's tool of the same name changes. */

import { expect, test } from "vitest";
import type { Config } from "../../../generator/config/config.js";
import type { ListingFeature } from "../../../generator/config/schema.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import { compareTypedNames } from "../typed-names.js";

const of = (op: string) => completeTool({ op, tool_name: op.slice(2) });
const found = (given: Partial<Config>, after: readonly string[], features: readonly ListingFeature[] = []) => {
  const config = { sources: [], place: () => ({}), ...given } as unknown as Config;
  const findings = compareTypedNames([of("a.get_a")], after.map(of), config, features);
  return findings.map(({ level, op, message }) => [level, op, message]);
};
const BROKEN = [
  [
    "error",
    "a.get_a",
    "name as a tool was get_a, is a_get_a, since b.get_a has that name too: clients that call the tool get_a break",
  ],
];

test.each<[string, Partial<Config>, (readonly ListingFeature[])?]>([
  ["a hot op", { expose: { hot: ["a.*"] } }],
  ["an op without gateway tools", { expose: { gateway: false } }],
  ["an op of a tool list", {}, [{ listsTools: () => true }]],
])("%s that gets another name, since a server has it too, breaks its callers", (_, config, features) =>
  expect(found(config, ["a.get_a", "b.get_a"], features)).toEqual(BROKEN),
);

test("a name that stays, or that no client calls, is no finding", () => {
  expect(found({ expose: { hot: ["a.*"] } }, ["a.get_a", "b.get_b"])).toEqual([]);
  expect(found({}, ["a.get_a", "b.get_a"])).toEqual([]);
  expect(found({ expose: { hot: ["b.*"] } }, ["a.get_a", "b.get_a"])).toEqual([]);
});
