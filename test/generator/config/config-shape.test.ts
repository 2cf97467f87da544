/**
 * Every key of `toolwright.yaml`, `snippets.yaml` and `prompts.yaml`: a wrong value is reported at its line, and so is
 * a broken rule between keys.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../../generator/config/config.js";
import { configSchema } from "../../../generator/config/schema.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { reportUnknown } from "../../../generator/core/shape.js";
import { mergeMaps } from "../../../runtime/contract/json.js";
import type { Shape } from "../../../runtime/contract/settings/setting.js";
import { runs } from "../../support/random.js";
import { LIMITS } from "../../support/setting-limits.js";

const CONFIG_SCHEMA = configSchema();

type Path = readonly (string | number)[];

function faultsOf(files: Readonly<Record<string, string>>): readonly string[] {
  const report = new Report();
  loadConfig((file) => files[file], report);
  return report.sorted().map((one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`);
}

const MAIN = "definitions/toolwright.yaml:";
/** Faults of one file, without its name. */
const faultsIn = (text: string): readonly string[] =>
  faultsOf({ "toolwright.yaml": text }).map((line) => line.replace(MAIN, ""));

/** Every key with its shape: a member of any name is `x`, an item the first. */
function keysOf(shape: Shape, path: Path = []): readonly (readonly [path: Path, shape: Shape])[] {
  const { properties = {}, additionalProperties, items } = shape;
  const below = [
    ...Object.entries(properties).map(([key, one]) => [key, one] as const),
    ...(additionalProperties ? [["x", additionalProperties] as const] : []),
    ...(items ? [[0, items] as const] : []),
  ];
  const found = below.flatMap(([key, one]) => [[[...path, key], one] as const, ...keysOf(one, [...path, key])]);
  return found.filter(([, one]) => one.type !== undefined);
}

/** The value at a path, and nothing beside it. */
const nest = ([key, ...rest]: Path, value: unknown): unknown =>
  key === undefined ? value : typeof key === "number" ? [nest(rest, value)] : { [key]: nest(rest, value) };

const WRONG: Readonly<Record<string, unknown>> = {
  object: 7,
  array: 7,
  string: 7,
  integer: "1h",
  number: "1h",
  boolean: 7,
};
const keys = keysOf(CONFIG_SCHEMA).map(
  ([path, shape]) => [path.join(".").replace(/\.0\b/g, "[0]"), path, shape] as const,
);

describe("every key", () => {
  test("is looked at", () => expect(keys.length).toBeGreaterThan(150));

  test.each(keys)("%s of a wrong type is refused where it stands", (named, path, shape) => {
    const type = [shape.type].flat()[0] ?? "";
    const text = `# A comment moves every line down.\n${stringify(nest(path, WRONG[type]))}`;
    const found = faultsIn(text).filter((line) => line.includes(` ${named} must be `));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/ must be .+, got (?:7|"1h")$/);
    // The value is the last thing in the file.
    expect(found[0]?.split(":")[0]).toBe(String(text.trimEnd().split("\n").length));
  });

  const closed = [["", [], CONFIG_SCHEMA] as const, ...keys].filter(([, , shape]) => shape.properties);
  test.each(closed)("%s: an unknown key gets the nearest", (named, path, { properties = {} }) => {
    const [known = ""] = Object.keys(properties).filter((one) => one.length > 3);
    const typo = `${known.slice(0, 2)}${known.slice(3)}`;
    const found = faultsIn(stringify(nest(path, { [typo]: 1 }))).filter((line) => line.includes("unknown key"));
    expect(found[0]).toMatch(
      new RegExp(
        `unknown key '${named === "" ? "" : `${named.replace(/[.[\]]/g, "\\$&")}\\.`}${typo}' \\(did you mean '`,
      ),
    );
  });

  test.each(Object.entries(LIMITS))("limits.%s has a ceiling", (name, [preset, ceiling]) => {
    const set = (value: number): readonly string[] => faultsIn(`sources: []\nlimits: { ${name}: ${value} }\n`);
    expect([set(preset), set(ceiling)]).toEqual([[], []]);
    expect(set(ceiling + 1)).toEqual([
      expect.stringMatching(
        `^2:11 config-invalid limits.${name} must be an integer from \\d to ${ceiling}, got ${ceiling + 1}$`,
      ),
    ]);
    expect(set(-1)).toHaveLength(1);
    expect(set(1.5)).toHaveLength(1);
  });
});

