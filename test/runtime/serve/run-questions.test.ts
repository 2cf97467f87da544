/** The questions that a paused run has for a client. */

import { expect, test } from "vitest";
import type { InputRequired } from "../../../runtime/call/client-access.js";
import { EVERY_OP } from "../../../runtime/catalog/advice.js";
import type { PausedRun } from "../../../runtime/gateway/caller-runs.js";
import type { WaitingCall } from "../../../runtime/run/kept/waiting-calls.js";
import { decisionsIn, opensPage, questionsOf } from "../../../runtime/serve/run-questions.js";

const call = (change: Partial<WaitingCall> = {}): WaitingCall => ({
  ...{ id: "ap_1", run: "run_1", kind: "approval", caller: "local", call: "1", op: "a.b", args: { x: 1 } },
  ...{ rule: "approve[0]", by: ["elicitation", "cli"], asked_at: "", expires_at: "" },
  ...change,
});
const run = (waiting: readonly WaitingCall[], change: Partial<PausedRun> = {}): PausedRun => ({
  ...{ id: "run_1", can: EVERY_OP, waiting, text: "Paused", page: "https://tools.example.com/#/approvals/run_1" },
  ...change,
});
type Elicitation = InputRequired["capabilities"]["elicitation"];
const client = (elicitation: Elicitation) => ({ capabilities: elicitation ? { elicitation } : {} });
const kinds = (paused: PausedRun, elicitation: Elicitation) =>
  questionsOf(paused, client(elicitation)).map(({ kind }) => kind);

const BOTH = call({ by: ["elicitation", "console"] });
const OTHER = call({ id: "ap_2", by: ["console", "cli"] });

test.each<readonly [what: string, paused: PausedRun, elicitation: Elicitation, expected: readonly string[]]>([
  ["a client without elicitation is asked nothing", run([call()]), undefined, []],
  ["one that names no modes shows forms", run([call()]), {}, ["form"]],
  ["forms are for calls whose rule lists elicitation", run([OTHER]), { form: {} }, []],
  ["the page is for the other calls", run([call(), OTHER]), { form: {}, url: {} }, ["form", "page"]],
  ["no page is needed if forms ask about all", run([call()]), { form: {}, url: {} }, ["form"]],
  ["the page is for calls whose forms the client does not show", run([BOTH]), { url: {} }, ["page"]],
  ["no page is for calls that the console does not decide", run([call()]), { url: {} }, []],
  ["a server without a URL has no page", run([OTHER], { page: undefined as never }), { url: {} }, []],
  ["a form shows all arguments or none", run([call({ args: { x: "x".repeat(2000) } })]), { form: {} }, []],
  ["an outcome is said elsewhere", run([call({ kind: "outcome", by: ["console", "cli"] })]), { form: {} }, []],
])("a paused run asks what it may: %s", (_, paused, elicitation, expected) => {
  expect(kinds(paused, elicitation)).toEqual(expected);
});

test("a form shows unprintable characters as what they are", () => {
  const [question] = questionsOf(run([call({ args: { x: "a\u202eb" } })]), client({}));
  expect(question?.request.params["message"]).toContain('{"x":"a\\u202eb"}');
});

test("only a choice in a form that was shown decides", () => {
  const accept = (content: object) => ({ action: "accept", content });
  const answers = {
    ap_1: accept({ decision: "approve" }),
    ap_2: accept({ decision: "reject", reason: `${"x".repeat(1001)}` }),
    ap_3: accept({ decision: "APPROVE" }),
    ap_4: { action: "decline", content: { decision: "approve" } },
    ap_5: accept({}),
    ap_6: "approve",
    ap_7: accept({ decision: "approve" }),
  };
  expect(decisionsIn(answers, ["ap_1", "ap_2", "ap_3", "ap_4", "ap_5", "ap_6", "ap_8", "toString"])).toEqual([
    { id: "ap_1", status: "approved", reason: "" },
    { id: "ap_2", status: "rejected", reason: "x".repeat(1000) },
  ]);
});

test("a user goes to the page if they accept", () => {
  expect(opensPage({ page_1: { action: "accept" } })).toBe(true);
  expect(opensPage({ page_1: { action: "decline" }, ap_1: { action: "accept" } })).toBe(false);
});
