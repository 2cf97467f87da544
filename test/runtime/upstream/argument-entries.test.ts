/** Arguments of a server's tools mean the same through every entry: names that schemas leave open, blank texts, nulls, odd names. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Echoing, echoing } from "../../support/upstream/echoing.js";

const SLOW = 300_000;
const TEXT = { type: "string" };
const B = { properties: { b: TEXT }, required: ["b"] };
const OBJECT = { type: "object" };
const A = { ...OBJECT, properties: { a: TEXT } };
const MET = "then";

const SCHEMAS: Readonly<Record<string, object>> = {
  any: OBJECT,
  some: { ...OBJECT, minProperties: 1 },
  named: { ...OBJECT, propertyNames: { pattern: "^x-" } },
  listed: { ...OBJECT, propertyNames: { enum: ["a", "b-c"] } },
  inner: { ...OBJECT, properties: { labels: { ...OBJECT, propertyNames: { maxLength: 3 } } } },
  dependent: { ...OBJECT, dependentSchemas: { a: B } },
  older: { $schema: "http://json-schema.org/draft-07/schema#", ...OBJECT, dependencies: { a: B } },
  needing: { ...OBJECT, dependentRequired: { a: ["b"] } },
  patterns: { ...OBJECT, patternProperties: { "^x": { type: "integer" } } },
  parts: { ...OBJECT, allOf: [A, B] },
  either: { ...OBJECT, anyOf: [A, B] },
  mixed: { ...A, dependentSchemas: { a: B } },
  chosen: Object.fromEntries([...Object.entries(A), ["if", { required: ["a"] }], [MET, B]]),
  prefixed: { ...A, properties: { ...A.properties, limit: { type: "integer" } }, additionalProperties: TEXT },
  file: { ...OBJECT, properties: { path: TEXT, content: TEXT }, required: ["path", "content"] },
  strict: {
    ...OBJECT,
    properties: { a: { ...TEXT, minLength: 1 }, b: { ...TEXT, pattern: "\\S" }, c: { enum: ["x", ""] } },
    required: ["a", "b", "c"],
  },
  optional: {
    ...OBJECT,
    properties: { limit: { type: "integer" }, note: { type: ["string", "null"] }, n: { type: "integer", default: 3 } },
  },
  none: { ...OBJECT, properties: {} },
  user: { ...OBJECT, properties: { "user-id": TEXT, user_id: TEXT }, required: ["user-id", "user_id"] },
  items: { ...OBJECT, properties: { from: TEXT, from_: TEXT, self: TEXT, arguments: TEXT } },
};

type Args = Readonly<Record<string, unknown>>;

/** What a server gets; an error if undefined. */
const CALLS: readonly (readonly [tool: string, args: Args, error?: RegExp | undefined, sent?: Args])[] = [
  ["any", { a: 1, "b-c": [1], self: null, class: { "2024": 1 } }],
  ["any", { args: { a: 1 }, input: { b: 2 } }],
  ["some", { z: "" }],
  ["some", {}, /too few are given: give at least 1 argument/],
  ["named", { "x-a": 1 }],
  ["named", { y: 1 }, /the name y does not match \^x-/],
  ["listed", { a: 1, "b-c": 2 }],
  ["listed", { aa: 1 }, /the name aa is not one of a\|b-c/],
  ["inner", { labels: { abc: 1 } }],
  ["inner", { labels: { abcd: 1 } }, /the name labels\.abcd is longer than 3 characters/],
  ["dependent", { a: "1", b: "2" }],
  ["dependent", { a: "1" }, /b is missing/],
  ["dependent", { a: "1", b: 2 }, /b is not a string|'b' must be str/],
  ["dependent", { q: 1 }],
  ["older", { a: "1", b: "2" }],
  ["needing", { a: "1", b: "2" }],
  ["patterns", { x1: 1, y: "free" }],
  ["patterns", { x1: "s" }, /x1/],
  ["parts", { a: "1", b: "2", c: 3 }],
  ["either", { b: "2" }],
  ["mixed", { a: "1", b: "2" }],
  ["mixed", { a: "1", b: "2", bb: 3 }, /bb/],
  ["chosen", { a: "1", b: "2" }],
  ["chosen", { c: 1 }, /c/],
  ["prefixed", { l: "x", li: "y" }],
  ["file", { path: "p", content: "" }],
  ["file", { path: " ", content: "\n" }],
  ["file", { path: "p" }, /content/],
  ["strict", { a: " ", b: "x", c: "" }],
  ["strict", { a: "", b: " ", c: " " }, /a is blank/],
  ["optional", { limit: null, note: null, n: null }, undefined, { note: null, n: 3 }],
  ["none", { a: 1 }, /a/],
  ["user", { "user-id": "D", user_id: "U" }],
  ["items", { from: "a", from_: "b", self: "c", arguments: "d" }],
  ["items", { from_: "b" }],
];

