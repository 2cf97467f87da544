/** `tool_help`: directories, ops, suggestions, and what a caller may not see. */

import { describe, expect, test } from "vitest";
import type {
  DirectoryAnswer,
  HelpAnswer,
  NotFoundAnswer,
  OpAnswer,
  ResultsAnswer,
} from "../../../runtime/catalog/help-answers.js";
import { startSession } from "../../../runtime/catalog/session.js";
import { fixture, grant, principal } from "../gateway/fixture.js";

const ask = (request: unknown, who = principal(), { gateway } = fixture()): HelpAnswer => gateway.help(request, who);
const names = (answer: HelpAnswer): readonly string[] =>
  (answer as DirectoryAnswer).items.map((item) => ("group" in item ? item.group : item.op));

describe("directories", () => {
  test.each([[{}], [{ path: "" }], [{ path: "root" }], [{ path: " . " }], [{ path: "ROOT" }], [undefined]])(
    "cases 1, 2: %j is the root",
    (request) => {
      const answer = ask(request);
      expect(answer).toMatchObject({ type: "directory", path: "root", registry_version: "5f0c9a1e77b2" });
      expect((answer as DirectoryAnswer).items).toEqual([
        { group: "onto", ops: 11 },
        { group: "util", ops: 4 },
      ]);
    },
  );

  test("case 3: a pack lists its children, ops among them", () => {
    const { items } = ask({ path: "onto" }) as DirectoryAnswer;
    expect(items.map((item) => ("group" in item ? [item.group, item.ops] : item.op))).toEqual([
      ["onto.edge", 1],
      ["onto.project", 2],
      "onto.search",
      ["onto.task", 7],
    ]);
  });

  test("case 4: a deeper group lists every op below it, with one sentence each", () => {
    const answer = ask({ path: "onto.task" }) as DirectoryAnswer;
    expect(names(answer)).toEqual(
      ["create", "delete", "doc.create_or_attach", "docs.list", "list", "search", "update"].map(
        (op) => `onto.task.${op}`,
      ),
    );
    for (const item of answer.items) expect(Object.keys(item)).toEqual(["op", "kind", "summary"]);
  });

  test("case 10: .read and .write filter the whole subtree", () => {
    expect(names(ask({ path: "onto.task.read" }))).toEqual([
      "onto.task.docs.list",
      "onto.task.list",
      "onto.task.search",
    ]);
    expect(names(ask({ path: "onto.task.write" }))).toEqual([
      "onto.task.create",
      "onto.task.delete",
      "onto.task.doc.create_or_attach",
      "onto.task.update",
    ]);
    expect(ask({ path: "util.write" })).toMatchObject({ type: "directory", path: "util.write", items: [] });
    expect(names(ask({ path: "read" }))).toContain("onto.search");
  });

  test("full adds usage to ops and the pack's summary to groups", () => {
    expect((ask({ path: "root", format: "full" }) as DirectoryAnswer).items[0]).toEqual({
      group: "onto",
      ops: 11,
      summary: "Pack onto.",
    });
    expect((ask({ path: "onto.edge", format: "full" }) as DirectoryAnswer).items[0]).toMatchObject({
      usage: expect.stringContaining("onto.edge.link("),
    });
  });
});

