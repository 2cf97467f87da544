/** Further results of classification: constraints, reasons, diagnostics, and defaults of tools without any entry. */

import { describe, expect, test } from "vitest";
import { buildProject, jsonProject, onlyTool, tool } from "../../support/generator-host.js";

const text = { type: "string" };
const constraints = async (list: string, properties: object = { a: text, b: text, c: text }, rest: object = {}) =>
  (await onlyTool(jsonProject([tool("update_a", properties, rest)], `ops: { update_a: { constraints: ${list} } }\n`)))
    .constraints;

describe("constraints", () => {
  test("one_of", async () =>
    expect(await constraints("[{ one_of: [[a], [b, c]] }]")).toEqual([
      { kind: "one_of", branches: [["a"], ["b", "c"]] },
    ]));

  test("requires, with a value and without", async () =>
    expect(
      await constraints(
        "[{ requires: { argument: a, needs: [b] } }, { requires: { argument: a, equals: x, needs: [c] } }]",
      ),
    ).toEqual([
      { kind: "requires", argument: "a", needs: ["b"] },
      { kind: "requires", argument: "a", equals: "x", needs: ["c"] },
    ]));

  test("at_least_one_change: the optional arguments, those but some, or those that are listed", async () => {
    const of = async (inner: string) =>
      (await constraints(`[{ at_least_one_change: ${inner} }]`, undefined, { required: ["a"] })).map((one) => one);
    expect(await of("{}")).toEqual([{ kind: "at_least_one_change", of: ["b", "c"] }]);
    expect(await of("{ except: [c] }")).toEqual([{ kind: "at_least_one_change", of: ["b"] }]);
    expect(await of("{ of: [a, c] }")).toEqual([{ kind: "at_least_one_change", of: ["a", "c"] }]);
  });
});

test("what configuration does not mention is empty, off or absent", async () => {
  const { drafts } = await buildProject(jsonProject([tool("get_a")]));
  expect(drafts?.[0]).toMatchObject({
    aliases: [],
    dry_run: false,
    renames: {},
    author_notes: [],
    author_examples: [],
    constraints: [],
    target: "global",
  });
  expect(drafts?.[0]?.hints).not.toHaveProperty("title");
});

const because = async (name: string, config = "", source = ""): Promise<readonly string[]> => {
  const project = jsonProject([tool(name)], config);
  const { drafts } = await buildProject({
    ...project,
    "toolwright.yaml": (project["toolwright.yaml"] ?? "").replace(", kind: read", source),
  });
  return drafts?.[0]?.because ?? [];
};

describe("reasons", () => {
  test.each([
    ["get_a", "", "", ["op p.get_a: pack and safe name", "kind read: verb get"]],
    ["get_a", "ops: { get_a: { op: p.a.get } }\n", "", ["op p.a.get: configured, ops.get_a.op", "kind read: verb get"]],
    [
      "get_a",
      "ops: { get_a: { kind: write } }\n",
      "",
      ["op p.get_a: pack and safe name", "kind write: configuration; its name says read (verb get)"],
    ],
    [
      "plover",
      "ops: { plover: { kind: read } }\n",
      "",
      ["op p.plover: pack and safe name", "kind read: configuration; its name says nothing"],
    ],
    ["plover", "", ", kind: read", ["op p.plover: pack and safe name", "kind read: default of its source"]],
    [
      "plover",
      "",
      "",
      ["op p.plover: pack and safe name", "kind write: no word of its name is a known verb, so a write"],
    ],
    [
      "get_a",
      "ops: { get_a: { op: p.field_info } }\nvocabulary: { verbs: { field_info: write } }\n",
      "",
      ["op p.field_info: configured, ops.get_a.op", "kind write: verb field_info"],
    ],
  ])("%s with %j and %j", async (name, config, source, expected) =>
    expect(await because(name, config, source)).toEqual(expected),
  );
});

