/** The console's HTTP API: access, requests from other origins, and what each caller sees. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKey } from "../../../../runtime/access/key-text.js";
import { type HttpServed, LIST, type Raw, type RawAnswer, raw, serveHttp } from "../../../support/http.js";
import type { Json } from "../../../support/project.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 120_000;
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

const ours = (): string => new URL(server.url).origin;
const page = (cookie: string): Raw["headers"] & object => ({ origin: ours(), cookie });
const post = (path: string, body: object | string, headers: Raw["headers"] & object = {}): Promise<RawAnswer> =>
  raw(server.url, { path, body, headers });
const get = (path: string, headers: Raw["headers"] & object = {}): Promise<RawAnswer> =>
  raw(server.url, { method: "GET", path, headers });
const json = ({ text }: RawAnswer): Json => JSON.parse(text);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function login(key: string): Promise<string> {
  const answer = await post("/api/login", { key }, { origin: ours() });
  expect(answer.status).toBe(200);
  return String(answer.headers["set-cookie"]).split(";")[0] ?? "";
}

const exec = (cookie: string, op: string, args: object = {}): Promise<RawAnswer> =>
  post("/api/exec", { op, args }, page(cookie));

describe("login", () => {
  test("a key becomes a cookie that no script reads and no other site sends, for 12 hours at most", async () => {
    const { headers, text } = await post("/api/login", { key: known.write.key }, { origin: ours() });
    const cookie = String(headers["set-cookie"]);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Strict");
    expect(cookie).not.toContain("Secure");
    const left = Date.parse(JSON.parse(text).expires_at) - Date.now();
    expect(left).toBeGreaterThan(11.9 * 3_600_000);
    expect(left).toBeLessThanOrEqual(12 * 3_600_000);
    expect(cookie).not.toContain(known.write.key);
    expect(text).not.toContain(known.write.id);
  });

  test("what the state database keeps is the digest of the cookie, never the cookie or the key", async () => {
    const id = (await login(known.write.key)).split("=")[1] ?? "";
    expect(id.length).toBeGreaterThanOrEqual(43);
    const folder = join(root, ".onetool");
    const files = readdirSync(folder).filter((name) => name.startsWith("state.db"));
    const stored = files.map((name) => readFileSync(join(folder, name), "latin1")).join("");
    expect(stored).toContain(createHash("sha256").update(id).digest("hex"));
    expect(stored).not.toContain(id);
    expect(stored).not.toContain(known.write.key);
  });

  test("one answer, 401, for keys that are malformed, unknown or revoked, and for what is no key", async () => {
    const revoked = await known.keys.create({ name: "v", scope: "admin" }, "local");
    await known.keys.revoke(revoked.record.key_id);
    const keys: unknown[] = [revoked.key, newKey().text, "garbage", "", 7, null];
    for (const key of keys) {
      const answer = await post("/api/login", { key }, { origin: ours() });
      expect(answer.status).toBe(401);
      expect(json(answer).error.message).toBe("invalid or expired API key");
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  test("a login acts as its key, at /api and not at /mcp", async () => {
    const cookie = await login(known.write.key);
    const { caller } = json(await get("/api/registry", { cookie }));
    expect(caller).toEqual({ kind: "key", id: known.write.id, level: "write", projects: "all", allow_write: true });
    expect(json(await exec(cookie, "vault.list_notes")).result).toEqual(["one", "two"]);
    expect((await post("/mcp", LIST, page(cookie))).status).toBe(401);
  });

  test("without login, 401 for every route", async () => {
    for (const path of [
      "/api/registry",
      "/api/op",
      "/api/search",
      "/api/connect",
      "/api/calls",
      "/api/servers",
      "/api/config",
    ])
      expect((await get(path)).status).toBe(401);
    for (const path of ["/api/help", "/api/exec", "/api/batch", "/api/run", "/api/config/preview", "/api/config/write"])
      expect((await post(path, {}, { origin: ours() })).status).toBe(401);
    const { port } = new URL(server.url);
    expect((await get("/api/registry", { cookie: `toolwright_login_${port}=nonsense` })).status).toBe(401);
  });

  test("logging out ends it on the server too", async () => {
    const cookie = await login(known.write.key);
    const answer = await post("/api/logout", {}, page(cookie));
    expect(String(answer.headers["set-cookie"])).toMatch(/toolwright_login_\d+=;.*Max-Age=0/);
    expect((await get("/api/registry", { cookie })).status).toBe(401);
  });

  test("a login ends with its key, revoked or expired", { tags: "full" }, async () => {
    const revoked = await known.keys.create({ name: "r", scope: "read" }, "local");
    const cookie = await login(revoked.key);
    expect((await get("/api/registry", { cookie })).status).toBe(200);
    await known.keys.revoke(revoked.record.key_id);
    await expect.poll(async () => (await get("/api/registry", { cookie })).status).toBe(401);
    const short = await known.keys.create({ name: "s", scope: "read", lifeMs: 3000 }, "local");
    const other = await login(short.key);
    await expect.poll(async () => (await get("/api/registry", { cookie: other })).status).toBe(401);
  });
});

describe("a page of another origin", () => {
  const FORM = "application/x-www-form-urlencoded";
  test.each<[string, () => Raw["headers"] & object, number]>([
    ["another host", () => ({ origin: "https://evil.example" }), 403],
    ["another port of this machine", () => ({ origin: "http://127.0.0.1:1" }), 403],
    ["another name of this machine", () => ({ origin: ours().replace("127.0.0.1", "localhost") }), 403],
    ["no origin that is told", () => ({ origin: "null" }), 403],
    ["no Origin at all, with the cookie", () => ({}), 403],
    ["a form", () => ({ origin: ours(), "content-type": FORM }), 415],
    ["plain text", () => ({ origin: ours(), "content-type": "text/plain" }), 415],
  ])("is refused with a cookie: %s", async (_what, headers, status) => {
    const cookie = await login(known.write.key);
    const file = join(root, "csrf.txt");
    const body = { op: "vault.add_note", args: { text: "forged", file } };
    for (const path of ["/api/exec", "/api/run", "/api/logout"])
      expect((await post(path, body, { ...headers(), cookie })).status).toBe(status);
    expect(readdirSync(root)).not.toContain("csrf.txt");
    expect((await get("/api/registry", { cookie })).status).toBe(200);
  });

  test("cannot log anybody in", async () => {
    const answer = await post("/api/login", { key: known.write.key }, { origin: "https://evil.example" });
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("a bearer needs no Origin", async () => {
    const answer = await post("/api/exec", { op: "vault.list_notes", args: {} }, bearer(known.read.key));
    expect(json(answer).ok).toBe(true);
  });

  test("other methods are 405", async () => {
    expect((await post("/api/registry", {}, bearer(known.read.key))).status).toBe(405);
    expect((await get("/api/login")).status).toBe(405);
    expect((await get("/api/run", bearer(known.read.key))).status).toBe(405);
  });
});

describe("what a caller is shown", () => {
  test("the registry holds what is visible, and never where it comes from", async () => {
    const ops = async (key: string): Promise<readonly string[]> => {
      const { packs } = json(await get("/api/registry", bearer(key)));
      return packs.flatMap(({ ops }: Json) => ops.map(([op]: Json) => op));
    };
    const all = await ops(known.admin.key);
    const write = await ops(known.write.key);
    const read = await ops(known.read.key);
    expect(all).toContain("vault.create_token");
    expect(write).not.toContain("vault.create_token");
    expect(write).toContain("vault.add_note");
    expect(read).not.toContain("vault.add_note");
    expect(read).toContain("vault.list_notes");
  });

  test("an op is answered in full to who may see it, and never where it comes from", async () => {
    const op = (name: string, key: string) => get(`/api/op?name=${encodeURIComponent(name)}`, bearer(key));
    const tool = json(await op("vault.add_note", known.write.key));
    expect(tool).toMatchObject({ op: "vault.add_note", kind: "write", parameters_schema: { type: "object" } });
    expect(tool).not.toHaveProperty("source");
    for (const name of ["vault.add_note", "vault.no_such", "", "__proto__"])
      expect((await op(name, known.read.key)).status).toBe(404);
  });

  test("a search finds mistyped words, as ot.help does, among what the caller may see", async () => {
    const search = async (query: string, key: string): Promise<readonly string[]> => {
      const { found } = json(await get(`/api/search?${new URLSearchParams({ query })}`, bearer(key)));
      return found.map(({ name }: Json) => name);
    };
    expect(await search("vault.add_nott", known.write.key)).toContain("vault.add_note");
    expect(await search("vault.add_nott", known.read.key)).not.toContain("vault.add_note");
    expect((await search("vault", known.read.key))[0]).toBe("vault");
    const { found } = json(await get("/api/search?query=vault.add_note", bearer(known.write.key)));
    expect(found[0].signature.python).toMatch(/^vault\.add_note\(/);
    expect(found[0].signature.python).not.toContain("'...'");
    expect(await search("  ", known.read.key)).toEqual([]);
    expect((await get(`/api/search?query=${"x".repeat(201)}`, bearer(known.read.key))).status).toBe(400);
  });

  test("a server is restarted by admins only", async () => {
    const restart = (key: string) => post("/api/servers/restart", { name: "none" }, bearer(key));
    expect([(await restart(known.write.key)).status, (await restart(known.admin.key)).status]).toEqual([403, 404]);
    expect((await post("/api/servers/restart", { name: "none" })).status).toBe(401);
  });

  test("its tag depends on version and grant: unchanged is 304, and another key gets 200", async () => {
    const first = await get("/api/registry", bearer(known.write.key));
    const tag = String(first.headers["etag"]);
    expect(tag).toContain(json(first).registry_version);
    expect(first.headers["cache-control"]).toBe("private, no-cache");
    const again = (key: string) => get("/api/registry", { ...bearer(key), "if-none-match": tag });
    const same = await again(known.write.key);
    expect([same.status, same.text]).toEqual([304, ""]);
    expect((await again(known.read.key)).status).toBe(200);
  });

  test("an op that the caller may not use is refused with a login, too", async () => {
    const cookie = await login(known.read.key);
    const answer = json(await exec(cookie, "vault.add_note", { text: "x", file: join(root, "no.txt") }));
    expect(answer.ok).toBe(false);
    expect(["NOT_FOUND", "PERMISSION_DENIED"]).toContain(answer.error.code);
    expect(readdirSync(root)).not.toContain("no.txt");
  });

  test("calls with their spans: the caller's own, and all of them for an admin", async () => {
    await post("/api/run", { command: "vault.list_notes()" }, bearer(known.read.key));
    const calls = async (key: string): Promise<Json[]> => json(await get("/api/calls", bearer(key))).calls;
    const own = await calls(known.read.key);
    expect(new Set(own.map(({ caller }) => caller))).toEqual(new Set([known.read.id]));
    const run = own.find(({ span }) => span === "run");
    expect(run.spans.map(({ span }: Json) => span)).toEqual(["vault.list_notes"]);
    expect((await calls(known.admin.key)).some(({ caller }) => caller === known.read.id)).toBe(true);
    expect((await calls(known.projectRead.key)).filter(({ caller }) => caller !== known.projectRead.id)).toEqual([]);
    expect(json(await get("/api/calls?limit=1", bearer(known.admin.key))).calls).toHaveLength(1);
    for (const limit of ["0", "501", "x", "1.5"])
      expect((await get(`/api/calls?limit=${limit}`, bearer(known.read.key))).status).toBe(400);
  });
});

describe("run", () => {
  const run = async (body: object): Promise<Json> => json(await post("/api/run", body, bearer(known.write.key)));

  test("a check finds the line and executes nothing", async () => {
    const file = join(root, "checked.txt");
    const command = `vault.add_note(text='x', file='${file}')\n\nvault.list_note()`;
    const { text, is_error, diagnostics } = await run({ command, check: true });
    expect({ text, is_error }).toEqual({ text: "", is_error: false });
    expect(diagnostics).toEqual([{ line: 3, message: expect.stringContaining("list_note") }]);
    expect(readdirSync(root)).not.toContain("checked.txt");
  });

  test("a run answers with its text and what the check found beside", async () => {
    expect(await run({ command: "vault.list_notes()" })).toEqual({
      text: expect.stringContaining("one"),
      is_error: false,
      diagnostics: [],
      engine: { name: "cpython", ms: expect.any(Number) },
    });
    const failed = await run({ command: "x = 1\nvault.list_note()" });
    expect(failed.is_error).toBe(true);
    expect(failed.diagnostics.map(({ line }: Json) => line)).toEqual([2]);
  });

  test("invalid code and invalid bodies are reported as by a run", async () => {
    const unreadable = await run({ command: "x = 1\ndef (", check: true });
    expect(unreadable).toMatchObject({ text: "", is_error: false });
    expect(unreadable.diagnostics[0]).toEqual({ line: 2, message: expect.stringContaining("syntax") });
    const unknown = await run({ command: "$no_such_snippet", check: true });
    expect(unknown).toMatchObject({
      is_error: true,
      text: expect.stringContaining("no_such_snippet"),
      diagnostics: [],
    });
    expect((await run({ command: 7 })).text).toContain("must be text");
    expect((await run({ check: true })).text).toContain("needs 'command'");
    expect((await run({ command: "1", timeout: 1 })).text).toContain("unexpected argument 'timeout'");
  });
});

describe("the pages", () => {
  test("are served with strict headers, and hold no script or style of their own", async () => {
    const { status, text, headers } = await get("/");
    expect(status).toBe(200);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'self';/);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
    expect(text).not.toMatch(/https?:/);
    const tag = String(headers["etag"]);
    expect((await get("/", { "if-none-match": tag })).status).toBe(304);
    expect((await get("/app.js")).headers["content-type"]).toContain("javascript");
    expect((await get("/../package.json")).status).toBe(404);
  });

  test.each(["br", "gzip"])("are compressed, and so are answers: %s", async (encoding) => {
    const ask = (path: string, accepted: string): Promise<Response> =>
      fetch(new URL(path, server.url), { headers: { ...bearer(known.read.key), "accept-encoding": accepted } });
    for (const path of ["/app.js", "/style.css", "/api/connect"]) {
      const [packed, plain] = await Promise.all([ask(path, encoding), ask(path, "identity")]);
      expect([path, packed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual([
        path,
        encoding,
        null,
      ]);
      expect(packed.headers.get("vary")).toContain("Accept-Encoding");
      expect(await packed.text()).toBe(await plain.text());
    }
    // Too small to gain from it.
    expect((await ask("/icon.svg", encoding)).headers.get("content-encoding")).toBeNull();
    expect((await ask("/app.js", `${encoding};q=0`)).headers.get("content-encoding")).toBeNull();
  });

  test("--no-console: neither pages nor login nor cookies; bearers are answered", { timeout: SLOW }, async () => {
    const cookie = await login(known.write.key);
    const bare = await serveHttp(root, ["--no-console"]);
    expect(bare.stderr()).not.toContain("console at");
    const ask = (method: string, path: string, headers: Raw["headers"] & object = {}) =>
      raw(bare.url, { method, path, body: { key: known.write.key }, headers });
    expect((await ask("GET", "/")).status).toBe(404);
    expect((await ask("POST", "/api/login", { origin: new URL(bare.url).origin })).status).toBe(404);
    expect((await ask("GET", "/api/registry", { cookie })).status).toBe(401);
    expect((await ask("GET", "/api/registry", bearer(known.read.key))).status).toBe(200);
  });

  test("any instance over the same state knows a login", { timeout: SLOW }, async () => {
    const cookie = await login(known.write.key);
    const other = await serveHttp(root);
    const headers = { cookie, host: new URL(server.url).host };
    expect((await raw(other.url, { method: "GET", path: "/api/registry", headers })).status).toBe(200);
  });
});
