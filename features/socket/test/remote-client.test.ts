/** Remote tools as a client sees them: discovery, names, loss and rediscovery. */

import { afterEach, describe, expect, test, vi } from "vitest";
import type { Logger } from "../../../runtime/contract/handler.js";
import type { Json } from "../../../test/support/project.js";
import {
  type Answers,
  farTool,
  refusal,
  said,
  socketPath,
  startPeer,
} from "../../../test/support/servers/socket-peer.js";
import { openRemoteClient, type RemoteClient, type RemoteClientOptions } from "../remote-client.js";

const KEY = `oub_abcdefghij_${"k".repeat(43)}`;
const open = new Set<RemoteClient>();
afterEach(() => {
  for (const one of open) one.close();
  open.clear();
});

/** A client's end, and what it warned of. */
function far(path: string, more: Partial<RemoteClientOptions> = {}) {
  const warnings: string[] = [];
  const log: Logger = { debug() {}, info() {}, error() {}, warn: (line) => void warnings.push(line) };
  const times = { firstMs: 20, longestMs: 80, connectMs: 5_000, ...more.times };
  const one = openRemoteClient({ path, key: KEY, view: "ops", waitMs: 20_000, log, ...more, times });
  open.add(one);
  const names = (taken: readonly string[] = []): readonly string[] => one.list(new Set(taken)).map(({ name }) => name);
  const call = async (name: string, input: unknown = {}, given: { signal?: AbortSignal; meta?: object } = {}) => {
    const { signal = new AbortController().signal, meta = {} } = given;
    const found = one.find(name);
    if (!found) throw new Error(`no ${name}`);
    return (await found(input, { signal, meta: { ...meta } })) as Json;
  };
  return { ...one, warnings, names, call };
}

/** The warnings about the tools and the key; those about the connection come with each loss. */
const aboutTools = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((line) => !line.includes("trying again"));

const listing = (...names: readonly string[]) => ({ registry_version: "1", tools: names.map((name) => farTool(name)) });
const soon = { timeout: 20_000, interval: 10 };