describe("rules", () => {
  test.each([
    ["output: { result_ttl: 1h }", 'output.result_ttl must be an integer from 0 to 3155760000, got "1h"'],
    ["output: { preview_lines: 1h }", 'output.preview_lines must be an integer >= 0, got "1h"'],
    ["servers: { a: {} }", "servers.a.command or url must be set, got nothing"],
    ["servers: { a: { command: x, url: y } }", "servers.a must be given command or url, got both"],
    ["servers: { a: { type: stdio, url: x } }", "servers.a.command must be set, since its type is stdio, got nothing"],
    ["servers: { a: { type: http, command: x } }", "servers.a.url must be set, since its type is http, got nothing"],
    ['servers: { a: { type: http, url: "" } }', 'servers.a.url must be set, since its type is http, got ""'],
    ["servers: { a: { type: sse, url: x } }", 'servers.a.type must be one of stdio, http, got "sse"'],
    ["servers: { a: { command: x, timeout: .inf } }", "servers.a.timeout must be a number >= 0, got Infinity"],
    ["servers: { a: { command: x, env: { A: 1 } } }", "servers.a.env.A must be a text, got 1"],
    [
      "projects: { my-home: ~/x }",
      'a name in projects must be an identifier: letters, digits and underscores, not beginning with a digit, got "my-home"',
    ],
    ['projects: { home: "" }', 'projects.home must be a text that is not empty, got ""'],
    ["topics: [{ pattern: a }]", "topics[0].file must be set, got nothing"],
    ['topics: [{ pattern: "", file: b }]', 'topics[0].pattern must be a text that is not empty, got ""'],
    ["aliases: { a: [b] }", "aliases.a must be a text that is not empty, got a list"],
    ["engine: pypy", 'engine must be one of auto, monty, cpython, got "pypy"'],
    ["log: { file: 5 }", "log.file must be a text or null, got 5"],
    ["aliases:", "aliases must be a map, got null"],
  ])("a value that breaks one is refused by its path: %s", (line, says) => {
    expect(faultsIn(`sources: []\n${line}\n`).map((one) => one.replace(/^2:\d+ config-invalid /, ""))).toEqual([says]);
  });

  test.each([
    "servers: { a: { command: x } }",
    "servers: { a: { url: https://example.com } }",
    "projects: { _a1: ~/x, größe: /x }",
    "log: { file: null }",
  ])("%s is fine", (line) => expect(faultsIn(`sources: []\n${line}\n`)).toEqual([]));
});

test("a key among many is answered with their page and the nearest ones", () => {
  const report = new Report();
  const known = [...Array.from({ length: 39 }, (_, i) => `other_key_${i}`), "trust", "output", "access"];
  const place = () => ({ file: "definitions/toolwright.yaml", line: 1, column: 1 });
  reportUnknown("trusted", known, [], { place, report });
  const [fault] = report.sorted();
  expect(fault?.fix).toMatch(
    /^known here: 42 names, listed in docs\/reference\/configuration\.md of the package; nearest: trust, \S+, \S+, \S+, \S+$/,
  );
});

