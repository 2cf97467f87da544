/** A server behind proxies: names and addresses that it accepts, drain, compression, connections, and TLS without a proxy. */

import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request as plainRequest } from "node:http";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { openKeys } from "../../../../runtime/access/keys.js";
import { httpFindings } from "../../../../runtime/cli/doctor-http.js";
import { silentLog } from "../../../../runtime/config/log.js";
import { type HttpConfig, httpSettingsOf } from "../../../../runtime/config/transport-settings.js";
import { withDefaults } from "../../../../runtime/contract/settings/project-settings.js";
import { isUsageError } from "../../../../runtime/contract/usage-error.js";
import { httpAddress } from "../../../../runtime/serve/http/address.js";
import { openCertificate } from "../../../../runtime/serve/http/certificate.js";
import { addressOfClient } from "../../../../runtime/serve/http/forwarded.js";
import { openHttp } from "../../../../runtime/serve/http/http.js";
import { openState } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { statefulRoot } from "../../../support/databases/outage.js";
import { raw, serveHttp } from "../../../support/http.js";
import { temporaryFolder, toolwright } from "../../../support/project.js";
import { certificate, NO_OPENSSL } from "../../../support/servers/certificate.js";
import { fixture, liveOf, principal } from "../../gateway/fixture.js";

const SLOW = 240_000;
const settings = (config: HttpConfig) => httpSettingsOf(withDefaults(config));

describe("the address of a client", () => {
  const { trustedProxies } = settings({ http: { trusted_proxies: ["10.0.0.0/8", "::1", "192.0.2.7"] } });
  test.each<[string, string | null, string, string]>([
    ["203.0.113.5", null, "203.0.113.5", "there is no header"],
    ["203.0.113.5", "198.51.100.1", "203.0.113.5", "the connection is not from a proxy"],
    ["10.1.2.3", "198.51.100.1", "198.51.100.1", "one proxy"],
    ["::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1", "a proxy over IPv4, seen as IPv6"],
    [
      "::1",
      "6.6.6.6, 198.51.100.1, 10.9.9.9",
      "198.51.100.1",
      "two proxies; what stands before is the client's own claim",
    ],
    ["10.1.2.3", "10.4.4.4, 192.0.2.7", "10.4.4.4", "a client that is itself among the trusted"],
    ["10.1.2.3", "[2001:db8::5]:4711", "2001:db8::5", "a port and brackets"],
    ["10.1.2.3", "198.51.100.1:4711", "198.51.100.1", "a port"],
    ["10.1.2.3", "unknown", "10.1.2.3", "no address"],
    ["10.1.2.3", "", "10.1.2.3", "an empty header"],
    ["10.1.2.3", "198.51.100.1,".repeat(10_000), "10.1.2.3", "an entry that is empty"],
  ])("%s with %j is %s: %s", (remote, forwarded, client, _why) => {
    expect(addressOfClient(remote, forwarded, trustedProxies)).toBe(client);
  });
  test("without trusted proxies the header is not read", () => {
    expect(addressOfClient("127.0.0.1", "198.51.100.1", [])).toBe("127.0.0.1");
  });
});

describe("the configuration", () => {
  test("hosts are compared as URLs have them", () => {
    const { allowedHosts, publicUrl } = settings({
      public_url: "https://Tools.example.com:8443",
      http: { allowed_hosts: ["Bücher.example", "::1", "[::1]", "a_b.internal"] },
    });
    expect(allowedHosts).toEqual(["tools.example.com", "xn--bcher-kva.example", "[::1]", "[::1]", "a_b.internal"]);
    expect(publicUrl?.href).toBe("https://tools.example.com:8443/");
  });
  test.each<[HttpConfig, RegExp]>([
    [{ public_url: "tools.example.com" }, /public_url must be an http or https URL/],
    [{ public_url: "https://tools.example.com/mcp" }, /without user, path/],
    [{ public_url: "https://me@tools.example.com" }, /without user/],
    [{ http: { allowed_hosts: ["https://a.example"] } }, /without scheme, port and wildcards/],
    [{ http: { allowed_hosts: ["a.example:80"] } }, /without scheme, port/],
    [{ http: { allowed_hosts: ["[::1]:80"] } }, /without scheme, port/],
    [{ http: { allowed_hosts: ["*.example"] } }, /wildcards/],
    [{ http: { trusted_proxies: ["10.0.0.0/33"] } }, /addresses and networks/],
    [{ http: { trusted_proxies: ["balancer"] } }, /addresses and networks/],
    [{ http: { tls: { cert: "a.pem" } } }, /both cert and key/],
  ])("%j is refused", (config, message) => {
    const refused = (): unknown => {
      try {
        return settings(config);
      } catch (error) {
        return error;
      }
    };
    expect(isUsageError(refused()) && String(refused())).toMatch(message);
  });
});

/** The status of a GET over TLS, and the name in the certificate. */
const overTls = (port: string, path: string) =>
  new Promise<{ readonly status: number | undefined; readonly name: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, rejectUnauthorized: false, agent: false }, (answer) => {
      const { subject } = (answer.socket as TLSSocket).getPeerCertificate();
      answer.resume().once("end", () => resolve({ status: answer.statusCode, name: String(subject.CN) }));
    });
    sent.once("error", reject).end();
  });