let tried: Echoing;
const cleaning: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const tools = Object.entries(SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema }));
  tried = await echoing(tools, (clean) => void cleaning.push(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

describe("every entry", () => {
  test.each(["exec", "batch", "run", "api", "typed"] as const)(
    "hands on the arguments that are meant: %s",
    { timeout: SLOW },
    async (entry) => {
      for (const [tool, args, error, sent] of CALLS) {
        const got = await tried.entries[entry](tool, args);
        if (error) expect([tool, got.error]).toEqual([tool, expect.stringMatching(error)]);
        else expect([tool, got.error, got.sent]).toEqual([tool, undefined, sent ?? args]);
      }
    },
  );

  test("the command line", { timeout: SLOW }, async () => {
    for (const [tool, args, , sent] of CALLS.filter(([tool, , error]) => !error && /any|file|optional|user/.test(tool)))
      expect((await tried.entries.cli(tool, args)).sent).toEqual(sent ?? args);
  });

  test("a null that is dropped has a warning", { timeout: SLOW }, async () => {
    for (const entry of ["exec", "batch", "api"] as const)
      expect((await tried.entries[entry]("optional", { limit: null })).warnings).toEqual(["null_dropped"]);
  });
});

describe("programs", () => {
  test.each([
    ["odd.any(self=1, arguments=2, name=3)", { self: 1, arguments: 2, name: 3 }],
    ["odd.optional(limit=None)", { n: 3 }],
    ["d = {}\nodd.optional(limit=d.get('x'), note=None)", { note: null, n: 3 }],
    ["odd.mixed(a='1', b='2')", { a: "1", b: "2" }],
    ["odd.prefixed(l='x', limit=2)", { l: "x", limit: 2 }],
    ["odd.items(from_='x')", { from_: "x" }],
    ["odd.items(self='x', arguments='y')", { self: "x", arguments: "y" }],
    ["odd.user(user_id='U', user_id_2='D')", { "user-id": "D", user_id: "U" }],
    ["odd.user(**{'user-id': 'D', 'user_id': 'U'})", { "user-id": "D", user_id: "U" }],
    ["odd.file('p', '')", { path: "p", content: "" }],
  ])("hand on the arguments that are meant: %s", { timeout: SLOW }, async (code, sent) => {
    expect((await tried.python(code)).arguments).toEqual(sent);
  });

  test("a misspelt name is an error with the nearest", { timeout: SLOW }, async () => {
    expect(await tried.python("odd.optional(limti=1)")).toContain("did you mean 'limit'?");
    expect(await tried.python("odd.chosen(a='1', b='2', bb=1)")).toContain("bb");
  });
});

test("the published schemas refuse what the check refuses", { timeout: SLOW }, async () => {
  const schemas = await tried.schemas();
  const closed = Object.keys(SCHEMAS).filter((name) => schemas[name].additionalProperties === false);
  expect(closed).toEqual(["inner", "mixed", "chosen", "file", "strict", "optional", "none", "user", "items"]);
  const { usage, notes } = await tried.call("tool_help", { path: "odd.user" });
  expect([usage, notes[0]]).toEqual(["odd.user(user_id_2, user_id)", 'user_id_2 is "user-id".']);
  expect((await tried.call("tool_help", { path: "odd.any" })).usage).toBe("odd.any(**arguments)");
  expect((await tried.call("tool_help", { path: "odd.mixed" })).usage).toBe("odd.mixed(a?, b?)");
});

test("names that help lists are accepted", { timeout: SLOW }, async () => {
  for (const tool of ["user", "items"]) {
    const { args } = await tried.call("tool_help", { path: `odd.${tool}` });
    const given = Object.fromEntries(args.map(({ name }: { name: string }) => [name, name]));
    const byRun = await tried.entries.run(tool, given);
    expect(byRun.error).toBeUndefined();
    expect((await tried.entries.exec(tool, given)).sent).toEqual(byRun.sent);
  }
});
