/** The console in a real browser: pages that record all errors on them. */

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { CHROMIUM } from "../browser.js";
import { axeFaults, hasAxe, overflow, tellRefused } from "./in-page-console.mjs";

/** How a page is looked at. */
export interface Look {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
}

/** An open page, and what should not have happened on it: errors, messages, dialogs, refused content, requests elsewhere. */
export interface Opened {
  readonly page: Page;
  readonly events: readonly string[];
}

/** Starts the browser. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM as string,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"],
  });

/** Opens an address in a browser of its own, without cookies; it is closed after the test. */
export async function openPage(
  browser: Browser,
  url: string,
  { scheme = "light", width = 1280 }: Look = {},
): Promise<Opened> {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const events: string[] = [];
  const { origin } = new URL(url);
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) events.push(`request ${request.url()}`);
  });
  page.on("pageerror", (error) => events.push(`error ${error.message}`));
  page.on("console", (message) => {
    // The browser says so of every answer that is no success, which tests ask for.
    if (!message.text().startsWith("Failed to load resource")) events.push(`console ${message.text()}`);
  });
  page.on("dialog", (dialog) => {
    events.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(tellRefused);
  await page.goto(url);
  return { page, events };
}

/** What axe finds on a page, a line each. The page's own policy lets no script in, so axe comes by way of the debugger. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(hasAxe))) await page.evaluate(axe.source);
  return page.evaluate(axeFaults);
}

/** Pixels by which a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> => page.evaluate(overflow);
