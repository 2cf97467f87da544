/** The screen Connections in a real browser: what a person and an admin see, connect and end, in every look. */

import { randomBytes } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConnectionKey, rowIdentity, storeConnection } from "../../../../runtime/connections/rows.js";
import { createSeal } from "../../../../runtime/connections/sealing.js";
import { openState } from "../../../../runtime/state/open.js";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { freePort } from "../../../support/ports.js";
import { TOOLS, TOOLS_CLIENT } from "../../../support/servers/connections.js";
import { type Oidc, startOidc } from "../../../support/servers/oidc.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 400_000;
const LONG = "https://id.example.com/realms/a-realm-with-a-rather-long-name|0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  const cleaning: (() => unknown)[] = [];
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  let browser: Browser;
  let oidc: Oidc;
  let served: ServedKeys;
  let origin: string;

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await freePort()}`;
    oidc = await startOidc(
      { clients: [{ ...TOOLS_CLIENT, redirect_uris: [`${origin}/connections/callback`] }] },
      later,
    );
    const key = randomBytes(32);
    const common = { issuer: oidc.issuer, client: { id: TOOLS.client_id, secret: TOOLS.client_secret } };
    const url = "https://api.example.com/mcp";
    const scope = { scope: "openid offline_access mcp:read", authorize_params: { prompt: "consent" } };
    const servers = {
      calendar: { url, auth: { ...common, mode: "per_user", ...scope } },
      drive: { url, auth: { ...common, mode: "per_user", ...scope } },
      tickets: { url, auth: { ...common, mode: "shared", ...scope } },
      "machines-of-the-warehouse": { url, auth: { ...common, mode: "client_credentials" } },
    };
    served = await serveKeys(
      later,
      [
        `public_url: ${origin}`,
        `servers: ${JSON.stringify(servers)}`,
        `state_encryption: { keys: [{ id: k1, from: "${key.toString("base64")}" }] }`,
      ],
      [],
      Number(new URL(origin).port),
    );
    const state = await openState({ url: "", root: served.root });
    const seal = createSeal([{ id: "k1", key }]);
    const { admin, write } = served.known;
    for (const [server, kind, principal] of [
      ["drive", "own", write.id],
      ["drive", "own", admin.id],
      ["drive", "own", LONG],
      ["tickets", "shared", ""],
    ] as const) {
      const row: ConnectionKey = { kind, principal, server, issuer: oidc.issuer };
      const content = { access_token: "a", client: { clientId: "tools" }, scope: "mcp:read", wanted: "mcp:write" };
      await storeConnection(state, row, seal.close(JSON.stringify(content), rowIdentity(row)), Date.now());
    }
    await state.close();
    browser = await startBrowser();
    later(() => browser.close());
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  /** Pages of the provider are no fault. */
  const ours = (events: readonly string[]) => events.filter((one) => !one.startsWith(`request ${oidc.issuer}`));

  async function opened(key: string, look: Look = {}) {
    const { page, events } = await openPage(browser, `${origin}/#/connections`, look);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Your connections" }).waitFor();
    await page.getByRole("heading", { level: 2, name: /^drive/ }).waitFor();
    return { page, events };
  }
  const entry = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name }).first();

  test("a person connects with a click, sees what a server asks for more, and ends the connection", {
    timeout: SLOW,
  }, async () => {
    oidc.user = "alice";
    const { page, events } = await opened(served.known.write.key);
    await entry(page, "drive").getByText("It asks for more than is allowed so far: mcp:write.").waitFor();
    expect(await page.getByRole("heading", { name: "Connections of all callers" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /tickets/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Connect calendar" }).click();
    // The browser comes back to the console.
    await page.getByText("Connected to calendar. If a client asked you to sign in, go back to it.").waitFor();
    expect(page.url()).toBe(`${origin}/#/connections?name=calendar&outcome=connected`);
    await page.getByRole("button", { name: "Disconnect calendar" }).click();
    await page.getByRole("button", { name: "Connect calendar" }).waitFor();
    expect(ours(events)).toEqual([]);
  });

  test("an admin sees and ends the connections of others", { timeout: SLOW }, async () => {
    const { page, events } = await opened(served.known.admin.key);
    await page.getByRole("button", { name: `End the connection of ${served.known.write.id} to drive` }).click();
    await page
      .getByRole("button", { name: `End the connection of ${served.known.write.id} to drive` })
      .waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Sign in again at tickets" }).waitFor();
    expect(ours(events)).toEqual([]);
  });

  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])("at %j it has no fault", { tags: "full", timeout: SLOW }, async (look) => {
    const { page } = await opened(served.known.admin.key, look);
    await page.getByText("Connections of all callers").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    // The link of the screen is in view, in a narrow window too, once the menu is open.
    if ((look.width ?? 0) < 1280) await page.getByRole("button", { name: "Menu" }).click();
    const link = await page.getByRole("navigation", { name: "Screens" }).getByText("Connections").boundingBox();
    expect((link?.x ?? 0) + (link?.width ?? 0)).toBeLessThanOrEqual(look.width ?? 0);
    const shots = process.env["TOOLWRIGHT_TEST_SHOTS"];
    const path = `${shots}/connections-${look.width}-${look.scheme}.png`;
    if (shots !== undefined) await page.screenshot({ path, fullPage: true });
  });
});
