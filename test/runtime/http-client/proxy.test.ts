/** Proxies of the environment: every request that leaves goes through them, and their faults are named as theirs. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { issuerMetadata } from "../../../runtime/access/issuer-client.js";
import { checkHost, guardedFetch } from "../../../runtime/http-client/guard.js";
import { outwardFetch, proxyFor } from "../../../runtime/http-client/proxy.js";
import { freePort } from "../../support/ports.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { certificate, NO_OPENSSL } from "../../support/servers/certificate.js";
import { listening, mcpRoute } from "../../support/upstream/http.js";
import { always, failureOf, fieldOf, serving } from "../packs/web/loopback.js";
import { forwardProxy } from "./forward-proxy.js";

const SLOW = { timeout: 180_000 };
const TOOLS = [{ name: "page", inputSchema: { type: "object" } }];
const NONE = { HTTP_PROXY: "", HTTPS_PROXY: "", NO_PROXY: "", http_proxy: "", https_proxy: "", no_proxy: "" };

afterEach(() => vi.unstubAllEnvs());

function environment(values: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(NONE)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}

const portOf = (origin: string): number => Number(new URL(origin).port);

describe("which proxy", () => {
  const P = "http://proxy.example:3128";
  test.each([
    ["https://a.example", { HTTPS_PROXY: P }, true],
    ["https://a.example", { https_proxy: P }, true],
    ["https://a.example", { HTTP_PROXY: P }, true],
    ["http://a.example", { HTTPS_PROXY: P }, false],
    ["http://a.example", { HTTP_PROXY: P, http_proxy: "" }, false],
    ["http://a.example", { HTTP_PROXY: "proxy.example:3128" }, true],
    ["http://a.example", { HTTP_PROXY: P, NO_PROXY: "*" }, false],
    ["http://a.b.example", { HTTP_PROXY: P, NO_PROXY: "x, .b.example" }, false],
    ["http://b.example", { HTTP_PROXY: P, NO_PROXY: "*.b.example" }, false],
    ["http://ab.example", { HTTP_PROXY: P, NO_PROXY: "b.example" }, true],
    ["http://b.example.", { HTTP_PROXY: P, no_proxy: "B.example" }, false],
    ["http://b.example:81", { HTTP_PROXY: P, NO_PROXY: "b.example:80" }, true],
    ["https://b.example", { HTTP_PROXY: P, NO_PROXY: "b.example:443" }, false],
    ["http://10.1.2.3", { HTTP_PROXY: P, NO_PROXY: "10.0.0.0/8" }, false],
    ["http://11.1.2.3", { HTTP_PROXY: P, NO_PROXY: "10.0.0.0/8" }, true],
    ["http://[fd00::1]:8", { HTTP_PROXY: P, NO_PROXY: "[fd00::1]:8" }, false],
    ["http://[fd00::1]:8", { HTTP_PROXY: P, NO_PROXY: "fd00::/8" }, false],
    ["http://localhost:1", { HTTP_PROXY: P }, false],
    ["http://x.localhost", { HTTP_PROXY: P }, false],
    ["http://127.8.0.1", { HTTP_PROXY: P }, false],
    ["http://[::1]", { HTTP_PROXY: P }, false],
    ["http://[::ffff:127.0.0.1]", { HTTP_PROXY: P }, false],
  ])("%s with %j: %s", (url, env, isProxied) => {
    expect(proxyFor(new URL(url), env)?.url.origin).toBe(isProxied ? P : undefined);
  });

  test.each(["socks5://a.example", "http://", "a b"])("%s is no proxy, which is said with its variable", (value) => {
    expect(() => proxyFor(new URL("http://a.example"), { http_proxy: value })).toThrow(/^http_proxy is no address/);
  });
});

describe("the web client behind a proxy", () => {
  const away = async (): Promise<readonly string[]> => {
    throw Object.assign(new Error("no answer"), { code: "ENOTFOUND" });
  };

  test("asks it for names that only it can resolve, with its credentials, and never sends those onward", async () => {
    const { origin, requests } = await serving(always("hello", "text/plain"));
    const proxy = await forwardProxy(portOf(origin));
    environment({ HTTP_PROXY: proxy.origin.replace("://", "://me:p%40ss@") });
    const fetch = guardedFetch({ allowPrivate: [], resolve: away });
    expect(await (await fetch("http://far.example/x?y=1")).text()).toBe("hello");
    expect(proxy.asked).toEqual(["GET http://far.example/x?y=1"]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
    expect(requests).toHaveLength(1);
    await checkHost(new URL("http://far.example"), { allowPrivate: [], resolve: away });
  });

  test.each([
    ["http://10.0.0.1/", async () => []],
    ["http://169.254.169.254/latest", async () => []],
    ["http://[fd00::1]/", async () => []],
    ["http://inside.example/", async () => ["192.168.0.1"]],
    ["http://localhost/", async () => ["127.0.0.1"]],
  ])("%s is refused before the proxy is asked", async (url, resolve) => {
    const proxy = await forwardProxy(1);
    environment({ HTTP_PROXY: proxy.origin });
    const failure = await failureOf(guardedFetch({ allowPrivate: [], resolve })(url));
    expect(fieldOf(failure)).toEqual({ path: "url", keyword: "private_address" });
    expect((await failureOf(checkHost(new URL(url), { allowPrivate: [], resolve }))).code).toBe("VALIDATION_ERROR");
    expect(proxy.asked).toEqual([]);
  });

  test("NO_PROXY goes direct, with the checks of direct requests", async () => {
    const { port } = await serving(always("direct", "text/plain"));
    environment({ HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "near.example" });
    const resolve = async () => ["127.0.0.1"];
    const fetch = guardedFetch({ allowPrivate: ["near.example"], resolve });
    expect(await (await fetch(`http://near.example:${port}/`)).text()).toBe("direct");
    const strict = await failureOf(guardedFetch({ allowPrivate: [], resolve })(`http://near.example:${port}/`));
    expect(strict.code).toBe("VALIDATION_ERROR");
  });

  test.each([
    ["http", 407, "asks for a user name and a password (HTTP 407). To do: write them into HTTP_PROXY"],
    ["https", 407, "asks for a user name and a password (HTTP 407). To do: write them into HTTP_PROXY"],
    ["https", 403, "refuses far.example (HTTP 403). To do: let the proxy allow it, or name far.example in NO_PROXY"],
    ["https", 502, "cannot reach far.example (HTTP 502). To do: check the address"],
  ])("%s, refused with %i: the proxy is named", async (scheme, status, said) => {
    const proxy = await forwardProxy(1, status);
    environment({ HTTP_PROXY: proxy.origin });
    const failure = await failureOf(guardedFetch({ allowPrivate: [], resolve: away })(`${scheme}://far.example/`));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining(said) });
    expect(failure.message).toContain(`the proxy ${new URL(proxy.origin).host} of HTTP_PROXY`);
  });

  test.each(["http", "https"])(
    "%s: a variable that names a proxy of another scheme is named, with what to do",
    async (scheme) => {
      environment({ HTTP_PROXY: "socks5://me:hush@127.0.0.1:1080" });
      const said =
        /HTTP_PROXY is no address of a proxy of the schemes that are supported, http and https\. To do: correct/;
      const allowed = { allowPrivate: [], resolve: away };
      for (const asking of [
        guardedFetch(allowed)(`${scheme}://far.example/`),
        checkHost(new URL("http://far.example"), allowed),
      ])
        expect(await failureOf(asking)).toMatchObject({ code: "UNAVAILABLE", message: expect.stringMatching(said) });
    },
  );

  test.each(["http", "https"])("%s: a proxy that is down is named, and its password is not", async (scheme) => {
    environment({ HTTP_PROXY: `http://me:hush@127.0.0.1:${await freePort()}` });
    const failure = await failureOf(guardedFetch({ allowPrivate: [], resolve: away })(`${scheme}://far.example/`));
    expect(failure.message).toMatch(/the proxy 127\.0\.0\.1:\d+ of HTTP_PROXY cannot be reached \(ECONNREFUSED\)/);
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("hush");
  });
});

test("authorization servers and their keys are asked through the proxy", async () => {
  const issuer = "http://id.example";
  const server = await listening((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ issuer }));
  });
  const proxy = await forwardProxy(portOf(server.origin));
  environment({ HTTP_PROXY: proxy.origin });
  expect((await issuerMetadata(issuer)).metadata).toEqual({ issuer });
  const form = new URLSearchParams({ a: "1" });
  await outwardFetch(new Request("http://id.example/token", { method: "POST", body: form }));
  expect(proxy.asked).toEqual([
    "GET http://id.example/.well-known/oauth-authorization-server",
    "POST http://id.example/token",
  ]);
});

/** A project with one upstream server. */
function project(url: string): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const config = { sources: [{ mcp: "servers/*.json" }], servers: { web: { url, timeout: 60 } } };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  return root;
}

