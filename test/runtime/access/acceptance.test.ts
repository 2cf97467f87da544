/** Cases of access control that need real server processes and real time. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { tool } from "../../support/generator-host.js";
import { keysOf } from "../../support/keys.js";
import { CHECKOUT, freshRoot, generatedRoot, type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { socketClient } from "../../support/servers/socket-client.js";
import { caller, connect, until } from "../../support/servers/socket-connection.js";
import { keyRecords, makeKey, serveSocket } from "../../support/servers/socket-server.js";
import { serveBoth } from "./parity/world.js";

const SLOW = 120_000;
const LIFE_MS = 10_000;
const cleaning: (() => unknown)[] = [];
let root = "";
let served: Awaited<ReturnType<typeof serveBoth>>;
let texts: Readonly<Record<"admin" | "write" | "read", string>>;

beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.unshift(clean);
  root = freshRoot(later);
  const keys = keysOf(root);
  later(() => keys.close());
  const make = async (scope: string): Promise<string> => (await keys.create({ name: scope, scope }, "local")).key;
  texts = { admin: await make("admin"), write: await make("write"), read: await make("read") };
  served = await serveBoth(root, later);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning) await clean();
});

/** The answer of a gateway tool to a key, over each of the two transports. */
async function overHttpAndSocket(key: string): Promise<readonly ((name: string, args: object) => Promise<Json>)[]> {
  const call = caller(await connect(served.socket), key);
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
  onTestFinished(() => client.close());
  return [
    async (name, args) => (await call(name, args)).result.structuredContent,
    async (name, args) => (await client.callTool({ name, arguments: { ...args } })).structuredContent,
  ];
}

test("[E6] a key that expires between listing and call is refused, and a good one on the same connection is not", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const keys = keysOf(root);
  onTestFinished(() => keys.close());
  const { key, record } = await keys.create({ name: "short", scope: "read", lifeMs: LIFE_MS }, "local");
  const client = await connect(served.socket);
  expect((await client.ask("oubliette_tools", { api_key: key })).result.tools).toHaveLength(7);
  expect(await caller(client, key)("project_list")).toMatchObject({ result: { isError: false } });
  await sleep(Math.max(0, Date.parse(record.expires_at ?? "") - Date.now()) + 1);
  const denial = { code: -32_001, data: { code: "UNAUTHENTICATED" } };
  expect((await caller(client, key)("project_list")).error).toMatchObject(denial);
  expect((await client.ask("oubliette_tools", { api_key: key })).error).toMatchObject(denial);
  expect(await caller(client, texts.read)("project_list")).toMatchObject({ result: { isError: false } });
});

/** An envelope without what differs from call to call, and without the op that was asked for. */
const plain = (envelope: Json, op: string): string =>
  JSON.stringify({ ...envelope, meta: { ...envelope.meta, trace_id: "", latency_ms: 0 } }).replaceAll(op, "<op>");

test("[E13] through tool_exec, token.create and what is no op are one answer to a key that may not use it", {
  timeout: SLOW,
}, async () => {
  const before = keyRecords(root);
  for (const call of await overHttpAndSocket(texts.write)) {
    const args = { name: "mine", scope: "admin" };
    const [hidden, near, nothing] = ["oubliette.token.create", "oubliette.tqken.create", "oubliette.token.nothing"];
    const refused = await call("tool_exec", { op: hidden, args });
    expect(refused).toMatchObject({ ok: false, error: { code: "NOT_FOUND", help_path: "oubliette" } });
    // Suggestions follow the words of what was asked for, so only a name as near to all others is answered with the same bytes.
    expect(plain(refused, hidden)).toBe(plain(await call("tool_exec", { op: near, args }), near));
    const { code, message, help_path } = (await call("tool_exec", { op: nothing, args })).error;
    expect(refused.error).toMatchObject({ code, help_path, message: message.replace(nothing, hidden) });
    expect((await call("tool_help", { path: refused.error.help_path })).type).toBe("directory");
  }
  expect(keyRecords(root)).toEqual(before);
});