describe("discovery", () => {
  test("the tools of the key are listed under their prefix, in order, and the key goes with the question", async () => {
    const peer = await startPeer({ oubliette_tools: () => listing("project_list", "token_list", "session_get") });
    const { ready, names } = far(peer.path);
    await ready();
    expect(names()).toEqual(["oubliette_project_list", "oubliette_token_list", "oubliette_session_get"]);
    expect(peer.received[0]).toMatchObject({ method: "oubliette_tools", params: { api_key: KEY, view: "ops" } });
  });

  test("without a key nothing named oubliette_* crosses the socket, not even a cancellation; tools of a caller work", async () => {
    const config = { caller_id: "ide", tools: [farTool("open_file"), farTool("slow")] };
    const peer = await startPeer(
      { ping: () => ({}), caller_tool: ({ tool }) => (tool === "slow" ? undefined : said("opened")) },
      { opened: (one) => one.send({ method: "caller_tools_config", params: config }) },
    );
    const { ready, names, call } = far(peer.path, { key: undefined });
    await ready();
    expect(names()).toEqual(["ide_open_file", "ide_slow"]);
    expect(await call("ide_open_file", { path: "x" })).toEqual(said("opened"));
    const cancel = new AbortController();
    const slow = call("ide_slow", {}, { signal: cancel.signal });
    cancel.abort();
    expect((await slow).structuredContent.error.code).toBe("CANCELLED");
    peer.notify("oubliette_tools_changed", { registry_version: "2" });
    await vi.waitFor(() => expect(peer.methods().filter((one) => one === "ping").length).toBe(2), soon);
    expect(peer.methods()[0]).toBe("ping");
    expect(peer.methods().filter((one) => one.startsWith("oubliette"))).toEqual([]);
  });

  test("a bad key: one warning without the key, no tools of it, no second attempt, also after a loss", async () => {
    const config = { caller_id: "ide", tools: [farTool("open_file")] };
    const peer = await startPeer(
      { ping: () => ({}), oubliette_tools: () => refusal(-32001, "invalid or expired API key") },
      { opened: (one) => one.send({ method: "caller_tools_config", params: config }) },
    );
    const { ready, names, warnings } = far(peer.path);
    await ready();
    expect(names()).toEqual(["ide_open_file"]);
    for (const { socket } of peer.connections) socket.destroy();
    await vi.waitFor(() => expect(peer.methods()).toContain("ping"), soon);
    expect(peer.methods().filter((one) => one === "oubliette_tools")).toEqual(["oubliette_tools"]);
    expect(aboutTools(warnings)).toEqual([expect.stringContaining("invalid or expired API key")]);
    expect(warnings.join()).not.toContain(KEY);
    expect(names()).toEqual(["ide_open_file"]);
  });

  test("a server that fails to list, or is rate limited, is asked again over the same connection", async () => {
    let times = 0;
    const peer = await startPeer({
      oubliette_tools: () =>
        times++ === 0 ? refusal(-32603, "broken", { code: "INTERNAL" }) : listing("project_list"),
    });
    const { ready, names, warnings } = far(peer.path);
    await ready();
    expect(names()).toEqual(["oubliette_project_list"]);
    expect(peer.count()).toBe(1);
    expect(aboutTools(warnings)).toEqual(["the server did not list its tools: INTERNAL: broken"]);
  });

  test("a key without tools there gets a warning about the gateway's tools", async () => {
    const peer = await startPeer({ oubliette_tools: () => listing() });
    const { ready, names, warnings } = far(peer.path);
    await ready();
    expect(names()).toEqual([]);
    expect(aboutTools(warnings)).toEqual([expect.stringContaining("OUBLIETTE_EXPOSE=gateway")]);
  });

  test("a server that knows no such method is not asked again", async () => {
    const peer = await startPeer({ oubliette_tools: () => refusal(-32601, "unknown method") });
    const { ready, names } = far(peer.path);
    await ready();
    expect(names()).toEqual([]);
    expect(peer.methods()).toEqual(["oubliette_tools"]);
  });

  test("a server that never answers is left for another connection", async () => {
    const peer = await startPeer({});
    far(peer.path, { times: { firstMs: 20, longestMs: 80, connectMs: 100 } });
    await vi.waitFor(() => expect(peer.count()).toBeGreaterThan(2), soon);
  });

  test("the first list waits no longer than configured, and a later arrival is announced", async () => {
    let tell = (): void => {};
    const asked = new Promise<void>((resolve) => (tell = resolve));
    const peer = await startPeer({ oubliette_tools: () => asked.then(() => listing("project_list")) });
    const { ready, names, onChange } = far(peer.path, { waitMs: 50 });
    const changed = vi.fn();
    onChange(changed);
    await ready();
    expect(names()).toEqual([]);
    tell();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), soon);
    expect(names()).toEqual(["oubliette_project_list"]);
  });

  test("what arrives before anything was listed is not announced", async () => {
    const peer = await startPeer({ oubliette_tools: () => listing("project_list") });
    const { ready, onChange } = far(peer.path);
    const changed = vi.fn();
    onChange(changed);
    await ready();
    expect(changed).not.toHaveBeenCalled();
  });

  test("a server that starts later is found", async () => {
    const path = socketPath();
    const { ready, names, warnings } = far(path);
    await vi.waitFor(() => expect(warnings.length).toBe(1), soon);
    await startPeer({ oubliette_tools: () => listing("project_list") }, { path });
    await ready();
    expect(names()).toEqual(["oubliette_project_list"]);
    expect(warnings).toEqual([expect.stringMatching(/ENOENT.*; trying again$/)]);
  });

  test("the view gateway is asked for, and nothing else of the answer shown", async () => {
    const peer = await startPeer({
      oubliette_tools: () => listing("tool_help", "tool_exec", "tool_batch", "project_list"),
    });
    const { ready, names } = far(peer.path, { view: "gateway" });
    await ready();
    expect(peer.received[0].params.view).toBe("gateway");
    expect(names()).toEqual(["oubliette_tool_help", "oubliette_tool_exec", "oubliette_tool_batch"]);
  });

  test("a hundred announcements of a change are a few questions", async () => {
    let tools = listing("project_list");
    const peer = await startPeer({ oubliette_tools: () => tools });
    const { ready, names, onChange } = far(peer.path);
    await ready();
    names();
    const changed = vi.fn();
    onChange(changed);
    tools = listing("project_list", "project_get");
    for (let i = 0; i < 100; i++) peer.notify("oubliette_tools_changed", { registry_version: "2" });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), soon);
    expect(names()).toEqual(["oubliette_project_list", "oubliette_project_get"]);
    expect(peer.methods().length).toBeLessThan(10);
  });
});