describe("ops", () => {
  test("case 6: short", () => {
    const answer = ask({ path: "onto.task.list" });
    expect(Object.keys(answer)).toEqual([
      "type",
      "path",
      "registry_version",
      "kind",
      "summary",
      "usage",
      "args",
      "notes",
      "returns",
      "examples",
    ]);
    expect((answer as OpAnswer).args?.[0]).not.toHaveProperty("description");
  });

  test("cases 5, 7: full with schemas, policy in both formats", () => {
    const full = ask({ path: "onto.task.create", format: "full", include_schemas: true }) as OpAnswer;
    expect(full).toHaveProperty("schema.properties.title");
    expect(full.policy?.source?.length).toBe(1);
    const short = ask({ path: "onto.task.create" }) as OpAnswer;
    expect(short.policy).toEqual({ do: ["asked for"], dont: ["to look busy"], edge_cases: ["ask once"] });
  });

  test("examples can be left out", () => {
    expect(ask({ path: "onto.task.list", include_examples: false })).not.toHaveProperty("examples");
  });

  test.each([["list_onto_tasks"], ["mine"], ["again"], ["LIST_ONTO_TASKS"]])(
    "case 9: %s is the op, with requested_path",
    (path) => {
      expect(ask({ path })).toMatchObject({ type: "op", path: "onto.task.list", requested_path: path });
    },
  );

  test.each([["ONTO.TASK.LIST"], [" onto.task.list. "]])("%s is found without letter case and outer dots", (path) => {
    expect(ask({ path })).toMatchObject({ type: "op", path: "onto.task.list" });
  });

  test("without allow_write, writes are marked", () => {
    const who = principal({ allowWrite: false });
    expect(ask({ path: "onto.task.delete" }, who)).toMatchObject({ denied: true });
    expect(ask({ path: "onto.task.list" }, who)).not.toHaveProperty("denied");
    const { items } = ask({ path: "onto.task" }, who) as DirectoryAnswer;
    expect(items.filter((item) => "denied" in item).length).toBe(4);
  });

  test("what a caller may not see is absent: op, directory, suggestions", () => {
    const writer = grant("write");
    expect(ask({ path: "admin.keys.list" }, writer)).toMatchObject({ type: "not_found", error: { help_path: "root" } });
    expect(ask({ path: "admin" }, writer)).toMatchObject({ type: "not_found" });
    // The name of a tool that nobody sees is words.
    expect(ask({ path: "list_keys" }, writer)).toMatchObject({ type: "results" });
    expect(JSON.stringify(ask({ path: "list_keys" }, writer))).not.toContain("admin");
    expect(names(ask({ path: "root" }, grant("admin")))).toContain("admin");
    expect(names(ask({ path: "onto.task" }, grant("read")))).toEqual([
      "onto.task.docs.list",
      "onto.task.list",
      "onto.task.search",
    ]);
    expect(ask({ path: "onto.task.delet" }, grant("read"))).not.toHaveProperty(
      "suggestions",
      expect.arrayContaining(["onto.task.delete"]),
    );
  });

  test("ops hidden by configuration are absent", () => {
    expect(ask({ path: "zeta" })).toMatchObject({ type: "not_found" });
    expect(ask({ path: "zeta.hidden.write" })).toMatchObject({ type: "not_found" });
    expect(ask({ path: "hidden_write" })).toMatchObject({ type: "not_found" });
  });
});

describe("paths that lead nowhere", () => {
  test("case 11: a near miss", () => {
    const answer = ask({ path: "onto.porject" }) as NotFoundAnswer;
    expect(Object.keys(answer)).toEqual(["type", "path", "registry_version", "error", "suggestions", "items"]);
    expect(answer.suggestions[0]).toBe("onto.project");
    expect(answer.error).toEqual({
      code: "NOT_FOUND",
      message: "No op or group onto.porject.",
      details: {},
      help_path: "onto",
    });
    expect(names(answer)).toEqual(["onto", "util"]);
  });

  test("the example of the design", () => {
    const { suggestions } = ask({ path: "onto.taks" }) as NotFoundAnswer;
    expect(suggestions[0]).toBe("onto.task");
    expect(suggestions.length).toBeLessThanOrEqual(5);
  });

  test.each([["zzzz"], ["__proto__"], ["constructor"], ["x".repeat(100_000)], ["🙂.🙂"]])(
    "%#: always the top directory",
    (path) => {
      const answer = ask({ path }) as NotFoundAnswer;
      expect(answer.type).toBe("not_found");
      expect(answer.items.length).toBeGreaterThan(0);
      expect(JSON.stringify(answer).length).toBeLessThan(2000);
    },
  );
});

