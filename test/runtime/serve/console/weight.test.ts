/** What pages weigh on the wire with the tools of every server of the corpora; the figures are printed. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { openPage, startBrowser } from "../../../support/console/console.js";
import { hasCorpora, snapshotFiles } from "../../../support/corpora.js";
import { type HttpServed, serveHttp } from "../../../support/http.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../../support/project.js";

const SLOW = 600_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
/** Most bytes of the first useful screen. */
const BOUND = 300_000;

/** Bytes that were received for a page until an element is there, headers included. */
async function weightOf(page: Page, url: string, ready: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto("about:blank");
  await page.goto(url);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState("networkidle");
  await session.detach();
  return bytes;
}

describe.skipIf(CHROMIUM === undefined || !hasCorpora)(hasCorpora ? BROWSER : "../shared is not there", () => {
  let browser: Browser;
  let server: HttpServed;
  beforeAll(async () => {
    const root = temporaryFolder(later);
    mkdirSync(join(root, "definitions", "servers"), { recursive: true });
    mkdirSync(join(root, "node_modules"));
    symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
    for (const [name, text] of snapshotFiles()) writeFileSync(join(root, "definitions", "servers", name), text);
    writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: [ot]\nsources: [{ mcp: servers/*.json }]\n");
    const { code, stderr } = await toolwright(["generate", "--root", root]);
    if (code !== 0) throw new Error(stderr.slice(-2000));
    [browser, server] = await Promise.all([startBrowser(), serveHttp(root, [], async (clean) => later(clean))]);
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test("the first useful screen of thousands of ops is below 300 kB", { tags: "full", timeout: SLOW }, async () => {
    const { origin } = new URL(server.url);
    const { page } = await openPage(browser, `${origin}/`);
    await page.getByRole("heading", { name: "for your agents" }).waitFor();
    const ops = await page.getByRole("heading", { level: 1 }).textContent();
    for (const [name, hash, ready] of [
      ["Home", "#/", ".way .code"],
      ["Ops", "#/ops", ".tiles"],
      ["an op", "#/op/github_mcp_server.create_issue", ".try"],
      ["Run", "#/run", "#code"],
    ] as const) {
      const bytes = await weightOf(page, `${origin}/${hash}`, ready);
      console.log(`${name}: ${Math.round(bytes / 1000)} kB, ${ops}`);
      expect([name, bytes < BOUND, bytes > 10_000]).toEqual([name, true, true]);
    }
  });
});
