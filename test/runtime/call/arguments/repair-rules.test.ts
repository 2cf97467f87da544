/** Repairs of arguments one by one, and placeholders that were not filled in. */

import { describe, expect, test } from "vitest";
import { repairArguments } from "../../../../runtime/call/arguments/repairs.js";
import { handedOut } from "../../../../runtime/call/arguments/unfilled-placeholders.js";
import type { JsonObject, JsonValue } from "../../../../runtime/codegen.js";
import { closed, TOOLS, toolOf } from "../../gateway/fixture-tools.js";

const TEXT = { type: "string" } as const;
const WHOLE = { type: "integer" } as const;

describe("placeholders that were not filled in", () => {
  const ID = { type: "string", "x-id": "task", pattern: "^task_[a-z0-9]+$" };
  const tool = toolOf({
    op: "onto.a.set",
    tool: "set_a",
    kind: "write",
    schema: closed({ title: TEXT, task_id: ID, tags: { type: "array", items: TEXT } }),
  });
  const paths = (args: JsonObject) => handedOut(tool, args).map(({ path }) => path);

  test.each<readonly [args: JsonObject, found: readonly string[]]>([
    [{ title: "<title>" }, ["title"]],
    [{ title: "<title>", tags: ["a"] }, ["title"]],
    [{ title: " ‹anything› " }, ["title"]],
    [{ title: "<a: b>" }, ["title"]],
    [{ title: "<br>" }, []],
    [{ title: "a <title>" }, []],
    [{ title: 7 }, []],
    [{ task_id: "<task_id>" }, ["task_id"]],
    [{ task_id: "<TASK_ID>" }, ["task_id"]],
    [{ task_id: "<task_4t8w>" }, []],
    [{ task_id: "<task_abcd>" }, ["task_id"]],
    [{ title: "<task_4t8w>" }, ["title"]],
    [{ tags: ["a", "<tag>"] }, ["tags[1]"]],
    [{ more: { b: ["<x>"] } }, ["more.b[0]"]],
  ])("are found in %j at %j", (args, found) => expect(paths(args)).toEqual(found));

  test("say what is to be filled in, and a hundred are listed", () => {
    const finding = { keyword: "placeholder", received: '"<x>"' };
    expect(handedOut(tool, { title: "<x>", more: "<x>" })).toEqual([
      { ...finding, path: "title", message: "title is a placeholder to fill in", expected: "string" },
      { ...finding, path: "more", message: "more is a placeholder to fill in", expected: "a value" },
    ]);
    expect(paths({ tags: Array.from({ length: 101 }, () => "<x>") })).toHaveLength(100);
  });
});

