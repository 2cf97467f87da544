/** The command `client` as a process, between a client of the official SDK and a scripted server. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { CHECKOUT, freshRoot, generatedRoot, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { SLOW } from "../../../test/support/run/run-demo.js";
import { socketClient } from "../../../test/support/servers/socket-client.js";
import { farTool, refusal, said, socketPath, startPeer } from "../../../test/support/servers/socket-peer.js";
import { takeSettings } from "../client.js";

const KEY = `oub_abcdefghij_${"k".repeat(43)}`;
const BASE = ["run", "tool_help", "tool_exec", "tool_batch"];
const ide = { caller_id: "ide", tools: [farTool("open_file")] };
const soon = { timeout: 20_000, interval: 20 };

describe("the command client", { timeout: SLOW }, () => {
  test("without a key: base and caller tools, and nothing named oubliette_* crosses the socket", {
    tags: "full",
  }, async () => {
    const peer = await startPeer(
      { ping: () => ({}), caller_tool: ({ arguments: given }) => said(JSON.stringify(given)) },
      { opened: (one) => one.send({ method: "caller_tools_config", params: ide }) },
    );
    const root = freshRoot();
    for (const env of [{}, { OUBLIETTE_API_KEY: " \t" }]) {
      const { names, call, client } = await socketClient(peer.path, { root, env });
      expect(await names()).toEqual([...BASE, "ide_open_file"]);
      expect(await call("ide_open_file", { path: "a" })).toMatchObject(said('{"path":"a"}'));
      expect((await call("tool_exec", { op: "ot.version" })).structuredContent).toMatchObject({ ok: true });
      await client.close();
    }
    expect(peer.methods()).toEqual(["ping", "caller_tool", "ping", "caller_tool"]);
  });

  test("a tool that is called before the server has listed it is waited for", async () => {
    const oubliette_tools = () => sleep(500, { tools: [farTool("project_list")] });
    const peer = await startPeer({ oubliette_tools, oubliette_call_tool: () => said("listed") });
    for (const root of [freshRoot(), temporaryFolder()]) {
      const { call, client } = await socketClient(peer.path, { root, key: KEY });
      expect(await call("oubliette_project_list")).toMatchObject(said("listed"));
      await client.close();
    }
  });

  test("with a bad key: one warning, initialize answered, everything but the tools of the key", async () => {
    const peer = await startPeer(
      { oubliette_tools: () => refusal(-32001, "invalid or expired API key"), ping: () => ({}) },
      { opened: (one) => one.send({ method: "caller_tools_config", params: ide }) },
    );
    const { names, stderr } = await socketClient(peer.path, { root: freshRoot(), key: KEY });
    expect(await names()).toEqual([...BASE, "ide_open_file"]);
    await vi.waitFor(() => expect(stderr().match(/invalid or expired API key/g)?.length).toBe(1), soon);
    expect(stderr()).not.toContain(KEY.slice(15));
    expect(peer.methods()).toEqual(["oubliette_tools"]);
  });

  test("no server at all: initialize is answered, a project's tools work, and the server's come when it does", {
    tags: "full",
  }, async () => {
    const path = socketPath();
    const env = { OUBLIETTE_DISCOVERY_WAIT_MS: "50" };
    const { names, call, changes } = await socketClient(path, { root: freshRoot(), key: KEY, env });
    expect(await names()).toEqual(BASE);
    expect((await call("tool_exec", { op: "ot.version" })).structuredContent).toMatchObject({ ok: true });
    await startPeer({ oubliette_tools: () => ({ tools: [farTool("project_list")] }) }, { path });
    await vi.waitFor(() => expect(changes()).toBe(1), soon);
    expect(await names()).toEqual([...BASE, "oubliette_project_list"]);
  });

  test("without a project: the server's tools alone; an unknown one is an error of the protocol", async () => {
    const tools = [farTool("project_list"), farTool("project_get")];
    const peer = await startPeer({
      oubliette_tools: () => ({ tools }),
      oubliette_call_tool: ({ tool }) =>
        tool === "project_list" ? said("[]") : refusal(-32000, "no such project", { code: "NOT_FOUND" }),
    });
    const { client, names, call } = await socketClient(peer.path, { key: KEY });
    expect(client.getServerVersion()).toMatchObject({ name: "toolwright" });
    expect(await names()).toEqual(["oubliette_project_list", "oubliette_project_get"]);
    expect(await call("oubliette_project_list")).toMatchObject(said("[]"));
    expect(await call("oubliette_project_get", { project_id: "x" })).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "NOT_FOUND: no such project" }],
      structuredContent: { ok: false, error: { code: "NOT_FOUND" } },
    });
    for (const name of ["project_list", "run", "oubliette_nothing"])
      await expect(call(name)).rejects.toMatchObject({ code: -32602 });
  });

  test("a cancellation and a loss reach the server and the client of a call under way", { tags: "full" }, async () => {
    const peer = await startPeer({
      oubliette_tools: () => ({ tools: [farTool("project_create", { annotations: {} })] }),
      oubliette_call_tool: ({ arguments: { name } }, { socket }) => void (name === "die" && socket.destroy()),
    });
    const { client, names, call } = await socketClient(peer.path, { key: KEY });
    await names();
    const cancel = new AbortController();
    const pending = client.callTool({ name: "oubliette_project_create", arguments: {} }, { signal: cancel.signal });
    await vi.waitFor(() => expect(peer.methods()).toContain("oubliette_call_tool"), soon);
    cancel.abort();
    await expect(pending).rejects.toThrow();
    await vi.waitFor(() => expect(peer.methods()).toContain("oubliette_cancel"), soon);
    expect((await call("oubliette_project_create", { name: "die" })).content[0].text).toMatch(/^UNAVAILABLE: /);
  });

  test("a tool of the project keeps its name in any order of arrival", { tags: "full" }, async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/hot-demo/definitions"));
    const caller = { caller_id: "other", tools: [farTool("search"), farTool("find")] };
    const peer = await startPeer(
      { ping: () => ({}), caller_tool: () => said("of the caller") },
      { opened: (one) => one.send({ method: "caller_tools_config", params: caller }) },
    );
    const { names, stderr, call } = await socketClient(peer.path, { root });
    for (let i = 0; i < 2; i++) {
      const listed = await names();
      expect(listed.filter((name) => name.startsWith("other_"))).toEqual(["other_search", "other_find"]);
    }
    expect((await call("other_find")).content[0].text).toBe("of the caller");
    expect((await call("other_search", { query: "x" })).content[0].text).not.toBe("of the caller");
    expect(stderr().match(/other_search of the server is left out/g)?.length).toBe(1);
  });

  test("a thousand tools come in pages, each once", { tags: "full" }, async () => {
    const tools = Array.from({ length: 10_000 }, (_, i) => farTool(`tool_${i}`));
    const peer = await startPeer({ oubliette_tools: () => ({ tools }) });
    const { client } = await socketClient(peer.path, { key: KEY });
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { tools: page, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
      seen.push(...page.map(({ name }) => name));
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    expect(new Set(seen).size).toBe(1_000);
    expect(seen.length).toBe(1_000);
  });

  test.each([
    [["client"], {}, /--socket/],
    [["client", "--socket", "s"], { OUBLIETTE_EXPOSE: "some" }, /OUBLIETTE_EXPOSE/],
    [["client", "--socket", "s"], { OUBLIETTE_DISCOVERY_WAIT_MS: "soon" }, /OUBLIETTE_DISCOVERY_WAIT_MS/],
    [["client", "--socket", `/${"x".repeat(120)}`], {}, /121 bytes/],
  ])("a person's fault ends it with 2: %j %j", { tags: "full" }, async (args, env, text) => {
    const { code, stderr } = await toolwright(args, { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
  });
});

describe("settings", () => {
  test("the key is removed from the environment; a blank one is ignored", () => {
    const env = { OUBLIETTE_API_KEY: ` ${KEY}\n`, PATH: "/bin" };
    expect(takeSettings(env)).toEqual({ key: KEY, view: "ops", waitMs: 1_500 });
    expect(env).toEqual({ PATH: "/bin" });
    for (const blank of ["", " ", "\t\n"])
      expect(takeSettings({ OUBLIETTE_API_KEY: blank, OUBLIETTE_EXPOSE: "gateway" })).toMatchObject({
        key: undefined,
        view: "gateway",
      });
  });
});
