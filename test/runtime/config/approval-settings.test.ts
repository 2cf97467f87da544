/** The rules of `approve`: which calls they are about, their conditions, and what is wrong with one. */

import { expect, test } from "vitest";
import {
  type ApprovalRule,
  type ApproveEntry,
  approvalRulesOf,
  withConditions,
} from "../../../runtime/config/approval-settings.js";
import type { JsonObject } from "../../../runtime/contract/registry.js";

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
});
