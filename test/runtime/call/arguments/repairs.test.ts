/** Each repair of arguments, with its warning and what the handler gets. */

import { describe, expect, test } from "vitest";
import { errorOf, fieldErrorsOf, fixture, okOf } from "../../gateway/fixture.js";

/** Every row of the repairs table that is about arguments: the sent arguments, those that the handler gets, and the reported code. */
const ROWS = [
  ["args_parsed", "onto.task.list", '{"limit": 3}', { limit: 3 }],
  ["arg_renamed", "onto.task.search", { query: "x" }, { search: "x", limit: 20 }],
  ["arg_renamed", "onto.task.search", { q: "x" }, { search: "x", limit: 20 }],
  ["arg_renamed", "onto.search", { search: "x" }, { query: "x" }],
  ["arg_renamed", "onto.task.delete", { id: "task_1" }, { task_id: "task_1" }],
  [
    "arg_renamed",
    "onto.edge.link",
    { from: { kind: "task", id: "task_1" }, to: { kind: "goal", id: "goal_1" }, relationship: "supports" },
    { src_kind: "task", src_id: "task_1", dst_kind: "goal", dst_id: "goal_1", rel: "supports" },
  ],
  [
    "arg_unwrapped",
    "onto.task.update",
    { task: { title: "A" }, task_id: "task_1" },
    { task_id: "task_1", title: "A", update_strategy: "replace" },
  ],
  ["arg_unwrapped", "onto.task.delete", { args: { task_id: "task_1" } }, { task_id: "task_1" }],
  ["arg_unwrapped", "onto.task.delete", { input: { id: "task_1" } }, { task_id: "task_1" }],
  ["id_trimmed", "onto.task.delete", { task_id: " task_1 " }, { task_id: "task_1" }],
  ["enum_alias", "onto.task.list", { state_key: "In Progress" }, { state_key: "in_progress", limit: 20 }],
  ["enum_alias", "onto.task.list", { state_key: "completed" }, { state_key: "done", limit: 20 }],
  ["null_dropped", "onto.task.list", { state_key: null, limit: null }, { limit: 20 }],
] as const;

describe("repairs of arguments", () => {
  test.each(ROWS)("%s is reported by %s, and the handler gets %j repaired", async (code, op, sent, handed) => {
    const { exec, calls } = fixture();
    const { meta } = okOf(await exec(op, sent));
    expect(meta.warnings.length).toBeGreaterThan(0);
    for (const warning of meta.warnings)
      expect(warning).toMatch(/^(arg_renamed|arg_unwrapped|args_parsed|id_trimmed|enum_alias|null_dropped): /);
    expect(meta.warnings.some((warning) => warning.startsWith(`${code}: `))).toBe(true);
    expect(calls).toEqual([{ op, args: handed }]);
  });

  test("refs_expanded: two temp_ids that both exist", async () => {
    const { exec, calls } = fixture();
    const entities = [
      { temp_id: "g1", kind: "goal" },
      { temp_id: "t1", kind: "task" },
    ];
    const { meta } = okOf(
      await exec("onto.project.create", {
        project: { name: "P" },
        entities,
        relationships: [["g1", "t1"], { from: "g1", to: "t1" }],
      }),
    );
    expect(meta.warnings).toEqual([expect.stringMatching(/^refs_expanded: /)]);
    expect(calls[0]?.args["relationships"]).toEqual([
      [
        { temp_id: "g1", kind: "goal" },
        { temp_id: "t1", kind: "task" },
      ],
      { from: "g1", to: "t1" },
    ]);
  });

  test("case 21: a pair with an unknown end names that end, and only that", async () => {
    const { exec, calls } = fixture();
    const entities = [{ temp_id: "g1", kind: "goal" }];
    const envelope = await exec("onto.project.create", {
      project: { name: "P" },
      entities,
      relationships: [["g1", "zz"]],
    });
    expect(fieldErrorsOf(envelope)).toMatchObject([{ path: "relationships[0][1]", keyword: "unknown_reference" }]);
    expect(calls).toEqual([]);
  });

  test("aliases of nested arguments are read at their level", async () => {
    const { exec, calls } = fixture();
    const { meta } = okOf(
      await exec("onto.task.create", {
        project_id: "proj_1",
        title: "A",
        connections: [{ kind: "goal", entity_id: " goal_1 " }],
      }),
    );
    expect(meta.warnings).toEqual([
      "arg_renamed: connections[0].entity_id was read as connections[0].id",
      "id_trimmed: spaces around connections[0].id were dropped",
    ]);
    expect(calls[0]?.args["connections"]).toEqual([{ kind: "goal", id: "goal_1" }]);
  });

  test("a safe name stands for its original without a warning", async () => {
    const { exec, calls } = fixture();
    expect(okOf(await exec("util.echo.open", { _filter: "a" })).meta.warnings).toEqual([]);
    expect(calls[0]?.args).toEqual({ $filter: "a" });
  });

  test.each([
    ["onto.task.search", { search: "a", query: "b" }, "query", ["search", "query"]],
    ["onto.task.search", { q: "a", query: "b" }, "query", ["q", "query"]],
    [
      "onto.task.update",
      { task: { title: "A" }, title: "B", task_id: "task_1" },
      "task.title",
      ["task.title", "title"],
    ],
    [
      "onto.edge.link",
      { from: { kind: "task", id: "task_1" }, src_id: "task_2", dst_kind: "goal", dst_id: "goal_1", rel: "x" },
      "from",
      ["from", "src_id"],
    ],
  ])("%s %j: two sources for one argument name both", async (op, args, path, names) => {
    const { exec, calls } = fixture();
    const error = fieldErrorsOf(await exec(op, args)).find((one) => one.path === path);
    for (const name of names) expect(error?.message).toContain(name);
    expect(calls).toEqual([]);
  });

  test("names that do not clash are unwrapped beside those that do", async () => {
    const { exec, calls } = fixture();
    const same = await exec("onto.task.update", { task_id: "task_1", task: { task_id: "task_1", title: "A" } });
    okOf(same);
    expect(calls[0]?.args).toMatchObject({ task_id: "task_1", title: "A" });
    const other = await exec("onto.task.update", { task_id: "task_1", task: { task_id: "task_2", title: "A" } });
    expect(fieldErrorsOf(other).map(({ path, keyword }) => [path, keyword])).toEqual([["task.task_id", "one_of"]]);
    expect(errorOf(other).corrected_call?.args).toEqual({
      task_id: '<task_id: "task_1" or "task_2">',
      title: "A",
    });
  });

  test("a text that is not JSON is an error with its position", async () => {
    const { exec } = fixture();
    const texts = {
      '{"limit": }': 10,
      '{"limit": 3': 11,
      "{'limit': 3}": 1,
      '{"a": 1,}': 8,
      "": 0,
      '{"a": tru}': 6,
      "[1,2": 4,
    };
    for (const [text, position] of Object.entries(texts))
      expect(fieldErrorsOf(await exec("onto.task.list", text))).toMatchObject([
        { path: "args", keyword: "type", message: `args is not JSON: it breaks at position ${position}` },
      ]);
    expect(fieldErrorsOf(await exec("onto.task.list", "[1]"))).toMatchObject([{ path: "args", keyword: "type" }]);
  });

  test.each([[null], [7], [[]], [true]])("args %j is an error, never {}", async (args) => {
    const { exec, calls } = fixture();
    expect(fieldErrorsOf(await exec("onto.task.list", args))).toMatchObject([
      { path: "args", keyword: "type", expected: "object" },
    ]);
    expect(calls).toEqual([]);
  });
});
