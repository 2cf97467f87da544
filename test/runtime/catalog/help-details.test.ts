/** Details of help: full answers, missing documents, letter case, and the limits of names and ops. */

import { describe, expect, test } from "vitest";
import { isHelpFailure } from "../../../runtime/catalog/help.js";
import type { DirectoryAnswer, NotFoundAnswer, OpAnswer } from "../../../runtime/catalog/help-answers.js";
import { startSession } from "../../../runtime/catalog/session.js";
import { docsFolder, docsUrl, shortVersion } from "../../../runtime/contract/help.js";
import { type FixtureOptions, fixture, grant, principal } from "../gateway/fixture.js";
import { closed, documentFor, TOOLS, toolOf } from "../gateway/fixture-tools.js";

const READ = { op: "onto.a.get", tool: "get_a", kind: "read", schema: closed({ b: { type: "string" } }) } as const;
const withTools = (...specs: readonly Partial<Parameters<typeof toolOf>[0]>[]): FixtureOptions => ({
  more: specs.map((one) => toolOf({ ...READ, ...one })),
});
const itemsOf = (path: string, options?: FixtureOptions, who = principal()) =>
  (fixture(options).gateway.help({ path }, who) as DirectoryAnswer).items;
const opsOf = (path: string, options?: FixtureOptions, who = principal()) =>
  itemsOf(path, options, who).map((one) => ("group" in one ? one.group : one.op));

describe("failures", () => {
  test.each([
    [{ path: "onto.task.list" }, false],
    [{ path: "onto" }, false],
    [{ path: "nowhere" }, true],
    [{ path: 7 }, true],
  ])("whether help for %j fails is told: %s", (request, failed) =>
    expect(isHelpFailure(fixture().gateway.help(request, principal()))).toBe(failed),
  );
});

test("a version is cut, and that of extension tools kept whole behind it", () => {
  expect(shortVersion("0123456789abcdef+overlay0123456789")).toBe("0123456789ab+overlay0123456789");
  expect(shortVersion("")).toBe("");
});

test("an address of the documentation ends in one slash, with the folder of the pack", () => {
  expect([docsUrl("https://d", ""), docsUrl("https://d//", ""), docsUrl("https://d/x/", "a")]).toEqual([
    "https://d/",
    "https://d/",
    "https://d/x/a/",
  ]);
  expect([docsFolder("a b", new Map()), docsFolder("a", new Map([["a", "slug"]]))]).toEqual(["a%20b", "slug"]);
});

describe("a refused request", () => {
  const corrected = (request: object, who = principal()) => {
    const answer = fixture().gateway.help(request, who);
    if (answer.type !== "error") throw new Error(answer.type);
    return answer.error.corrected_call;
  };

  test.each(["path", "op", "name", "tool", "topic", "command", "query", "q", "search", "text", "pattern"])(
    "finds its path in %s",
    (field) => expect(corrected({ [field]: "onto.task", more: 1 })).toEqual({ path: "onto.task" }),
  );

  test.each<readonly [request: object, call: object]>([
    [{ op: "onto.task.list" }, { path: "onto.task.list" }],
    [{ path: ["onto", 7, "task"] }, { path: "onto.task" }],
    [{ path: ["onto", "task"] }, { path: "onto.task" }],
    [{ question: "late tasks", path: "onto" }, { path: "onto late tasks" }],
    [{ path: "onto", args: { query: "late" }, q: "tasks" }, { path: "onto tasks late" }],
    [{ name: " onto.task " }, { path: "onto.task" }],
    [{ tool: "list_onto_tasks" }, { path: "onto.task.list" }],
    [{ op: "onto.taks.list" }, { path: "onto.task.list" }],
    [{ name: "onto.task", op: "onto.task" }, { path: "onto.task" }],
    [{ op: " ", name: "onto" }, { path: "onto" }],
    [{ op: "x".repeat(201), name: "onto" }, { path: "onto" }],
    [{ path: 7 }, { path: "root" }],
    [{ op: "🙂" }, { path: "root" }],
    [
      { path: "onto", format: "long", include_schemas: "TRUE", include_examples: "some" },
      {
        path: "onto",
        format: "<format: short or full>",
        include_schemas: true,
        include_examples: "<include_examples: true or false>",
      },
    ],
    [
      { path: 7, format: "full" },
      { path: "root", format: "full" },
    ],
    [
      { op: "onto", format: "short" },
      { path: "onto", format: "short" },
    ],
  ])("%j is corrected to %j", (request, call) => expect(corrected(request)).toEqual(call));

  test.each([
    [{ path: ["onto.task", "onto.task.list"] }, '{"path":"onto.task"} and {"path":"onto.task.list"}'],
    [{ path: ["onto.task.list", "onto.edge"] }, '{"path":"onto.task.list"} and {"path":"onto.edge"}'],
    [{ name: "onto.edge", op: "onto.task" }, '{"path":"onto.task"} and {"path":"onto.edge"}'],
  ])("names the call for each of several paths, and corrects to the first: %j", (request, calls) => {
    const answer = fixture().gateway.help(request, principal());
    expect(answer).toMatchObject({ error: { message: expect.stringContaining(`shows one path: send ${calls}.`) } });
    expect(corrected(request)).toEqual(JSON.parse(calls.split(" and ")[0] ?? ""));
  });

  test("never leads to what the caller may not see", () =>
    expect(JSON.stringify(corrected({ op: "admin.keys.list" }, grant("write")))).not.toContain("admin"));
});

