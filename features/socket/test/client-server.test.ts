/** The real client with the real server: access by key, answers, and server restarts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CHECKOUT, freshRoot, type Json } from "../../../test/support/project.js";
import { SLOW } from "../../../test/support/run/run-demo.js";
import { socketClient } from "../../../test/support/servers/socket-client.js";
import {
  ask,
  editKey,
  expireKey,
  type MadeKey,
  makeKey,
  type SocketServed,
  STRANGE_KEY,
  serveSocket,
  watchedSocket,
} from "../../../test/support/servers/socket-server.js";

const soon = { timeout: 30_000, interval: 20 };
const registry: Json = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8"));
const pack: readonly Json[] = registry.tools.filter(({ op }: Json) => op.startsWith("oubliette."));
const wireOf = (op: string): string => op.replace("oubliette.", "").replaceAll(".", "_");

const cleaning: (() => unknown)[] = [];
let root = "";
let server: SocketServed;
let keys: Readonly<Record<"A" | "W" | "R" | "P1" | "X" | "V", MadeKey>>;
let project = "";

beforeAll(async () => {
  const later = (one: () => unknown): void => void cleaning.unshift(one);
  root = freshRoot(later);
  const [A, W, R, X, V] = [
    await makeKey(root, "admin"),
    await makeKey(root, "write"),
    await makeKey(root, "read"),
    await makeKey(root, "read"),
    await makeKey(root, "read"),
  ];
  expireKey(root, X);
  editKey(root, V, { revoked_at: new Date().toISOString() });
  server = await serveSocket(root, later);
  project = (await callTool(A.key, "project_create", { name: "p1" })).result.structuredContent.id;
  const made = await callTool(A.key, "token_create", { name: "p1", scope: `project:${project}` });
  keys = { A, W, R, X, V, P1: made.result.structuredContent };
}, SLOW);
afterAll(async () => {
  for (const one of cleaning) await one();
});

const callTool = async (api_key: string, tool: string, args: object): Promise<Json> =>
  JSON.parse(
    await ask(server.path, {
      ...{ jsonrpc: "2.0", id: 1, method: "oubliette_call_tool" },
      params: { api_key, tool, arguments: args },
    }),
  );
const list = (params: object): Promise<string> =>
  ask(server.path, { jsonrpc: "2.0", id: 1, method: "oubliette_tools", params });
const namesFor = async ({ key }: MadeKey): Promise<readonly string[]> =>
  JSON.parse(await list({ api_key: key })).result.tools.map(({ name }: Json) => name);
const wired = (keep: (tool: Json) => boolean): readonly string[] => pack.filter(keep).map(({ op }) => wireOf(op));

describe("discovery", { timeout: SLOW }, () => {
  test("an admin key: every op, unprefixed, in the order of the registry, with a schema of its own", async () => {
    const { tools } = JSON.parse(await list({ api_key: keys.A.key })).result;
    expect(pack.length).toBe(19);
    expect(tools.map(({ name }: Json) => name)).toEqual(wired(() => true));
    for (const { inputSchema } of tools) expect(inputSchema.type).toBe("object");
    const create = tools.find(({ name }: Json) => name === "project_create");
    expect(create.inputSchema.required).toEqual(["name"]);
  });

  test("what a key of level write, read or of one project may use, through the client too", {
    tags: "full",
  }, async () => {
    const isToken = ({ op }: Json): boolean => op.startsWith("oubliette.token.");
    expect(await namesFor(keys.W)).toEqual(wired((one) => !isToken(one)));
    const reads = await namesFor(keys.R);
    expect(reads).toEqual(wired((one) => one.kind === "read" && !isToken(one)));
    expect(reads.length).toBe(7);
    const ofProject = await namesFor(keys.P1);
    expect(ofProject).toEqual(wired((one) => !isToken(one) && one.op !== "oubliette.project.create"));
    expect(ofProject.length).toBe(15);
    for (const [key, expected] of [[keys.R, reads] as const, [keys.P1, ofProject] as const]) {
      const { names, client } = await socketClient(server.path, { key: key.key });
      expect(await names()).toEqual(expected.map((name) => `oubliette_${name}`));
      await client.close();
    }
  });

  test("invalid, expired or revoked keys: the same bytes; no key: other parameters", async () => {
    const bad = [STRANGE_KEY, keys.X.key, keys.V.key, "", "oub_", `${keys.A.key}x`];
    const answers = await Promise.all(bad.map((api_key) => list({ api_key })));
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? "").error).toMatchObject({ code: -32001, data: { code: "UNAUTHENTICATED" } });
    for (const params of [{}, { api_key: 5 }]) expect(JSON.parse(await list(params)).error.code).toBe(-32602);
  });

  test("a client with an expired key starts, warns once, and has no tools of it", { tags: "full" }, async () => {
    const { names, stderr } = await socketClient(server.path, { key: keys.X.key, root: freshRoot() });
    expect((await names()).filter((name) => name.startsWith("oubliette_"))).toEqual([]);
    expect(stderr().match(/invalid or expired API key/g)?.length).toBe(1);
    expect(stderr()).not.toContain(keys.X.key.slice(15));
  });

  test("[C3] every op has one name here, and from each name one op is found", async () => {
    const { names } = await socketClient(server.path, { key: keys.A.key });
    const exposed = await names();
    expect(new Set(exposed).size).toBe(pack.length);
    const back = new Map(exposed.map((name, i) => [name, pack[i].op]));
    for (const { op } of pack) expect(back.get(`oubliette_${wireOf(op)}`)).toBe(op);
  });

  test("the view gateway: three tools, through which the same key reaches other packs", { tags: "full" }, async () => {
    const env = { OUBLIETTE_EXPOSE: "gateway" };
    const { names, call } = await socketClient(server.path, { key: keys.R.key, env });
    expect(await names()).toEqual(["oubliette_tool_help", "oubliette_tool_exec", "oubliette_tool_batch"]);
    const answer = await call("oubliette_tool_exec", { op: "oubliette.project.get", args: { project_id: project } });
    expect(answer.structuredContent).toMatchObject({ ok: true, result: { id: project } });
    const refused = await call("oubliette_tool_exec", { op: "oubliette.token.list" });
    expect(refused).toMatchObject({ isError: true, structuredContent: { ok: false, error: { code: "NOT_FOUND" } } });
  });
});

describe("execution", { timeout: SLOW }, () => {
  test("[E1] [E2] [E12] results, and failures with their codes, as the agent sees them", async () => {
    const { names, call } = await socketClient(server.path, { key: keys.W.key });
    await names();
    const listed = await call("oubliette_project_list");
    expect(listed.isError ?? false).toBe(false);
    const made = (await call("oubliette_project_create", { name: "e2" })).structuredContent;
    const after = (await call("oubliette_project_list")).structuredContent.projects;
    expect(after.map(({ id }: Json) => id)).toContain(made.id);
    for (const [tool, args, code] of [
      ["project_create", { name: "e2" }, "CONFLICT"],
      ["project_create", { nam: "e3" }, "VALIDATION_ERROR"],
    ] as const) {
      const failed = await call(`oubliette_${tool}`, args);
      expect(failed).toMatchObject({ isError: true, structuredContent: { ok: false, error: { code } } });
      expect(failed.content[0].text).toMatch(new RegExp(`^${code}: `));
    }
  });

  test("[F7] the server restarts: the client finds it again, lists again, and announces nothing that has not changed", {
    tags: "full",
  }, async () => {
    const own = freshRoot();
    const key = await makeKey(own, "write");
    const first = await serveSocket(own);
    const { names, call, changes } = await socketClient(first.path, { key: key.key });
    const before = await names();
    await first.stop();
    expect(await names()).toEqual(before);
    expect((await call("oubliette_project_create", { name: "x" })).structuredContent.error.code).toBe("UNAVAILABLE");
    await serveSocket(own);
    await vi.waitFor(async () => {
      expect((await call("oubliette_project_list")).isError ?? false).toBe(false);
    }, soon);
    expect(await names()).toEqual(before);
    expect(changes()).toBe(0);
  });

  test("nothing but keys, tools and arguments goes to the server, and the key stays off stderr", {
    tags: "full",
  }, async () => {
    const wire = await watchedSocket(server.path);
    const { names, call, stderr } = await socketClient(wire.path, { key: keys.R.key });
    await names();
    await call("oubliette_project_list", { limit: 1 });
    expect(wire.sent.map(({ method, params }) => [method, Object.keys(params)])).toEqual([
      ["oubliette_tools", ["api_key", "view"]],
      ["oubliette_call_tool", ["api_key", "tool", "arguments", "timeout_ms"]],
    ]);
    expect(stderr()).not.toContain(keys.R.key.slice(15));
  });
});
