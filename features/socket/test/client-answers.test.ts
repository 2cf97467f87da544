/** Calls of remote tools: answers, time limits and cancellations, also with a hostile server. */

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import type { Json } from "../../../test/support/project.js";
import { runs } from "../../../test/support/random.js";
import {
  type Answers,
  farTool,
  type Peer,
  refusal,
  said,
  startPeer,
} from "../../../test/support/servers/socket-peer.js";
import { LINK_TIMES, waitBefore } from "../link.js";
import { openRemoteClient, type RemoteClient, type RemoteClientOptions } from "../remote-client.js";
import { acceptListedTools, callerTools } from "../remote-tools.js";

const KEY = `oub_abcdefghij_${"k".repeat(43)}`;
const open = new Set<RemoteClient>();
afterEach(() => {
  for (const one of open) one.close();
  open.clear();
});

const soon = { timeout: 20_000, interval: 10 };
const READ = "oubliette_project_list";
const WRITE = "oubliette_project_create";
const tools = [farTool("project_list"), farTool("project_create", { annotations: {} })];

/** A client's end whose tools are listed; `answer` is what calls get. */
async function connected(answer: Answers[string], more: Partial<RemoteClientOptions> = {}, listed = tools) {
  const peer = await startPeer({
    oubliette_tools: () => ({ tools: listed }),
    oubliette_call_tool: answer,
    ping: () => ({}),
  });
  const warn = vi.fn();
  const times = { firstMs: 20, longestMs: 80, ...more.times };
  const far = openRemoteClient({
    ...{ path: peer.path, key: KEY, view: "ops", waitMs: 20_000, log: { ...silentLog, warn } },
    ...more,
    times,
  });
  open.add(far);
  await far.ready();
  const call = async (name: string, input: unknown = {}, signal = new AbortController().signal): Promise<Json> =>
    far.find(name)?.(input, { signal, meta: {} });
  return { peer, far, call, warn };
}

const calls = (peer: Peer): readonly Json[] => peer.received.filter(({ method }) => method === "oubliette_call_tool");