test("an op whose path is also that of a group lists its ops, and stands beside the group", () => {
  const options = withTools({ op: "onto.a", tool: "a" }, { op: "onto.a.get", tool: "b" });
  expect(fixture(options).gateway.help({ path: "onto.a" }, principal())).toMatchObject({
    type: "op",
    path: "onto.a",
    items: [{ op: "onto.a.get" }],
  });
  expect(itemsOf("onto", options).slice(0, 2)).toMatchObject([{ op: "onto.a" }, { group: "onto.a", ops: 1 }]);
});

describe("an op", () => {
  const document = { ...documentFor(TOOLS[5] as never), see_also: ["onto.task.update", "admin.keys.list"] };
  const project = { helpOf: () => document };

  test("in full it has everything, in short the first example without its title", () => {
    const { gateway } = fixture({ project });
    const full = gateway.help({ path: "onto.task.create", format: "full" }, principal());
    expect(full).toMatchObject({
      description: "About onto.task.create.",
      returns: "something",
      errors: ["NOT_FOUND"],
      constraints: [],
      args: expect.arrayContaining([expect.objectContaining({ description: "x" })]),
      examples: [{ title: "first", op: "onto.task.create" }],
    });
    const two = { ...document, examples: [...document.examples, ...document.examples] };
    const short = fixture({ project: { helpOf: () => two } }).gateway.help({ path: "onto.task.create" }, principal());
    expect((short as OpAnswer).examples).toEqual([
      { op: "onto.task.create", args: { project_id: "<project_id>", title: "<title>" } },
    ]);
  });

  test("short is the default, with examples and without the schema, each of which can be set", () => {
    const { gateway } = fixture();
    const ask = (more: object) => gateway.help({ path: "onto.task.create", ...more }, principal());
    expect(ask({ format: "short", include_examples: true, include_schemas: false })).toEqual(ask({}));
    expect(ask({ include_examples: false })).toMatchObject({ type: "op" });
    expect(ask({ include_schemas: true })).toMatchObject({ type: "op" });
  });

  test("it names the ops beside it that the caller may see", () => {
    const seeAlso = (who = principal()) =>
      (fixture({ project }).gateway.help({ path: "onto.task.create", format: "full" }, who) as OpAnswer).see_also;
    expect(seeAlso()).toEqual(["onto.task.update"]);
    expect(seeAlso(grant("admin"))).toEqual(["onto.task.update", "admin.keys.list"]);
  });

  test("without a document it says what the registry says", () => {
    const { gateway } = fixture({ project: { helpOf: () => undefined } });
    expect(gateway.help({ path: "onto.task.create", format: "full" }, principal())).toMatchObject({
      kind: "write",
      summary: "create task things.",
      usage: "onto.task.create(project_id, title, state_key?, priority?, connections?, props?)",
      description: "About onto.task.create.",
      policy: { do: ["asked for"] },
      returns: "unknown",
      errors: [],
      see_also: [],
      constraints: [],
    });
    const { args } = gateway.help({ path: "onto.search" }, principal()) as OpAnswer;
    expect(args).toEqual([{ name: "query", type: expect.any(String), required: true }]);
    const list = gateway.help({ path: "onto.task.list" }, principal()) as OpAnswer;
    expect(list.args?.[0]).toEqual({ name: "project_id", type: expect.any(String) });
    expect(list).not.toHaveProperty("policy");
    // A group in full asks for usage lines and pack summaries that are not there.
    const group = gateway.help({ path: "onto.edge", format: "full" }, principal()) as DirectoryAnswer;
    expect(group.items[0]).not.toHaveProperty("usage");
  });
});

describe("letter case", () => {
  test("an op that differs from another by it alone is found exactly", () => {
    const options = withTools({ op: "onto.a.Get", tool: "get_upper" }, { op: "onto.b.Only", tool: "only_upper" });
    const { gateway } = fixture(options);
    expect(gateway.help({ path: "onto.a.Get" }, principal())).toMatchObject({ type: "op", path: "onto.a.Get" });
    expect(gateway.help({ path: "ONTO.B.ONLY" }, principal())).toMatchObject({ type: "op", path: "onto.b.Only" });
    expect(gateway.help({ path: "onto.b.only" }, principal())).toMatchObject({ type: "op", path: "onto.b.Only" });
  });

  test("a group and a group of one kind are found without it, under their own name", () => {
    const { gateway } = fixture();
    expect(gateway.help({ path: "ONTO.Task" }, principal())).toMatchObject({ type: "directory", path: "onto.task" });
    expect(gateway.help({ path: "Onto.Task.READ" }, principal())).toMatchObject({
      type: "directory",
      path: "onto.task.read",
    });
  });
});