const snapshot = async (root: string, env: Readonly<Record<string, string>>) => {
  const { code, stdout, stderr } = await toolwright(["snapshot", "--root", root], { env: { ...NONE, ...env } });
  return { code, said: stdout + stderr };
};

describe("upstream servers behind a proxy", SLOW, () => {
  test("over http it forwards", async () => {
    const { origin } = await listening(mcpRoute(TOOLS));
    const proxy = await forwardProxy(portOf(origin));
    const root = project("http://mcp.example.test/mcp");
    expect(await snapshot(root, { http_proxy: proxy.origin })).toMatchObject({ code: 0 });
    expect(new Set(proxy.asked)).toContain("POST http://mcp.example.test/mcp");
    const down = await snapshot(root, { http_proxy: "http://127.0.0.1:1" });
    expect(down.code).toBe(1);
    expect(down.said).toContain("the proxy 127.0.0.1:1 of http_proxy cannot be reached (ECONNREFUSED)");
    expect(down.said).toContain("correct http_proxy, or name mcp.example.test in NO_PROXY");
    const other = await snapshot(root, { http_proxy: "socks5://127.0.0.1:1" });
    expect(other.code).toBe(1);
    expect(other.said).toContain(
      "http_proxy is no address of a proxy of the schemes that are supported, http and https",
    );
    const refusing = await forwardProxy(1, 403);
    const refused = await snapshot(root, { http_proxy: refusing.origin });
    expect(refused.said).toContain(`through the proxy ${new URL(refusing.origin).host} of http_proxy`);
  });

  test.skipIf(NO_OPENSSL)("over https it tunnels; an unknown issuer names NODE_EXTRA_CA_CERTS", async () => {
    const { cert, key } = certificate(temporaryFolder(), "mcp.example.test");
    const route = mcpRoute(TOOLS);
    const secure = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      await route(request, response, body, "https://mcp.example.test");
    });
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      secure.close();
      secure.closeAllConnections();
    });
    const proxy = await forwardProxy((secure.address() as AddressInfo).port);
    const root = project("https://mcp.example.test/mcp");
    const strange = await snapshot(root, { HTTPS_PROXY: proxy.origin, https_proxy: proxy.origin });
    expect([strange.code, strange.said]).toEqual([1, expect.stringContaining("NODE_EXTRA_CA_CERTS")]);
    expect(strange.said).not.toContain("is up");
    const env = { HTTPS_PROXY: proxy.origin, https_proxy: proxy.origin, NODE_EXTRA_CA_CERTS: cert };
    expect(await snapshot(root, env)).toMatchObject({ code: 0 });
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT mcp.example.test:443"]));
  });
});