test.skipIf(NO_OPENSSL)(
  "a certificate follows its files, and one that cannot be used does not replace it",
  async () => {
    const folder = temporaryFolder();
    const files = certificate(folder, "one.example");
    const lines: string[] = [];
    const line = (message: string): void => void lines.push(message);
    const log = { debug: line, info: line, warn: line, error: line };
    const opened = await openCertificate(files, { root: folder, log, everyMs: 20 });
    onTestFinished(() => opened.close());
    const followed: unknown[] = [];
    opened.follow((next) => followed.push(next));
    writeFileSync(files.key, "no key");
    await expect.poll(() => lines).toEqual(["the certificate is not replaced"]);
    await sleep(60);
    expect([lines.length, followed.length]).toEqual([1, 0]);
    certificate(folder, "two.example");
    await expect.poll(() => followed.length).toBe(1);
    expect(followed[0]).toEqual({ cert: readFileSync(files.cert, "utf8"), key: readFileSync(files.key, "utf8") });
  },
);

/** A server in this process, with keys and state of its own. */
async function served(config: HttpConfig, root = temporaryFolder(), isServed = true) {
  const state = await openState({ url: "", root });
  const clean = { root, url: "", state: async () => state, log: silentLog, projectExists: async () => true };
  const keys = openKeys(clean);
  onTestFinished(async () => {
    await keys.close();
    await state.close();
  });
  const { gateway } = fixture({
    settings: { http: settings(config) },
    options: { keys, openState: async () => state },
  });
  const options = { live: liveOf(gateway), principal: () => principal(), version: "0", root, hasConsole: true };
  const open = () => openHttp({ ...options, address: httpAddress("0") });
  if (!isServed) return { keys, state, open, url: "", transport: undefined, key: "" };
  const { key } = await keys.init();
  const { url, transport } = await open();
  onTestFinished(async () => {
    transport.stop();
    await transport.close();
  });
  return { keys, state, open, url, transport, key };
}

const PROXIED: HttpConfig = {
  public_url: "https://tools.example.com",
  http: { allowed_hosts: ["tools.internal"], trusted_proxies: ["127.0.0.1"], drain: { delay_ms: 300 } },
};
const METADATA = "/.well-known/oauth-protected-resource";
const get = (url: string, path: string, headers: Record<string, string> = {}) =>
  raw(url, { method: "GET", path, headers, body: "" });

test("names by which a server may be called, those of probes excepted", async () => {
  const { url } = await served(PROXIED);
  for (const [host, status] of [
    ["tools.example.com", 200],
    ["tools.internal", 200],
    ["tools.internal:8080", 200],
    ["elsewhere.example", 403],
  ] as const)
    expect((await get(url, METADATA, { host })).status, host).toBe(status);
  expect((await get(url, METADATA, { origin: "https://elsewhere.example" })).status).toBe(403);
  expect((await get(url, "/healthz", { host: "10.2.3.4:8080" })).status).toBe(200);
  expect((await get(url, "/readyz", { host: "elsewhere.example" })).status).toBe(200);
  expect(JSON.parse((await get(url, METADATA)).text)).toMatchObject({ resource: "https://tools.example.com/mcp" });
  const { headers } = await raw(url, {});
  expect(headers["www-authenticate"]).toContain("https://tools.example.com/");
});

test("wrong keys slow down the client behind a proxy, which the audit names", async () => {
  const { url, keys, state } = await served(PROXIED);
  const wrong = async (client: string): Promise<number> => {
    const began = performance.now();
    const authorization = "Bearer wrong";
    const refused = await get(url, "/api/registry", { authorization, "x-forwarded-for": `6.6.6.6, ${client}` });
    expect(refused.status).toBe(401);
    return performance.now() - began;
  };
  for (let i = 0; i < 10; i++) await wrong("198.51.100.1");
  expect(await wrong("198.51.100.1")).toBeGreaterThan(45);
  await wrong("198.51.100.2");
  // Writes what waits.
  await keys.close();
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("audit").selectAll().execute());
  expect(rows).toMatchObject([{ op: "key", code: "UNAUTHENTICATED", address: "198.51.100.1" }]);
});

test("a login behind a proxy holds at every server behind it, whatever their ports and the Host that they get", async () => {
  const [one, other] = [await served(PROXIED), await served(PROXIED)];
  const origin = "https://tools.example.com";
  const login = (host: string, from = origin) =>
    raw(one.url, { path: "/api/login", headers: { host, origin: from }, body: { key: one.key } });
  for (const host of ["tools.example.com", "tools.internal:8080", "127.0.0.1:4711"]) {
    const { status, headers } = await login(host);
    expect([status, String(headers["set-cookie"])]).toEqual([
      200,
      expect.stringMatching(/^__Host-toolwright_login=[^;]+; .*Secure/),
    ]);
  }
  expect((await login("tools.example.com", "http://tools.internal")).status).toBe(403);
  const [cookie = ""] = String((await login("tools.internal")).headers["set-cookie"]).split(";");
  expect((await get(one.url, "/api/registry", { cookie })).status).toBe(200);
  // A server of another project does not know the login, but reads it.
  expect((await get(other.url, "/api/registry", { cookie })).status).toBe(401);
});

