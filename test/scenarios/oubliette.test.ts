/**
 * The scenarios of the pack `oubliette`: the real server on its socket, the real client on it, and an agent's MCP
 * client on that.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUT, freshRoot, type Json } from "../support/project.js";
import { SLOW } from "../support/run/run-demo.js";
import { socketClient } from "../support/servers/socket-client.js";
import { farTool, said, startPeer } from "../support/servers/socket-peer.js";
import {
  editKey,
  expireKey,
  keyRecords,
  type MadeKey,
  makeKey,
  type SocketServed,
  STRANGE_KEY,
  serveSocket,
  watchedSocket,
} from "../support/servers/socket-server.js";

/** The level of a warning in the log. */
const WARN = 40;
const BASE = ["run", "tool_help", "tool_exec", "tool_batch"];
const READS = ["project_list", "project_options", "project_get", "workspace_list", "session_list", "session_get"];
const cleaning: (() => unknown)[] = [];
let root = "";
let server: SocketServed;
let keys: Readonly<Record<"admin" | "write" | "read", MadeKey>>;

beforeAll(async () => {
  const later = (one: () => unknown): void => void cleaning.unshift(one);
  root = freshRoot(later);
  keys = {
    admin: await makeKey(root, "admin"),
    write: await makeKey(root, "write"),
    read: await makeKey(root, "read"),
  };
  server = await serveSocket(root, later);
}, SLOW);
afterAll(async () => {
  for (const one of cleaning) await one();
});

/** A client with a key, and what crossed the socket. */
async function agent(key?: string) {
  const wire = await watchedSocket(server.path);
  const droid = await socketClient(wire.path, key === undefined ? {} : { key });
  return { ...droid, wire };
}

const methods = (messages: readonly Json[]): readonly string[] => messages.map(({ method }) => method);
const value = ({ structuredContent }: Json): Json => structuredContent;

describe("tool discovery via socket", { timeout: SLOW }, () => {
  test("[OUB-1.1] a valid admin key discovers all tools", async () => {
    const { names, wire } = await agent(keys.admin.key);
    const tools = await names();
    expect(wire.sent[0]).toMatchObject({ method: "oubliette_tools", params: { api_key: keys.admin.key } });
    const { tools: registered } = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
    const own = registered.filter(({ group }: Json) => group === "oubliette").map(({ tool_name }: Json) => tool_name);
    expect(own.length).toBe(19);
    expect([...tools].sort()).toEqual(own.map((name: string) => `oubliette_${name}`).sort());
    expect(wire.answered[0].result.tools.map(({ name }: Json) => name).sort()).toEqual([...own].sort());
  });

  test("[OUB-1.2] a valid read-only key discovers the tools that read, and no other", async () => {
    const { names } = await agent(keys.read.key);
    const tools = await names();
    expect([...tools].sort()).toEqual([...READS, "session_events"].map((name) => `oubliette_${name}`).sort());
  });

  test("[OUB-1.3] an invalid key fails discovery: a warning, no tools of it, and the client goes on", async () => {
    const wire = await watchedSocket(server.path);
    const { names, call, stderr } = await socketClient(wire.path, { key: STRANGE_KEY, root: freshRoot() });
    expect(await names()).toEqual(BASE);
    expect(wire.answered[0]).toMatchObject({ error: { code: -32001, message: "invalid or expired API key" } });
    const warned = stderr()
      .split("\n")
      .filter((line) => line.includes("invalid or expired API key"));
    expect(warned.map((line) => JSON.parse(line).level)).toEqual([WARN]);
    expect(await call("oubliette_project_list").catch(({ code }: Json) => code)).toBe(-32602);
    expect(stderr()).not.toContain(STRANGE_KEY);
    expect(value(await call("tool_exec", { op: "ot.version" })).ok).toBe(true);
  });
});

