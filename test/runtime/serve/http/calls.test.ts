/** Calls over HTTP by every kind of client. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eachGroup } from "../../../support/each-case.js";
import { type AnyClient, CLIENTS, type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { CHECKOUT, generatedRoot, temporaryFolder } from "../../../support/project.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
let server: HttpServed;

beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  server = await serveHttp(
    await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"), later),
    [],
    later,
  );
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
/** Until a file holds a text. */
const holds = (file: string, text: string) => expect.poll(() => read(file), { timeout: SLOW / 2 }).toBe(text);

eachGroup(CLIENTS, "the current SDK, older protocol", "the older SDK")("with %s, the server", {}, (_, connect) => {
  const connected = async (): Promise<AnyClient> => {
    const client = await connect(server.url);
    onTestFinished(() => client.close());
    return client;
  };

  test("lists the tools and calls them", async () => {
    const client = await connected();
    expect(await client.tools()).toEqual(["run", "tool_help", "tool_exec", "tool_batch"]);
    const answer = await client.call("tool_exec", { op: "demo.echo", args: { text: "hi" } });
    expect(answer).toMatchObject({ op: "demo.echo", ok: true, result: "hi" });
    expect(await client.call("tool_help", { path: "demo.echo" })).toMatchObject({ type: "op", path: "demo.echo" });
  });

  test("gets a caller's error as an answer", async () => {
    const client = await connected();
    const answer = await client.call("tool_exec", { op: "demo.ecco" });
    expect(answer.error).toMatchObject({
      code: "NOT_FOUND",
      details: { suggestions: ["demo.echo"] },
    });
  });

  test("sees progress", async () => {
    const client = await connected();
    const seen: number[] = [];
    const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }): void => {
      expect(total).toBe(5);
      seen.push(progress);
    };
    const answer = await client.call("tool_exec", { op: "demo.steps", args: { count: 5 } }, { onprogress });
    expect(answer.result).toBe(5);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual([...seen].sort());
  });

  test("cancels a call: the handler's signal fires", { timeout: SLOW }, async () => {
    const client = await connected();
    const file = join(temporaryFolder(), "held");
    const cancel = new AbortController();
    const args = { file, until: "/nowhere/at/all" };
    const call = client.call("tool_exec", { op: "demo.hold", args }, { signal: cancel.signal });
    const failed = expect(call).rejects.toThrow();
    await holds(file, "started\n");
    cancel.abort();
    await failed;
    await holds(file, "started\naborted\n");
  });

  test("gets 200 answers at once, each its own", { tags: "full", timeout: SLOW }, async () => {
    const client = await connected();
    const texts = Array.from({ length: 200 }, (_one, i) => `text ${i}`);
    const answers = await Promise.all(
      texts.map(async (text) => (await client.call("tool_exec", { op: "demo.echo", args: { text } })).result),
    );
    expect(answers).toEqual(texts);
  });
});

test("a notice of cancellation means the request of the client that sends it", { timeout: SLOW }, async () => {
  const [, connect] = CLIENTS[2] ?? [];
  const folder = temporaryFolder();
  const [mine, theirs, until] = [join(folder, "mine"), join(folder, "theirs"), join(folder, "go")];
  const cancel = new AbortController();
  const hold = async (file: string, options = {}) => {
    const client = await connect?.(server.url);
    onTestFinished(() => client?.close());
    return { call: client?.call("tool_exec", { op: "demo.hold", args: { file, until } }, options) };
  };
  // Both clients count their requests from the same number.
  const first = await hold(mine, { signal: cancel.signal });
  const failed = expect(first.call).rejects.toThrow();
  const second = await hold(theirs);
  await holds(mine, "started\n");
  await holds(theirs, "started\n");
  const notice = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  for (const headers of [{}, { "mcp-session-id": "anybody" }] as Record<string, string>[])
    expect((await raw(server.url, { body: notice, headers })).status).toBe(202);
  cancel.abort();
  await failed;
  await holds(mine, "started\naborted\n");
  writeFileSync(until, "");
  expect((await second.call)?.result).toBe("done");
});

test("a client that goes away without a word cancels its call", { tags: "full", timeout: SLOW }, async () => {
  const file = join(temporaryFolder(), "held");
  const cancel = new AbortController();
  const params = { name: "tool_exec", arguments: { op: "demo.hold", args: { file, until: "/nowhere/at/all" } } };
  const call = fetch(server.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    signal: cancel.signal,
  });
  const read = call.then((response) => response.text());
  const failed = expect(read).rejects.toThrow();
  await holds(file, "started\n");
  cancel.abort();
  await failed;
  await holds(file, "started\naborted\n");
});

test("more requests than there may be are refused, and the next is served", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const folder = temporaryFolder();
  const [file, until] = [join(folder, "held"), join(folder, "go")];
  const [, connect] = CLIENTS[1] ?? [];
  const client = await connect?.(server.url);
  onTestFinished(() => client?.close());
  const calls = Array.from({ length: 210 }, () =>
    client?.call("tool_exec", { op: "demo.hold", args: { file, until } }),
  );
  await holds(file, "started\n".repeat(210));
  const refused = await raw(server.url);
  expect(refused.status).toBe(503);
  expect(refused.headers["retry-after"]).toBe("1");
  expect((await raw(server.url, { method: "GET", path: "/healthz" })).status).toBe(200);
  writeFileSync(until, "");
  for (const answer of await Promise.all(calls)) expect(answer.result).toBe("done");
  expect((await raw(server.url)).status).toBe(200);
});
