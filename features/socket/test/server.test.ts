/** The socket as a client sees it: messages, keys, tools, errors. */

import { expect, test } from "vitest";
import { fail } from "../../../runtime/codegen.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import type { Live } from "../../../runtime/gateway/reloadable-gateway.js";
import { liveOf } from "../../../test/runtime/gateway/fixture.js";
import type { Json } from "../../../test/support/project.js";
import { caller, until } from "../../../test/support/servers/socket-connection.js";
import { type CallerTools, checkCallerId } from "../wire-tools.js";
import { calling, INSIDE, serveSocket } from "./served.js";

const names = (answer: Json): readonly string[] => answer.result.tools.map(({ name }: Json) => name);

test("[F5] a fast call is answered before a slow one that came first", async () => {
  const { call, waits } = await calling("read");
  let isSlowDone = false;
  void call("wait_get").then(() => (isSlowDone = true));
  await until(() => waits.length === 1);
  expect(await call("task_search", { search: "x" })).toMatchObject({ result: { isError: false } });
  expect(isSlowDone).toBe(false);
});

test.each(["destroy", "end"] as const)("[F6] when the peer goes away by %s, its call is aborted", async (how) => {
  const { call, client, waits } = await calling("read");
  void call("wait_get");
  await until(() => waits.length === 1);
  client.socket[how]();
  await until(() => waits[0]?.aborted === true);
});

test("bad keys are one answer, byte for byte; a missing key and a number are wrong params", async () => {
  const { connect, key, keys } = await serveSocket({ limits: { badKeys: 1000 } });
  const client = await connect();
  const revoked = await key("read");
  const { key_id } = (await keys.list())[0] as Json;
  await keys.revoke(key_id);
  const unknown = revoked.slice(0, 15) + revoked.slice(15).split("").reverse().join("");
  const texts = new Set<string>();
  for (const method of ["oubliette_tools", "oubliette_call_tool"])
    for (const api_key of ["", " ", "garbage", revoked, unknown, `${revoked}x`]) {
      const more = method === "oubliette_tools" ? {} : { tool: "task_list" };
      texts.add(JSON.stringify(await client.ask(method, { api_key, ...more }, "same")));
    }
  expect([...texts]).toEqual([
    '{"jsonrpc":"2.0","id":"same","error":{"code":-32001,"message":"invalid or expired API key","data":{"code":"UNAUTHENTICATED","details":{}}}}',
  ]);
  for (const params of [{}, { api_key: 7 }, { api_key: null }, undefined])
    expect((await client.ask("oubliette_tools", params)).error.code).toBe(-32_602);
});

test("tools are listed unprefixed, in the order of the registry, as far as the key may see them", async () => {
  const { client, key, fixture } = await calling("read");
  const list = async (scope: string, more: object = {}) =>
    client.ask("oubliette_tools", { api_key: await key(scope), ...more });
  const admin = await list("admin");
  const ops = fixture.gateway.index.registry.tools.filter(({ group }) => group === "onto").map(({ op }) => op);
  expect(names(admin)).toEqual(ops.map((op) => op.replace(/^onto\./, "").replaceAll(".", "_")));
  expect(admin.result.registry_version).toBe(fixture.gateway.index.version);
  for (const { inputSchema, description, annotations } of admin.result.tools)
    expect([inputSchema.type, Array.isArray(inputSchema.required), typeof description, typeof annotations]).toEqual([
      "object",
      true,
      "string",
      "object",
    ]);
  expect(names(await list("write"))).toEqual(names(admin).filter((name) => name !== "key_list"));
  const isRead = new Set([
    "fault_list",
    "search",
    "task_docs_list",
    "task_list",
    "task_search",
    "text_get",
    "wait_get",
  ]);
  expect(names(await list("read"))).toEqual(names(admin).filter((name) => isRead.has(name)));
  expect(names(await list("read", { view: "gateway" }))).toEqual(["tool_help", "tool_exec", "tool_batch"]);
  expect((await list("read", { view: "all" })).error.code).toBe(-32_602);
});