describe("tool execution via socket", { timeout: SLOW }, () => {
  test("[OUB-2.1] project_list with a valid key: sent with the stored key, executed, and answered", async () => {
    const writer = await agent(keys.write.key);
    const made: Json[] = [];
    for (const name of ["listed-a", "listed-b"])
      made.push(value(await writer.call("oubliette_project_create", { name })));
    const { names, call, wire } = await agent(keys.read.key);
    await names();
    const answer = await call("oubliette_project_list");
    expect(wire.sent.at(-1)).toMatchObject({
      method: "oubliette_call_tool",
      params: { api_key: keys.read.key, tool: "project_list", arguments: {} },
    });
    expect(answer.isError ?? false).toBe(false);
    const { projects } = value(answer);
    expect(
      projects
        .filter(({ name }: Json) => name.startsWith("listed-"))
        .map(({ id, name }: Json) => [id, name])
        .sort(),
    ).toEqual(made.map(({ id, name }) => [id, name]).sort());
    expect(wire.answered.at(-1).result.structuredContent).toEqual(value(answer));
    expect(JSON.parse(answer.content[0].text)).toEqual(value(answer));
  });

  test("[OUB-2.2] project_create with a write key: the project is made and its details come back", async () => {
    const { names, call } = await agent(keys.write.key);
    await names();
    const made = value(await call("oubliette_project_create", { name: "test-project" }));
    expect(made).toMatchObject({ id: expect.stringMatching(/^prj_[a-z2-7]{16}$/), name: "test-project" });
    const { projects } = value(await call("oubliette_project_list", { name_contains: "test-project" }));
    expect(projects.map(({ id }: Json) => id)).toEqual([made.id]);
  });

  test("[OUB-2.3] token_create with a key that may only write: a scope error, which reaches the agent; no key is made", async () => {
    const wide = await makeKey(root, "admin");
    const { names, call, wire } = await agent(wide.key);
    expect(await names()).toContain("oubliette_token_create");
    editKey(root, wide, { scope: "write", grant: { level: "write", projects: "*" } });
    const before = keyRecords(root).length;
    const answer = await call("oubliette_token_create", { name: "x", scope: "read" });
    expect(wire.sent.at(-1)).toMatchObject({ method: "oubliette_call_tool", params: { tool: "token_create" } });
    expect(wire.answered.at(-1).error).toMatchObject({ code: -32002, data: { code: "PERMISSION_DENIED" } });
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/^PERMISSION_DENIED: /) }],
      structuredContent: { ok: false, error: { code: "PERMISSION_DENIED" } },
    });
    expect(keyRecords(root).length).toBe(before);
    const writer = await agent(keys.write.key);
    expect(await writer.names()).not.toContain("oubliette_token_create");
  });

  test("[OUB-2.4] a call with a key that has expired since startup fails with an authentication error", async () => {
    const short = await makeKey(root, "write");
    const { names, call, wire } = await agent(short.key);
    expect(await names()).toContain("oubliette_project_list");
    expect((await call("oubliette_project_list")).isError ?? false).toBe(false);
    expireKey(root, short);
    const answer = await call("oubliette_project_list");
    expect(wire.answered.at(-1).error).toMatchObject({ code: -32001, data: { code: "UNAUTHENTICATED" } });
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "UNAUTHENTICATED: invalid or expired API key" }],
      structuredContent: { ok: false, error: { code: "UNAUTHENTICATED" } },
    });
  });
});

describe("tool naming convention", { timeout: SLOW }, () => {
  test("[OUB-3.1] what the server calls project_create the agent sees as oubliette_project_create", async () => {
    const { names, wire } = await agent(keys.write.key);
    const tools = await names();
    const [listed] = wire.answered;
    const wired = listed.result.tools.map(({ name }: Json) => name);
    expect(wired).toContain("project_create");
    expect(tools).toEqual(wired.map((name: string) => `oubliette_${name}`));
  });
});

describe("no API key, no tools", { timeout: SLOW }, () => {
  test("[OUB-4.1] without a key no oubliette_tools request is sent, and base and caller tools alone are there", async () => {
    const wire = await watchedSocket(server.path);
    const { names } = await socketClient(wire.path, { root: freshRoot() });
    expect(await names()).toEqual(BASE);
    expect(methods(wire.sent)).toEqual(["ping"]);
  });

  test("[OUB-4.1] without a key the tools of the caller stay, and work", async () => {
    const config = { caller_id: "ide", tools: [farTool("open_file"), farTool("close_file")] };
    const peer = await startPeer(
      {
        ping: () => ({}),
        oubliette_tools: () => ({ tools: [farTool("project_list")] }),
        caller_tool: ({ tool, arguments: given }) => said(`${tool} ${JSON.stringify(given)}`),
      },
      { opened: (one) => one.send({ method: "caller_tools_config", params: config }) },
    );
    const { names, call } = await socketClient(peer.path, { root: freshRoot() });
    expect(await names()).toEqual([...BASE, "ide_open_file", "ide_close_file"]);
    expect(await call("ide_open_file", { path: "a" })).toMatchObject(said('open_file {"path":"a"}'));
    expect(value(await call("tool_exec", { op: "ot.version" })).ok).toBe(true);
    expect(peer.methods()).toEqual(["ping", "caller_tool"]);
  });
});
