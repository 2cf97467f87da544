/** The header of the console in a real browser: one row in a wide window, a menu in a narrow one. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { focused } from "../../../support/console/in-page-console.mjs";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let served: ServedKeys;
  beforeAll(async () => {
    served = await serveKeys((clean) => void cleaning.push(clean), [], ["--allow-write"]);
    browser = await startBrowser();
    cleaning.push(() => browser.close());
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  /** The screen of servers, as an admin. */
  async function opened(width: number) {
    const { page, events } = await openPage(browser, `${new URL(served.server.url).origin}/#/servers`, { width });
    await page.getByLabel("API key").fill(served.known.admin.key);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    return { page, events };
  }
  const links = (page: Page) => page.getByRole("navigation", { name: "Screens" }).getByRole("link");

  test.each([1280, 1920])("at %i all of it is in one row, within the window", { timeout: SLOW }, async (width) => {
    const { page } = await opened(width);
    expect(await page.getByRole("button", { name: "Menu" }).isVisible()).toBe(false);
    const parts = [...(await links(page).all()), page.getByRole("button", { name: "Log out" })];
    expect(parts).toHaveLength(10);
    const boxes = await Promise.all(
      [...parts, page.getByRole("button", { name: "Search" })].map((one) => one.boundingBox()),
    );
    const middles = boxes.map((box) => (box ? box.y + box.height / 2 : 0));
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(3);
    expect(Math.max(...boxes.map((box) => (box ? box.x + box.width : Number.NaN)))).toBeLessThanOrEqual(width);
    expect((await page.getByRole("banner").boundingBox())?.height).toBeLessThan(64);
    await page.getByRole("banner").getByText("key · admin").waitFor();
    await page.getByRole("banner").getByText(served.known.admin.id).waitFor();
  });

  test.each([390, 800, 1279])("at %i a menu has all of it, by the keyboard too", { timeout: SLOW }, async (width) => {
    const { page, events } = await opened(width);
    const menu = page.getByRole("button", { name: "Menu" });
    expect(await links(page).count()).toBe(0);
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);

    await menu.focus();
    await page.keyboard.press("Enter");
    expect(await menu.getAttribute("aria-expanded")).toBe("true");
    for (const link of await links(page).all()) {
      const box = await link.boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width).toBe(true);
    }
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(focused)).toBe("Home");
    await page.keyboard.press("Escape");
    expect(await links(page).count()).toBe(0);
    expect(await page.evaluate(focused)).toBe("Menu");

    await page.keyboard.press("Enter");
    await links(page).getByText("Calls").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Recent calls" }).waitFor();
    await expect.poll(() => links(page).count()).toBe(0);
    await expect.poll(() => page.evaluate(focused)).toBe("main");

    await menu.click();
    await page.getByRole("heading", { level: 1 }).click();
    expect(await links(page).count()).toBe(0);
    expect(events).toEqual([]);
  });
});