describe("repairs", () => {
  const tool = toolOf({
    op: "onto.task.set",
    tool: "set_task",
    kind: "write",
    schema: {
      ...closed(
        {
          a: { ...WHOLE, "x-aliases": ["al", "other"] },
          n: { type: ["integer", "null"] },
          r: TEXT,
          o: closed({ c: { ...TEXT, "x-aliases": ["k"] } }) as JsonObject,
          l: { type: "array", items: closed({ c: TEXT }) as JsonObject },
          id: { type: "string", "x-id": "task" },
          s: { type: "string", enum: ["in_progress", "done"], "x-values": { completed: "done", bad: 7 } },
          t: { type: "string", enum: ["A", "a"] },
          u: { type: "string", enum: ["todo", "in_progress", "re_sent", "resent", "+1", "-1", "v12", "blocked"] },
          src_kind: TEXT,
          src_id: TEXT,
        },
        ["r"],
      ),
      "x-endpoints": { from: ["src_kind", "src_id"] },
    },
    extra: { entity: "task" },
  });

  test.each<readonly [given: JsonObject, args: JsonObject, warnings: readonly string[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: null }, {}, ["null_dropped: a is null, which it does not take; read as left out"]],
    [{ o: { c: null } }, { o: {} }, ["null_dropped: o.c is null, which it does not take; read as left out"]],
    [{ l: [{ c: null }] }, { l: [{}] }, ["null_dropped: l[0].c is null, which it does not take; read as left out"]],
    [{ n: null, r: null, x: null }, { n: null, r: null, x: null }, []],
    [{ args: { a: 1 } }, { a: 1 }, ["arg_unwrapped: the arguments inside args were read as the op's own"]],
    [{ input: { a: 1 } }, { a: 1 }, ["arg_unwrapped: the arguments inside input were read as the op's own"]],
    [{ task: { a: 1 }, n: 2 }, { a: 1, n: 2 }, ["arg_unwrapped: the arguments inside task were read as the op's own"]],
    [{ args: { a: 1 }, a: 1 }, { a: 1 }, ["arg_unwrapped: the arguments inside args were read as the op's own"]],
    [{ args: [1] }, { args: [1] }, []],
    [{ goal: { a: 1 } }, { goal: { a: 1 } }, []],
    [{ al: 1 }, { a: 1 }, ["arg_renamed: al was read as a"]],
    [{ o: { k: "x" } }, { o: { c: "x" } }, ["arg_renamed: o.k was read as o.c"]],
    [{ id: " t " }, { id: "t" }, ["id_trimmed: spaces around id were dropped"]],
    [{ id: "  " }, { id: "  " }, []],
    [{ id: "t" }, { id: "t" }, []],
    [{ a: null, r: "x" }, { r: "x" }, ["null_dropped: a is null, which it does not take; read as left out"]],
    [
      { l: [{ c: "x" }, { c: null }] },
      { l: [{ c: "x" }, {}] },
      ["null_dropped: l[1].c is null, which it does not take; read as left out"],
    ],
    [{ r: " t " }, { r: " t " }, []],
    [{ s: "In Progress" }, { s: "in_progress" }, ['enum_alias: s "In Progress" was read as in_progress']],
    [{ s: "in--progress" }, { s: "in_progress" }, ['enum_alias: s "in--progress" was read as in_progress']],
    [{ s: " DONE " }, { s: "done" }, ['enum_alias: s " DONE " was read as done']],
    [{ s: "completed" }, { s: "done" }, ['enum_alias: s "completed" was read as done']],
    [{ s: "Completed" }, { s: "done" }, ['enum_alias: s "Completed" was read as done']],
    [{ s: "bad" }, { s: "bad" }, []],
    [{ s: "inProgress" }, { s: "in_progress" }, ['enum_alias: s "inProgress" was read as in_progress']],
    [{ u: "To Do" }, { u: "todo" }, ['enum_alias: u "To Do" was read as todo']],
    [{ u: "re-sent" }, { u: "re_sent" }, ['enum_alias: u "re-sent" was read as re_sent']],
    [{ u: "r e sent" }, { u: "r e sent" }, []],
    [{ u: "1" }, { u: "1" }, []],
    [{ u: "v1_2" }, { u: "v1_2" }, []],
    [{ u: "doing" }, { u: "doing" }, []],
    [{ s: "done" }, { s: "done" }, []],
    [{ t: "a " }, { t: "a " }, []],
    [
      { from: { kind: "task", id: "1" } },
      { src_kind: "task", src_id: "1" },
      ["arg_renamed: from was read as src_kind and src_id"],
    ],
    [{ from: { id: "1" } }, { src_id: "1" }, ["arg_renamed: from was read as src_kind and src_id"]],
    [{ from: {} }, { from: {} }, []],
    [{ from: { kind: "task", more: 1 } }, { from: { kind: "task", more: 1 } }, []],
    [{ from: "task" }, { from: "task" }, []],
  ])("change only what is certain in %j", (given, args, warnings) => {
    expect(repairArguments(tool, given)).toEqual({ args, warnings, errors: [], covered: [], undecided: [] });
  });

  test.each<readonly [given: JsonObject, args: JsonObject, renamed: readonly string[]]>([
    [{ projectId: 1 }, { project_id: 1 }, ["projectId was read as project_id"]],
    [{ "project-id": 1 }, { project_id: 1 }, ["project-id was read as project_id"]],
    [{ PROJECT_ID: 1 }, { project_id: 1 }, ["PROJECT_ID was read as project_id"]],
    [{ per_page: 1 }, { perPage: 1 }, ["per_page was read as perPage"]],
    [{ o: { dueAt: 1 } }, { o: { due_at: 1 } }, ["o.dueAt was read as o.due_at"]],
    [{ l: [{ dueAt: 1 }] }, { l: [{ due_at: 1 }] }, ["l[0].dueAt was read as l[0].due_at"]],
    [{ open: { dueAt: 1 } }, { open: { dueAt: 1 } }, []],
    [{ projectIds: 1 }, { projectIds: 1 }, []],
    [{ repo_Id: 1 }, { repo_Id: 1 }, []],
    [{ page2: 1 }, { page2: 1 }, []],
    [{ dryRun: true }, { dryRun: true }, []],
    [{ __proto_: 1 }, { __proto_: 1 }, []],
  ])("names in another case or with other separators: %j", (given, args, renamed) => {
    const due = { due_at: TEXT };
    const schema = closed({
      ...{ project_id: TEXT, perPage: TEXT, repoId: TEXT, repo_id: TEXT, page_2: TEXT, dry_run: TEXT },
      ...{ o: closed(due), l: { type: "array", items: closed(due) }, open: { type: "object", properties: due } },
    } as JsonObject);
    const op = toolOf({ op: "onto.a.get", tool: "get_a", kind: "read", schema });
    const warnings = renamed.map((text) => `arg_renamed: ${text}`);
    expect(repairArguments(op, given)).toMatchObject({ args, warnings, errors: [] });
  });

  test("a name in two cases names one argument twice", () => {
    const schema = closed({ project_id: TEXT } as JsonObject);
    const op = toolOf({ op: "onto.a.get", tool: "get_a", kind: "read", schema });
    const repaired = repairArguments(op, { projectId: "a", project_id: "b" });
    expect(repaired).toMatchObject({ args: { project_id: "b" }, errors: [{ path: "projectId", keyword: "one_of" }] });
  });

  test.each<readonly [given: JsonObject, args: JsonObject, path: string, names: string, values: readonly JsonValue[]]>([
    [{ args: { a: 1 }, a: 2 }, { a: 2 }, "args.a", "args.a and a", [2, 1]],
    [{ al: 1, a: 2 }, { a: 2 }, "al", "a and al", [1, 2]],
    [{ al: 1, other: 2 }, { a: 1 }, "other", "al and other", [1, 2]],
    [{ src_id: "2", from: { id: "1" } }, { src_id: "2" }, "from", "from and src_id", ["2", "1"]],
  ])("%j names one argument twice", (given, args, path, names, values) => {
    const repaired = repairArguments(tool, given);
    expect(repaired.args).toEqual(args);
    expect(repaired.errors).toMatchObject([{ path, keyword: "one_of", message: `${names} are the same argument` }]);
    expect(repaired.errors[0]?.expected).toBe(`one of ${names.replace(" and ", ", ")}`);
    expect(repaired.undecided).toMatchObject([{ values }]);
  });

  test("aliases inside arguments name one twice, too", () => {
    const repaired = repairArguments(tool, { o: { k: "x", c: "y" } });
    expect(repaired).toMatchObject({
      args: { o: { c: "y" } },
      errors: [{ path: "o.k", message: "c and k are the same argument" }],
      undecided: [{ path: "o.c", values: ["x", "y"] }],
    });
  });

  test("an argument of that name is no alias, nor is one that another argument has", () => {
    const schema = closed({
      a: { ...WHOLE, "x-aliases": ["b", "x", 7] },
      b: WHOLE,
      c: { ...WHOLE, "x-aliases": ["x"] },
    });
    const other = toolOf({ op: "onto.a.set", tool: "set_a", kind: "write", schema });
    expect(repairArguments(other, { b: 1, x: 2 })).toMatchObject({
      args: { b: 1, a: 2 },
      warnings: ["arg_renamed: x was read as a"],
    });
    expect(repairArguments(other, { "7": 1 }).args).toEqual({ a: 1 });
    const wrapped = closed({ args: WHOLE, value: { ...WHOLE, "x-aliases": ["input"] } });
    const own = toolOf({ op: "onto.a.wrap", tool: "wrap_a", kind: "write", schema: wrapped });
    expect(repairArguments(own, { args: { value: 1 } }).args).toEqual({ args: { value: 1 } });
    expect(repairArguments(own, { input: { value: 1 } }).args).toEqual({ value: { value: 1 } });
  });

  test("twice the same is an error all the same, and decided", () => {
    const { errors, undecided } = repairArguments(tool, { al: 1, a: 1 });
    expect([errors.length, undecided]).toEqual([1, []]);
  });

  test("a hundred unknown arguments are looked at, the others counted", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    const { args, errors } = repairArguments(tool, { a: 1, ...many(150) });
    expect([Object.keys(args).length, errors.length]).toEqual([101, 1]);
    expect(JSON.stringify(errors)).toContain("150");
    expect(repairArguments(tool, { a: 1, ...many(100) }).errors).toEqual([]);
    const inner = repairArguments(tool, { o: { c: "x", ...many(101) } });
    expect(Object.keys(inner.args["o"] as JsonObject)).toHaveLength(101);
    expect(inner.errors).toHaveLength(1);
  });

  test("temp_ids become references, unknown ones are named", () => {
    const [create] = TOOLS.filter(({ op }) => op === "onto.project.create");
    if (!create) throw new Error("the fixture has no onto.project.create");
    const entities = [
      { temp_id: "alpha", kind: "task", title: "A" },
      { temp_id: "b", kind: "goal" },
    ];
    const repaired = (relationships: JsonValue) =>
      repairArguments(create, { project: { name: "p" }, entities, relationships });
    const ends = [
      { temp_id: "alpha", kind: "task" },
      { temp_id: "b", kind: "goal" },
    ];
    const { args, warnings } = repaired([["alpha", "b"]]);
    expect(args["relationships"]).toEqual([ends]);
    expect(warnings).toEqual(["refs_expanded: the temp_ids in relationships[0] were read as {temp_id, kind}"]);
    const lost = repaired([["alphs", "b"]]);
    expect(lost.args["relationships"]).toEqual([["alphs", "b"]]);
    expect(lost.covered).toEqual(["relationships[0]"]);
    expect(lost.errors).toEqual([
      {
        path: "relationships[0][0]",
        keyword: "unknown_reference",
        message: "relationships[0][0] is no temp_id of this call",
        expected: "one of alpha, b",
        received: '"alphs"',
        did_you_mean: "alpha",
      },
    ]);
    const [stranger] = repaired([["zzzz", "b"]]).errors;
    expect([stranger?.path, stranger && "did_you_mean" in stranger]).toEqual(["relationships[0][0]", false]);
    const [alone] = repairArguments(create, { project: { name: "p" }, relationships: [["a", "b"]] }).errors;
    expect(alone?.expected).toBe("a temp_id");
    expect(repaired([null, "a"]).args["relationships"]).toEqual([null, "a"]);
    expect(repaired([ends]).args["relationships"]).toEqual([ends]);
    expect(repaired([["alpha"]]).args["relationships"]).toEqual([["alpha"]]);
    expect(repaired([{ from: "alpha", to: "b" }]).args["relationships"]).toEqual([{ from: "alpha", to: "b" }]);
  });

  test("temp_ids stand in lists and in members, beside others, at the top level alone", () => {
    const ref = closed({ temp_id: TEXT, kind: TEXT }) as JsonObject;
    const node = closed({ temp_id: TEXT, kind: TEXT, links: { type: "array", items: ref } }) as JsonObject;
    const link = closed({ from: ref, to: ref, rel: TEXT }) as JsonObject;
    const schema = closed({ nodes: { type: "array", items: node }, links: { type: "array", items: link }, note: TEXT });
    const linking = toolOf({ op: "onto.a.link", tool: "link_a", kind: "write", schema });
    const nodes: JsonValue = [
      7,
      { temp_id: 7, kind: "task" },
      { temp_id: "c" },
      { temp_id: "a", kind: "task" },
      { temp_id: "b", kind: "goal" },
    ];
    const [a, b] = [
      { temp_id: "a", kind: "task" },
      { temp_id: "b", kind: "goal" },
    ];
    const linked = (links: JsonValue, more: JsonObject = { nodes }) => repairArguments(linking, { ...more, links });
    const { args, warnings } = linked([{ from: "a", rel: "a", to: "b" }, { from: a, to: "b" }, "a"]);
    expect(args).toEqual({ nodes, links: [{ from: a, rel: "a", to: b }, { from: a, to: "b" }, "a"] });
    expect(warnings).toEqual(["refs_expanded: the temp_ids in links[0] were read as {temp_id, kind}"]);
    expect(linked([{ from: "a", to: "c" }])).toMatchObject({
      covered: ["links[0]"],
      errors: [{ path: "links[0].to", expected: "one of a, b", received: '"c"' }],
    });
    expect(linked([{ from: "a", to: "b" }], { nodes: "text" }).errors).toMatchObject([
      { path: "links[0].from", expected: "a temp_id" },
      { path: "links[0].to", expected: "a temp_id" },
    ]);
    expect(linked("text").args["links"]).toBe("text");
    const many = Array.from({ length: 13 }, (_, i) => ({ temp_id: `t${String(i + 10)}`, kind: "task" }));
    const [first] = linked([{ from: "t10", to: "zz" }], { nodes: many }).errors;
    expect(first?.expected).toBe(`one of ${Array.from({ length: 12 }, (_, i) => `t${i + 10}`).join(", ")}`);
  });
});
