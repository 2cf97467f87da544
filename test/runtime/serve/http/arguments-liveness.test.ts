/**
 * Arguments that are costly to check by their schema: the check ends, says so, and another client is answered all the while.
 *
 * @module-tag full
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachCase } from "../../../support/each-case.js";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { generatedRoot, temporaryFolder } from "../../../support/project.js";
import { SLOW } from "../../../support/run/run-demo.js";
import { expectAlive, pingsDuring } from "../../../support/servers/liveness.js";

const many = <T>(count: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const list = (items: object) => ({ type: "array", items });
const text = (pattern: string) => list({ type: "string", pattern });
const PROPERTIES = {
  reference: text("(?!.*(.).*\\1)^[a-z]+$"),
  nested: text("^(a|aa)+$"),
  any: list({ anyOf: many(400, (k) => ({ type: "object", required: ["k"], properties: { k: { const: k } } })) }),
  one: list({ oneOf: many(400, (k) => ({ type: "object", required: [`z${k}`] })) }),
  objects: list({ enum: many(5000, (v) => ({ v })) }),
  texts: list({ enum: many(5000, (v) => `value${v}`) }),
};

const cleaning: (() => unknown)[] = [];
let server: HttpServed;
beforeAll(async () => {
  const folder = temporaryFolder((one) => void cleaning.push(one));
  const tool = { name: "list_a", description: "List.", parameters: { type: "object", properties: PROPERTIES } };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.json"), JSON.stringify([{ type: "function", function: tool }]));
  writeFileSync(join(folder, "toolwright.yaml"), "sources:\n  - chat-tools: a.json\n    pack: h\n");
  const root = await generatedRoot(folder, (one) => void cleaning.push(one));
  server = await serveHttp(root, [], (one) => void cleaning.push(one));
}, SLOW);
afterAll(async () => {
  for (const one of cleaning.reverse()) await one();
});

const called = async (args: object) =>
  JSON.parse((await raw(server.url, { path: "/api/exec", body: { op: "h.list_a", args } })).text);

/** The bound is generous: these took 10 to 48 s. */
const BOUNDS = { p99: 1500, worst: 3000 };
const TOO_MANY = /^1 argument needs attention: the arguments take too many steps to check\.$/;
const NOT_LISTED =
  /^501 arguments need attention: 15500 or more further findings are not listed; objects\[0\] is none of the allowed values; /;

eachCase<readonly [what: string, args: object, answer: RegExp]>(
  [
    ["a back-reference in 24,000 texts", { reference: many(24_000, () => "a".repeat(150)) }, TOO_MANY],
    ["a back-reference in 380 long texts", { reference: many(380, () => "a".repeat(10_000)) }, TOO_MANY],
    ["alternatives that overlap in 24,000 texts", { nested: many(24_000, () => `${"a".repeat(149)}!`) }, TOO_MANY],
    ["16,000 objects for the last of 400 alternatives", { any: many(16_000, () => ({ k: 399 })) }, TOO_MANY],
    ["16,000 objects for none of 400 alternatives", { any: many(16_000, () => ({ k: -1 })) }, TOO_MANY],
    ["16,000 objects for one of 400 alternatives", { one: many(16_000, () => ({ z399: 1 })) }, TOO_MANY],
    ["16,000 objects of an enum of 5,000", { objects: many(16_000, () => ({ v: -1 })) }, NOT_LISTED],
    ["40,000 texts of an enum of 5,000", { texts: many(40_000, () => "valve4999") }, TOO_MANY],
  ],
  "a back-reference in 24,000 texts",
  ...["16,000 objects for none of 400 alternatives", "40,000 texts of an enum of 5,000"],
)("the server answers others while it checks %s", { timeout: SLOW, retry: 2 }, async (_what, args, answer) => {
  const answers = new Set<string>();
  const seen = await pingsDuring({ url: server.url, pid: server.child.pid }, async () => {
    answers.add((await called(args)).error.message);
  });
  expectAlive(seen, BOUNDS);
  expect([...answers]).toEqual([expect.stringMatching(answer)]);
});

test.each<readonly [what: string, args: object]>([
  ["1,000 texts with a back-reference in the pattern", { reference: many(1000, () => "abcdefgh") }],
  ["1,000 texts of alternatives that overlap", { nested: many(1000, () => "a".repeat(100)) }],
  ["200 objects for 400 alternatives", { any: many(200, (k) => ({ k })) }],
  ["100 objects of an enum of 5,000", { objects: many(100, (v) => ({ v })) }],
  ["16,000 objects of an enum of 5,000", { objects: many(16_000, () => ({ v: 4999 })) }],
  ["1,000 texts of an enum of 5,000", { texts: many(1000, (v) => `value${v}`) }],
])("%s are checked to the end", { timeout: SLOW }, async (_what, args) => {
  expect((await called(args)).error.message).toContain("has no handler");
});

test("what is repaired is found in a large enum as before", { timeout: SLOW }, async () => {
  const answer = await called({ texts: ["VALUE7", "wrong"] });
  expect(answer.meta.warnings).toEqual(['enum_alias: texts[0] "VALUE7" was read as value7']);
  expect(answer.error.message).toContain("texts[1] is none of the allowed values");
});
