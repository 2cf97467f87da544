/**
 * State of the console after going back, a reload, an expired login, and a server restart.
 *
 * @module-tag full
 */

import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { openPage, startBrowser } from "../../../support/console/console.js";
import { focused, lookAgain } from "../../../support/console/in-page-console.mjs";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { keysOfEveryGrant } from "../../../support/keys.js";
import { freePort } from "../../../support/ports.js";
import { CHECKOUT, freshRoot, generatedRoot } from "../../../support/project.js";

const SLOW = 180_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const origin = ({ url }: HttpServed): string => new URL(url).origin;

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let open: HttpServed;
  let root: string;
  beforeAll(async () => {
    browser = await startBrowser();
    root = freshRoot(later);
    open = await serveHttp(root, ["--allow-write"], async (clean) => later(clean));
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test("the way back leads to what was typed in; the address keeps what was chosen", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { page, events } = await openPage(browser, `${origin(open)}/#/pack/onto`);
    await page.getByRole("article").getByRole("link", { name: "onto.task.create write" }).click();
    await page.getByLabel("title").fill("Call Anna");
    expect(await page.title()).toBe("onto.task.create · toolwright");
    await page.getByRole("link", { name: "calls so far" }).click();
    await page.getByRole("heading", { level: 1, name: "Statistics" }).waitFor();
    expect(await page.evaluate(focused)).toBe("main");
    await page.getByLabel("Period").selectOption("week");
    await page.reload();
    await page.getByText("Nothing was called in this period.").waitFor();
    expect(await page.title()).toBe("Statistics · toolwright");
    expect(await page.getByLabel("Period").inputValue()).toBe("week");
    expect(await page.getByLabel("Op", { exact: true }).inputValue()).toBe("onto.task.create");
    await page.goBack();
    await page.goBack();
    await page.getByLabel("title").fill("Call Anna");
    await page.getByRole("link", { name: "onto.task.list" }).first().click();
    await page.getByRole("heading", { level: 1, name: "onto.task.list" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "onto.task.create" }).waitFor();
    expect(await page.getByLabel("title").inputValue()).toBe("Call Anna");
    expect(events).toEqual([]);
  });

  test("a question that no op answers by its words leads to those near it", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { page } = await openPage(browser, `${origin(open)}/`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel("Search ops").fill("how do i add a todo");
    await page
      .getByRole("option", { name: /^onto\./ })
      .first()
      .waitFor();
    await page.getByLabel("Search ops").fill("create a tsak");
    await page.getByRole("option", { name: /^onto\.task\.create/ }).click();
    await page.getByRole("heading", { level: 1, name: "onto.task.create" }).waitFor();
  });

  test("a signature is put where the cursor is; a new line begins where the one before it does", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { page } = await openPage(browser, `${origin(open)}/#/run`);
    const code = page.getByLabel("Code", { exact: true });
    await code.fill("for i in range(3):");
    await code.press("End");
    await code.press("Enter");
    await page.getByRole("button", { name: /^onto\.document\.delete/ }).click();
    await page.keyboard.type("'doc'");
    expect(await code.inputValue()).toBe("for i in range(3):\n    onto.document.delete('doc')");
  });

  test("a run that is stopped leaves the server, and says so", { tags: "full", timeout: SLOW }, async () => {
    const { page } = await openPage(browser, `${origin(open)}/#/run`);
    await page.getByLabel("Code", { exact: true }).fill("while True:\n    pass");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("alert").getByText("Stopped.").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  });

  test("a lost server is reported, and one that comes back works again", { tags: "full", timeout: SLOW }, async () => {
    const flags = ["--allow-write", "--http", String(await freePort())];
    const first = await serveHttp(root, flags);
    const { page } = await openPage(browser, `${origin(first)}/#/servers`);
    await page.getByText("No server stands behind this one.").waitFor();
    first.signal("SIGKILL");
    await first.exit;
    await page.evaluate(lookAgain);
    await page.getByRole("alert").getByText("The server cannot be reached.").waitFor({ timeout: 30_000 });
    await serveHttp(root, flags);
    await page.evaluate(lookAgain);
    await page.getByRole("alert").waitFor({ state: "detached", timeout: 30_000 });
    await page.getByText("No server stands behind this one.").waitFor();
    await page.route("**/api/registry", (route) => route.abort());
    await page.reload();
    await page.getByRole("alert").getByText("The server cannot be reached.").waitFor();
    await page.unroute("**/api/registry");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No server stands behind this one.").waitFor();
  });

  describe("with keys", () => {
    let server: HttpServed;
    let known: Awaited<ReturnType<typeof keysOfEveryGrant>>;
    beforeAll(async () => {
      const keyed = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
      known = await keysOfEveryGrant(keyed);
      later(() => known.keys.close());
      server = await serveHttp(keyed, [], async (clean) => later(clean));
    }, SLOW);

    async function logIn(page: Page, key: string): Promise<void> {
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Log in" }).click();
    }

    /** Ends the login of a page, as the same person does elsewhere. */
    async function endLogin(page: Page): Promise<void> {
      const cookies = await page.context().cookies();
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      const headers = { origin: origin(server), cookie };
      expect((await raw(server.url, { path: "/api/logout", body: {}, headers })).status).toBe(200);
    }

    test("after an expired login the work is restored for the same key, and not for another", {
      tags: "full",
      timeout: SLOW,
    }, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/#/op/vault.add_note`);
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await expect.poll(() => page.evaluate(focused)).toBe("key");
      await logIn(page, known.write.key);
      await page.getByLabel("text").fill("a long text");
      await endLogin(page);
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByRole("heading", { name: "Log in again" }).waitFor();
      expect(await page.getByLabel("text").isVisible()).toBe(false);
      await logIn(page, known.write.key);
      await page.getByLabel("text").waitFor();
      expect(await page.getByLabel("text").inputValue()).toBe("a long text");

      await endLogin(page);
      await page.getByRole("button", { name: "Dry run" }).click();
      await logIn(page, known.admin.key);
      await page.getByText("key · admin").waitFor();
      expect(await page.getByLabel("text").inputValue()).toBe("");
      expect(events).toEqual([]);
    });

    test("a logout leaves nothing behind for the next user", { timeout: SLOW }, async () => {
      const { page } = await openPage(browser, `${origin(server)}/#/run`);
      await logIn(page, known.write.key);
      await page.getByLabel("Code", { exact: true }).fill("secret = 1");
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
      await logIn(page, known.read.key);
      await page.getByText("key · read").waitFor();
      expect(await page.getByLabel("Code", { exact: true }).inputValue()).toBe("");
    });
  });
});
