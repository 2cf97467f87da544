/** The routes of connections on a real server: begun by a logged-in caller, ended at the callback, and what they answer. */

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { raw } from "../../../support/http.js";
import { freePort } from "../../../support/ports.js";
import { settingsFor, TOOLS, TOOLS_CLIENT } from "../../../support/servers/connections.js";
import { startOidc } from "../../../support/servers/oidc.js";
import { serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = { timeout: 400_000 };
const CALLBACK = "/connections/callback";

/** A server with the connection github, and a provider. */
async function world() {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const callback = `${origin}/connections/callback`;
  const oidc = await startOidc({ clients: [{ ...TOOLS_CLIENT, redirect_uris: [callback] }] });
  const { scope, authorizeParams } = settingsFor(oidc.issuer);
  const client = JSON.stringify({ id: TOOLS.client_id, secret: TOOLS.client_secret });
  const auth = `{ mode: per_user, issuer: "${oidc.issuer}", client: ${client}, scope: "${scope}", authorize_params: ${JSON.stringify(authorizeParams)} }`;
  const { known } = await serveKeys(
    (clean) => onTestFinished(async () => void (await clean())),
    [
      `public_url: ${origin}`,
      `servers: { github: { url: "${origin}/mcp", auth: ${auth} } }`,
      `state_encryption: { keys: [{ id: k1, from: "${randomBytes(32).toString("base64")}" }] }`,
    ],
    [],
    port,
  );
  return { port, origin, callback, oidc, known };
}

/** The cookies of a browser, which sends back what it was given for a path. */
function jar() {
  const kept = new Map<string, { readonly value: string; readonly path: string }>();
  const isFor = (path: string, at: string): boolean => at === path || at.startsWith(path === "/" ? "/" : `${path}/`);
  return {
    header: (at: string, ...but: readonly string[]) =>
      [...kept]
        .filter(([name, { path }]) => isFor(path, at) && !but.some((one) => name.includes(one)))
        .map(([name, { value }]) => `${name}=${value}`)
        .join("; "),
    take({ headers }: Response): void {
      for (const text of headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        if (/max-age=0/i.test(text)) kept.delete(name);
        else kept.set(name, { value, path: /; path=([^;]*)/i.exec(text)?.[1] ?? "/" });
      }
    },
  };
}

test("a sign-in is of the login that began it: after a logout or another login it connects nobody", SLOW, async () => {
  const { origin, callback, oidc, known } = await world();
  const { write, read, admin } = known;
  const browser = jar();
  const post = async (path: string, body: object): Promise<Response> => {
    const headers = { "content-type": "application/json", origin, cookie: browser.header(path) };
    const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    browser.take(answer);
    expect(answer.status, path).toBe(200);
    return answer;
  };
  /** The status with which the callback answers after something has happened. */
  const after = async (event: () => Promise<unknown>, isStolen = false): Promise<number> => {
    await post("/api/login", { key: write.key });
    const { url } = (await (await post("/api/connections/start", { name: "github" })).json()) as { url: string };
    const answer = await oidc.browse(new URL(url), callback);
    const before = browser.header(CALLBACK, "login");
    await event();
    // The cookie of the login is not sent by a page of another site.
    const headers = { cookie: isStolen ? before : browser.header(CALLBACK, "login") };
    return (await fetch(answer, { redirect: "manual", headers })).status;
  };
  const connections = async () => {
    const all = await fetch(`${origin}/api/connections`, { headers: { authorization: `Bearer ${admin.key}` } });
    return ((await all.json()) as { all: readonly { principal: string }[] }).all.map(({ principal }) => principal);
  };
  expect(await after(() => post("/api/logout", {}))).toBe(400);
  expect(await after(() => post("/api/login", { key: read.key }))).toBe(400);
  // The same where the browser keeps the cookie: the login that began is over.
  expect(await after(() => post("/api/logout", {}), true)).toBe(400);
  expect(await after(() => post("/api/login", { key: read.key }), true)).toBe(400);
  expect(await connections()).toEqual([]);
  expect(await after(async () => undefined)).toBe(303);
  expect(await connections()).toEqual([write.id]);
});

test("sign-ins in two tabs of a browser both end, in any order", SLOW, async () => {
  const { origin, callback, oidc, known } = await world();
  const browser = jar();
  const post = async (path: string, body: object): Promise<Response> => {
    const headers = { "content-type": "application/json", origin, cookie: browser.header(path) };
    const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    browser.take(answer);
    return answer;
  };
  await post("/api/login", { key: known.write.key });
  const begun = async (): Promise<URL> =>
    new URL(((await (await post("/api/connections/start", { name: "github" })).json()) as { url: string }).url);
  const [first, second] = [await begun(), await begun()];
  for (const one of [second, first]) {
    const answer = await oidc.browse(one, callback);
    const headers = { cookie: browser.header(CALLBACK, "login") };
    expect((await fetch(answer, { redirect: "manual", headers })).status).toBe(303);
  }
});

test("a caller begins, its browser comes back, and the answers hold nothing of the address", SLOW, async () => {
  const { port, origin, callback, oidc, known } = await world();
  const ask = (path: string, key: string, body?: object) =>
    fetch(`${origin}${path}`, {
      redirect: "manual",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
  const key = known.write.key;
  expect((await ask("/api/connections/start", "no key", { name: "github" })).status).toBe(401);
  expect((await ask("/api/connections/start", key, { name: "gitlab" })).status).toBe(404);
  // The cookie of another host of this machine would not come back.
  const elsewhere = await raw(origin, {
    ...{ path: "/api/connections/start", body: { name: "github" } },
    headers: { authorization: `Bearer ${key}`, host: `localhost:${port}`, origin: `http://localhost:${port}` },
  });
  expect([elsewhere.status, elsewhere.text]).toEqual([409, expect.stringContaining(`lead back to ${origin}`)]);
  const started = await ask("/api/connections/start", key, { name: "github" });
  const cookie = started.headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(/^toolwright_connect_\d+=[\w-]{43}; .*Path=\/; .*HttpOnly; .*SameSite=Lax$/);
  const { url } = (await started.json()) as { readonly url: string };
  const answer = await oidc.browse(new URL(url), callback);
  const bring = (from: URL, headers: Record<string, string> = {}) => fetch(from, { redirect: "manual", headers });
  const evil = new URL(answer);
  evil.searchParams.set("error_description", "<script>alert(1)</script>");
  evil.searchParams.set("next", "https://evil.example.com/");
  const refused = await bring(evil);
  expect(refused.status).toBe(400);
  expect(refused.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(refused.headers.get("location")).toBeNull();
  expect(await refused.text()).toBe(
    "This sign-in has ended, or was begun in another browser or as somebody else. Begin again in the console.\n",
  );
  const done = await bring(answer, { cookie: cookie.split(";", 1)[0] ?? "" });
  expect([done.status, done.headers.get("location"), await done.text()]).toEqual([
    303,
    "/#/connections?name=github&outcome=connected",
    "",
  ]);
  const seen = (await (await ask("/api/connections", key)).json()) as { readonly connections: object[] };
  expect(seen.connections).toMatchObject([{ name: "github", mode: "per_user", since: expect.any(String) }]);
  expect(seen).not.toHaveProperty("all");
  const admin = await (await ask("/api/connections", known.admin.key)).text();
  expect(JSON.parse(admin)).toMatchObject({ all: [{ server: "github", kind: "own" }] });
  expect(admin).not.toContain("eyJ");
  expect((await ask("/api/connections/revoke", key, { name: "github" })).status).toBe(200);
  expect((await ask("/api/connections/revoke", key, { name: "github" })).status).toBe(404);
  const own = await fetch(`${origin}/oauth/any-name/client.json`);
  expect(await own.json()).toMatchObject({ redirect_uris: [`${callback}/any-name`] });
  for (const name of ["..%2f", "%00", "%E0%A4%A", "a%2fb", "x".repeat(101)])
    expect((await fetch(`${origin}/oauth/${name}/client.json`)).status, name).toBe(404);
  const document = await fetch(`${origin}/oauth/client.json`);
  expect(await document.json()).toMatchObject({ client_id: `${origin}/oauth/client.json`, redirect_uris: [callback] });
});
