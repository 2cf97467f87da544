/** Learned types of results in TypeScript: their keys are known, nothing of the values, and they refuse no program. */

import { afterAll, expect, test } from "vitest";
import type { LearnedResult } from "../../../runtime/contract/registry.js";
import type { CodeFinding, Program, Scope } from "../../../runtime/run/languages/language.js";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { LIMITS } from "../../../test/support/run/python.js";
import { TYPESCRIPT } from "../language.js";

const SLOW = 120_000;
const learned = (more: Partial<LearnedResult> = {}): LearnedResult => ({
  ...{ level: "locked", calls: "30+", news: "≤1%" },
  schema: {
    type: "object",
    properties: {
      items: {
        type: "array",
        items: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      },
      total: { type: "integer" },
      owner: { anyOf: [{ type: "object", properties: { name: { type: "string" } } }, { type: "null" }] },
    },
    required: ["items", "total"],
  },
  ...more,
});
const signatureOf = (name: string) => ({
  python: "",
  typescript: `shop.book.${name}(args?: { page?: number }): Promise<unknown>`,
});
const book = (name: string, learned_result: LearnedResult) =>
  toolOf({
    ...{
      op: `shop.book.${name}`,
      tool: `${name}_books`,
      kind: "read",
      extra: { learned_result, signature: signatureOf(name) },
    },
    schema: { type: "object", properties: { page: { type: "integer" } } } as never,
  });
const SCOPE: Scope = {
  ops: [book("list", learned()), book("find", learned({ level: "hint" })), book("pinned", learned({ pinned: true }))],
  ...{ hidden: new Set<string>(), projects: new Map() },
  names: { aliases: new Map(), packs: new Set(["shop"]), bare: new Map() },
};

const interpreter = TYPESCRIPT.open("/nowhere");
afterAll(() => interpreter.close());

async function adviceOn(code: string): Promise<readonly CodeFinding[]> {
  const bounds = { limits: { ...LIMITS, cpuMs: 20_000 } };
  const program = await interpreter.read("code", code, SCOPE, bounds);
  expect(program).toMatchObject({ kind: "program" });
  // A busy machine has given no answer in time.
  return (await interpreter.check(program as Program, SCOPE, bounds)) ?? adviceOn(code);
}

const LIST = "const { items, total, owner } = await shop.book.list({ page: 1 });\n";

test.each([
  [
    "a key",
    "(await shop.book.list()).itms",
    "results of shop.book.list() have no known key 'itms' (30+ calls seen so far); did you mean 'items'?",
  ],
  [
    "a key of a list",
    `${LIST}items[0].titel`,
    "results of shop.book.list() have no known key 'titel' (30+ calls seen so far); did you mean 'title'?",
  ],
  [
    "a key of a part that may be null",
    `${LIST}owner.nam`,
    "results of shop.book.list() have no known key 'nam' (30+ calls seen so far); did you mean 'name'?",
  ],
  [
    "a name that is taken out",
    "const { count } = await shop.book.list();\ncount",
    "results of shop.book.list() have no known key 'count' (30+ calls seen so far)",
  ],
  [
    "a key of a type that a person wrote",
    "(await shop.book.pinned()).itms",
    "results of shop.book.pinned() have no known key 'itms' (its type is written by a person); did you mean 'items'?",
  ],
])("%s that no call had is advice", { timeout: SLOW }, async (_what, code, message) => {
  expect(await adviceOn(code)).toEqual([
    { line: code.split("\n").length - (code.includes("count") ? 1 : 0), message, is_learned: true },
  ]);
});

test.each([
  ["values of any kind", `${LIST}total.toFixed(2); total.length; items[0].title * 2`],
  ["null and absent keys", `${LIST}if (owner === null || items === undefined) 1; owner?.name ?? total ?? 2`],
  ["arguments of other calls", `${LIST}await shop.book.list({ page: total })`],
  ["keys that look like data", "(await shop.book.list()).sha256"],
  ["a key that the program sets", "const all = await shop.book.list();\nall.extra = 1;\nall.extra"],
  ["a hint", "(await shop.book.find()).itms"],
])("nothing is said of %s", { timeout: SLOW }, async (_what, code) => {
  expect(await adviceOn(code)).toEqual([]);
});

test("declarations for an editor have the keys", () => {
  const types = interpreter.types?.(SCOPE) ?? "";
  expect(types).toContain("interface Learned$shop$book$list$$3 { ");
  expect(types).toMatch(/list\(args\?: \{ page\?: number \}\): Promise<Learned\$shop\$book\$list\$\$3>;/);
  expect(types).toMatch(/find\(args\?: \{ page\?: number \}\): Promise<any>;/);
});
