/** Loading `toolwright.yaml`: includes, merges, places, and all faults at once. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Config, loadConfig } from "../../../generator/config/config.js";
import { configSchema } from "../../../generator/config/schema.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { runs } from "../../support/random.js";

const CONFIG_SCHEMA = configSchema();

function load(
  main: string,
  others: Readonly<Record<string, string>> = {},
): { readonly config: Config | undefined; readonly faults: readonly string[] } {
  const report = new Report();
  const files: Readonly<Record<string, string>> = { "toolwright.yaml": main, ...others };
  const config = loadConfig((file) => files[file], report);
  return {
    config,
    faults: report.sorted().map((one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`),
  };
}

describe("includes", () => {
  test("lie under the file, left to right: maps merge, lists and scalars replace", () => {
    const { config, faults } = load(
      "include: [a.yaml, b.yaml]\nsources: []\nops: { x: { kind: read } }\nuse: [web]\n",
      {
        "a.yaml": "engine: cpython\nops: { x: { kind: write, notes: [a] }, y: {} }\nuse: [llm, brave]\n",
        "b.yaml": "engine: monty\nops: { x: { notes: [b] } }\n",
      },
    );
    expect(faults).toEqual([]);
    expect(config).toMatchObject({
      engine: "monty",
      ops: { x: { kind: "read", notes: ["b"] }, y: {} },
      use: ["web"],
    });
  });

  test("may include in turn, and a circle ends", () => {
    const { config } = load("include: [a.yaml]\nsources: []\n", {
      "a.yaml": "include: [b.yaml]\nengine: monty\n",
      "b.yaml": "include: [a.yaml, toolwright.yaml]\ntrust: local\n",
    });
    expect(config).toMatchObject({ engine: "monty", trust: "local" });
  });

  test("a value is placed where it was written, whichever file that is; a missing one at what encloses it", () => {
    const { config } = load("include: [a.yaml]\nsources:\n  - chat-tools: t.json\n", {
      "a.yaml": "ops:\n  x:\n    notes: [n]\n",
    });
    expect(config?.place("ops", "x", "notes", 0)).toEqual({ file: "definitions/a.yaml", line: 3, column: 13 });
    expect(config?.place("ops", "x", "kind")).toEqual({ file: "definitions/a.yaml", line: 2, column: 3 });
    expect(config?.place("sources", 0)).toEqual({ file: "definitions/toolwright.yaml", line: 3, column: 5 });
  });

  test("one that is not there is reported at the entry that names it", () => {
    expect(load("sources: []\ninclude:\n  - gone.yaml\n").faults).toEqual([
      "definitions/toolwright.yaml:3:5 file-unreadable cannot be read: definitions/gone.yaml is not there",
    ]);
  });
});

describe("faults", () => {
  test("all of a file at once, each at its place", () => {
    const source =
      "sources:\n  - chat-tool: t.json\n    kind: raed\nops:\n  x: { aliases: none, deadline_ms: -1 }\naccess: { http: on }\n";
    expect(
      load(source).faults.map((line) => line.replace("definitions/toolwright.yaml:", "").replace(/ known here.*/, "")),
    ).toEqual([
      "2:5 config-unknown-key unknown key 'sources[0].chat-tool' (did you mean 'chat-tools'?)",
      '3:5 config-invalid sources[0].kind must be one of read, write, got "raed"',
      '5:8 config-invalid ops.x.aliases must be a list, got "none"',
      "5:23 config-invalid ops.x.deadline_ms must be an integer from 0 to 2147483647, got -1",
      '6:11 config-invalid access.http must be one of auto, keys, none, got "on"',
    ]);
  });

  test.each([
    ["nothing at all", "", "1:1 config-invalid sources must be set, got nothing"],
    ["a list", "- a", "1:1 config-invalid the file must be a map, got a list"],
    [
      "a key twice",
      "sources: []\nsources: []",
      "2:1 yaml-invalid the key sources occurs twice in one map, first in line 1",
    ],
    [
      "an alias without an anchor",
      "sources: *none",
      "1:1 yaml-invalid Unresolved alias (the anchor must be set before the alias): none",
    ],
    ["an alias of what encloses it", "sources: &a [*a]", "1:1 yaml-invalid an alias refers to what encloses it"],
    [
      "an approval rule that selects nothing",
      "sources: []\napprove:\n  - by: [cli]",
      "3:5 config-invalid approve.0 must be at least one of ops, kind, destructive, got none",
    ],
    ["a merge of no map", "sources: []\nops: { <<: 5 }", "1:1 yaml-invalid Merge sources must be maps or map aliases"],
  ])("are refused at their place: %s", (_what, source, fault) =>
    expect(load(source).faults).toEqual([`definitions/toolwright.yaml:${fault}`]),
  );

  test("a configuration that is not there", () => {
    const report = new Report();
    expect(loadConfig(() => undefined, report)).toBeUndefined();
    expect(report.sorted().map((one) => [one.file, one.message])).toEqual([
      ["definitions/toolwright.yaml", "there is no project here"],
    ]);
  });
});

test("variables are left alone, so that no secret reaches generated code", () => {
  const variable = ["$", "{TOKEN}"].join("");
  const { config } = load(`sources: []\nservers: { a: { type: http, url: "${variable}" } }`);
  expect(config).toMatchObject({ servers: { a: { url: variable } } });
});

test("anchors and merge keys work", () => {
  expect(
    load("sources: []\nops:\n  a: &base { kind: read, notes: [n] }\n  b: { <<: *base, kind: write }\n").config?.ops,
  ).toEqual({ a: { kind: "read", notes: ["n"] }, b: { kind: "write", notes: ["n"] } });
});

test("keys that every object has are keys like any other", () => {
  const { config, faults } = load(
    "sources: []\naliases: { __proto__: p.a, constructor: p.b }\npacks: { __proto__: {} }\n",
  );
  expect(faults).toEqual([]);
  expect(Object.entries(config?.aliases ?? {})).toEqual([
    ["__proto__", "p.a"],
    ["constructor", "p.b"],
  ]);
  expect(load("sources: []\nconstructor: {}").faults[0]).toMatch(
    /^definitions\/toolwright.yaml:2:1 config-unknown-key unknown key 'constructor'$/,
  );
});

test("no text makes it throw, and every fault has a place inside the files", () => {
  const keys = Object.keys(CONFIG_SCHEMA["properties"] as object);
  const word = fc.constantFrom(
    ...keys,
    "x",
    "op",
    "kind",
    "read",
    "&a",
    "*a",
    "<<",
    "- ",
    ": ",
    "\n",
    "\n  ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "1",
    "~",
    '"',
    "|\n",
    "!!set",
    "? ",
    "#",
    "__proto__",
    "sources: []\n",
    "include: [b.yaml]\n",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(word, { maxLength: 20 }).map((words) => words.join("")),
  );
  fc.assert(
    fc.property(text, text, (main, other) => {
      const { config, faults } = load(main, { "b.yaml": other });
      expect(config === undefined).toBe(faults.length > 0);
      for (const line of faults) expect(line).toMatch(/^definitions\/[^:]*:[1-9]\d*:[1-9]\d* /);
      if (config) expect(JSON.parse(JSON.stringify(config))).toEqual(JSON.parse(JSON.stringify({ ...config })));
    }),
    runs(5000),
  );
});
