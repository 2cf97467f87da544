/** Requests about tools bypass the SDK: they get the answers that it gives, and it refuses invalid ones. */

import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import { fail, type Principal } from "../../../../runtime/contract/handler.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { PlainServer } from "../../../../runtime/serve/mcp/plain-server.js";
import { openStdio } from "../../../../runtime/serve/stdio/stdio.js";
import { MODERN } from "../../../support/http.js";
import { type FixtureOptions, fixture, handler, liveOf, principal } from "../../gateway/fixture.js";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: object;
  readonly error?: object;
}

/** A first program starts an engine. */
const WAIT_MS = 60_000;

const OPENING = [
  {
    jsonrpc: "2.0",
    id: "opening",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

/** What each request of the newer protocol says. */
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const DISCOVERING = [{ jsonrpc: "2.0", id: "opening", method: "server/discover", params: { _meta: ENVELOPE } }];

/** A connection of a client, by default of the older protocols; lines are kept as they came. */
async function connection(
  options: FixtureOptions = {},
  who: () => Principal = principal,
  opening: readonly object[] = OPENING,
) {
  const { gateway } = fixture(options);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let text = "";
  stdout.on("data", (chunk) => (text += String(chunk)));
  const opened = openStdio({ live: liveOf(gateway), principal: who, version: "0", stdin, stdout });
  const lines = (): readonly string[] => text.split("\n").filter(Boolean);
  const messages = (): readonly Message[] => lines().map((line) => JSON.parse(line) as Message);
  const sendText = (sent: string): void => void stdin.write(sent);
  const send = (...sent: readonly object[]): void => sendText(sent.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const answer = (id: unknown) =>
    vi.waitFor(() => {
      const at = messages().findIndex((one) => one.id === id && !one.method);
      expect(at, JSON.stringify(id)).toBeGreaterThanOrEqual(0);
      return { message: messages()[at] as Message, line: lines()[at] as string };
    }, WAIT_MS);
  send(...opening);
  await answer("opening");
  return { send, sendText, answer, messages, lines, stdin, opened };
}

const call = (id: unknown, params: object): object => ({ jsonrpc: "2.0", id, method: "tools/call", params });
const exec = (op: string, args: unknown = {}) => ({ name: "tool_exec", arguments: { op, args } });
/** The SDK writes the result first. */
const isDirect = (line: string): boolean => line.startsWith('{"jsonrpc"');

/** The JSON of a result, without what differs from call to call. */
function resultIn(line: string): string {
  const start = line.search(/"(result|error)":/);
  const json = line.slice(start).replace(/,"jsonrpc":"2\.0","id":[^{}]*\}$|\}$/, "");
  return json.replace(/tr_[0-9a-f]+/g, "TRACE").replace(/latency_ms(\\?"):\d+/g, "latency_ms$1:0");
}

/** A connection whose requests the SDK reads and answers with what the handlers give it. */
async function sdkConnection(options: FixtureOptions, opening?: readonly object[]) {
  const skipped = vi.spyOn(PlainServer.prototype, "answerOn").mockImplementation(() => undefined);
  try {
    const made = await connection(options, principal, opening);
    // The next request is read after the notification which ends the opening.
    made.send({ jsonrpc: "2.0", id: "opened", method: "tools/list", params: { _meta: opening ? ENVELOPE : {} } });
    await made.answer("opened");
    return made;
  } finally {
    skipped.mockRestore();
  }
}

/** Two connections: one gets a call as it is, the other leaves it to the SDK. */
async function twoWays(options: FixtureOptions, opening?: readonly object[]) {
  const [direct, bySdk] = [await connection(options, principal, opening), await sdkConnection(options, opening)];
  return async (id: unknown, params: object): Promise<readonly [string, string]> => {
    for (const one of [direct, bySdk]) one.send(call(id, params));
    const [one, other] = [await direct.answer(id), await bySdk.answer(id)];
    // The SDK writes errors as we do.
    if (!other.message.error) expect([isDirect(one.line), isDirect(other.line)]).toEqual([true, false]);
    return [resultIn(one.line), resultIn(other.line)];
  };
}

const OPS: FixtureOptions = {
  handlers: {
    "onto.task.list": handler(async ({ project_id }) => ({ of: project_id, big: new ExactNumber("9007199254740993") })),
    "onto.search": handler(async () => fail("NOT_FOUND", "There is none.", { near: ["a"] })),
    "onto.project.list": handler(async () => {
      throw new Error("broken");
    }),
  },
};

const CALLS: Readonly<Record<string, object>> = {
  "an op": exec("onto.task.list", { project_id: "p1" }),
  "an op with an exact number in its result": exec("onto.task.list"),
  "an op that is spelled in another way": exec("list_onto_tasks"),
  "an op that fails": exec("onto.search", { query: "x" }),
  "an op whose handler throws": exec("onto.project.list"),
  "an unknown op": exec("onto.nothing"),
  "no op": { name: "tool_exec", arguments: {} },
  "no arguments": { name: "tool_exec" },
  "arguments of the wrong type": exec("onto.search", { query: 7 }),
  "an argument of an op named __proto__": JSON.parse(
    '{"name":"tool_exec","arguments":{"op":"onto.task.list","args":{"__proto__":{"a":1}}}}',
  ),
  "a help page": { name: "tool_help", arguments: { path: "onto.task" } },
  "a help page that is not there": { name: "tool_help", arguments: { path: "none" } },
  "another name of a gateway tool": { name: "tool.exec", arguments: { op: "onto.task.list" } },
  "a batch": { name: "tool_batch", arguments: { ops: [{ op: "onto.task.list" }, { op: "onto.search" }] } },
  "a batch that is refused": { name: "tool_batch", arguments: { ops: "all" } },
  "a program": { name: "run", arguments: { command: "1 + 1" } },
  "a program that fails": { name: "run", arguments: { command: "1 +" } },
  "a trace of the client": {
    ...exec("onto.task.list"),
    _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", other: [1] },
  },
};

describe("answers", () => {
  test.each(Object.entries(CALLS))("%s: as the SDK's", async (_, params) => {
    const [direct, bySdk] = await (await twoWays(OPS))(1, params);
    expect(direct).toBe(bySdk);
  });

  // The tests of tasks run programs in the newer protocol; each here would start two engines more.
  const plain = Object.entries(CALLS).filter(([, params]) => !("name" in params && params.name === "run"));
  test.each(plain)("%s, in the newer protocol: as the SDK's", async (_, params) => {
    const asked = { ...params, _meta: { ...(params as { _meta?: object })._meta, ...ENVELOPE } };
    const [direct, bySdk] = await (await twoWays(OPS, DISCOVERING))(1, asked);
    expect(JSON.parse(`{${direct}}`)).toEqual(JSON.parse(`{${bySdk}}`));
    expect(direct).toContain('"resultType":"complete"');
  });

  test("any arguments: as the SDK's", async () => {
    const ask = await twoWays(OPS);
    const taken = fc.string().filter((name) => name !== "__proto__");
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(taken, fc.jsonValue({ maxDepth: 4 })), async (args) => {
        const [direct, bySdk] = await ask(++id, { name: "tool_exec", arguments: args });
        expect(direct).toBe(bySdk);
      }),
      { numRuns: 50 },
    );
  });

  test.each(["x", 'a "quoted"\n id', 0, -7, 2 ** 53 - 1])("the id %j comes back", async (id) => {
    const { send, answer } = await connection(OPS);
    send(call(id, exec("onto.task.list")));
    expect(isDirect((await answer(id)).line)).toBe(true);
  });

  test("a number is written as it is spelled", async () => {
    const { sendText, answer } = await connection({
      handlers: { "onto.task.list": { run: async (args: JsonObject) => args, exactNumbers: true } },
    });
    sendText(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_exec","arguments":{"op":"onto.task.list","args":{"limit":10.0}}}}\n',
    );
    expect((await answer(1)).line).toContain('"limit":10.0');
  });

  test.each([
    ["UNAUTHENTICATED", "The key is not valid."],
    ["RATE_LIMITED", "Too many calls."],
  ] as const)("a caller who is refused: %s", async (code, message) => {
    let isOpen = true;
    const { send, answer } = await connection(OPS, () => (isOpen ? principal() : fail(code, message)));
    isOpen = false;
    send(call(1, exec("onto.task.list")));
    const { message: told } = await answer(1);
    expect(told.result).toMatchObject({ isError: true, structuredContent: { ok: false, error: { code, message } } });
  });

  test.each([
    [{ type: "image", data: "aGk=", mimeType: "image/png" }],
    [{ mimeType: "image/png", data: "aGk=", type: "image", extra: { x: 1 }, annotations: { priority: 0.5, more: 1 } }],
    [{ type: "image", data: "aGk=", mimeType: "image/png", annotations: { priority: new ExactNumber("1.0") } }],
    [{ type: "resource", resource: { text: "a", mimeType: "text/plain", uri: "file:///a", more: 1 } }],
    [{ type: "image", data: 7 }],
    [{ type: "image", data: "!! no base64", mimeType: "image/png" }],
    [{ type: "none" }],
  ])("a block that a handler attaches, as the SDK's: %j", async (block) => {
    const attaching = handler(async (_, ctx) => {
      (ctx as unknown as { attach(block: object): void }).attach(block);
      return 1;
    });
    const [direct, bySdk] = await (await twoWays({ handlers: { "onto.task.list": attaching } }))(
      1,
      exec("onto.task.list"),
    );
    expect(direct).toBe(bySdk);
  });
});

describe("during a call", () => {
  test("progress comes before the answer, and counts for its token only", async () => {
    const steps = handler(async (_, ctx) => {
      ctx.progress(1, 2);
      return 1;
    });
    const { send, answer, messages } = await connection({ handlers: { "onto.task.list": steps } });
    send(call(1, { ...exec("onto.task.list"), _meta: { progressToken: "t" } }), call(2, exec("onto.task.list")));
    await Promise.all([answer(1), answer(2)]);
    const order = messages().filter(({ id, method }) => id === 1 || method === "notifications/progress");
    expect(order).toMatchObject([{ params: { progressToken: "t", progress: 1, total: 2 } }, { id: 1 }]);
  });

  test("log lines of a handler come before the answer, at the level that was set just before", async () => {
    const logs = handler(async (_, ctx) => {
      ctx.log.info("quiet");
      ctx.log.error("loud");
      return 1;
    });
    const { send, answer, messages } = await connection({ handlers: { "onto.task.list": logs } });
    send(
      { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "error" } },
      call(2, exec("onto.task.list")),
    );
    await answer(2);
    send(call(3, exec("onto.task.list")));
    const { line } = await answer(3);
    expect(isDirect(line)).toBe(true);
    const told = messages()
      .slice(1)
      .map(({ id, method }) => id ?? method);
    expect(told).toEqual([1, "notifications/message", 2, "notifications/message", 3]);
  });

  test("a cancelled call gets no answer, and its handler stops", async () => {
    let stopped: unknown;
    let isUnderWay = false;
    const slow = handler(
      (_, ctx) =>
        new Promise((resolve) => {
          isUnderWay = true;
          (ctx.signal as AbortSignal).addEventListener("abort", ({ target }) => {
            stopped = (target as AbortSignal).reason;
            resolve(1);
          });
        }),
    );
    const { send, answer, messages } = await connection({ handlers: { "onto.task.list": slow } });
    send(call(1, exec("onto.task.list")));
    await vi.waitFor(() => expect(isUnderWay).toBe(true));
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "no more" } });
    await vi.waitFor(() => expect(stopped).toBe("CANCELLED"));
    send(call(2, exec("onto.search", { query: "x" })));
    await answer(2);
    expect(messages().some(({ id }) => id === 1)).toBe(false);
  });
});

