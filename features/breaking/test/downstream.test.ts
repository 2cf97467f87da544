/** What a change breaks beside the tools: aliases, snippets, examples, and texts that name an op. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import type { Finding } from "../../../runtime/contract/finding.js";
import {
  completeFile,
  configOf,
  type PartialRegistry,
  type PartialTool,
} from "../../../test/support/partial-registry.js";
import { compareTools } from "../compare.js";
import { brokenReferences, compareListed, invalidatedExamples, snippetReferences } from "../downstream.js";

await loadChecks();

const short = (findings: readonly Finding[]) =>
  findings.map(({ rule, op, pointer, before, after, file }) => [rule, op, pointer, before, after, file]);

test("aliases and snippets that are gone or have another meaning", () => {
  const before: PartialRegistry = {
    aliases: [
      { name: "same", target: "p.a" },
      { name: "gone", target: "p.b" },
      { name: "moved", target: "p.c" },
    ],
    snippets: [
      { name: "kept", params: ["x"] },
      { name: "lost", params: [] },
      { name: "less", params: ["x", "y", "z"] },
    ],
  };
  const after: PartialRegistry = {
    aliases: [
      { name: "same", target: "p.a" },
      { name: "moved", target: "p.d" },
      { name: "new", target: "p.e" },
    ],
    snippets: [
      { name: "kept", params: ["y", "x"] },
      { name: "less", params: ["y"] },
    ],
  };
  const [old, now] = [completeFile("a", before), completeFile("b", after)];
  const [config, prompts] = ["definitions/toolwright.yaml", "definitions/snippets.yaml"];
  expect(short(compareListed(old, now))).toEqual([
    ["alias-removed", "p.b", "/aliases/gone", "p.b", "", config],
    ["alias-retargeted", "p.c", "/aliases/moved", "p.c", "p.d", config],
    ["snippet-removed", "$lost", "/snippets/lost", "lost", "", prompts],
    ["snippet-param-removed", "$less", "/snippets/less", "x", "", prompts],
    ["snippet-param-removed", "$less", "/snippets/less", "z", "", prompts],
  ]);
  expect(compareListed(old, old)).toEqual([]);
  const { listed: _, ...none } = old;
  expect([compareListed(none as typeof old, now), compareListed(old, none as typeof old)]).toEqual([[], []]);
});

describe("examples that were valid", () => {
  const withA = (a: object, examples: readonly object[] = []): PartialTool => ({
    parameters_schema: { type: "object", properties: { a }, additionalProperties: false } as never,
    examples: examples as never,
  });
  const invalid = async (before: PartialTool, after: PartialTool) => {
    const [old, now] = [before, after].map((one) => completeFile("", { tools: [one] }).registry.tools);
    const findings = compareTools(old ?? [], now ?? []);
    const found = await invalidatedExamples(old ?? [], now ?? [], findings);
    return found.map(({ pointer, before: args, message }) => [pointer, args, message]);
  };

  test("are named with the reason", async () => {
    const examples = [{ args: { a: "x" } }, { args: { a: "y" }, title: "Second" }, { args: { a: 7 } }, { args: {} }];
    expect(await invalid(withA({ enum: ["x", "y"] }, examples), withA({ enum: ["x"] }))).toEqual([
      ["/examples/1", '{"a":"y"}', expect.stringMatching(/"Second".*a/)],
    ]);
    expect(await invalid(withA({ type: "string" }, examples), withA({ type: "integer" }))).toEqual([
      ["/examples/0", '{"a":"x"}', expect.stringMatching(/\b1\b/)],
      ["/examples/1", '{"a":"y"}', expect.stringContaining('"Second"')],
    ]);
  });

  test("are not looked for where nothing was narrowed, or nothing is an example", async () => {
    const examples = [{ args: { a: "x" } }];
    expect(await invalid(withA({ enum: ["x"] }, examples), withA({ enum: ["x", "y"] }))).toEqual([]);
    expect(await invalid(withA({ enum: ["x"], default: "x" }, examples), withA({ enum: ["x"] }))).toEqual([]);
    expect(await invalid(withA({ enum: ["x", "y"] }), withA({ enum: ["y"] }, examples))).toEqual([]);
  });
});

describe("texts that name an op", () => {
  const SNIPPETS = [
    "# about them",
    '"first":',
    '  body: "p.thing.get() and p.other.list()"',
    "second:",
    "  body: q.thing.set()",
    "",
  ].join("\n");
  const listed = {
    snippets: [
      { name: "second", params: [] },
      { name: "first", params: [] },
      { name: "none", params: [] },
    ],
  };

  test("are found in snippets, each with the line on which it begins", () => {
    const references = snippetReferences(completeFile("", listed), SNIPPETS);
    expect(references.map(({ op, name, pointer, line, column }) => [op, name, pointer, line, column])).toEqual([
      ["$second", "snippet $second", "/snippets/second", 4, 1],
      ["$first", "snippet $first", "/snippets/first", 2, 1],
    ]);
    const named = (path: string) => references.filter((one) => one.names(path)).map(({ op }) => op);
    expect(["p.thing.get", "p.other.list", "q.thing.set", "p.thing"].map(named)).toEqual([
      ["$first"],
      ["$first"],
      ["$second"],
      [],
    ]);
    expect(snippetReferences(completeFile("", listed), undefined)).toEqual([]);
  });

  test("are broken where the op is gone", () => {
    const tools = (...ops: readonly string[]): readonly PartialTool[] =>
      ops.map((op) => ({ op, tool_name: op.replaceAll(".", "_") }));
    const before = completeFile("a", { tools: tools("p.thing.get", "p.other.list", "q.thing.set") });
    const stones = [
      { op: "p.thing.get", tool: "p_thing_get", since: "2026-01-01", use: "p.thing.find" },
      { op: "p.old.get", tool: "old_get", since: "2026-01-01", use: "p.other.list" },
      { op: "p.older.get", tool: "older_get", since: "2026-01-01" },
    ];
    const after = completeFile("b", {
      ...listed,
      tools: tools("q.thing.set"),
      reserved: stones as never,
      aliases: [
        { name: "thing", target: "p.thing.get" },
        { name: "kept", target: "q.thing.set" },
      ],
    });
    const config = configOf({
      policies: { "p.other.list": {}, "q.thing.set": {} },
      ops: { p_thing_get: {}, "p/p_other_list": {}, q_thing_set: {} },
    } as never);
    const found = brokenReferences(before, after, config, SNIPPETS);
    expect(found.map(({ rule, op, pointer, before: gone, message }) => [rule, op, pointer, gone, message])).toEqual([
      [
        "reference-broken",
        "p.thing.get",
        "/aliases/thing",
        "p.thing.get",
        expect.stringMatching(/alias thing.*; use p\.thing\.find$/),
      ],
      [
        "reference-broken",
        "p.other.list",
        "/policies/p.other.list",
        "p.other.list",
        expect.stringContaining("a pinned policy"),
      ],
      [
        "reference-broken",
        "p.old.get",
        "/reserved",
        "p.other.list",
        expect.stringContaining("the tombstone of p.old.get"),
      ],
      ["reference-broken", "$first", "/snippets/first", "p.other.list", expect.stringContaining("snippet $first")],
      ["reference-broken", "$first", "/snippets/first", "p.thing.get", expect.stringMatching(/; use p\.thing\.find$/)],
      ["reference-broken", "p_thing_get", "/ops/p_thing_get", "p_thing_get", expect.stringContaining("an override")],
      [
        "reference-broken",
        "p/p_other_list",
        "/ops/p/p_other_list",
        "p/p_other_list",
        expect.stringContaining("an override"),
      ],
    ]);
    expect(brokenReferences(before, before, config, SNIPPETS)).toEqual([]);
  });
});
