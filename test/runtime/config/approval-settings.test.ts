/** The rules of `approve`: which calls they are about, their conditions, and what is wrong with one. */

import { expect, test } from "vitest";
import { type ApprovalRule, approvalRulesOf, withConditions } from "../../../runtime/config/approval-settings.js";
import type { JsonObject } from "../../../runtime/contract/registry.js";
import type { ApproveEntry } from "../../../runtime/contract/settings/entries.js";

const rulesOf = async (...entries: readonly ApproveEntry[]): Promise<readonly ApprovalRule[]> =>
  withConditions(approvalRulesOf(entries, (index) => `toolwright.yaml:${index + 1}:1`));

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const tool = (op: string, destructiveHint = false) => ({ op, annotations: { ...hints, destructiveHint } });

/** The names of the rules that apply to a call, in order. */
async function applying(entries: readonly ApproveEntry[], op: string, args: JsonObject = {}, isDestructive = false) {
  const rules = await rulesOf(...entries);
  return rules
    .filter(({ selects, fits }) => selects(tool(op, isDestructive), "anna") && (fits?.(args) ?? true))
    .map(({ name }) => name);
}

test("all selectors of a rule must fit", async () => {
  const entries: readonly ApproveEntry[] = [
    { ops: ["billing.*"], destructive: true },
    { destructive: true },
    { destructive: false },
    { kind: "write", unless: { callers: ["anna"] } },
    { kind: "write" },
  ];
  expect(await applying(entries, "billing.pay", {}, true)).toEqual(["approve[0]", "approve[1]", "approve[4]"]);
  expect(await applying(entries, "billing.pay")).toEqual(["approve[2]", "approve[4]"]);
  expect(await applying(entries, "mail.send", {}, true)).toEqual(["approve[1]", "approve[4]"]);
});

test.each([
  ["an argument by name", { amount: { minimum: 100 } }, { amount: 100 }, { amount: 99 }],
  ["a value that is no number waits", { amount: { minimum: 100 } }, { amount: "all" }, { amount: 1 }],
  ["an argument that is left out waits", { amount: { minimum: 100 } }, {}, { amount: 1 }],
  ["a whole schema", { properties: { to: { pattern: "@" } }, required: ["to"] }, { to: "a@b" }, {}],
  ["a keyword alone", { required: ["force"] }, { force: false }, {}],
  ["an argument called as a keyword", { title: { const: "x" } }, { title: "x" }, { title: "y" }],
  ["arguments called as keywords", { type: { const: "a" }, required: { const: 1 } }, { type: "a" }, { required: 2 }],
  ["an argument called as a keyword of other values", { items: { minItems: 2 } }, { items: [1, 2] }, { items: [] }],
  ["an argument called enum", { enum: { enum: ["a"] } }, { enum: "a" }, { enum: "b" }],
  ["an argument below properties", { properties: { const: { const: 1 } } }, { const: 1 }, { const: 2 }],
  ["an argument called properties", { properties: { properties: { const: 1 } } }, { properties: 1 }, { properties: 2 }],
  ["keywords that combine schemas", { not: { properties: { to: { const: "a" } } } }, { to: "b" }, { to: "a" }],
  ["alternatives", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }, { b: 1 }, { c: 1 }],
  ["branches", { if: { required: ["a"] }, else: false }, { a: 1 }, {}],
  ["a format", { to: { type: "string", format: "email" } }, { to: "a@b.example" }, { to: "b" }],
])("a condition: %s", async (_, when, waits, passes) => {
  expect(await applying([{ kind: "write", when }], "a.b", waits)).toEqual(["approve[0]"]);
  expect(await applying([{ kind: "write", when }], "a.b", passes)).toEqual([]);
});

test.each([
  ["an invalid schema", { amount: { minimum: "much" } }, /approve\[0\]\.when is no valid JSON Schema.*minimum/],
  ["an unknown keyword", { amount: { minimun: 1 } }, /approve\[0\]\.when is no valid JSON Schema.*minimun/],
  ["arguments beside keywords", { amount: { minimum: 1 }, required: ["a"] }, /mixes the keyword required.*with amount/],
  ["a pattern that some texts make slow", { to: { pattern: "^(a+)+$" } }, /has the pattern \^\(a\+\)\+\$/],
  ["a pattern that is none", { to: { pattern: "(" } }, /no valid JSON Schema/],
  ["a reference to nothing", { to: { $ref: "#/$defs/none" } }, /no valid JSON Schema/],
  ["no condition", {}, /is empty/],
  [
    "a number that is not exact",
    { id: { const: 2 ** 60 } },
    /compares with a number of about 1152921504606847000, which/,
  ],
  [
    "one below a keyword",
    { not: { properties: { id: { enum: [1, -(2 ** 53)] } } } },
    /beyond 9007199254740991 are rounded/,
  ],
  [
    "a value of all arguments",
    { const: { amount: 5 } },
    /\.when has const, which may be .*write properties: \{ const: /,
  ],
  [
    "a keyword or an argument",
    { not: { const: 5 } },
    /\.when has not, which may be a keyword of JSON Schema or an argu/,
  ],
  ["short forms below a keyword", { anyOf: [{ amount: { minimum: 1 } }] }, /has anyOf with a value that says nothing/],
  ["properties that are no schemas", { properties: { type: "string" } }, /has properties, which may be a keyword/],
  ["a type that arguments never have", { type: "string" }, /has type with a value that says nothing about arguments/],
  ["values of all arguments", { enum: ["a", "b"] }, /has enum with a value that says nothing about arguments/],
  ["an annotation", { title: "Payments" }, /has title only, which any arguments fit: .*title: \{ const: … \}/],
  ["a type that arguments always have", { type: "object" }, /has type only, which any arguments fit/],
  ["a value in place of a schema", { force: true }, /compares force with true: write force: \{ const: true \}/],
  ["a number in place of a schema", { minimum: 5 }, /compares minimum with 5: write minimum: \{ const: 5 \}/],
])("%s is refused at its place", async (_, when, message) => {
  const error = await rulesOf({ kind: "write", when }).catch(String);
  expect(error).toMatch(message);
  expect(error).toContain("toolwright.yaml:1:1");
});

test("who may decide, and how long", async () => {
  const [plain, all] = await rulesOf({ kind: "write" }, { kind: "write", by: ["elicitation", "cli"], expires: "2h" });
  expect(plain).toMatchObject({ by: ["console", "cli"], expiresMs: 86_400_000 });
  expect(all).toMatchObject({ by: ["elicitation", "cli"], expiresMs: 7_200_000 });
  for (const by of [[], ["elicitation"]] as const)
    await expect(rulesOf({ kind: "write", by })).rejects.toThrow("names nobody who can decide");
  await expect(rulesOf({ kind: "write", expires: "8d" })).rejects.toThrow("up to 7d");
  for (const unless of [{}, { callers: [] }])
    await expect(rulesOf({ kind: "write", unless })).rejects.toThrow("unless names no caller");
});
