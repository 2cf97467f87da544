/** The console's login through a real identity provider: the way there and back, over HTTP and in a real browser. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../test/support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../test/support/console/console.js";
import { type RawAnswer, raw } from "../../../test/support/http.js";
import { freePort } from "../../../test/support/ports.js";
import { type Oidc, startOidc } from "../../../test/support/servers/oidc.js";
import { type ServedKeys, serveKeys } from "../../../test/support/servers/served-keys.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let oidc: Oidc;
let served: ServedKeys;
let origin: string;
let callback: string;

beforeAll(async () => {
  origin = `http://127.0.0.1:${await freePort()}`;
  callback = `${origin}/api/login/callback`;
  const client = { client_id: "console", redirect_uris: [callback], grant_types: ["authorization_code"] };
  oidc = await startOidc(
    {
      groups: { alice: ["eng"], bob: ["sales"] },
      names: { alice: "Alice Liddell" },
      clients: [
        { ...client, client_secret: "console-secret" },
        { ...client, client_id: "public", token_endpoint_auth_method: "none" },
      ],
    },
    later,
  );
  served = await serveKeys(
    later,
    [
      "access:",
      "  rate: { burst: 100, per_second: 100 }",
      "  oauth:",
      `    resource: ${origin}/mcp`,
      "    issuers:",
      `      - issuer: ${oidc.issuer}`,
      "        scopes_supported: [mcp:read]",
      "        login: { client_id: console, client_secret: console-secret, label: Example }",
      "        grants: [{ when: { groups: eng }, level: write }]",
    ],
    [],
    Number(new URL(origin).port),
  );
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

test("serve advises a client without a key, which signs its user in at the provider", { timeout: SLOW }, async () => {
  await expect.poll(() => served.server.stderr()).toContain(`connect CLIENT --url ${origin}/mcp --no-key\n`);
});

const get = (path: string, cookie = ""): Promise<RawAnswer> =>
  raw(origin, { method: "GET", path, headers: cookie === "" ? {} : { cookie } });
const begin = (body: object, from = origin): Promise<RawAnswer> =>
  raw(origin, { path: "/api/login/begin", body, headers: { origin: from } });
const cookiesIn = ({ headers }: RawAnswer): readonly string[] => [headers["set-cookie"] ?? []].flat();
const cookieOf = (answer: RawAnswer, name: string): string =>
  cookiesIn(answer)
    .find((one) => one.startsWith(`toolwright_${name}_`))
    ?.split(";")[0] ?? "";

/** Begins as a browser, and comes back from the provider: the address that it leads to, and the cookie. */
async function broughtBack(to = "#/ops") {
  const begun = await begin({ issuer: oidc.issuer, to });
  const { url } = JSON.parse(begun.text);
  const back = await oidc.browse(new URL(url), callback);
  return { begun, cookie: cookieOf(begun, "sign_in"), path: `${back.pathname}${back.search}` };
}

test("the ways to log in are public, and name the provider", async () => {
  expect(JSON.parse((await get("/api/login/ways")).text)).toEqual({
    issuers: [{ issuer: oidc.issuer, label: "Example" }],
  });
});

test("from the button to a call as alice, and out again: cookies, grants, the same id as with a token", async () => {
  oidc.user = "alice";
  const { begun, cookie, path } = await broughtBack("#/op/vault.add_note");
  expect(cookiesIn(begun)).toEqual([expect.stringMatching(/; HttpOnly; SameSite=Lax$/)]);
  const back = await get(path, cookie);
  expect([back.status, back.headers["location"]]).toEqual([302, "/#/op/vault.add_note"]);
  expect(cookiesIn(back)).toEqual([
    expect.stringMatching(/^toolwright_sign_in_\d+_[0-9a-f]{16}=; Max-Age=0;/),
    expect.stringMatching(/^toolwright_login_\d+=[\w-]{43}; Path=\/; Expires=.*; HttpOnly; SameSite=Strict$/),
    // What somebody else began at a server ends.
    expect.stringMatching(/^toolwright_connect_\d+=; Max-Age=0;/),
  ]);
  const login = cookieOf(back, "login");
  const { caller } = JSON.parse((await get("/api/registry", login)).text);
  const id = `${oidc.issuer}|alice`;
  expect(caller).toMatchObject({ kind: "user", id, name: "Alice Liddell", level: "write" });
  // It ends with the access token (300 s), not after the 12 hours of a key.
  const [, expires = ""] = /Expires=([^;]+)/.exec(cookiesIn(back)[1] ?? "") ?? [];
  expect(Date.parse(expires) - Date.now()).toBeLessThan(400_000);
  const call = { path: "/api/exec", body: { op: "vault.list_notes", args: {} } };
  const cross = await raw(origin, { ...call, headers: { cookie: login, origin: "https://evil.example.com" } });
  expect(cross.status).toBe(403);
  expect((await raw(origin, { ...call, headers: { cookie: login, origin } })).text).toContain('"ok":true');
  const { calls, names } = JSON.parse((await get("/api/calls", login)).text);
  expect(calls[0].caller).toBe(id);
  expect(names).toEqual({ [id]: "Alice Liddell" });
  const out = await raw(origin, { path: "/api/logout", body: {}, headers: { cookie: login, origin } });
  expect(cookiesIn(out)[0]).toContain("Max-Age=0");
  expect((await get("/api/registry", login)).status).toBe(401);
});