describe("directories of one kind", () => {
  test("root.write is write; an unknown suffix or group is not found", () => {
    expect(fixture().gateway.help({ path: "root.write" }, principal())).toMatchObject({ path: "write" });
    expect(opsOf("root.write")).toEqual(opsOf("write"));
    expect(opsOf("write").length).toBeGreaterThan(5);
    for (const path of ["onto.task.readers", "nowhere.read"])
      expect(fixture().gateway.help({ path }, principal())).toMatchObject({ type: "not_found" });
  });
});

describe("directories", () => {
  test("children are in order, for any names of the ops below them", () => {
    const options = withTools({ op: "onto.task_a.get", tool: "a" }, { op: "onto.B.get", tool: "b" });
    expect(opsOf("onto", options)).toEqual([
      "onto.B",
      "onto.edge",
      "onto.project",
      "onto.search",
      "onto.task",
      "onto.task_a",
    ]);
  });

  test("a summary of at most 60 characters is whole, a longer one ends in an ellipsis without a space before it", () => {
    const of = (summary: string) => {
      const [item] = itemsOf("onto.a", withTools({ extra: { summary } })) as readonly { readonly summary?: string }[];
      return item?.summary;
    };
    expect(of("x".repeat(60))).toBe("x".repeat(60));
    expect(of("x".repeat(61))).toBe(`${"x".repeat(59)}…`);
    expect(of(` ${"x".repeat(55)}   yyyyy`)).toBe(` ${"x".repeat(55)}…`);
  });

  test("the directory of a failure marks nothing as denied", () => {
    const options = withTools({ op: "write_it", tool: "w", kind: "write", extra: { group: "write_it" } });
    const who = principal({ allowWrite: false });
    const { items } = fixture(options).gateway.help({ path: "qqqq" }, who) as NotFoundAnswer;
    expect(items.find((one) => "op" in one)).toEqual({ op: "write_it", kind: "write", summary: "write_it  things." });
    expect(itemsOf("root", options, who).find((one) => "op" in one)).toMatchObject({ denied: true });
  });
});

describe("a name of several ops", () => {
  const options = withTools({ op: "onto.x.get", tool: "same" }, { op: "util.x.get", tool: "same" });

  test("leads nowhere: they are the suggestions, at most five, those that the caller sees", () => {
    const suggested = (path: string, more: FixtureOptions) =>
      (fixture(more).gateway.help({ path }, principal()) as NotFoundAnswer).suggestions;
    expect(suggested("same", options)).toEqual(expect.arrayContaining(["onto.x.get", "util.x.get"]));
    const many = withTools(...["a", "b", "c", "d", "e", "f", "g"].map((n) => ({ op: `onto.${n}.get`, tool: "same" })));
    expect(suggested("same", many).length).toBe(5);
  });
});

describe("suggestions", () => {
  const kennel = ["listAnimals", "getOwner", "weigh"].map((name) =>
    toolOf({
      op: `kennel.${name}`,
      tool: name,
      kind: "read",
      schema: closed({}),
      extra: {
        summary: "Of the kennel.",
        ...(name === "listAnimals" ? { learned_words: { words: { roster: "10+" } } } : {}),
      },
    }),
  );
  const suggested = (path: string) =>
    (fixture({ more: kennel }).gateway.help({ path }, principal()) as NotFoundAnswer).suggestions;

  test("count the words that callers look for an op by, as the search does", () => {
    expect(suggested("kennel.the_roster_of_everybody")).toEqual(["kennel.listAnimals"]);
    // getOwner is nearer by its letters alone.
    expect(suggested("kennel.pet_roster")).toEqual(["kennel.listAnimals", "kennel.getOwner"]);
  });

  test("take a word for mistyped by the rule of the search", () => {
    expect(suggested("kennel.please.animels")).toEqual(["kennel.listAnimals"]);
    expect(suggested("kennel.pleaseDoTellMeAnimels")).toEqual(["kennel.listAnimals"]);
    expect(suggested("kennel.please.ownner")).toEqual(["kennel.getOwner"]);
  });
});

describe("the session", () => {
  test("lists what was read in order of the ops, and only what the caller may see", () => {
    const { gateway } = fixture();
    const session = startSession();
    const admin = grant("admin");
    for (const path of ["util.web.visit", "admin.keys.list", "onto.search", "onto.task"])
      gateway.help({ path }, admin, session);
    const read = (who = principal()) =>
      (gateway.help({ path: "SESSION" }, who, session) as DirectoryAnswer).items.map((one) => "op" in one && one.op);
    expect(read(admin)).toEqual(["admin.keys.list", "onto.search", "util.web.visit"]);
    expect(read()).toEqual(["onto.search", "util.web.visit"]);
  });

  test("an answer is the same object when it is asked for again; a failure is made anew", () => {
    const { gateway } = fixture();
    const ask = (path: string) => gateway.help({ path }, principal());
    expect(ask("onto.task")).toBe(ask("onto.task"));
    expect(ask("nowhere")).not.toBe(ask("nowhere"));
  });
});
