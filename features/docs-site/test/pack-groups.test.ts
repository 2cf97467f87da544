/** The groups on the page of a pack in a documentation site are those of `tool_help`. */

import { describe, expect, test } from "vitest";
import registry from "../../../generated/registry.json" with { type: "json" };
import type { Tool } from "../../../runtime/contract/registry.js";
import { packGroups } from "../pack-groups.js";
import { neighbours } from "../side.js";
import type { Site } from "../site-model.js";

const base = registry.tools[0] as unknown as Tool;
const op = (path: string, more: Partial<Tool> = {}): Tool => {
  const { entity: _, topic: __, ...rest } = base;
  return { ...rest, op: path, group: path.split(".")[0] ?? "", tool_name: path, aliases: [], ...more };
};
const many = (topic: string, count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, at) => op(`api.${topic}_${at}`, { topic }));

const TOOLS = [
  ...many("repos", 70),
  ...many("pulls", 20),
  op("api.ping"),
  op("small.a", { entity: "task" }),
  op("small.b"),
];
const ofPack = (pack: string) => TOOLS.filter(({ group }) => group === pack);

describe("the groups of a pack", () => {
  test("of more than 40 ops are made from topics, largest first, after the ops in none", () => {
    const groups = packGroups({ tools: TOOLS })("api", ofPack("api"));
    expect(groups.map(([title, tools]) => [title, tools.length])).toEqual([
      ["", 1],
      ["repos", 70],
      ["pulls", 20],
    ]);
  });

  test("are not made where an op has their path", () => {
    const tools = [...ofPack("api"), op("api.pulls", { topic: "none" })];
    const groups = packGroups({ tools })("api", tools);
    expect(groups.map(([title, members]) => [title, members.length])).toEqual([
      ["", 22],
      ["repos", 70],
    ]);
  });

  test("of a small pack are entities", () => {
    const groups = packGroups({ tools: TOOLS })("small", ofPack("small"));
    expect(groups.map(([title, [one]]) => [title, one?.op])).toEqual([
      ["", "small.b"],
      ["task", "small.a"],
    ]);
  });
});

test("beside an op of a large pack are at most 60 ops of its group, itself among them", () => {
  const site = { registry: { tools: TOOLS }, addresses: { op: (one: string) => one } } as unknown as Site;
  const beside = neighbours(site);
  for (const [path, title, count] of [
    ["api.repos_3", "repos", 60],
    ["api.repos_65", "repos", 10],
    ["api.pulls_0", "pulls", 20],
    ["api.ping", "", 1],
  ] as const) {
    const groups = beside(TOOLS.find((one) => one.op === path) as Tool);
    expect(groups.map((one) => [one.title, one.tools.length])).toEqual([[title, count]]);
    expect(groups[0]?.tools.map((one) => one.op)).toContain(path);
  }
});