describe("files", () => {
  const included = (text: string, rest: Readonly<Record<string, string>> = {}): readonly string[] =>
    faultsOf({ "toolwright.yaml": "include: [a.yaml]\nsources: []\n", "a.yaml": text, ...rest });

  test("faults of a file and of those that it includes are found together, each at its own place", () => {
    expect(
      faultsOf({
        "toolwright.yaml": "include: [a.yaml, gone.yaml, sub/b.yaml]\nengine: pypy\n",
        "a.yaml": "\n\nengine: 5\nsinonyms: {}\n",
        "sub/b.yaml": "ops:\n  x: { kind: raed }\n",
      }),
    ).toEqual([
      "definitions/a.yaml:3:1 config-invalid engine must be one of auto, monty, cpython, got 5",
      "definitions/a.yaml:4:1 config-unknown-key unknown key 'sinonyms' (did you mean 'synonyms'?)",
      'definitions/sub/b.yaml:2:8 config-invalid ops.x.kind must be one of read, write, got "raed"',
      "definitions/toolwright.yaml:1:19 file-unreadable cannot be read: definitions/gone.yaml is not there",
      'definitions/toolwright.yaml:2:1 config-invalid engine must be one of auto, monty, cpython, got "pypy"',
    ]);
  });

  test("what must be there may be in an included file", () => {
    expect(faultsOf({ "toolwright.yaml": "include: [a.yaml]\n", "a.yaml": "sources: []\n" })).toEqual([]);
    expect(faultsOf({ "toolwright.yaml": "include: [a.yaml]\n", "a.yaml": "" })).toEqual([
      `${MAIN}1:1 config-invalid sources must be set, got nothing`,
    ]);
  });

  test("a fault counts although the including file replaces the value", () => {
    expect(
      faultsOf({ "toolwright.yaml": "include: [a.yaml]\nsources: []\nstate: x\n", "a.yaml": "state: 5\n" }),
    ).toEqual(["definitions/a.yaml:1:1 config-invalid state must be a text or a map, got 5"]);
  });

  test.each([
    ["a list", "- a\n", "1:1 config-invalid the file must be a map, got a list"],
    ["a text", "hello\n", '1:1 config-invalid the file must be a map, got "hello"'],
    ["two documents", "state: a\n---\nstate: b\n", "2:1 yaml-invalid it has more than one document"],
    [
      "a key twice, deep down",
      "ops:\n  a:\n    kind: read\n    op: p.a\n    kind: write\n",
      "5:5 yaml-invalid the key kind occurs twice in one map, first in line 3",
    ],
    ["a tab", "ops:\n\ta: {}\n", "2:1 yaml-invalid Tabs are not allowed as indentation"],
    [
      "endless nesting",
      `state: ${"[".repeat(20_000)}`,
      expect.stringMatching(/^1:\d+ yaml-invalid it nests too deeply$/),
    ],
    [
      "nesting that is a whole file",
      `state: ${"[".repeat(1_000_000)}`,
      expect.stringMatching(/^1:\d+ yaml-invalid it nests too deeply$/),
    ],
    ["a huge file", `# ${"x".repeat(1_100_000)}`, "1:1 yaml-invalid it has 1100002 characters, and may have 1048576"],
    [
      "a bomb of aliases",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghi"
        .split("")
        .map((one, i) => `${one}: &${one} [${Array(9).fill(`*${"abcdefgh"[i]}`)}]`)
        .join("\n")}`,
      "6:11 yaml-invalid aliases up to this one repeat more than 200000 values",
    ],
  ])("an included file is refused at its place: %s", (_what, text, says) => {
    expect(
      included(text)
        .map((line) => line.replace("definitions/a.yaml:", ""))
        .at(-1),
    ).toEqual(says);
  });

  test.each([
    ["a byte order mark", "\ufeffengine: pypy\n", "1:1"],
    ["Windows' line ends", "# a\r\n\r\nengine: pypy\r\n", "3:1"],
    ["nothing but a comment before", "# a\n---\nengine: pypy\n...\n", "3:1"],
    ["an anchor", "engine: &e pypy\n", "1:1"],
  ])("%s moves no place", (_what, text, place) => {
    expect(included(text)).toEqual([
      `definitions/a.yaml:${place} config-invalid engine must be one of auto, monty, cpython, got "pypy"`,
    ]);
  });

  test("many keys are read in time", { tags: "full" }, () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `  tool_${i}: { kind: read }\n`).join("");
    const started = performance.now();
    expect(included(`ops:\n${many}`)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

describe("merging", () => {
  const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
  const { tree } = fc.letrec<{ readonly tree: Readonly<Record<string, unknown>>; readonly value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.constant(null),
      fc.array(fc.integer(), { maxLength: 2 }),
      tie("tree"),
    ),
    tree: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  }));

  /** The value at every path that does not end in a map. */
  const leaves = (value: unknown, path = ""): readonly (readonly [string, unknown])[] =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, one]) => leaves(one, `${path}/${name}`))
      : [[path, value]];

  test("is the same however layers are grouped, and nothing over or under a layer is that layer", () => {
    const isClash = (x: unknown, y: unknown): boolean =>
      typeof x === "object" &&
      typeof y === "object" &&
      x !== null &&
      y !== null &&
      !Array.isArray(x) &&
      !Array.isArray(y)
        ? Object.entries(x).some(([name, one]) => Object.hasOwn(y, name) && isClash(one, Reflect.get(y, name)))
        : [x, y].some((one) => typeof one === "object" && one !== null && !Array.isArray(one));
    fc.assert(
      fc.property(tree, tree, tree, (a, b, c) => {
        expect(mergeMaps(a, {})).toEqual(a);
        expect(mergeMaps({}, a)).toEqual(a);
        expect(mergeMaps(a, a)).toEqual(a);
        // A map over a scalar hides what was under the scalar only when it is merged first: shapes rule that out.
        if (isClash(a, b) || isClash(b, c) || isClash(a, c)) return;
        expect(mergeMaps(mergeMaps(a, b), c)).toEqual(mergeMaps(a, mergeMaps(b, c)));
      }),
      runs(5000),
    );
  });

  test("takes every value of the upper layer, lists whole, and of the lower one what the upper does not say", () => {
    fc.assert(
      fc.property(tree, tree, (lower, upper) => {
        const merged = new Map(leaves(mergeMaps(lower, upper)));
        for (const [path, value] of leaves(upper)) expect(merged.get(path)).toEqual(value);
        const said = leaves(upper).map(([path]) => path);
        for (const [path, value] of leaves(lower)) {
          const isHidden = said.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
          if (!isHidden && merged.has(path)) expect(merged.get(path)).toEqual(value);
        }
        expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      }),
      runs(5000),
    );
  });

  test("keeps places: each value's place leads to the line that set it", () => {
    const names = ["a", "b", "c", "d"] as const;
    const layer = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 });
    fc.assert(
      fc.property(layer, layer, layer, (first, second, main) => {
        const text = (keys: readonly string[]): string =>
          `synonyms: {}\naliases:\n  zero: p.z\n${keys.map((one) => `  ${one}: p.${one}\n`).join("")}`;
        const files: Readonly<Record<string, string>> = {
          "toolwright.yaml": `include: [one.yaml, two.yaml]\nsources: []\n${text(main)}`,
          "one.yaml": text(first),
          "two.yaml": text(second),
        };
        const config = loadConfig((file) => files[file], new Report());
        const owner = (key: string): string =>
          main.includes(key as "a") ? "toolwright.yaml" : second.includes(key as "a") ? "two.yaml" : "one.yaml";
        for (const name of Object.keys(config?.aliases ?? {}).filter((one) => one !== "zero")) {
          const { file, line } = config?.place("aliases", name) ?? { file: "", line: 0 };
          expect(file).toBe(`definitions/${owner(name)}`);
          expect(files[owner(name)]?.split("\n")[line - 1]).toBe(`  ${name}: p.${name}`);
        }
      }),
      runs(500),
    );
  });
});
