/**
 * The screens of the configuration and of servers in a real browser.
 *
 * @module-tag full
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { CONFIG_TEXT, type ConfigProject, configProject } from "./config-project.js";

const SLOW = 240_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let project: ConfigProject;
  const at = (hash: string): string => new URL(`/${hash}`, project.server.url).href;
  beforeAll(async () => {
    [browser, project] = await Promise.all([startBrowser(), configProject(later)]);
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test("an alias is added after a look at the diff, and served", { tags: "full", timeout: SLOW }, async () => {
    const { page, events } = await openPage(browser, at("#/op/sums.add"), { scheme: "dark", width: 390 });
    await page.getByRole("link", { name: "configure" }).click();
    expect(await page.getByLabel("Op of the alias").inputValue()).toBe("sums.add");
    expect(await page.getByRole("button", { name: "Add alias" }).isDisabled()).toBe(true);
    await page.getByLabel("Alias", { exact: true }).fill("sum");
    await page.getByRole("button", { name: "Add alias" }).click();
    const dialog = page.getByRole("dialog", { name: "Write this change?" });
    await dialog.getByText("+    sum: sums.add").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(project.text()).toBe(CONFIG_TEXT);
    await page.getByRole("button", { name: "Add alias" }).click();
    await dialog.getByRole("button", { name: "Write" }).click();
    await page.getByText(/^Written\. \d+ ops are served\.$/).waitFor({ timeout: SLOW });
    await page.getByRole("button", { name: "Remove the alias sum" }).waitFor();
    expect(project.text()).toBe(CONFIG_TEXT.replace(/(?<=# short\n)/, "    sum: sums.add\n"));
    expect(await faultsOf(page)).toEqual([]);
    expect(events).toEqual([]);
  });

  test("a file that has changed meanwhile is looked at again; what cannot be changed says why", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { page } = await openPage(browser, at("#/config"));
    await page.getByLabel("Op to hide").fill("sums.add");
    await page.getByRole("button", { name: "Hide op" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("hidden: true").waitFor();
    const mine = `${project.text()}# mine too\n`;
    writeFileSync(join(project.root, "definitions/toolwright.yaml"), mine);
    await dialog.getByRole("button", { name: "Write" }).click();
    await dialog.getByText("has changed meanwhile").waitFor();
    expect(project.text()).toBe(mine);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Name", { exact: true }).fill("web");
    await page.getByLabel("URL", { exact: true }).fill("npx something");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("dialog", { name: "This cannot be changed here" }).getByText("http or https URL").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Write" }).count()).toBe(0);
  });

  test("rules are pinned from those that the op has", { tags: "full", timeout: SLOW }, async () => {
    const { page } = await openPage(browser, at("#/config?op=sums.add"));
    await page.getByLabel("Edge cases").fill("Adds 0 for nothing.\nNo more.");
    await page.getByRole("button", { name: "Pin policy" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Write" }).click();
    await page.getByText(/^Written\./).waitFor({ timeout: SLOW });
    await page.getByRole("button", { name: "Edit the policy of sums.add" }).waitFor();
    await page.goto(at("#/op/sums.add"));
    await page.getByText("Adds 0 for nothing.").waitFor();
  });

  test("a server whose name is no pack name shows its tools; axe finds nothing", { timeout: SLOW }, async () => {
    const { page, events } = await openPage(browser, at("#/servers"), { width: 390 });
    await page.getByRole("heading", { name: "team-notes idle" }).waitFor();
    await page.getByText("2 tools").waitFor();
    expect(await page.locator("main").textContent()).not.toContain("abc");
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.goto(at("#/config"));
    await page.getByRole("button", { name: "Switch off team-notes" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(events).toEqual([]);
  });
});
