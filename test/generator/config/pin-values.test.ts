/** Entries of `ops` are added to the text of a configuration; everything else stays as it is written. */

import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withPins } from "../../../generator/config/pin-values.js";

const PINS = new Map([
  ["list_tasks", { op: "p.task.list" }],
  ["odd: name", { op: "p.odd_name" }],
]);
const ADDED = { list_tasks: { op: "p.task.list" }, "odd: name": { op: "p.odd_name" } };

const FORMS: readonly (readonly [what: string, text: string, ops: object])[] = [
  ["no ops", "# a\nuse: []\nsources: []  # b\n", ADDED],
  ["no newline at the end", "use: []", ADDED],
  ["Windows lines", "use: []\r\nops:\r\n  a: { kind: read }\r\nsources: []\r\n", { a: { kind: "read" }, ...ADDED }],
  ["a byte order mark", "\ufeffuse: []\nops:\n  a: { kind: read }\n", { a: { kind: "read" }, ...ADDED }],
  ["empty ops", "ops:  # later\nsources: []\n", ADDED],
  ["ops in empty braces", "ops: {}\nsources: []\n", ADDED],
  ["ops in braces", "ops: { a: { kind: read } } # c\nsources: []\n", { a: { kind: "read" }, ...ADDED }],
  [
    "ops in lines, with comments behind them",
    "ops:\n    a:\n        kind: read # why\n    # of b\n    b: { kind: write } # last\n\n# of sources\nsources: []\n",
    { a: { kind: "read" }, b: { kind: "write" }, ...ADDED },
  ],
  [
    "a text in lines at the end",
    "ops:\n  a:\n    notes:\n      - |\n        one\n        two\n",
    { a: { notes: ["one\ntwo\n"] }, ...ADDED },
  ],
  [
    "an entry in braces",
    "ops:\n  list_tasks: { kind: read } # r\n  b: {}\n",
    { ...ADDED, list_tasks: { op: "p.task.list", kind: "read" }, b: {} },
  ],
  ["an entry in empty braces", "ops:\n  list_tasks: {}\n", ADDED],
  [
    "an entry in lines",
    "ops:\n  list_tasks: # t\n    # k\n    kind: read\n    notes: [a]\nsources: []\n",
    { ...ADDED, list_tasks: { op: "p.task.list", kind: "read", notes: ["a"] } },
  ],
];

describe("pins are added to", () => {
  test.each(FORMS)("a file with %s, and its other lines stay", (_what, text, ops) => {
    const pinned = withPins(text, PINS);
    expect(parse(pinned.replace("\ufeff", "")).ops).toEqual(ops);
    const { ops: _, ...others } = parse(text.replace("\ufeff", "")) ?? {};
    expect(parse(pinned.replace("\ufeff", ""))).toMatchObject(others);
    for (const comment of text.match(/# \w+/g) ?? []) expect(pinned).toContain(comment);
    expect(pinned.includes("\r\n")).toBe(text.includes("\r\n"));
    expect(pinned.replaceAll("\r\n", "").includes("\r")).toBe(false);
    expect(pinned.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
  });

  test.each(FORMS)("%s: what was written stays, in its order", (_what, text) => {
    const pinned = withPins(text, PINS);
    let at = 0;
    for (const word of text.match(/\S+/g) ?? []) {
      const next = pinned.indexOf(word.replace(/^\{\}$/, "{"), at);
      expect([word, next >= at]).toEqual([word, true]);
      at = next;
    }
  });
});

test("the whole text", () => {
  const text = "sources: []\nops:\n  a: { kind: read }\n  list_tasks: { kind: read }\n\n# end\n";
  expect(withPins(text, PINS)).toBe(
    'sources: []\nops:\n  a: { kind: read }\n  list_tasks: { op: p.task.list, kind: read }\n  "odd: name": { op: p.odd_name }\n\n# end\n',
  );
  expect(withPins("sources: []\n", PINS)).toBe(
    'sources: []\n\nops:\n  list_tasks: { op: p.task.list }\n  "odd: name": { op: p.odd_name }\n',
  );
});

test.each([
  ["a text in braces", "{ sources: [] }", /has its keys in braces/],
  ["ops as an alias", "x: &x { a: {} }\nops: *x\n", /`ops` in toolwright.yaml is an alias/],
  [
    "an entry that is an alias",
    "x: &x { kind: read }\nops:\n  list_tasks: *x\n",
    /ops.list_tasks in toolwright.yaml is no map/,
  ],
])("%s is refused with the remedy", (_what, text, message) => {
  expect(() => withPins(text, PINS)).toThrow(message);
});
