/** Programs of two languages in the console: the switch, colours, completions, faults in the words of the language. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../test/support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../test/support/console/console.js";
import { type HttpServed, raw, serveHttp } from "../../../test/support/http.js";
import { configuredRoot, freshRoot, type Json } from "../../../test/support/project.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const BOTH = "run: { languages: [python, typescript] }";

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let server: HttpServed;
  const address = (hash: string): string => `${new URL(server.url).origin}/${hash}`;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await serveHttp(configuredRoot(BOTH, later), ["--allow-write"], async (clean) => later(clean));
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])(
    "at %j a program in TypeScript is completed, coloured, run and refused in its words",
    {
      timeout: SLOW,
    },
    async (look) => {
      const { page, events } = await openPage(browser, address("#/run"), look);
      await page.getByRole("heading", { name: "Run a program" }).waitFor();
      await page.getByLabel("Language").selectOption("TypeScript");
      const code = page.getByLabel("Code", { exact: true });
      await code.pressSequentially("const { items } = await onto.project.li");
      await page.getByRole("option", { name: /^onto\.project\.list/ }).click();
      await page.getByRole("option", { name: /^limit number/ }).click();
      await code.pressSequentially("2 });\nitems.filter((one) => {");
      await code.press("Enter");
      await code.pressSequentially("return true; // all\n}).length");
      expect(await code.inputValue()).toBe(
        "const { items } = await onto.project.list({ limit: 2 });\nitems.filter((one) => {\n  return true; // all\n}).length",
      );
      const coloured = page.locator(".layers pre");
      expect(await coloured.locator(".syn-keyword").allTextContents()).toEqual(["const", "await", "return", "true"]);
      expect(await coloured.locator(".syn-call").allTextContents()).toEqual(["list", "filter"]);
      expect(await coloured.locator(".syn-comment").allTextContents()).toEqual(["// all"]);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("heading", { name: "Output" }).waitFor({ timeout: SLOW });
      await page.getByText(/ on quickjs$/).waitFor();
      expect(await page.getByRole("region", { name: "Output" }).textContent()).toBe("0");
      expect(await overflowOf(page)).toBe(0);
      expect(await faultsOf(page)).toEqual([]);

      await code.fill("const all = await onto.project.lst({});\nall");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const output = page.getByRole("region", { name: "Output" });
      await output.getByText("pack 'onto.project' has no function 'lst'").waitFor({ timeout: SLOW });
      expect(await output.textContent()).toContain("Did you mean: onto.project.list");

      await code.fill("");
      await page.getByRole("button", { name: "Start from an example" }).click();
      await coloured.getByText("console.log() works, too.").waitFor();
      expect(await code.inputValue()).toMatch(/^\/\/ .*\nconst found = await \w+\.[\w.]+\(.*\);\nfound\n$/);
      await page.goto(address("#/ops"));
      await page.goto(address("#/run"));
      expect(await page.getByLabel("Language").inputValue()).toBe("typescript");
      await page.getByLabel("Language").selectOption("Python");
      await code.fill("[n for n in range(3)]");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await output.getByText("[0,1,2]").waitFor({ timeout: SLOW });
      expect(events).toEqual([]);
    },
  );

  test("a fence in an address chooses its language, and signatures are those of the language", {
    timeout: SLOW,
  }, async () => {
    const fenced = encodeURIComponent("```ts\n[1, 2].at(-1)\n```");
    const { page } = await openPage(browser, address(`#/run/${fenced}`));
    const code = page.getByLabel("Code", { exact: true });
    expect(await code.inputValue()).toBe("[1, 2].at(-1)");
    expect(await page.getByLabel("Language").inputValue()).toBe("typescript");
    await page.getByRole("searchbox", { name: "Signatures" }).fill("list projects");
    await page.getByRole("button", { name: /^onto\.project\.list\(args\?: \{/ }).click();
    expect(await code.inputValue()).toContain("await onto.project.list()");
  });

  test("a program that waits has the colours of its language", { timeout: SLOW }, async () => {
    const root = configuredRoot(`${BOTH}\napprove: [{ ops: ["onto.*.create"] }]`, later);
    const waiting = await serveHttp(root, ["--allow-write"], async (clean) => later(clean));
    const command =
      "// one\nawait onto.project.create({ project: { name: 'a', type_key: 'project.technical.platform' }, entities: [], relationships: [] })";
    const { text } = await raw(waiting.url, { path: "/api/run", body: { command, language: "typescript" } });
    expect((JSON.parse(text) as Json).text).toContain("Paused");
    const origin = new URL(waiting.url).origin;
    const { page } = await openPage(browser, `${origin}/#/approvals`);
    await page.locator(".program .syn-comment", { hasText: "// one" }).waitFor({ timeout: SLOW });
    // What is pasted with its fence is in the language of the fence.
    const { page: other } = await openPage(browser, `${origin}/#/run`);
    const code = other.getByLabel("Code", { exact: true });
    expect(await other.getByLabel("Language").inputValue()).toBe("python");
    await code.fill(`\`\`\`typescript\n${command}\n\`\`\``);
    expect(await code.inputValue()).toBe(command);
    expect(await other.getByLabel("Language").inputValue()).toBe("typescript");
    await other.getByRole("button", { name: "Run", exact: true }).click();
    await other.getByRole("heading", { name: "Waiting" }).waitFor({ timeout: SLOW });
    expect(await other.getByRole("heading", { name: "Failed" }).count()).toBe(0);
  });

  test("with one language there is no switch", { timeout: SLOW }, async () => {
    const single = await serveHttp(freshRoot(later), [], async (clean) => later(clean));
    const { page } = await openPage(browser, `${new URL(single.url).origin}/#/run`);
    await page.getByRole("heading", { name: "Run Python" }).waitFor();
    expect(await page.getByLabel("Language").count()).toBe(0);
  });
});