describe("words", () => {
  const results = (request: unknown, who = principal()) => ask(request, who) as ResultsAnswer;
  const ops = (request: unknown, who = principal()): readonly string[] =>
    results(request, who).items.map((item) => item.split(/[ (]/)[0] ?? "");

  test("are answered with five ops, three of them with signature and title, and the call for more", () => {
    const answer = results({ path: "list the tasks of a project" });
    expect(Object.keys(answer)).toEqual(["type", "query", "found", "items", "next"]);
    expect(answer.next).toEqual({ path: "list the tasks of a project", page: 2 });
    expect(answer.items.length).toBe(5);
    expect(answer.items[0]).toMatch(/^onto\.task\.list\(project_id\?, .*\) .*— \S/);
    expect(answer.items[3]).toMatch(/^onto\.[\w.]+ — \S/);
    expect(results({ query: "list the tasks of a project" })).toEqual(answer);
    expect(results({ path: "root", query: "list the tasks of a project" })).toEqual(answer);
  });

  test("words that no op has are named, of which the caller sees none, but no values", () => {
    expect(results({ path: "order a pizza with 7 toppings for task_7" }).no_op_has).toEqual([
      "order",
      "pizza",
      "toppings",
    ]);
    expect(results({ path: "list tasls" })).not.toHaveProperty("no_op_has");
    const hidden = { path: "list tasks and admin" };
    expect(results(hidden, grant("admin"))).not.toHaveProperty("no_op_has");
    expect(results(hidden, grant("write")).no_op_has).toEqual(["admin"]);
    expect(results({ path: "task xaq xbq xcq xdq xeq xfq" }).no_op_has?.length).toBe(5);
  });

  test("have a last page, which is the corrected call of one behind it", () => {
    const path = "list the tasks of a project";
    const last = Math.ceil(results({ path }).found / 5);
    expect(results({ path, page: last }).items.length).toBeGreaterThan(0);
    expect(results({ path, page: last })).not.toHaveProperty("next");
    expect(ask({ path, page: 99 })).toMatchObject({
      type: "error",
      error: {
        message: expect.stringContaining(`page 99 is after the last one, ${last}`),
        corrected_call: { path, page: last },
      },
    });
  });

  test("pages hold every op that is found once, and the last has no next", () => {
    const query = "task project";
    const seen: string[] = [];
    let request: object | undefined = { path: query };
    while (request) {
      seen.push(...ops(request));
      request = results(request).next;
    }
    expect(seen.length).toBe(results({ path: query }).found);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("a project's synonyms count, and other verbs of a class", () => {
    expect(ops({ path: "look for a chore" }).slice(0, 2).sort()).toContain("onto.task.search");
    expect(ops({ path: "get rid of a task" })[0]).toBe("onto.task.delete");
  });

  test("behind a group they are searched for in it", () => {
    for (const op of ops({ path: "util anything about a page of the web" })) expect(op).toMatch(/^util\./);
    for (const op of ops({ path: "onto.task remove it" })) expect(op).toMatch(/^onto\.task\./);
    expect(ops({ path: "onto", query: "remove task" })[0]).toBe("onto.task.delete");
  });

  test("what a caller may not see is not found", () => {
    expect(ops({ path: "delete a task" }, grant("read"))).not.toContain("onto.task.delete");
    expect(JSON.stringify(results({ path: "list keys of everybody" }))).not.toContain("admin");
  });

  test.each([
    ["tasks for a@b.com", "tasks for a@b com"],
    ["v1.2 tasks", "v1 2 tasks"],
    ["list tasks: all of them", "list tasks all of them"],
  ])("%s is no path, but words where it is sent as query, also on the next page", (text, path) => {
    const answer = ask({ path: text });
    expect(answer).toMatchObject({ type: "not_found", error: { corrected_call: { path } } });
    expect(ask({ path })).toEqual(results({ query: text }));
    const found = results({ query: text });
    expect(found).toMatchObject({ type: "results", next: { path, page: 2 } });
    expect(results(found.next).items).not.toEqual(found.items);
    expect(ask({ query: text, page: 99 })).toMatchObject({ error: { corrected_call: { path } } });
    expect(results({ path: "onto.task", query: text }).items[0]).toMatch(/^onto\.task/);
    expect(ask({ path: "onto.zzz", query: text })).toMatchObject({ type: "not_found" });
  });

  test("a search that finds nothing says how to go on, and offers no search", () => {
    const answer = ask({ path: "qqzz xxyy" }) as NotFoundAnswer;
    expect(answer.error.message).toContain("search for other words, or open a group in items");
    expect(names(answer)).toEqual(["onto", "util"]);
    expect((ask({ path: "qqzz x.xyy" }) as NotFoundAnswer).error).not.toHaveProperty("corrected_call");
  });

  test.each(["onto.zzz", "zz/list tasks", "onto.task list.all", "zz:list"])(
    "%s has a dot, slash or colon, and names nothing: not found",
    (path) => {
      expect(ask({ path })).toMatchObject({ type: "not_found", error: { code: "NOT_FOUND" } });
    },
  );

  test.each(["onto/task", "functions.onto.task", "functions/onto/task", "Onto:Task"])("%s is the group", (path) => {
    expect(ask({ path })).toEqual(ask({ path: "onto.task" }));
  });

  test("a word that names a pack is the pack", () => {
    expect(ask({ query: "onto" })).toEqual(ask({ path: "onto" }));
  });

  test.each([0, 501, 1.5, "2"])("page %j is refused", (page) => {
    expect(ask({ path: "list tasks now", page })).toMatchObject({
      type: "error",
      error: { code: "VALIDATION_ERROR", details: { field_errors: [{ path: "page", expected: "integer 1..500" }] } },
    });
  });

  test("an answer is bounded, whatever is searched for", () => {
    const words = ["list tasks ".repeat(10_000), `task ${"日本".repeat(5000)}`, 'task \u0000"<\u202e'.repeat(300)];
    for (const answerBytes of [1000, 6000]) {
      const { gateway } = fixture({ settings: { answerBytes } });
      for (const path of words) {
        const answer = gateway.help({ path }, principal());
        expect([answer.type, Buffer.byteLength(JSON.stringify(answer)) <= answerBytes]).toEqual(["results", true]);
      }
    }
  });
});

describe("requests", () => {
  test.each([
    [{ path: 7 }, "path", "type"],
    [{ path: null }, "path", "type"],
    [{ format: "long" }, "format", "enum"],
    [{ include_schemas: "yes" }, "include_schemas", "type"],
    [{ pth: "onto" }, "pth", "additionalProperties"],
    [[], "", "type"],
  ])("%j is a VALIDATION_ERROR on %s", (request, path, keyword) => {
    expect(ask(request)).toMatchObject({
      type: "error",
      error: { code: "VALIDATION_ERROR", help_path: "root", details: { field_errors: [{ path, keyword }] } },
    });
  });
});

test.each(["question", "about", "task"])("a question under %s is answered with its path", (field) => {
  expect(ask({ [field]: "list tasks" })).toMatchObject({ error: { corrected_call: { path: "onto.task.list" } } });
});

describe("caches", () => {
  test("equal key, equal bytes; another grant, another answer", () => {
    const made = fixture();
    const first = JSON.stringify(ask({ path: "onto.task" }, principal(), made));
    expect(JSON.stringify(ask({ path: "onto.task" }, principal({ id: "other" }), made))).toBe(first);
    expect(JSON.stringify(ask({ path: "onto.task" }, grant("read"), made))).not.toBe(first);
    expect(JSON.stringify(ask({ path: "onto.task", format: "full" }, principal(), made))).not.toBe(first);
  });

  test("the session lists what it has read, from cached answers too; without a session it is empty", () => {
    const { gateway } = fixture();
    gateway.help({ path: "onto.task.list" }, principal());
    const session = startSession();
    gateway.help({ path: "onto.task.list" }, principal(), session);
    gateway.help({ path: "mine" }, principal(), session);
    gateway.help({ path: "onto.search" }, principal(), session);
    expect(gateway.help({ path: "session" }, principal(), session)).toEqual({
      type: "directory",
      path: "session",
      registry_version: "5f0c9a1e77b2",
      items: [
        { op: "onto.search", usage: "onto.search(query)" },
        { op: "onto.task.list", usage: "onto.task.list(project_id?, state_key?, limit?)" },
      ],
    });
    expect(gateway.help({ path: "session" }, principal())).toMatchObject({ items: [] });
  });

  test("a new registry version empties the session", () => {
    const session = startSession();
    session.read("a", "x.y", "x.y()");
    expect([...session.usages("a").keys()]).toEqual(["x.y"]);
    expect(session.usages("b").size).toBe(0);
  });
});