describe("left to the SDK", () => {
  test.each([
    ["an id that is a fraction", call(1.5, exec("onto.task.list"))],
    ["a member that JSON-RPC does not have", { ...call(1, exec("onto.task.list")), more: 1 }],
    ["a name that is no text", call(1, { name: 7 })],
    ["arguments that are a list", call(1, { name: "tool_exec", arguments: [] })],
    ["_meta that is no object", call(1, { ...exec("onto.task.list"), _meta: 1 })],
    ["a progress token that is none", call(1, { ...exec("onto.task.list"), _meta: { progressToken: {} } })],
    ["no params", { jsonrpc: "2.0", id: 1, method: "tools/call" }],
    ["an unknown tool", call(1, { name: "tool_none" })],
    ["another version of JSON-RPC", { ...call(1, exec("onto.task.list")), jsonrpc: "1.0" }],
  ])("is a request with %s", async (_, message) => {
    const { send, answer, messages } = await connection(OPS);
    send(message, { jsonrpc: "2.0", id: 2, method: "ping" });
    await answer(2);
    expect(messages().filter(({ result }) => result && "structuredContent" in result)).toEqual([]);
  });

  test("a request of the newer protocol that does not say what each one says", async () => {
    const { send, answer } = await connection(OPS, principal, DISCOVERING);
    const ask = (id: number, meta: object) => send(call(id, { ...exec("onto.task.list"), _meta: meta }));
    ask(1, ENVELOPE);
    await answer(1);
    ask(2, {});
    ask(3, { ...ENVELOPE, "io.modelcontextprotocol/clientCapabilities": 1 });
    for (const id of [2, 3]) expect((await answer(id)).message.error).toMatchObject({ code: -32_602 });
    send({ jsonrpc: "2.0", id: 4, method: "ping", params: { _meta: ENVELOPE } });
    expect((await answer(4)).message.error).toEqual({ code: -32_601, message: "Method not found" });
  });
});

