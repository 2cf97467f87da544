/** Keys over HTTP: which callers are accepted, how others are refused, and the rate limit of a key. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKey } from "../../../runtime/access/key-text.js";
import { type HttpServed, LIST, MODERN, type Raw, type RawAnswer, raw, serveHttp } from "../../support/http.js";
import { keysOf, keysOfEveryGrant } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, type Json, toolwright } from "../../support/project.js";
import { type ServedKeys, serveKeys } from "../../support/servers/served-keys.js";

const SLOW = 120_000;
const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let known: ServedKeys["known"];

beforeAll(async () => {
  ({ root, known, server } = await serveKeys(later));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const bearer = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });
const as = (key: string, request: Raw = {}): Promise<RawAnswer> =>
  raw(server.url, { ...request, headers: { ...request.headers, ...bearer(key) } });
const toolCall = (name: string, args: object) => ({
  ...LIST,
  method: "tools/call",
  params: { name, arguments: args },
});
/** The result in an answer, of whichever form. */
const resultOf = ({ text }: RawAnswer): Json => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
const exec = async (key: string, op: string, args: object = {}): Promise<Json> =>
  resultOf(await as(key, { body: toolCall("tool_exec", { op, args }) })).structuredContent;

describe("accepted callers", () => {
  test("one answer, 401 and a challenge, for keys that are malformed, unknown, expired or revoked", async () => {
    const expired = await known.keys.create({ name: "x", scope: "admin", lifeMs: 1000 }, "local");
    const revoked = await known.keys.create({ name: "v", scope: "admin" }, "local");
    await known.keys.revoke(revoked.record.key_id);
    await expect.poll(() => known.keys.verify(expired.key)).toBeUndefined();
    const texts = [expired.key, revoked.key, newKey().text, "garbage", `${known.admin.key}x`, "oub_", ""];
    const answers = await Promise.all(texts.map((text) => as(text)));
    for (const { status, headers, text } of answers) {
      expect(status).toBe(401);
      expect(text).toBe(answers[0]?.text);
      expect(headers["www-authenticate"]).toBe(answers[0]?.headers["www-authenticate"]);
    }
    expect(answers[0]?.text).toContain("invalid or expired API key");
    for (const text of texts.slice(0, 4)) expect(answers[0]?.text).not.toContain(text);
  });

  test("the challenge leads to what RFC 9728 tells of the endpoint", async () => {
    const { headers } = await raw(server.url);
    const [, found = ""] = /^Bearer .*resource_metadata="([^"]+)"/.exec(String(headers["www-authenticate"])) ?? [];
    const { origin } = new URL(server.url);
    expect(found).toBe(`${origin}/.well-known/oauth-protected-resource/mcp`);
    for (const path of [new URL(found).pathname, "/.well-known/oauth-protected-resource"]) {
      const { status, text } = await raw(server.url, { method: "GET", path });
      expect({ status, document: JSON.parse(text) }).toEqual({
        status: 200,
        document: { resource: server.url, resource_name: "toolwright", bearer_methods_supported: ["header"] },
      });
    }
  });

  test.each([
    ["nothing", {}],
    ["another scheme", { authorization: "Basic dTpw" }],
    ["the scheme alone", { authorization: "Bearer" }],
  ])("401 for %s", async (_what, headers) => {
    const { status, headers: answered } = await raw(server.url, { headers });
    expect(status).toBe(401);
    expect(answered["www-authenticate"]).toMatch(/^Bearer /);
  });

  test("a key is taken from the header alone: neither from the query nor from the body", async () => {
    const { key } = known.admin;
    for (const path of [`/mcp?api_key=${key}`, `/mcp?access_token=${key}`, `/mcp?authorization=Bearer%20${key}`])
      expect((await raw(server.url, { path })).status, path).toBe(401);
    const body = { ...LIST, params: { api_key: key, _meta: { authorization: `Bearer ${key}` } } };
    expect((await raw(server.url, { body })).status).toBe(401);
  });

  test("Host and Origin are looked at before the key, and a body is not read without one", async () => {
    const { key } = known.admin;
    expect((await as(key, { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await as(key, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await raw(server.url, { body: "not JSON" })).status).toBe(401);
    expect((await as(key, { method: "GET" })).status).toBe(405);
  });

  test("each key gets in with its own grant, in both eras", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    for (const [who, sees, hides] of [
      [known.admin, ["create_token", "add_note", "list_notes"], []],
      [known.write, ["add_note", "list_notes"], ["create_token", "list_tokens"]],
      [known.read, ["list_notes"], ["add_note", "create_token", "list_tokens"]],
      [known.project, ["list_notes"], ["add_note", "create_token"]],
      [known.projectRead, ["list_notes"], ["add_note", "create_token"]],
    ] as const)
      for (const [body, headers] of [
        [LIST, {}],
        [
          { ...LIST, params: { _meta: meta } },
          { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" },
        ],
      ] as const) {
        const answer = await as(who.key, { body, headers });
        const names = resultOf(answer).tools.map(({ name }: Json) => name);
        expect(names).toEqual(expect.arrayContaining([...sees]));
        for (const name of hides) expect(answer.text).not.toContain(name);
      }
  });
});

describe("after the key", () => {
  test("a refused op is 200 with isError and the envelope; the level stands in for allow_write", async () => {
    const file = join(root, "notes");
    const refused = await as(known.read.key, {
      body: toolCall("tool_exec", { op: "vault.add_note", args: { text: "x", file } }),
    });
    expect(refused.status).toBe(200);
    expect(resultOf(refused)).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: "NOT_FOUND", help_path: "vault" } },
    });
    expect(existsSync(file)).toBe(false);
    expect(await exec(known.write.key, "vault.add_note", { text: "x", file })).toMatchObject({
      ok: true,
      result: { by: known.write.id },
    });
    expect(readFileSync(file, "utf8")).toBe(`${known.write.id}: x\n`);
  });

  test("no idempotency key of one caller answers another one", async () => {
    const file = join(root, "once");
    const call = (key: string, text: string) =>
      as(key, { body: toolCall("tool_exec", { op: "vault.add_note", args: { text, file }, idempotency_key: "k" }) });
    const answers = [
      await call(known.write.key, "w"),
      await call(known.admin.key, "a"),
      await call(known.write.key, "w"),
      await call(known.read.key, "w"),
    ].map((one) => resultOf(one).structuredContent);
    expect(answers.slice(0, 3).map(({ result, meta }) => [result.text, meta.replayed])).toEqual([
      ["w", undefined],
      ["a", undefined],
      ["w", true],
    ]);
    expect(answers[3].error.code).toBe("NOT_FOUND");
    expect(readFileSync(file, "utf8")).toBe(`${known.write.id}: w\n${known.admin.id}: a\n`);
  });

  test("a key that is revoked ends its calls, those of a run too, and gets no further", { timeout: SLOW }, async () => {
    const { key, record } = await known.keys.create({ name: "short", scope: "read" }, "local");
    const [alone, inRun] = [join(root, "alone"), join(root, "in-run")];
    const until = join(root, "never");
    const calls = [
      as(key, { body: toolCall("tool_exec", { op: "vault.hold_on", args: { file: alone, until } }) }),
      as(key, {
        body: toolCall("run", {
          command: `vault.hold_on(file=${JSON.stringify(inRun)}, until=${JSON.stringify(until)})`,
        }),
      }),
    ];
    const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await expect.poll(() => read(alone) + read(inRun), { timeout: SLOW / 4 }).toBe("started\nstarted\n");
    await known.keys.revoke(record.key_id);
    const [called, ran] = await Promise.all(calls);
    expect(resultOf(called as RawAnswer).structuredContent).toMatchObject({
      ok: false,
      error: { code: "UNAUTHENTICATED", message: "invalid or expired API key", help_path: "root" },
    });
    expect(resultOf(ran as RawAnswer)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("UNAUTHENTICATED: invalid or expired API key") }],
    });
    await expect.poll(() => read(alone) + read(inRun)).toBe("started\naborted\nstarted\naborted\n");
    expect((await as(key)).status).toBe(401);
    expect((await as(known.read.key)).status).toBe(200);
  });

  test("a stream of changes ends with the key that it was opened with", { timeout: SLOW }, async () => {
    const { key, record } = await known.keys.create({ name: "listener", scope: "read" }, "local");
    const meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const method = "subscriptions/listen";
    const body = { ...LIST, method, params: { _meta: meta, notifications: { toolsListChanged: true } } };
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        ...bearer(key),
      },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    const ended = response.text().then(
      () => "ended",
      () => "ended",
    );
    await known.keys.revoke(record.key_id);
    expect(await ended).toBe("ended");
  });

  test("keys that cannot be read are 503, which is no revocation", { timeout: SLOW }, async () => {
    const own = await generatedRoot(DEMO);
    const keys = keysOf(own);
    const { key } = await keys.create({ name: "a", scope: "read" }, "local");
    const served = await serveHttp(own);
    const get = () => raw(served.url, { headers: bearer(key) });
    expect((await get()).status).toBe(200);
    const file = join(own, ".onetool", "keys");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, "{ not JSON");
    const { status, headers, text: said } = await get();
    expect({ status, retry: headers["retry-after"] }).toEqual({ status: 503, retry: "5" });
    expect(said).not.toContain(own);
    expect((await raw(served.url)).status).toBe(503);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    expect((await get()).status).toBe(200);
    await keys.close();
  });
});