test("a result is text and structured content; a gateway tool answers with its envelope", async () => {
  const { call } = await calling("write");
  const { result } = await call("task_search", { search: "milk" });
  expect(result).toEqual({
    content: [{ type: "text", text: '{"done":"onto.task.search"}' }],
    structuredContent: { done: "onto.task.search" },
    isError: false,
  });
  const exec = await call("tool_exec", { op: "util.web.search", args: { query: "x" } });
  expect(exec.result).toMatchObject({
    isError: false,
    structuredContent: { ok: true, result: { done: "util.web.search" } },
  });
  const wrong = await call("tool_exec", { op: "util.web.search", args: {} });
  expect(wrong.result).toMatchObject({
    isError: true,
    structuredContent: { ok: false, error: { code: "VALIDATION_ERROR" } },
  });
  expect((await call("tool_help", { path: "onto" })).result.structuredContent.path).toBe("onto");
  const batch = await call("tool_batch", { ops: [{ op: "onto.search", args: {} }, { path: "root" }] });
  expect(batch.result).toMatchObject({ isError: false, structuredContent: { summary: { total: 2 } } });
});

test("a repair is reported with the result", async () => {
  const { call } = await calling("write");
  const { result } = await call("task_search", { q: "milk" });
  expect(result.content[1].text).toMatch(/^Warnings:\n/);
});

test("forbidden and unknown tools get the same answer except for the name; an admin gets the reason", async () => {
  const { call, client, key, fixture } = await calling("write");
  const hidden = await call("key_list");
  const unknown = await call("key_nothing");
  expect(hidden.error).toMatchObject({ code: -32_002, data: { code: "PERMISSION_DENIED", help_path: "onto" } });
  expect(JSON.stringify(hidden.error)).toBe(JSON.stringify(unknown.error).replace("key_nothing", "key_list"));
  const admin = caller(client, await key("admin"));
  expect((await admin("key_nothing")).error).toMatchObject({ code: -32_602, data: { code: "NOT_FOUND" } });
  expect(await admin("key_list")).toMatchObject({ result: { isError: false } });
  const reader = caller(client, await key("read"));
  expect((await reader("task_create", { title: "x" })).error.code).toBe(-32_002);
  expect(fixture.calls.map(({ op }) => op)).toEqual(["onto.key.list"]);
});

test("[E9] a prefixed name is an unknown tool; the right one is named where the key may use it", async () => {
  const { client, key } = await calling("read");
  const admin = caller(client, await key("admin"));
  expect((await admin("onto_task_list")).error).toMatchObject({
    code: -32_602,
    data: { code: "NOT_FOUND", did_you_mean: "task_list" },
  });
  const writer = caller(client, await key("write"));
  expect((await writer("onto_task_list")).error).toMatchObject({ code: -32_002, data: { did_you_mean: "task_list" } });
  expect((await writer("onto_key_list")).error.data).not.toHaveProperty("did_you_mean");
});

test("[E5] [E7] an own object is reached; a foreign one and one that does not exist are one answer", async () => {
  const { client, key } = await calling("read");
  const call = caller(client, await key("project:proj_p1"));
  expect(await call("task_docs_list", { task_id: "task_p1_a" })).toMatchObject({ result: { isError: false } });
  const foreign = await client.ask(
    "oubliette_call_tool",
    { api_key: await key("project:proj_p1:ro"), tool: "task_docs_list", arguments: { task_id: "task_p2_a" } },
    "x",
  );
  const none = await client.ask(
    "oubliette_call_tool",
    { api_key: await key("project:proj_p1"), tool: "task_docs_list", arguments: { task_id: "task_none" } },
    "x",
  );
  expect(foreign.error).toMatchObject({ code: -32_002, data: { code: "PERMISSION_DENIED" } });
  expect(none).toEqual(foreign);
  expect((await call("task_docs_list", {})).error.code).toBe(-32_602);
});

