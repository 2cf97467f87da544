/** Runs that ask a client of the newer protocol: what a state is good for, and who decides what, on both databases. */

import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import { afterEach, expect, test, vi } from "vitest";
import type { Principal } from "../../../runtime/contract/handler.js";
import type { ApproveEntry } from "../../../runtime/contract/settings/entries.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import { showRun } from "../../../runtime/run/kept/run-table.js";
import { answerRun } from "../../../runtime/serve/answer-run.js";
import { beginInputRequired } from "../../../runtime/serve/mcp/input-required.js";
import type { Json } from "../../support/project.js";
import { handler, principal } from "../gateway/fixture.js";
import { DELETE, onBoth, SLOW } from "../run/kept/databases.js";

const LIMIT = { timeout: SLOW };
const RULES: readonly ApproveEntry[] = [{ ops: ["onto.*.delete"], by: ["elicitation", "cli"] }];
const APPROVE = { action: "accept", content: { decision: "approve" } };
const REFUSED = { code: -32602, message: "Invalid or expired requestState" };

interface Sent {
  readonly command?: string;
  readonly state?: string | undefined;
  readonly responses?: Json;
  readonly who?: Principal;
}

/** One call of `run` by a client that shows forms; what it is answered on the wire. */
async function called(
  gateway: Gateway,
  { command = DELETE, state, responses, who = principal() }: Sent,
): Promise<Json> {
  const context = {
    mcpReq: {
      envelope: { [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} } },
      inputResponses: responses,
      requestState: () => state,
    },
  } as unknown as ServerContext;
  const input = { command };
  const inputRequired = await beginInputRequired(gateway, context, { principal: who, name: "run", input });
  const single = { inputRequired, arrived: 0 };
  const { value, isError, notes } = await answerRun({ gateway, principal: who, input, hooks: {}, single });
  const text = { text: value, isError, ...(notes === undefined ? {} : { notes }) };
  return (await inputRequired?.outcome()) ?? text;
}

const all = (asked: Json, answer: Json = APPROVE): Json =>
  Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, answer]));

afterEach(() => void vi.useRealTimers());

