/** Elicitation over HTTP during a call: on its stream in the older protocols, by its answer in the newer one. */

import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OlderBase } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type HttpServed, MODERN, raw, serveHttp } from "../../../support/http.js";
import type { Json } from "../../../support/project.js";
import { ASKS, answering, askingRoot, SAID } from "../../../support/servers/asking.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
/** Two instances over one root, as behind a balancer. */
let one: HttpServed;
let other: HttpServed;

beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  const root = await askingRoot(later);
  [one, other] = await Promise.all([serveHttp(root, [], later), serveHttp(root, [], later)]);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const older: ClientOptions = { versionNegotiation: { mode: "legacy" } };
const newer: ClientOptions = { versionNegotiation: { mode: { pin: MODERN } } };

async function connect(client: Client, { url } = one): Promise<StreamableHTTPClientTransport> {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return transport;
}

/** The envelope of a call. */
async function exec(client: Pick<Client, "callTool">, op: string, args: Json = {}): Promise<Json> {
  return ((await client.callTool({ name: "tool_exec", arguments: { op, args } })) as Json).structuredContent;
}

describe("in the older protocols", () => {
  test("the client that called is asked, and its answers reach the server", { timeout: SLOW }, async () => {
    const asked: string[] = [];
    const client = answering(older, (method) => void asked.push(method));
    await connect(client);
    for (const [op, said] of ASKS) expect(await exec(client, op)).toMatchObject({ ok: true, result: said });
    expect(asked).toEqual(["elicitation/create", "sampling/createMessage", "roots/list"]);
    expect(await exec(client, "asking.confirm", { about: "it" })).toMatchObject({
      result: { about: "it", answer: SAID.form },
    });
  });

  test("the older SDK is asked too", { tags: "full", timeout: SLOW }, async () => {
    const client = new OlderClient({ name: "older", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => SAID.form);
    await client.connect(new OlderTransport(new URL(one.url)) as OlderBase);
    onTestFinished(() => client.close());
    const { structuredContent } = (await client.callTool({
      name: "tool_exec",
      arguments: { op: "older.ask" },
    })) as Json;
    expect(structuredContent).toMatchObject({ ok: true, result: SAID.form });
  });

  test("calls at once have an answer each", { tags: "full", timeout: SLOW }, async () => {
    const ids = new Set<unknown>();
    const client = answering(older, (_, id) => void ids.add(id));
    await connect(client);
    const ops = [...ASKS, ...ASKS, ...ASKS];
    const answers = await Promise.all(ops.map(([op]) => exec(client, op)));
    expect(answers.map(({ result }) => result)).toEqual(ops.map(([, said]) => said));
    expect(ids.size).toBe(ops.length);
  });

  test("a client without capabilities is not asked, even after a client with them", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const able = answering(older);
    await connect(able);
    expect(await exec(able, "older.ask")).toMatchObject({ result: SAID.form });
    const silent = new Client({ name: "silent", version: "1" }, older);
    await connect(silent);
    expect(await exec(silent, "older.ask")).toMatchObject({ result: expect.stringMatching(/cannot answer it/) });
  });

  test("only the client that was asked can answer, at the instance that asked", { timeout: SLOW }, async () => {
    const stranger = await connect(answering(older));
    const refusals: string[] = [];
    let own: StreamableHTTPClientTransport | undefined;
    const client = answering(older, async (_, id) => {
      const body = { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Mallory" } } };
      const sessions = [
        [one.url, stranger.sessionId],
        [other.url, own?.sessionId],
      ] as const;
      for (const [url, session] of sessions) {
        const { status, text } = await raw(url, { headers: { "mcp-session-id": session ?? "" }, body });
        refusals.push(`${status} ${JSON.parse(text).error.message}`);
      }
    });
    own = await connect(client);
    expect(await exec(client, "older.ask")).toMatchObject({ result: SAID.form });
    const refused = expect.stringMatching(/^400 No call waits for this answer here/);
    expect(refusals).toEqual([refused, refused]);
  });

  test("an unanswered question ends with the call", { tags: "full", timeout: SLOW }, async () => {
    let wasAsked = false;
    const client = answering(older, async (method) => {
      if (method !== "elicitation/create") return;
      wasAsked = true;
      await new Promise(() => undefined);
    });
    await connect(client);
    await exec(client, "slow.folders");
    expect(await exec(client, "slow.ask")).toMatchObject({ ok: false, error: { code: "TIMEOUT" } });
    expect(wasAsked).toBe(true);
  });
});

/** Takes any object for an answer. */
const AS_SENT = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value: value as Json }) },
};

describe("in the newer protocol", () => {
  const call = (client: Client, name: string, args: Json, more: Json = {}): Promise<Json> =>
    client.request({ method: "tools/call", params: { name, arguments: args, ...more } }, AS_SENT, {
      allowInputRequired: true,
    });
  const confirm = (about: string) => ({ op: "asking.confirm", args: { about } });
  const inputResponses = { sure: SAID.form };

  test("a question is the answer to the call, which the client makes once more", { timeout: SLOW }, async () => {
    const client = answering(newer);
    await connect(client);
    expect(await exec(client, "asking.confirm", { about: "it" })).toMatchObject({
      result: { about: "it", answer: SAID.form },
    });
  });

  test("any instance continues a call, only with state that is sealed for the same call", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const [client, elsewhere] = [answering(newer), answering(newer)];
    await Promise.all([connect(client), connect(elsewhere, other)]);
    const { resultType, inputRequests, requestState } = await call(client, "tool_exec", confirm("it"));
    expect(resultType).toBe("input_required");
    expect(inputRequests).toMatchObject({
      sure: { method: "elicitation/create", params: { message: "Sure about it?" } },
    });
    const invalid = { code: -32602, message: expect.stringMatching(/requestState/) };
    for (const [name, args, state] of [
      ["tool_exec", confirm("something else"), requestState],
      ["tool_batch", confirm("it"), requestState],
      ["tool_exec", confirm("it"), `${requestState}x`],
      ["tool_exec", confirm("it"), "about it"],
    ] as const)
      await expect(call(client, name, args, { inputResponses, requestState: state })).rejects.toMatchObject(invalid);
    const done = await call(elsewhere, "tool_exec", confirm("it"), { inputResponses, requestState });
    expect(done.structuredContent).toMatchObject({ ok: true, result: { about: "it", answer: SAID.form } });
  });

  test("the server gets the elicitation capabilities of the call's client", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const [able, silent] = [answering(newer), new Client({ name: "silent", version: "1" }, newer)];
    await Promise.all([connect(able), connect(silent)]);
    expect((await exec(able, "asking.declared")).result).toMatchObject({ elicitation: { form: {} }, roots: {} });
    expect((await exec(silent, "asking.declared")).result).toEqual({});
    await expect(call(silent, "tool_exec", confirm("it"))).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });

  test("the client is not asked in a batch or a run, and the error says so", { timeout: SLOW }, async () => {
    const client = answering(newer);
    await connect(client);
    const ops = [{ type: "exec", ...confirm("it") }];
    const { structuredContent } = await call(client, "tool_batch", { ops });
    expect(structuredContent.results[0]).toMatchObject({
      ok: false,
      error: { code: "UNAVAILABLE", message: expect.stringMatching(/client/) },
    });
    const ran = await call(client, "run", { command: "asking.confirm(about='it')" });
    expect(ran).toMatchObject({ isError: true });
  });
});