test("[E14] a batch of a read and token.create gives one result each", { timeout: SLOW }, async () => {
  const before = keyRecords(root);
  for (const call of await overHttpAndSocket(texts.read)) {
    const admin = { op: "oubliette.token.create", args: { name: "mine", scope: "admin" } };
    const answer = await call("tool_batch", { ops: [{ op: "oubliette.project.list" }, admin] });
    expect(answer.results).toMatchObject([{ ok: true }, { ok: false, error: { code: "NOT_FOUND" } }]);
  }
  expect(keyRecords(root)).toEqual(before);
});

test("[E15] a key is made, listed without its text, and revoked; from then on it is invalid", {
  timeout: SLOW,
}, async () => {
  const client = await connect(served.socket);
  const call = caller(client, texts.admin);
  const made = (await call("token_create", { name: "e15", scope: "read" })).result.structuredContent;
  expect(await caller(client, made.key)("project_list")).toMatchObject({ result: { isError: false } });
  const listed = JSON.stringify(await call("token_list", { include_revoked: true }));
  expect(listed).toContain(made.key_id);
  for (const text of [made.key, ...Object.values(texts)]) expect(listed).not.toContain(text.slice(15));
  for (const { digest } of keyRecords(root)) expect(listed).not.toContain(digest);
  const { revoked } = (await call("token_revoke", { key_id: made.key_id })).result.structuredContent;
  expect(revoked).toEqual([made.key_id]);
  expect((await caller(client, made.key)("project_list")).error.code).toBe(-32_001);
});

test("[F6] the peer closes during a call: the signal of the handler in the server process fires", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const own = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"));
  const { key } = await makeKey(own, "read");
  const { path } = await serveSocket(own);
  const [file, never] = [join(own, "held"), join(own, "never")];
  const client = await connect(path);
  void caller(client, key)("tool_exec", { op: "vault.hold_on", args: { file, until: never } });
  const read = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  await until(() => read() === "started\n");
  client.close();
  await until(() => read() === "started\naborted\n");
});

const CONFIG = "use: [ot]\nsources: [{ chat-tools: t.json, pack: oubliette, kind: read }]\n";

/** Definitions of tools of the pack that the socket shows. */
function define(folder: string, names: readonly string[], config = CONFIG): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "toolwright.yaml"), config);
  writeFileSync(join(folder, "t.json"), JSON.stringify(names.map((name) => tool(name))));
}

test("[C2] two ops with one exposed name: the build fails, names both, and writes nothing", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const own = temporaryFolder();
  const ops = "ops: { list_a: { op: oubliette.a.b_go }, list_b: { op: oubliette.a_b.go } }\n";
  define(join(own, "definitions"), ["list_a", "list_b"], CONFIG + ops);
  const { code, stderr, stdout } = await toolwright(["generate", "--root", own]);
  expect(code).toBe(2);
  expect(stdout + stderr).toMatch(
    /exposed-name\s+oubliette\.a_b\.go .*oubliette_a_b_go is also the name of oubliette\.a\.b_go/,
  );
  expect(existsSync(join(own, "generated"))).toBe(false);
});

test("a reload with a changed registry: connections that have listed are notified, and clients list the new tools", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const definitions = join(temporaryFolder(), "definitions");
  define(definitions, ["list_things"]);
  const own = await generatedRoot(definitions);
  const { key } = await makeKey(own, "write");
  const { path } = await serveSocket(own);
  const [listing, silent] = [await connect(path), await connect(path)];
  const { registry_version } = (await listing.ask("oubliette_tools", { api_key: key })).result;
  const { names, changes } = await socketClient(path, { key });
  expect(await names()).toEqual(["oubliette_list_things"]);
  const reload = async (): Promise<void> => {
    const { result } = await caller(silent, key)("tool_exec", { op: "ot.reload" });
    expect(result.structuredContent.result).toMatch(/^OK: /);
  };
  await reload();
  await listing.ask("ping");
  expect(listing.text()).not.toContain("oubliette_tools_changed");

  define(join(own, "definitions"), ["list_things", "list_more"]);
  expect(await toolwright(["generate", "--root", own])).toMatchObject({ code: 0 });
  const told = listing.next();
  await reload();
  const { method, params } = await told;
  expect(method).toBe("oubliette_tools_changed");
  expect(params.registry_version).not.toBe(registry_version);
  await until(() => changes() === 1);
  expect(await names()).toEqual(["oubliette_list_more", "oubliette_list_things"]);
  await silent.ask("ping");
  expect(silent.text()).not.toContain("oubliette_tools_changed");
});