test("[E10] arguments that do not fit are refused, with field errors where there are fields; the next call works", async () => {
  const { call } = await calling("write");
  expect((await call("task_docs_list")).error).toMatchObject({
    code: -32_602,
    data: { code: "VALIDATION_ERROR", field_errors: [{ path: "task_id" }] },
  });
  for (const bad of [null, [], "x", 7])
    expect((await call("task_docs_list", bad)).error).toMatchObject({
      code: -32_602,
      data: { field_errors: [{ path: "arguments" }] },
    });
  const extra = await call("task_docs_list", { task_id: "task_1", extra: 1 });
  expect(extra.error).toMatchObject({
    code: -32_602,
    data: { field_errors: [{ path: "extra" }], help_path: "onto.task.docs.list" },
  });
  const proto = await call("task_docs_list", JSON.parse('{"task_id":"task_1","__proto__":{"a":1}}'));
  expect(proto.error).toMatchObject({ code: -32_602, data: { field_errors: [{ path: "__proto__" }] } });
  expect(await call("task_docs_list", { task_id: "task_1" })).toMatchObject({ result: { isError: false } });
});

test("[E11] a handler that throws is INTERNAL under a trace id, without what it said; the next call works", async () => {
  const { call, client, fixture } = await calling("write");
  const { error } = await call("fault_list");
  expect(error).toMatchObject({ code: -32_000, data: { code: "INTERNAL", trace_id: expect.stringMatching(/^tr_/) } });
  expect(client.text()).not.toContain(INSIDE);
  expect(JSON.stringify(fixture.lines)).toContain(INSIDE);
  expect(await call("task_search", { search: "x" })).toMatchObject({ result: { isError: false } });
});

test("a call that is cancelled, or takes longer than it was given, is ended and says so", async () => {
  const { call, client, api_key, waits } = await calling("read");
  const cancelled = client.ask("oubliette_call_tool", { api_key, tool: "wait_get" }, "slow");
  await until(() => waits.length === 1);
  client.send({ jsonrpc: "2.0", method: "oubliette_cancel", params: { id: "none" } });
  client.send({ jsonrpc: "2.0", method: "oubliette_cancel", params: { id: "slow" } });
  expect((await cancelled).error).toMatchObject({ code: -32_000, data: { code: "CANCELLED" } });
  const late = await call("wait_get", {}, { timeout_ms: 30 });
  expect(late.error).toMatchObject({
    code: -32_000,
    message: "The call took longer than 30 ms.",
    data: { code: "TIMEOUT" },
  });
  const exec = await call("tool_exec", { op: "onto.wait.get" }, { timeout_ms: 30 });
  expect(exec.error.data.code).toBe("TIMEOUT");
  expect(waits.every(({ aborted }) => aborted)).toBe(true);
  for (const timeout_ms of [0, -1, 1.5, "9"])
    expect((await call("task_list", {}, { timeout_ms })).error.code).toBe(-32_602);
});

test("[E6] a key that is revoked is refused on an open connection, its running call ends, and a good key works", async () => {
  const { call, client, key, keys, waits } = await calling("read");
  const other = await key("read");
  const running = call("wait_get");
  await until(() => waits.length === 1);
  await keys.revoke((await keys.list())[0]?.key_id ?? "");
  expect((await running).error.code).toBe(-32_001);
  expect((await call("task_list")).error.code).toBe(-32_001);
  expect(await caller(client, other)("task_list")).toMatchObject({ result: { isError: false } });
});

test("a store of keys that cannot be read is our fault, not the key's", async () => {
  const unreadable = { verify: () => Promise.reject(new Error(INSIDE)) };
  const broken = { gateway: (from: Json) => ({ ...from, keys: { ...from.keys, ...unreadable } }) };
  const { call, client } = await calling("read", broken);
  expect((await call("task_list")).error).toMatchObject({
    code: -32_603,
    data: { code: "INTERNAL", trace_id: expect.any(String) },
  });
  expect(client.text()).not.toContain(INSIDE);
});

test("each request and each entry of a batch counts against the rate of the key, over all connections", async () => {
  const { call, connect, api_key } = await calling("read", { rates: { burst: 4, perSecond: 0.001 } });
  await call("tool_batch", { ops: [{ path: "root" }, { path: "root" }, { path: "root" }] });
  const other = caller(await connect(), api_key);
  expect(await other("task_list")).toMatchObject({ result: {} });
  const refused = await call("task_list");
  expect(refused.error).toMatchObject({
    code: -32_000,
    data: { code: "RATE_LIMITED", retry_after_ms: expect.any(Number) },
  });
});

