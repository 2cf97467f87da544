/** Derivation of ops from names: the rules, and the order in which they are tried. */

import { describe, expect, test } from "vitest";
import type { PackEntry } from "../../../generator/core/ir.js";
import { deriveOp } from "../../../generator/pass/op-path.js";

const ENTITIES: PackEntry = { entities: { task: "tasks", task_group: "task_groups", person: "people" } };
const TOPICS: PackEntry = { topics: ["web", "mail"] };
const BOTH: PackEntry = { ...ENTITIES, ...TOPICS };
const opOf = (name: string, entry?: PackEntry): string | undefined => deriveOp(name, "p", entry).op;
const ruleOf = (name: string, entry?: PackEntry): string => {
  const derived = deriveOp(name, "p", entry);
  return derived.op === undefined ? "" : (derived.because.split(":")[0]?.replace("rule ", "") ?? "");
};

const ROWS: readonly (readonly [string, string, string])[] = [
  ["update_p_task", "p.task.update", "<verb>_<pack>_<entity>"],
  ["list_p_tasks", "p.task.list", "<verb>_<pack>_<entity>"],
  ["search_p_people", "p.person.search", "<verb>_<pack>_<entity>"],
  ["get_p_task_details", "p.task.get", "<verb>_<pack>_<entity>"],
  ["get_p_task_graph", "p.task.graph.get", "<verb>_<pack>_<entity>_<facet>"],
  ["get_p_task_graph_view", "p.task.graph_view.get", "<verb>_<pack>_<entity>_<facet>"],
  ["move_task_in_tree", "p.task.tree.move", "<verb>_<entity>_in_<facet>"],
  ["get_task_tree", "p.task.tree.get", "<verb>_<entity>_<facet>"],
  ["web_visit", "p.web.visit", "<topic>_<verb>"],
  ["get_web_overview", "p.web.overview", "get_<topic>_<rest>"],
  ["list_tasks", "p.task.list", "<verb>_<entity>"],
  ["list_overdue_tasks", "p.task.overdue.list", "<verb>_<qualifier>_<entity>"],
];

describe("a pack with entities and topics", () => {
  test.each(ROWS)("%s is %s by %s", (name, op, rule) => {
    expect([opOf(name, BOTH), ruleOf(name, BOTH)]).toEqual([op, rule]);
  });

  test("the longest declared entity wins, singular or plural", () => {
    expect(opOf("list_p_task_groups", BOTH)).toBe("p.task_group.list");
    expect(opOf("get_p_task_group_owner", BOTH)).toBe("p.task_group.owner.get");
  });

  test("an entity alone comes before an entity with a facet", () => {
    expect(opOf("get_p_task_details", { entities: { task: "tasks", details: "details" } })).toBe("p.task.get");
  });

  test("entities come before topics", () => {
    expect(opOf("get_task_web", { entities: { task: "tasks" }, topics: ["task"] })).toBe("p.task.web.get");
  });

  test.each([
    ["web_visit", "topic web, verb visit"],
    ["get_web_overview", "topic web, overview"],
    ["list_tasks", "verb list, entity task"],
    ["list_overdue_tasks", "verb list, entity task, facet overdue"],
    ["get_task_tree", "verb get, entity task, facet tree"],
  ])("%s says what its rule found", (name, found) => {
    const derived = deriveOp(name, "p", BOTH);
    expect(derived.op !== undefined && derived.because.split(": ")[1]).toBe(found);
  });

  test("segments become identifiers", () => {
    expect(opOf("get_task_class", ENTITIES)).toBe("p.task.class_.get");
    expect(opOf("web_2nd-try", TOPICS)).toBe("p.web._2nd_try");
  });

  test("a name that no rule fits has no op: the rules that were tried, in order, and the nearest entity", () => {
    expect(deriveOp("list_taks", "p", BOTH)).toEqual({
      op: undefined,
      tried: [...new Set(ROWS.map(([, , rule]) => rule))].join(", "),
      nearest: "task",
    });
  });

  test.each(["task", "list_", "_tasks", "web_", "get_web_", "get_web", ""])("%j fits none", (name) => {
    expect(opOf(name, BOTH)).toBeUndefined();
  });
});

test("a pack that declares neither: pack and safe name", () => {
  expect(deriveOp("search-repos", "github")).toEqual({ op: "github.search_repos", because: "pack and safe name" });
});