test("texts are compressed as the client accepts it", async () => {
  const { url, key } = await served(PROXIED);
  const registry = (encoding: string) =>
    fetch(new URL("/api/registry", url), { headers: { authorization: `Bearer ${key}`, "accept-encoding": encoding } });
  for (const encoding of ["br", "gzip"]) {
    const answer = await registry(`${encoding}, identity;q=0.1`);
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toMatch(/accept-encoding/i);
    expect(await answer.json()).toHaveProperty("registry_version");
  }
  expect((await registry("identity")).headers.get("content-encoding")).toBeNull();
  const small = await fetch(new URL("/healthz", url), { headers: { "accept-encoding": "br" } });
  expect(small.headers.get("content-encoding")).toBeNull();
});

test("a server that drains says so to probes, and answers", async () => {
  const { url, transport, key } = await served(PROXIED);
  expect((await get(url, "/readyz")).status).toBe(200);
  const drained = transport?.drain?.();
  expect((await get(url, "/readyz")).status).toBe(503);
  expect((await get(url, "/healthz")).status).toBe(200);
  expect((await get(url, "/api/registry", { authorization: `Bearer ${key}` })).status).toBe(200);
  await drained;
});

test("behind a proxy on the same machine a live key is needed", async () => {
  const { open, keys } = await served(PROXIED, undefined, false);
  await expect(open()).rejects.toThrow(/public_url.* can be reached from others.*toolwright keys init/);
  const none = await served({ ...PROXIED, access: { http: "none" } }, undefined, false);
  await expect(none.open()).rejects.toThrow(/access.http is none.*remove public_url/);
  await keys.init();
  const { transport, url } = await open();
  expect((await raw(url, {})).status).toBe(401);
  transport.stop();
  await transport.close();
});

test.skipIf(NO_OPENSSL)("a server with a certificate of its own", { tags: "full" }, async () => {
  const root = temporaryFolder();
  const config: HttpConfig = { http: { tls: { cert: "server.pem", key: "server.key" } } };
  const { open } = await served(config, root, false);
  await expect(open()).rejects.toThrow(/http\.tls: server\.pem and server\.key are no certificate/);
  certificate(root, "one.example");
  const { url } = await served(config, root);
  expect(url).toMatch(/^https:/);
  expect(await overTls(new URL(url).port, "/healthz")).toEqual({ status: 200, name: "one.example" });
  certificate(root, "two.example");
  await expect.poll(() => overTls(new URL(url).port, "/healthz")).toEqual({ status: 200, name: "two.example" });
});

test("a connection ends after its requests", async () => {
  const { url } = await served({ limits: { http: { requests_per_connection: 2 } } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const asked = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const sent = plainRequest(new URL("/healthz", url), { agent }, (answer) => {
        answer.resume().once("end", () => resolve(answer.headers.connection));
      });
      sent.once("error", reject).end();
    });
  expect([await asked(), await asked(), await asked()]).toEqual(["keep-alive", "close", "keep-alive"]);
});

test.skipIf(NO_OPENSSL)("doctor names what does not fit", async () => {
  const root = temporaryFolder();
  certificate(root, "other.example");
  const faults = async (config: HttpConfig) =>
    (await httpFindings(settings(config), root)).filter(({ ok }) => !ok).map(({ found }) => found);
  const tls = { cert: "server.pem", key: "server.key" };
  expect(await faults({})).toEqual([]);
  expect(await faults({ public_url: "https://other.example", http: { tls } })).toEqual([]);
  expect(await faults({ http: { trusted_proxies: ["0.0.0.0/0"] } })).toEqual([
    expect.stringContaining("no host beside the server's address is allowed"),
    expect.stringContaining("every address"),
  ]);
  expect(await faults({ public_url: "https://tools.example.com", http: { tls } })).toEqual([
    expect.stringContaining("is not for tools.example.com"),
  ]);
  expect(await faults({ http: { tls: { ...tls, key: "missing.key" } } })).toEqual([
    expect.stringContaining("are no certificate with its private key"),
  ]);
});

test("a process prints its public URL, and drains after a signal", { timeout: SLOW, tags: "full" }, async () => {
  const root = await statefulRoot({
    config: ["public_url: https://tools.example.com", "http: { drain: { delay_ms: 1500 } }"],
  });
  await toolwright(["keys", "init", "--root", root]);
  const process = await serveHttp(root, ["--allow-write"]);
  await expect.poll(() => process.stderr()).toContain("connect CLIENT --url https://tools.example.com/mcp\n");
  process.signal("SIGTERM");
  await expect.poll(async () => (await get(process.url, "/readyz")).status).toBe(503);
  expect((await get(process.url, "/healthz")).status).toBe(200);
  expect(await process.exit).toBe(0);
});