describe("when a key is needed", () => {
  test("auto on this machine: none is, until one was made; what is shown is looked at all the same", {
    timeout: SLOW,
  }, async () => {
    const own = await generatedRoot(DEMO);
    const keys = keysOf(own);
    const served = await serveHttp(own);
    expect((await raw(served.url)).status).toBe(200);
    expect((await raw(served.url, { headers: bearer(newKey().text) })).status).toBe(401);
    const { key, record } = await keys.create({ name: "a", scope: "read" }, "local");
    expect((await raw(served.url)).status).toBe(401);
    expect((await raw(served.url, { headers: bearer(key) })).status).toBe(200);
    await keys.revoke(record.key_id);
    // Who held the only key is not let in as the owner of the machine, with or without it.
    expect((await raw(served.url, { headers: bearer(key) })).status).toBe(401);
    expect((await raw(served.url)).status).toBe(401);
    await keys.close();
  });

  test("keys: always; none: never, and not off this machine", { tags: "full", timeout: SLOW }, async () => {
    const own = await generatedRoot(DEMO);
    const write = (http: string): void =>
      writeFileSync(
        join(own, "definitions", "toolwright.yaml"),
        `sources: [{ functions: vault.ts }]\naccess: { http: ${http} }\n`,
      );
    write("keys");
    const asking = await serveHttp(own);
    expect((await raw(asking.url)).status).toBe(401);
    await expect.poll(() => asking.stderr()).toMatch(/connect CLIENT --url \S+\n/);
    write("none");
    const keys = keysOf(own);
    await keys.create({ name: "a", scope: "read" }, "local");
    await keys.close();
    const open = await serveHttp(own);
    expect((await raw(open.url)).status).toBe(200);
    await expect.poll(() => open.stderr()).toMatch(/connect CLIENT --url \S+ --no-key\n/);
    const { code, stderr } = await toolwright(["serve", "--root", own, "--http", "0.0.0.0:0"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/access\.http is none/) });
  });

  test("off this machine a live key is needed to start", { tags: "full", timeout: SLOW }, async () => {
    const own = await generatedRoot(DEMO);
    const { code, stderr } = await toolwright(["serve", "--root", own, "--http", "0.0.0.0:0"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/toolwright keys init/) });
    const keys = keysOf(own);
    const { key, record } = await keys.create({ name: "a", scope: "read" }, "local");
    const served = await serveHttp(own, ["--http", "0.0.0.0:0"]);
    const url = served.url.replace("0.0.0.0", "127.0.0.1");
    const { port } = new URL(url);
    await expect.poll(() => served.stderr()).toMatch(/put a TLS proxy in front\n$/);
    const [, advised = ""] = /connect CLIENT --url (\S+)/.exec(served.stderr()) ?? [];
    expect([new URL(advised).port, new URL(advised).pathname]).toEqual([port, "/mcp"]);
    expect(advised).not.toMatch(/0\.0\.0\.0|127\.|localhost/);
    expect(served.stderr()).toContain(`console at http://${new URL(advised).host}/`);
    expect(served.stderr()).toContain("toolwright keys create");
    // The advised address is one that the server answers to; another machine's is not.
    for (const [host, status] of [
      [new URL(advised).host, 200],
      [`${hostname()}:${port}`, 200],
      [`evil.example:${port}`, 403],
    ] as const)
      expect((await raw(url, { headers: { ...bearer(key), host } })).status).toBe(status);
    expect((await raw(url)).status).toBe(401);
    expect((await raw(url, { headers: bearer(key) })).status).toBe(200);
    // Without any key, the transport accepts no caller.
    await keys.revoke(record.key_id);
    expect((await raw(url)).status).toBe(401);
    await keys.close();
  });
});