describe("diagnostics", () => {
  const said = async (name: string, config: string, source = ", kind: read") => {
    const project = jsonProject([tool(name)], config);
    const { diagnostics } = await buildProject({
      ...project,
      "toolwright.yaml": (project["toolwright.yaml"] ?? "").replace(", kind: read", source),
    });
    return diagnostics.map((one) => [one.code, one.message]);
  };

  test.each([
    ["get_taks", "packs: { p: { entities: { task: tasks } } }\n", "op-unmatched", "; nearest entity task"],
    ["get_a", "packs: { p: { target: project } }\n", "target-without-project", "p.get_a acts on a project"],
    [
      "get_a",
      "ops: { get_a: { kind: write } }\n",
      "kind-differs",
      "p.get_a is write by configuration, although its name says read (verb get)",
    ],
  ])("%s with %s", async (name, config, code, part) =>
    expect(await said(name, config)).toContainEqual([code, expect.stringContaining(part)]),
  );

  test("no entity is near: none is named", async () => {
    const found = await said("get_zzzz", "packs: { p: { entities: { task: tasks } } }\n");
    expect(found[0]?.[0]).toBe("op-unmatched");
    expect(found[0]?.[1]).toMatch(/<qualifier>_<entity>$/);
  });

  test("a name without a verb is named with its op; one that agrees with its configuration is not", async () => {
    expect(await said("plover", "", "")).toContainEqual([
      "kind-unknown",
      "plover holds no known verb, so p.plover is a write",
    ]);
    const codes = async (name: string, kind: string) =>
      (await said(name, `ops: { ${name}: { kind: ${kind} } }\n`)).map(([code]) => code);
    expect(await codes("get_a", "read")).not.toContain("kind-differs");
    expect(await codes("plover", "read")).not.toContain("kind-differs");
  });

  test("a pack that help reserves is refused with the op that it would give", async () => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": "sources: [{ chat-tools: t.json, pack: root }]",
      "t.json": JSON.stringify([tool("get_a")]),
    });
    expect(diagnostics.map((one) => one.message)).toEqual([
      "op root.get_a is in a pack called root, a word that help reserves",
    ]);
  });

  describe("of a server's annotations", () => {
    const built = async (annotations: object, ops = "") => {
      const { registry, diagnostics } = await buildProject({
        "toolwright.yaml": `use: []\nsources: [{ mcp: s.json }]\n${ops}`,
        "s.json": JSON.stringify({ tools: [{ name: "get_a", inputSchema: { type: "object" }, annotations }] }),
      });
      return { tool: registry?.tools[0], said: diagnostics.map((one) => one.message) };
    };

    test("a configured write that is called read-only, and only that", async () => {
      const message = "s.get_a is a write, but its annotations call it read-only";
      const write = "ops: { get_a: { kind: write } }\n";
      expect((await built({ readOnlyHint: true }, write)).said).toContain(message);
      expect((await built({ readOnlyHint: false }, write)).said).not.toContain(message);
      expect((await built({ readOnlyHint: true })).said).not.toContain(message);
    });

    test("read-only and destructive at once", async () =>
      expect((await built({ readOnlyHint: true, destructiveHint: true })).said).toContain(
        "s.get_a is called read-only and destructive at once, so it is a write",
      ));

    test("the reason of a kind is the annotation", async () => {
      expect((await built({ destructiveHint: true })).said).toContain(
        "s.get_a is write by annotation, although its name says read (verb get)",
      );
      expect((await built({ readOnlyHint: false })).said).toContain(
        "s.get_a is write by annotation, although its name says read (verb get)",
      );
    });

    test("a title is kept, and a server is another world unless it says otherwise", async () => {
      expect((await built({ title: "T" })).tool?.annotations).toMatchObject({ title: "T", openWorldHint: true });
      expect((await built({ openWorldHint: false })).tool?.annotations).toMatchObject({ openWorldHint: false });
    });
  });
});