describe("answered without the SDK", () => {
  test("an argument named __proto__, which is dropped", async () => {
    const { sendText, answer } = await connection(OPS);
    const params = '{"name":"tool_exec","arguments":{"op":"onto.task.list","__proto__":1}}';
    sendText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}\n`);
    const { line } = await answer(1);
    expect([isDirect(line), line.includes('"ok":true')]).toEqual([true, true]);
  });

  test("a call while the SDK has a request to answer, and a ping", async () => {
    const { send, answer } = await connection(OPS);
    const ping = { jsonrpc: "2.0", id: 3, method: "ping" };
    send({ jsonrpc: "2.0", id: 1, method: "tools/list" }, call(2, exec("onto.task.list")), ping);
    for (const id of [2, 3]) expect(isDirect((await answer(id)).line)).toBe(true);
  });

  test("a call that comes with the opening", async () => {
    const { answer } = await connection(OPS, principal, [...OPENING, call(1, exec("onto.task.list"))]);
    expect(isDirect((await answer(1)).line)).toBe(true);
  });

  test("all calls where not every gateway tool is exposed", async () => {
    const { send, answer } = await connection({ ...OPS, settings: { expose: { gateway: false, hot: [], budget: 0 } } });
    send(call(1, exec("onto.task.list")));
    expect((await answer(1)).message.error).toMatchObject({ code: -32_602 });
  });
});