describe("answers", () => {
  test("[E1] a result is passed on as it is, and the call carries key, tool, arguments and deadline", async () => {
    const result = {
      content: [{ type: "text", text: "[1]" }],
      structuredContent: { deep: { list: [1, null, "x"] }, "odd-name": true },
      isError: false,
    };
    const { peer, call } = await connected(() => result);
    expect(await call(READ, { limit: 3 })).toEqual(result);
    expect(calls(peer)[0]).toMatchObject({
      jsonrpc: "2.0",
      params: { api_key: KEY, tool: "project_list", arguments: { limit: 3 }, timeout_ms: 60_000 },
    });
  });

  test("[E12] a tool that failed stays isError with what it said", async () => {
    const failed = { content: [{ type: "text", text: "no" }], structuredContent: { ok: false }, isError: true };
    const { call } = await connected(() => failed);
    expect(await call(WRITE)).toEqual(failed);
  });

  test.each([
    [-32000, "CONFLICT", { code: "CONFLICT", help_path: "oubliette.project.create" }],
    [-32000, "INTERNAL", { code: "no such code" }],
    [-32001, "UNAUTHENTICATED", undefined],
    [-32002, "PERMISSION_DENIED", { help_path: "root" }],
    [-32602, "VALIDATION_ERROR", { field_errors: [{ path: "name" }], did_you_mean: "project_list" }],
    [-32602, "NOT_FOUND", { code: "NOT_FOUND" }],
    [-32000, "NOT_FOUND", { code: "NOT_FOUND", details: { kind: "project", id: "prj_x" } }],
    [-32603, "INTERNAL", { code: "INTERNAL", trace_id: "tr_1" }],
    [-32601, "INTERNAL", undefined],
  ])("[E12] the error %i is %s for the agent, with all that its data says", async (number, code, data) => {
    const { call } = await connected(() => refusal(number, "it says why", data));
    const answer = await call(WRITE);
    expect(answer.isError).toBe(true);
    expect(answer.content).toEqual([{ type: "text", text: `${code}: it says why` }]);
    const { error, meta, ...rest } = answer.structuredContent;
    expect(rest).toEqual({ op: WRITE, ok: false });
    const { code: _, help_path = "root", trace_id, details: inner, ...outer } = (data ?? {}) as Json;
    const details = { ...inner, ...outer };
    expect(error).toEqual({ code, message: "it says why", details, help_path });
    expect(meta.trace_id).toEqual(trace_id ?? expect.any(String));
  });

  test.each([
    [null],
    [[]],
    ["text"],
    [{}],
    [{ content: "text" }],
    [{ content: [{ type: "text" }] }],
    [{ content: [{ type: "film", text: "x" }] }],
    [{ content: [], structuredContent: [] }],
    [{ content: [], structuredContent: JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) }],
  ])("an answer that is no result of a tool is INTERNAL: %j".slice(0, 58), async (result) => {
    const { call } = await connected((_, peer, id) => peer.send({ id, result }));
    expect(await call(WRITE)).toMatchObject({ isError: true, structuredContent: { error: { code: "INTERNAL" } } });
  });

  test.each([{}, null, 5, { code: "x" }, { message: 7, data: [] }, { code: -32000, data: { code: {} } }])(
    "an error of any form is an error: %j",
    async (error) => {
      const { call } = await connected((_, peer, id) => peer.send({ id, error }));
      const answer = await call(WRITE);
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "INTERNAL" } } });
    },
  );

  test("a read is tried once more after RATE_LIMITED, when it is asked to; a write is not", async () => {
    const { peer, call } = await connected(() =>
      refusal(-32000, "slow down", { code: "RATE_LIMITED", retry_after_ms: 1 }),
    );
    expect((await call(READ)).structuredContent.error.code).toBe("RATE_LIMITED");
    expect(calls(peer).length).toBe(2);
    expect((await call(WRITE)).structuredContent.error.code).toBe("RATE_LIMITED");
    expect(calls(peer).length).toBe(3);
  });

  test("a read that would have to wait for long is not tried again", async () => {
    const data = { code: "RATE_LIMITED", retry_after_ms: 3_600_000 };
    const { peer, call } = await connected(() => refusal(-32000, "slow down", data));
    await call(READ);
    expect(calls(peer).length).toBe(1);
  });

  test("arguments that no request can hold are refused here, and the connection lives", async () => {
    const { peer, call } = await connected(() => said("done"));
    const answer = await call(WRITE, { text: "x".repeat(4 * 2 ** 20) });
    expect(answer.structuredContent.error.code).toBe("VALIDATION_ERROR");
    expect(await call(WRITE)).toEqual(said("done"));
    expect(peer.count()).toBe(1);
  });
});

describe("ends", () => {
  test("a call that takes too long is cancelled there and TIMEOUT here; its late answer is ignored", async () => {
    let late = (): void => {};
    const { peer, call } = await connected(
      ({ tool }, one, id) => {
        if (tool === "project_list") return said("fast");
        late = () => one.send({ id, result: said("late") });
        return undefined;
      },
      { times: { timeoutMs: 60, graceMs: 20 } },
    );
    const answer = await call(WRITE);
    expect(answer.structuredContent.error.code).toBe("TIMEOUT");
    await vi.waitFor(() => expect(peer.methods()).toContain("oubliette_cancel"), soon);
    const cancel = peer.received.at(-1);
    expect(cancel).toEqual({ jsonrpc: "2.0", method: "oubliette_cancel", params: { id: calls(peer)[0].id } });
    late();
    expect(await call(READ)).toEqual(said("fast"));
  });

  test("a cancellation is passed on, and the call ends at once", async () => {
    const { peer, call } = await connected(() => undefined);
    const cancel = new AbortController();
    const pending = call(WRITE, {}, cancel.signal);
    await vi.waitFor(() => expect(calls(peer).length).toBe(1), soon);
    cancel.abort();
    expect((await pending).structuredContent.error.code).toBe("CANCELLED");
    await vi.waitFor(() => expect(peer.received.at(-1).params).toEqual({ id: calls(peer)[0].id }), soon);
    expect((await call(WRITE, {}, cancel.signal)).structuredContent.error.code).toBe("CANCELLED");
    expect(calls(peer).length).toBe(1);
  });

  test("a slow call does not hold up a fast one, and each gets its own answer", async () => {
    const waiting: (() => void)[] = [];
    const { call } = await connected(({ arguments: { name } }, one, id) => {
      if (name !== "slow") return said(name);
      waiting.push(() => one.send({ id, result: said("slow") }));
      return undefined;
    });
    const slow = call(WRITE, { name: "slow" });
    expect(await call(WRITE, { name: "fast" })).toEqual(said("fast"));
    for (const one of waiting) one();
    expect(await slow).toEqual(said("slow"));
  });

  test("a server that is silent and does not answer a ping is left for another connection", async () => {
    const { peer } = await connected(() => undefined, { times: { silenceMs: 50, pingMs: 5_000 } });
    await vi.waitFor(() => expect(peer.methods()).toContain("ping"), soon);
    expect(peer.count()).toBe(1);
    const mute = await startPeer({ oubliette_tools: () => ({ tools }) });
    const far = openRemoteClient({
      ...{ path: mute.path, key: KEY, view: "ops", waitMs: 20_000, log: silentLog },
      times: { silenceMs: 50, pingMs: 50, firstMs: 20 },
    });
    open.add(far);
    await vi.waitFor(() => expect(mute.count()).toBeGreaterThan(1), soon);
  });

  test("waits double from 0.1 s to 5 s, a fifth up or down", () => {
    const wait = (failures: number, random: number): number => waitBefore(failures, () => random, LINK_TIMES);
    expect([0, 1, 2, 5, 6, 1_000].map((failures) => wait(failures, 0.5))).toEqual([100, 200, 400, 3_200, 5_000, 5_000]);
    expect([wait(0, 0), wait(0, 0.9999), wait(99, 0), wait(99, 0.9999)]).toEqual([80, 120, 4_000, 6_000]);
  });
});

