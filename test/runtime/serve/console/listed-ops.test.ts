/** Lists of the console: the groups of a pack are those of `tool_help`, and a filter leaves the ops that have its words. */

import { describe, expect, test } from "vitest";
import type { DirectoryAnswer } from "../../../../runtime/catalog/help-answers.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import {
  callerIndex,
  filteredGroups,
  firstOps,
  isInGroup,
  type OpGroup,
} from "../../../../runtime/serve/console/app/listed-ops.js";
import { seenRegistry } from "../../../../runtime/serve/console/visible-registry.js";
import { fixture, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const op = (path: string, topic?: string): Tool =>
  toolOf({
    ...{ op: path, tool: path.replaceAll(".", "_"), kind: "read", schema: closed({}) },
    ...(topic === undefined ? {} : { extra: { topic } }),
  });

const many = (topic: string, names: readonly string[], count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, at) => op(`api.${topic}_list_${names[at % names.length]}_n${at}`, topic));

const TOOLS = [
  ...many("repos", ["tags", "forks"], 44),
  ...many("pulls", ["reviews"], 20),
  op("api.ping"),
  ...["task", "project"].flatMap((one) => [op(`small.${one}.list`), op(`small.${one}.get`)]),
  op("flat.one"),
  op("flat.two"),
];

const { gateway } = fixture({ more: TOOLS });
const { packs, ops } = callerIndex(seenRegistry(gateway.index, principal(), ["python"]));
const topOf = (pack: string): OpGroup => packs.find(({ name }) => name === pack)?.top as OpGroup;
const outline = ({ groups }: OpGroup): readonly unknown[] =>
  groups.map((one) => [one.path, one.name, one.size, ...outline(one)]);

describe("the groups of a pack", () => {
  test("of a long one are made as in the directories of tool_help, in their order; ops in none come last", () => {
    expect(outline(topOf("api"))).toEqual([
      ["repos", "repos", 44, ["repos.fork", "fork", 22], ["repos.tag", "tag", 22]],
      ["pulls", "pulls", 20],
      ["", "others", 1],
    ]);
    const { items } = gateway.help({ path: "api" }, principal()) as DirectoryAnswer;
    expect(items.flatMap((one) => ("group" in one ? [[one.group, one.ops]] : []))).toEqual([
      ["api.repos", 44],
      ["api.pulls", 20],
    ]);
    expect((gateway.help({ path: "api.repos.fork" }, principal()) as DirectoryAnswer).items).toHaveLength(22);
  });

  test("of a short one are those of its paths", () => {
    expect(outline(topOf("small"))).toEqual([
      ["project", "project", 2],
      ["task", "task", 2],
    ]);
    expect(topOf("flat")).toMatchObject({ groups: [], size: 2, ops: [{ op: "flat.one" }, { op: "flat.two" }] });
  });

  test("have each op once", () => {
    const walk = (group: OpGroup): readonly string[] => [
      ...group.ops.map((one) => one.op),
      ...group.groups.flatMap(walk),
    ];
    expect(packs.flatMap(({ top }) => walk(top)).sort()).toEqual([...ops.keys()].sort());
    expect(isInGroup(topOf("small"), "small.task.get")).toBe(true);
    expect(isInGroup(topOf("small"), "flat.one")).toBe(false);
  });
});

describe("a filter", () => {
  const left = (filter: string) => filteredGroups(topOf("api"), filter).map(({ path, size }) => [path, size]);

  test.each<[string, readonly unknown[]]>([
    ["LIST tags", [["repos.tag", 22]]],
    ["reviews n3", [["pulls", 1]]],
    ["ping", [["", 1]]],
    ["repos.fork n1 n1", [["repos.fork", 6]]],
    ["no such words", []],
    ["<script>", []],
  ])("leaves the ops that have each of its words: %s", (filter, found) => {
    expect(left(filter)).toEqual(found);
  });

  test("shows the first ops of all groups, in their order", () => {
    const first = firstOps(filteredGroups(topOf("api"), "list"), 23);
    expect(first.map(({ path, ops: shown }) => [path, shown.length])).toEqual([
      ["repos.fork", 22],
      ["repos.tag", 1],
    ]);
  });
});