describe("loss", () => {
  const answers = (more: Answers = {}): Answers => ({
    oubliette_tools: () => ({
      registry_version: "1",
      tools: [farTool("project_list"), farTool("project_create", { annotations: { readOnlyHint: false } })],
    }),
    ...more,
  });

  test("[F6] a pending write fails at once when the server goes; the tools stay listed and answer UNAVAILABLE", async () => {
    const peer = await startPeer(answers({ oubliette_call_tool: (_, { socket }) => void socket.destroy() }));
    const { ready, names, call } = far(peer.path, { times: { firstMs: 60_000, longestMs: 60_000 } });
    await ready();
    const before = names();
    const first = await call("oubliette_project_create", { name: "x" });
    expect(first).toMatchObject({ isError: true, structuredContent: { ok: false, error: { code: "UNAVAILABLE" } } });
    expect(first.content[0].text).toMatch(/^UNAVAILABLE: /);
    await peer.stop();
    expect(names()).toEqual(before);
    expect((await call("oubliette_project_list")).structuredContent.error.code).toBe("UNAVAILABLE");
    expect(peer.methods().filter((one) => one === "oubliette_call_tool").length).toBe(1);
  });

  test("[F7] the client comes back, lists again, and announces only a change of the set or of a schema", async () => {
    const peer = await startPeer(answers());
    const { ready, names, onChange } = far(peer.path);
    await ready();
    names();
    const changed = vi.fn();
    onChange(changed);
    await peer.stop();
    const same = await startPeer(answers(), { path: peer.path });
    await vi.waitFor(() => expect(same.methods()).toContain("oubliette_tools"), soon);
    await same.stop();
    const described = answers()["oubliette_tools"]?.({}, {} as never, 0) as Json;
    described.tools[0].description = "Other words.";
    const words = await startPeer(answers({ oubliette_tools: () => described }), { path: peer.path });
    await vi.waitFor(() => expect(words.methods()).toContain("oubliette_tools"), soon);
    await words.stop();
    expect(changed).not.toHaveBeenCalled();
    const inputSchema = { type: "object", properties: { limit: { type: "integer" } } };
    const other = { oubliette_tools: () => ({ tools: [farTool("project_list", { inputSchema })] }) };
    await startPeer(answers(other), { path: peer.path });
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), soon);
    expect(names()).toEqual(["oubliette_project_list"]);
  });

  test("a caller that the next connection does not name is gone with it", async () => {
    const config = { caller_id: "ide", tools: [farTool("open_file")] };
    const isFirst = { yes: true };
    const peer = await startPeer(answers(), {
      opened: (one) => {
        if (isFirst.yes) one.send({ method: "caller_tools_config", params: config });
        isFirst.yes = false;
      },
    });
    const { ready, names } = far(peer.path);
    await ready();
    expect(names()).toContain("ide_open_file");
    for (const { socket } of peer.connections) socket.destroy();
    await vi.waitFor(() => expect(names()).not.toContain("ide_open_file"), soon);
    expect(names()).toContain("oubliette_project_list");
  });

  test("a read is tried once more after a loss, a write only with a key for its repetition", async () => {
    const tried: string[] = [];
    const peer = await startPeer(
      answers({
        oubliette_call_tool: ({ tool }, { socket }) => {
          tried.push(tool);
          return tried.length % 2 === 1 ? void socket.destroy() : said("done");
        },
      }),
    );
    const { ready, call } = far(peer.path);
    await ready();
    expect(await call("oubliette_project_list")).toEqual(said("done"));
    const write = "oubliette_project_create";
    expect(await call(write, {}, { meta: { idempotency_key: "k1" } })).toEqual(said("done"));
    expect(peer.received.filter(({ method }) => method === "oubliette_call_tool").at(-1).params.idempotency_key).toBe(
      "k1",
    );
    expect((await call(write)).structuredContent.error.code).toBe("UNAVAILABLE");
    expect(tried).toEqual([..."ll", ..."ccc"].map((one) => (one === "l" ? "project_list" : "project_create")));
  });
});