test("each message and each entry of a batch counts; over the rate is 429 with Retry-After", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const own = await generatedRoot(DEMO);
  writeFileSync(
    join(own, "definitions", "toolwright.yaml"),
    "sources: [{ functions: vault.ts }]\naccess: { rate: { burst: 5, per_second: 0.001 } }\n",
  );
  const { keys, read, write, admin } = await keysOfEveryGrant(own);
  const served = await serveHttp(own);
  const send = (key: string, body: object = LIST) => raw(served.url, { headers: bearer(key), body });
  const batch = (entries: number) =>
    toolCall("tool_batch", { ops: Array.from({ length: entries }, () => ({ op: "vault.list_notes" })) });
  for (let call = 0; call < 5; call++) expect((await send(read.key)).status).toBe(200);
  const { status, headers, text } = await send(read.key);
  expect(status).toBe(429);
  expect(Number(headers["retry-after"])).toBeGreaterThan(900);
  expect(JSON.parse(text).error.data).toMatchObject({ code: "RATE_LIMITED", retry_after_ms: expect.any(Number) });
  expect(text).not.toContain(read.key);
  expect((await send(write.key, batch(4))).status).toBe(200);
  expect((await send(write.key, batch(2))).status).toBe(429);
  expect((await send(write.key, [LIST, { ...LIST, id: 2 }])).status).toBe(429);
  expect((await send(write.key)).status).toBe(200);
  expect((await send(admin.key, batch(20))).status).toBe(200);
  expect((await send(admin.key)).status).toBe(429);
  await keys.close();
});

test("no key in what a server writes", async () => {
  const { key } = known.admin;
  await as(key, { body: toolCall("tool_exec", { op: `vault.${key}`, args: { key } }) });
  await raw(server.url, { path: `/mcp?key=${key}` });
  expect(server.stderr()).not.toContain(key.slice(15));
});