test("an answer is taken once, even if the cookie is kept; the code is never taken from another browser", async () => {
  oidc.user = "alice";
  const { cookie, path } = await broughtBack();
  const other = await broughtBack();
  for (const wrong of ["", other.cookie, `${cookie}x`]) {
    const refused = await get(path, wrong);
    expect(refused.headers["location"]).toMatch(/^\/\?login=elsewhere(#\/ops)?$/);
    expect(cookieOf(refused, "login")).toBe("");
  }
  expect((await get(path, cookie)).headers["location"]).toBe("/#/ops");
  const again = await get(path, cookie);
  expect(again.headers["location"]).toBe("/?login=refused#/ops");
  expect(cookieOf(again, "login")).toBe("");
});

test("sign-ins in two tabs of a browser both end; more than four are none of one browser", async () => {
  oidc.user = "alice";
  const kept = (jar: ReadonlyMap<string, string>): string =>
    [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const jar = new Map<string, string>();
  const take = (answer: RawAnswer): void => {
    for (const one of cookiesIn(answer)) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
  };
  const tab = async (to: string) => {
    const headers = { origin, cookie: kept(jar) };
    const begun = await raw(origin, { path: "/api/login/begin", body: { issuer: oidc.issuer, to }, headers });
    take(begun);
    const back = await oidc.browse(new URL(JSON.parse(begun.text).url), callback);
    return `${back.pathname}${back.search}`;
  };
  const [first, second] = [await tab("#/ops"), await tab("#/stats")];
  for (const [path, to] of [[first, "/#/ops"] as const, [second, "/#/stats"] as const]) {
    const back = await get(path, kept(jar));
    take(back);
    expect(back.headers["location"]).toBe(to);
  }
  for (let i = 0; i < 7; i++) await tab("#/ops");
  expect([...jar.keys()].filter((name) => name.startsWith("toolwright_sign_in_"))).toHaveLength(4);
  expect((await get(await tab("#/ops"), kept(jar))).headers["location"]).toBe("/#/ops");
});

test.each([
  ["//evil.example.com"],
  ["https://evil.example.com/"],
  ["/\\evil.example.com"],
  ["#//evil.example.com\r\nSet-Cookie: x=1"],
  ["javascript:alert(1)"],
  ["?login=ungranted"],
  [{ toString: "#/x" }],
  [`#/${"x".repeat(501)}`],
])("the return address %j leads to the first page", async (to) => {
  oidc.user = "alice";
  const { cookie, path } = await broughtBack(to as string);
  expect((await get(path, cookie)).headers["location"]).toBe("/");
});

test("another issuer in the answer, an error with markup, and a provider's error: words of ours only", async () => {
  const { cookie, path } = await broughtBack();
  const changed = (changes: Readonly<Record<string, string>>): string => {
    const url = new URL(path, origin);
    for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
    return `${url.pathname}${url.search}`;
  };
  const markup = "<img src=x onerror=alert(1)>";
  for (const [changes, word] of [
    [{ iss: "https://evil.example.com" }, "refused"],
    [{ error: markup, error_description: markup }, "refused"],
    [{ error: "access_denied" }, "cancelled"],
  ] as const) {
    const { status, headers, text } = await get(changed(changes), cookie);
    expect([status, headers["location"]]).toEqual([302, `/?login=${word}#/ops`]);
    expect(text).not.toContain("img");
  }
});

test("a user without a grant is told so, and the log names the check", async () => {
  oidc.user = "bob";
  const { cookie, path } = await broughtBack();
  const refused = await get(path, cookie);
  expect([refused.headers["location"], cookieOf(refused, "login")]).toEqual(["/?login=ungranted#/ops", ""]);
  await expect.poll(() => served.server.stderr()).toContain('"check":"grants"');
});

test("a page of another site cannot begin, nor can one at another name of the server; unknown providers are not there", async () => {
  const body = { issuer: oidc.issuer, to: "" };
  expect((await begin(body, "https://evil.example.com")).status).toBe(403);
  const named = origin.replace("127.0.0.1", "localhost");
  const { status, text } = await raw(origin, {
    path: "/api/login/begin",
    body,
    headers: { origin: named, host: new URL(named).host },
  });
  expect([status, text]).toEqual([409, expect.stringContaining(`open the console there`)]);
  expect((await begin({ issuer: "https://evil.example.com" })).status).toBe(404);
  expect((await begin({})).status).toBe(404);
  expect((await raw(origin, { path: "/api/login/callback", body: {}, headers: { origin } })).status).toBe(405);
});

test("a second login in a browser ends the first one, whose cookie the provider's answer does not bring", async () => {
  oidc.user = "alice";
  const first = await broughtBack();
  const login = cookieOf(await get(first.path, first.cookie), "login");
  expect((await get("/api/registry", login)).status).toBe(200);
  const begun = await raw(origin, {
    path: "/api/login/begin",
    body: { issuer: oidc.issuer, to: "" },
    headers: { origin, cookie: login },
  });
  const back = await oidc.browse(new URL(JSON.parse(begun.text).url), callback);
  const second = cookieOf(await get(`${back.pathname}${back.search}`, cookieOf(begun, "sign_in")), "login");
  expect((await get("/api/registry", second)).status).toBe(200);
  expect((await get("/api/registry", login)).status).toBe(401);
  // Another browser keeps its own.
  const other = await broughtBack();
  await get(other.path, other.cookie);
  expect((await get("/api/registry", second)).status).toBe(200);
  const key = { key: served.known.read.key };
  await raw(origin, { path: "/api/login", body: key, headers: { origin, cookie: second } });
  expect((await get("/api/registry", second)).status).toBe(401);
});

test("keys log in as before", async () => {
  const body = { key: served.known.read.key };
  const { status } = await raw(origin, { path: "/api/login", body, headers: { origin } });
  expect(status).toBe(200);
});

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  }, SLOW);
  afterAll(() => browser?.close());

  /** Pages of the provider are no fault. */
  const ours = (events: readonly string[]) => events.filter((one) => !one.startsWith(`request ${oidc.issuer}`));
  const provider = (page: Page) => page.getByRole("button", { name: "Log in with Example" });

  test("a person logs in with a click, is where they were, and logs out", { timeout: SLOW }, async () => {
    oidc.user = "alice";
    const { page, events } = await openPage(browser, `${origin}/#/op/vault.add_note`);
    await provider(page).click();
    await page.getByText("user · reads and writes").waitFor();
    await page.getByRole("heading", { level: 1, name: "vault.add_note" }).waitFor();
    await page.getByRole("banner").getByText("Alice Liddell").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.reload();
    await page.getByText("user · reads and writes").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await provider(page).waitFor();
    expect(ours(events)).toEqual([]);
  });

  test("a person without a grant is told so, and a key still works", { timeout: SLOW }, async () => {
    oidc.user = "bob";
    const { page, events } = await openPage(browser, `${origin}/#/ops`);
    await provider(page).click();
    await page.getByRole("alert").getByText("grants you nothing").waitFor();
    expect(page.url()).toBe(`${origin}/#/ops`);
    await page.getByLabel("API key").fill(served.known.read.key);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByText("key · read").waitFor();
    expect(ours(events)).toEqual([]);
  });

  test("a word in the address that is not ours shows nothing", { tags: "full", timeout: SLOW }, async () => {
    for (const word of ["<b>x</b>", "__proto__", "constructor"]) {
      const { page } = await openPage(browser, `${origin}/?login=${encodeURIComponent(word)}`);
      await provider(page).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    }
  });

  const LOOKS: readonly Look[] = [
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ];
  test.each(LOOKS)("the login page at %j has no fault", { tags: "full", timeout: SLOW }, async (look) => {
    const { page } = await openPage(browser, `${origin}/?login=cancelled`, look);
    await provider(page).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const shots = process.env["TOOLWRIGHT_TEST_SHOTS"];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/login-${look.width}-${look.scheme}.png` });
  });
});
