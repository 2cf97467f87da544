/** Request state of servers that clients of the newer protocol carry from one call to the next. */

import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginInputRequired, type NotedCall } from "../../../../runtime/serve/mcp/input-required.js";

const gateway = { sealingKey: async () => "k".repeat(43) };
const call: NotedCall = { principal: { id: "anna" }, name: "tool_exec", input: { op: "a.b", args: { x: 1, y: 2 } } };

const context = (requestState?: string, capabilities: object = { roots: {} }): ServerContext =>
  ({
    mcpReq: {
      envelope: { [CLIENT_CAPABILITIES_META_KEY]: capabilities },
      inputResponses: { who: {} },
      requestState: () => requestState,
    },
  }) as unknown as ServerContext;

/** The note of a server, as a client gets it. */
async function sealed(note = "the note", from: NotedCall = call): Promise<string> {
  const round = await beginInputRequired(gateway, context(), from);
  round?.end({ kind: "asks", inputRequests: { who: { method: "roots/list" } }, requestState: note });
  const outcome = await round?.outcome();
  expect(outcome).toMatchObject({ resultType: "input_required", inputRequests: { who: { method: "roots/list" } } });
  return String(outcome?.requestState ?? "");
}
const given = async (state: string, to: NotedCall = call, by: typeof gateway = gateway) =>
  (await beginInputRequired(by, context(state), to))?.given;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

test("the same call gets its state back, for any order of its arguments", async () => {
  const state = await sealed();
  expect(await given(state)).toEqual({ inputResponses: { who: {} }, requestState: "the note" });
  const input = { args: { y: 2, x: 1 }, op: "a.b" };
  expect(await given(state, { ...call, input })).toMatchObject({ requestState: "the note" });
});

test("another caller, tool, argument, key or time, or a changed note is refused alike", async () => {
  const state = await sealed();
  const refused = { code: -32602, message: "Invalid or expired requestState" };
  const others: readonly NotedCall[] = [
    { ...call, principal: { id: "ben" } },
    { ...call, name: "tool_batch" },
    { ...call, input: { op: "a.b", args: { x: 1, y: 3 } } },
    { ...call, input: undefined },
  ];
  for (const other of others) await expect(given(state, other)).rejects.toMatchObject(refused);
  await expect(given(state, call, { sealingKey: async () => "l".repeat(43) })).rejects.toMatchObject(refused);
  for (const changed of ["", "the note", `${state}x`, state.replace(/^(.{8})./, "$1_"), state.slice(0, -4)])
    await expect(given(changed)).rejects.toMatchObject(refused);
  vi.setSystemTime(Date.now() + 599_000);
  expect(await given(state)).toMatchObject({ requestState: "the note" });
  vi.setSystemTime(Date.now() + 3_000);
  await expect(given(state)).rejects.toMatchObject(refused);
});

function lacks(requiredCapabilities: object): object {
  return { code: -32_021, data: { requiredCapabilities } };
}

test("a call that has a result has no outcome but that, and nothing is sealed where nothing is noted", async () => {
  const round = await beginInputRequired(
    { sealingKey: () => Promise.reject(new Error("not needed")) },
    context(),
    call,
  );
  expect(await round?.outcome()).toBeUndefined();
  const inputRequests = { where: { method: "roots/list" } };
  round?.end({ kind: "asks", inputRequests, requestState: undefined });
  expect(await round?.outcome()).toEqual({ resultType: "input_required", inputRequests });
});

test.each([
  ["nothing", {}, { code: -32_603 }],
  ["what is no question", { a: 1 }, { code: -32_603 }],
  ["what the protocol does not have", { a: { method: "tools/list" } }, { code: -32_603 }],
  ["a form", { a: { method: "elicitation/create" } }, lacks({ elicitation: { form: {} } })],
  ["a page", { a: { method: "elicitation/create", params: { mode: "url" } } }, lacks({ elicitation: { url: {} } })],
  ["a model", { a: { method: "sampling/createMessage" } }, lacks({ sampling: {} })],
  [
    "a model with tools",
    { a: { method: "sampling/createMessage", params: { tools: [] } } },
    lacks({ sampling: { tools: {} } }),
  ],
])("a client that declares roots is not asked for %s", async (_, inputRequests, error) => {
  const round = await beginInputRequired(gateway, context(), call);
  round?.end({ kind: "asks", inputRequests, requestState: undefined });
  await expect(round?.outcome()).rejects.toMatchObject(error);
});

test("a missing capability of the client is reported as the protocol specifies", async () => {
  const round = await beginInputRequired(gateway, context(), call);
  expect(round?.capabilities).toEqual({ roots: {} });
  round?.end({ kind: "lacks", requiredCapabilities: { sampling: {} } });
  await expect(round?.outcome()).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { sampling: {} } },
  });
});

test("a client of an older protocol has no rounds", async () => {
  const { mcpReq } = context("x");
  const older = { mcpReq: { ...mcpReq, envelope: undefined } } as unknown as ServerContext;
  expect(await beginInputRequired(gateway, older, call)).toBeUndefined();
});