describe("a hostile server", () => {
  test("invalid names, duplicates, schemas that are no objects and very long texts", () => {
    const bad = [
      ...["", "a b", "a.b", "naïve", "x\n", "‮x", "a/b", "x".repeat(55), "\u0000"].map((name) => farTool(name)),
      ...[null, 5, "tool", [], {}, { name: 7 }],
      ...[null, [], "x", 5, {}, { type: "string" }, { type: "object", properties: 5 }].map((inputSchema, i) =>
        farTool(`schema_${i}`, { inputSchema }),
      ),
      farTool("large", { inputSchema: { type: "object", description: "x".repeat(300_000) } }),
      farTool("deep", { inputSchema: JSON.parse(`{"type":"object","x":${"[".repeat(9_000)}${"]".repeat(9_000)}}`) }),
      farTool("good"),
    ];
    const { tools: accepted, refused } = acceptListedTools([farTool("good"), ...bad], "oubliette_");
    expect(accepted.map(({ shown }) => shown.name)).toEqual(["oubliette_good"]);
    expect(refused.length).toBe(bad.length);
    for (const line of refused) expect(line.length).toBeLessThan(200);
  });

  test("descriptions and titles keep no control character and no endless text, annotations nothing unknown", () => {
    const annotations = { title: "a\u001b[31m\u202e", readOnlyHint: "yes", destructiveHint: true, extra: {} };
    const description = `one\ntwo\u0000\u001b[2J\u2028${"x".repeat(100_000)}`;
    const [tool] = acceptListedTools([farTool("t", { description, annotations })], "").tools;
    expect(tool?.shown.description).toMatch(/^one\ntwo\\u0000\\u001b\[2J\\u2028x+…$/);
    expect(tool?.shown.description?.length).toBeLessThan(10_000);
    expect(tool?.shown.annotations).toEqual({ title: "a\\u001b[31m\\u202e", destructiveHint: true });
    expect(tool?.isRead).toBe(false);
  });

  test("of 10,000 tools a thousand are taken", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => farTool(`tool_${i}`));
    const { tools: accepted, refused } = acceptListedTools(many, "oubliette_");
    expect(accepted.length).toBe(1_000);
    expect(refused).toEqual(["9000 more tools than the 1000 that fit"]);
  });

  test("one warning names each refused tool, and counts those beyond twenty", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => farTool(`bad name ${i}.`));
    const few = await connected(() => said("x"), {}, [...tools, ...names(3)]);
    expect(few.far.list(new Set()).map(({ name }) => name)).toEqual([READ, WRITE]);
    const [[text]] = few.warn.mock.calls as [[string]];
    expect(text).toBe(
      `tools of the server refused: ${[0, 1, 2].map((i) => `"bad name ${i}." is no name of a tool`).join("; ")}`,
    );
    const many = await connected(() => said("x"), {}, names(23));
    const [[long]] = many.warn.mock.calls as [[string]];
    expect(long.match(/is no name of a tool/g)?.length).toBe(20);
    expect(long).toMatch(/"bad name 19\." is no name of a tool; and 3 more$/);
  });

  test("any listed tool is shown in a form that clients can read, under its prefix", () => {
    const odd = fc.record(
      {
        name: fc.oneof(fc.stringMatching(/^[a-z_]{1,60}$/), fc.string()),
        inputSchema: fc.jsonValue(),
        annotations: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.oneof(odd, fc.jsonValue())), fc.jsonValue()), (list) => {
        for (const { shown } of acceptListedTools(list as never, "oubliette_").tools) {
          expect(shown.name).toMatch(/^oubliette_[A-Za-z0-9_-]{1,54}$/);
          expect(shown.inputSchema.type).toBe("object");
        }
      }),
      runs(1_000),
    );
  });

  test.each([
    "oubliette",
    "tool",
    "run",
    "ot",
    "onetool",
    "tool_help",
    "Ide",
    "1x",
    "a_b",
    "",
    "x".repeat(33),
    5,
    null,
  ])("[C1] a caller %j is refused", (id) => {
    const { tools: accepted, refused } = callerTools(id, [farTool("project_list")]);
    expect(accepted).toEqual([]);
    expect(refused.length).toBe(1);
  });

  test("[C1] a caller that poses as oubliette is refused with one warning, however often it comes", async () => {
    const { peer, far, warn } = await connected(() => said("x"));
    const before = far.list(new Set());
    for (let i = 0; i < 5; i++)
      peer.notify("caller_tools_config", { caller_id: "oubliette", tools: [farTool("project_list"), farTool("x")] });
    peer.notify("caller_tools_config", { caller_id: "ide", tools: [farTool("x")] });
    await vi.waitFor(() => expect(far.list(new Set()).length).toBe(before.length + 1), soon);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the caller "oubliette" has a name that is reserved')]]);
  });

  test("a tool of the server whose name the project has is left out, with one warning", async () => {
    const { far, warn } = await connected(() => said("x"));
    for (let i = 0; i < 3; i++) expect(far.list(new Set([READ])).map(({ name }) => name)).toEqual([WRITE]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining(READ)]]);
  });

  test("invalid lines, answers without a request and unknown notifications are ignored", async () => {
    const { peer, call } = await connected((_, one, id) => {
      one.socket.write('\n\r\n{"jsonrpc":"2.0"\n[]\nnull\n5\n"x"\n{}\n{"id":null,"error":{}}\n{"method":5}\n');
      one.socket.write(Buffer.from([0xff, 0xfe, 0x0a]));
      one.socket.write(`${"[".repeat(200_000)}\n`);
      for (const id of [999_999_999, "x", null, {}, [1]]) one.send({ id, result: said("stray") });
      for (const params of [undefined, null, 5, "x", [], {}, { caller_id: {}, tools: {} }])
        for (const method of ["caller_tools_config", "nothing", "__proto__", "oubliette_call_tool"])
          one.send({ method, params });
      one.send({ id, method: "roots/list" });
      return said("done");
    });
    expect(await call(WRITE)).toEqual(said("done"));
    expect(peer.count()).toBe(1);
  });

  test("a line without end closes the connection before it fills the memory", async () => {
    const { peer, call } = await connected((_, { socket }) => {
      const chunk = Buffer.alloc(2 ** 20, "x");
      for (let i = 0; i < 18; i++) socket.write(chunk);
    });
    expect((await call(WRITE)).structuredContent.error.message).toContain("too long");
    await vi.waitFor(() => expect(peer.count()).toBe(2), soon);
  });

  test("many calls at once, a server that dies under all of them: each ends once", async () => {
    let seen = 0;
    const { call } = await connected((_, { socket }) => void (++seen === 200 && socket.destroy()), {
      times: { firstMs: 60_000, longestMs: 60_000 },
    });
    const answers = await Promise.all(Array.from({ length: 200 }, () => call(WRITE)));
    expect(new Set(answers.map((one) => one.structuredContent.error.code))).toEqual(new Set(["UNAVAILABLE"]));
  });
});