test("an answer over the limit is an error, and the connection lives", async () => {
  const { call } = await calling("read", { limits: { responseBytes: 5000 } });
  expect((await call("text_get", { bytes: 5000 })).error).toMatchObject({ code: -32_000, data: { code: "INTERNAL" } });
  expect(await call("text_get", { bytes: 1000 })).toMatchObject({ result: { isError: false } });
});

test("clients that have listed are notified when a reload has changed the registry, and only then", async () => {
  let version = "one";
  let swap = (): void => undefined;
  const live = (from: Gateway): Live => {
    const made = liveOf(from);
    swap = made.changed;
    return { ...made, current: () => ({ ...from, index: { ...from.index, version } }) };
  };
  const { client, api_key, connect } = await calling("read", { live });
  const other = await connect();
  await client.ask("oubliette_tools", { api_key });
  await other.ask("ping");
  swap();
  version = "two";
  swap();
  swap();
  expect(await client.next()).toEqual({
    jsonrpc: "2.0",
    method: "oubliette_tools_changed",
    params: { registry_version: "two" },
  });
  await Promise.all([client.ask("ping"), other.ask("ping")]);
  expect(client.text().match(/oubliette_tools_changed/g)).toHaveLength(1);
  expect(other.text()).not.toContain("oubliette_tools_changed");
});

test("tools of the program around the server are announced, called without a key, and announced again when they change", async () => {
  let changed = (): void => undefined;
  let listed = ["greet"];
  const callerTools: CallerTools = {
    callerId: "host",
    tools: () => listed.map((name) => ({ name, description: "A tool.", inputSchema: { type: "object" } })),
    async call(tool, args) {
      if (tool === "greet") return { content: [{ type: "text", text: JSON.stringify(args) }], isError: false };
      if (tool === "refuse") return fail("CONFLICT", "Not again.");
      throw new Error(INSIDE);
    },
    onChange(listener) {
      changed = listener;
      return () => undefined;
    },
  };
  const { connect } = await serveSocket({ callerTools });
  const client = await connect();
  expect(await client.ask("ping")).toMatchObject({ result: {} });
  const config = (tools: readonly string[]) => ({
    method: "caller_tools_config",
    params: { caller_id: "host", tools: tools.map((name) => ({ name })) },
  });
  expect(await client.next()).toMatchObject(config(["greet"]));
  const greeted = await client.ask("caller_tool", { tool: "greet", arguments: { to: "you" } });
  expect(greeted.result).toEqual({ content: [{ type: "text", text: '{"to":"you"}' }], isError: false });
  expect((await client.ask("caller_tool", { tool: "refuse" })).error).toMatchObject({
    code: -32_602,
    data: { code: "NOT_FOUND" },
  });
  listed = ["greet", "refuse", "broken"];
  changed();
  expect(await client.next()).toMatchObject(config(listed));
  expect((await client.ask("caller_tool", { tool: "refuse" })).error).toMatchObject({
    code: -32_000,
    data: { code: "CONFLICT" },
  });
  expect((await client.ask("caller_tool", { tool: "broken" })).error).toMatchObject({
    code: -32_000,
    data: { code: "INTERNAL" },
  });
  expect(client.text()).not.toContain(INSIDE);
});

test("[C1] a program that would pass its tools off as ours is refused", () => {
  const from = (callerId: string) => () => checkCallerId({ callerId } as CallerTools);
  for (const id of ["oubliette", "tool", "run", "ot", "onetool", "tool_exec", "", "A", "1a", "a".repeat(33)])
    expect(from(id)).toThrow(/caller id/);
  expect(from("host")).not.toThrow();
});

test("at the end nothing new is taken, running calls get their time, then they are aborted and the file is gone", async () => {
  const { call, transport, waits, client, connect } = await calling("read");
  const running = call("wait_get");
  await until(() => waits.length === 1);
  transport.stop();
  expect((await call("task_list")).error).toMatchObject({ code: -32_000, data: { code: "UNAVAILABLE" } });
  expect(await transport.idle(50)).toBe(false);
  const closed = transport.close();
  expect((await running).error.data.code).toBe("CANCELLED");
  await closed;
  await client.closed;
  await expect(connect()).rejects.toThrow(/ENOENT/);
});