onBoth((at) => {
  const asked = async (given: Json = {}, command = DELETE) => {
    const { gateway } = at.server({ approve: RULES, ...given });
    const question = await called(gateway, { command });
    expect(question).toMatchObject({ resultType: "input_required" });
    return { gateway, question, state: question.requestState as string };
  };
  const idOf = async () => (await at.runs())[0]?.id ?? "";

  test(
    "a form is shown with the call and its arguments; the answer approves it, and ends with the result",
    LIMIT,
    async () => {
      const { gateway, question, state } = await asked();
      const [[key, request]] = Object.entries(question.inputRequests) as [[string, Json]];
      expect(key).toMatch(/^ap_[0-9a-f]{16}$/);
      expect(request.method).toBe("elicitation/create");
      expect(request.params.message).toContain('asks to call onto.task.delete {"task_id":"task_1"}');
      expect(await called(gateway, { state, responses: { [key]: APPROVE } })).toEqual({
        text: "task_1",
        isError: false,
      });
      expect(at.sent).toEqual(["task_1"]);
    },
  );

  test("what was said of the program before the question is in the answer after it", LIMIT, async () => {
    const handlers = {
      "onto.task.list": handler(async () => ({ items: [{ id: "a" }], pagination: { total: 7 } })),
      "onto.task.create": handler(async () => ({ task: { id: "task_9" } })),
    };
    const command = `onto.task.list()\nonto.task.create(project_id="proj_1", title="a")\n${DELETE}`;
    const { gateway, question, state } = await asked({ handlers }, command);
    const declined = await called(gateway, { command, state, responses: all(question, { action: "decline" }) });
    expect(declined).toMatchObject({
      isError: true,
      text: expect.stringContaining("\nAlready written: line 2 onto.task.create -> task_9\n"),
      notes: expect.stringContaining("answered 1 of 7"),
    });
    const again = await asked({ handlers }, command);
    const sent = { command, state: again.state, responses: all(again.question) };
    const { text, notes } = await called(again.gateway, sent);
    expect(text).toBe("task_1");
    expect(notes).toMatch(/^Note: onto\.task\.list answered 1 of 7[^\n]*$/);
  });

  test("another server goes on with the state of one that has ended", { ...LIMIT, tags: "slow" }, async () => {
    const { gateway, question, state } = await asked();
    await gateway.close();
    const other = at.server({ approve: RULES }).gateway;
    expect(await called(other, { state, responses: all(question) })).toMatchObject({ text: "task_1" });
  });

  test(
    "a call without responses is asked again, and gets the answer once somebody else has decided",
    LIMIT,
    async () => {
      const { gateway, question, state } = await asked();
      const again = await called(gateway, { state });
      expect(again.inputRequests).toEqual(question.inputRequests);
      expect(again.requestState).not.toBe(state);
      await at.decidedOnly(await idOf());
      expect(await called(gateway, { state: again.requestState })).toEqual({ text: "task_1", isError: false });
      expect(at.sent).toEqual(["task_1"]);
    },
  );

  test("a state is good for one call, at whichever server; the run is not harmed", LIMIT, async () => {
    const { gateway, question, state } = await asked();
    const other = at.server({ approve: RULES }).gateway;
    const sent = { state, responses: all(question) };
    const made = await Promise.allSettled([called(gateway, sent), called(other, sent)]);
    expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(made.find(({ status }) => status === "rejected")).toMatchObject({ reason: REFUSED });
    await expect(called(gateway, sent)).rejects.toMatchObject(REFUSED);
    expect(at.sent).toEqual(["task_1"]);
  });

  test(
    "a forged state, another caller, other code or no state at all is refused, and nothing is run",
    LIMIT,
    async () => {
      const { gateway, question, state } = await asked();
      const responses = all(question);
      const others: readonly Sent[] = [
        { state: `${state.slice(0, -6)}AAAAAA` },
        { state: state.replace(/^(.{8})./, "$1_") },
        { state, who: principal({ id: "ben" }) },
        { state, command: 'onto.task.delete(task_id="task_2")' },
        { state: undefined },
      ];
      for (const other of others) await expect(called(gateway, { responses, ...other })).rejects.toMatchObject(REFUSED);
      expect(at.sent).toEqual([]);
      expect(await at.runs()).toHaveLength(1);
    },
  );

  test("the handle works after the seal has expired", { ...LIMIT, tags: "slow" }, async () => {
    const { gateway, question, state } = await asked();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
    await expect(called(gateway, { state, responses: all(question) })).rejects.toMatchObject(REFUSED);
    const id = await idOf();
    expect(at.sent).toEqual([]);
    await at.decidedOnly(id);
    expect(await gateway.resume(id, principal())).toMatchObject({ text: "task_1" });
  });

  test("calls of one gather are asked together; a choice in a form decides, nothing else does", LIMIT, async () => {
    const ids = [1, 2, 3].map((n) => `onto.task.delete(task_id="task_${n}")`).join(", ");
    const command = `import asyncio\n[type(one).__name__ for one in await asyncio.gather(${ids}, return_exceptions=True)]`;
    const { gateway } = at.server({ approve: RULES });
    let question = await called(gateway, { command });
    // A busy machine may pause before all of them are made: the others follow.
    for (let n = 0; n < 3 && Object.keys(question.inputRequests).length < 3; n++) {
      await gateway.resume(await idOf(), principal());
      question = await called(gateway, { command, state: question.requestState });
    }
    const [first, second, third] = Object.keys(question.inputRequests);
    const responses = {
      [first ?? ""]: APPROVE,
      [second ?? ""]: { action: "accept", content: { decision: "reject", reason: "still needed" } },
      [third ?? ""]: { action: "accept", content: { decision: "yes" } },
      ap_0000000000000000: APPROVE,
    };
    const told = await called(gateway, { command, state: question.requestState, responses });
    expect(told.text).toMatch(/^Paused run_\w+: 1 call waits for approval\n/);
    expect(at.sent).toEqual([]);
    const id = await idOf();
    const details = await at.state.transaction("read", (tx) => showRun(tx, id, at.now.at));
    const said = { decided_by: "local by elicitation" };
    expect(details?.approvals).toMatchObject([
      { status: "approved", ...said },
      { status: "rejected", reason: "still needed", ...said },
      { status: "waiting", decided_by: null },
    ]);
  });

  test("an answer to an earlier question does not count when another rule has asked again", {
    ...LIMIT,
    tags: "slow",
  }, async () => {
    const { gateway, question, state } = await asked();
    await gateway.close();
    const approve = [{ ops: ["*.delete"], by: ["elicitation", "cli"] }] as const;
    const other = at.server({ approve }).gateway;
    await other.resume(await idOf(), principal());
    const again = await called(other, { state, responses: all(question) });
    expect(again.resultType).toBe("input_required");
    expect(Object.keys(again.inputRequests)).not.toEqual(Object.keys(question.inputRequests));
    expect(at.sent).toEqual([]);
    expect(await called(other, { state: again.requestState, responses: all(again) })).toMatchObject({ text: "task_1" });
  });

  test("a client is asked ten times in one call, then told what waits", { ...LIMIT, tags: "slow" }, async () => {
    const command = 'for n in range(12):\n  onto.task.delete(task_id=f"task_{n}")';
    const { gateway } = at.server({ approve: RULES });
    let answer = await called(gateway, { command });
    let rounds = 0;
    for (; answer.resultType === "input_required"; rounds++)
      answer = await called(gateway, { command, state: answer.requestState, responses: all(answer) });
    expect(rounds).toBe(10);
    expect(answer.text).toMatch(/^Paused run_\w+: 1 call waits for approval\n11: /);
    expect(at.sent).toHaveLength(10);
  });

  test("only the caller decides, and only where the rule lists elicitation", LIMIT, async () => {
    const answersOf = async (gateway: Gateway, who: Principal) => {
      const id = await idOf();
      const paused = await gateway.callerRuns.paused(id, principal());
      const answers = paused?.waiting.map((call) => ({ id: call.id, status: "approved" as const, reason: "" }));
      await gateway.callerRuns.decide(id, answers ?? [], who);
      return (await gateway.callerRuns.paused(id, principal()))?.waiting.length ?? 0;
    };
    const { gateway } = await asked();
    for (const who of [principal({ id: "ben" }), principal({ kind: "key" })])
      expect(await answersOf(gateway, who)).toBe(1);
    expect(await answersOf(gateway, principal())).toBe(0);
    await at.clear();
    const other = at.server().gateway;
    expect(await called(other, {})).toMatchObject({ text: expect.stringMatching(/^Paused run_/) });
    expect(await answersOf(other, principal())).toBe(1);
  });
});
