/** Large results as tables, in a real browser. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { openPage, startBrowser } from "../../../support/console/console.js";
import { type HttpServed, serveHttp } from "../../../support/http.js";
import { freshRoot } from "../../../support/project.js";

const SLOW = 180_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let open: HttpServed;
  beforeAll(async () => {
    browser = await startBrowser();
    open = await serveHttp(freshRoot(later), [], async (clean) => later(clean));
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test("a large result is a table that is sorted and asked with SQL", { tags: "full", timeout: SLOW }, async () => {
    const { page, events } = await openPage(browser, `${new URL(open.url).origin}/#/run`);
    await page
      .getByLabel("Code", { exact: true })
      .fill("[{'id': n, 'state': f's{n % 4}', 'note': 'x' * 100} for n in range(1000)]");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const rows = page.getByRole("region", { name: "Rows" });
    const first = () => rows.locator("tbody tr").first().locator("td").allTextContents();
    await page.getByText("rows 1 to 50", { exact: true }).waitFor();
    expect((await first()).slice(0, 2)).toEqual(["0", "s0"]);
    await rows.getByRole("button", { name: "id" }).click();
    await rows.getByRole("button", { name: "id ↑" }).click();
    await rows.getByRole("button", { name: "id ↓" }).waitFor();
    expect((await first()).slice(0, 2)).toEqual(["999", "s3"]);
    expect(await rows.getByRole("columnheader", { name: "id" }).getAttribute("aria-sort")).toBe("descending");
    await page.getByRole("button", { name: "More rows" }).click();
    await page.getByText("rows 51 to 100", { exact: true }).waitFor();
    expect((await first())[0]).toBe("949");
    await page.getByLabel("SQL over table r").fill("select state, count(*) n from r group by 1 -- by state");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("rows 1 to 4", { exact: true }).waitFor();
    expect(await rows.locator("tbody tr").allTextContents()).toEqual(["s0250", "s1250", "s2250", "s3250"]);
    await page.getByLabel("SQL over table r").fill("select stat from r");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("no such column: stat. Columns: state, id, note").waitFor();
    expect(events).toEqual([]);
  });
});
