/**
 * Documentation sites in a real browser: every page of our own site, and some pages of sites of real servers. `SCALE=1`
 * takes every server, and 40 of its pages.
 */

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Registry } from "../../../runtime/contract/registry.js";
import { repository } from "../../../test/support/breaking-repository.js";
import { BROWSER, CHROMIUM } from "../../../test/support/browser.js";
import { hasCorpora, snapshotFiles } from "../../../test/support/corpora.js";
import { eachCase } from "../../../test/support/each-case.js";
import { tool } from "../../../test/support/generator-host.js";
import { freshRoot, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { randomOf, SCALE, shuffled } from "../../../test/support/random.js";
import { brokenLinks, buildSite, pagesIn, serveFolder } from "./sites.js";

const SLOW = { timeout: SCALE < 1 ? 300_000 : 900_000 };
const SEED = Number(process.env["SEED"] ?? "20261122");
/** Of pages that axe looks at: all at full size, and those that are named otherwise. */
const SHARE = SCALE < 1 ? 0 : 1;
/** What must hold: WCAG A and AA with contrast, and landmarks. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds on the open page; it is evaluated, since the page's policy would not let it in. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run({ preload: false, resultTypes: ["violations"], runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`;
  const found = (await page.evaluate(run)) as readonly Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)} ${nodes[0]?.failureSummary ?? ""}`);
}

const sideways = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  const cleaners: (() => void)[] = [];
  const keep = (clean: () => void) => void cleaners.push(clean);
  let browser: Browser;
  let ours = "";
  let served: Awaited<ReturnType<typeof serveFolder>>;

  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args });
    ours = join(temporaryFolder(keep), "site");
    await buildSite(freshRoot(keep), ours);
    served = await serveFolder(ours);
  }, SLOW.timeout);
  afterAll(async () => {
    served?.close();
    await browser?.close();
    for (const clean of cleaners) clean();
  });

  /** A page, and everything on it that should not be: messages, errors, failed requests, requests elsewhere. */
  async function watched(options: Parameters<Browser["newContext"]>[0] = {}): Promise<[Page, readonly string[]]> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const events: string[] = [];
    page.on("console", (message) => events.push(`console ${message.text()} ${page.url()}`));
    page.on("pageerror", (error) => events.push(`error ${error.message} ${page.url()}`));
    page.on("dialog", (dialog) => {
      events.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("requestfailed", (request) => {
      // The picture of the tab may still be on its way when the next page is opened.
      if (request.failure()?.errorText !== "net::ERR_ABORTED") events.push(`failed ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) events.push(`${response.status()} ${response.url()}`);
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("file:") && !request.url().startsWith(served.url))
        events.push(`elsewhere ${request.url()}`);
    });
    return [page, events];
  }

  const PHONE = { width: 390, height: 844 };

  test("our pages on a phone: no message, no scroll sideways", { ...SLOW, tags: "full" }, async () => {
    const [page, events] = await watched({ viewport: PHONE });
    const wide: string[] = [];
    const pages = pagesIn(ours);
    for (const path of shuffled(pages, randomOf(SEED)).slice(0, Math.ceil(pages.length * Math.max(0.25, SCALE)))) {
      await page.goto(`${served.url}${path.replace("index.html", "")}`);
      if ((await sideways(page)) > 0) wide.push(path);
    }
    expect({ wide, events }).toEqual({ wide: [], events: [] });
  });

  eachCase(["light", "dark"], "light")(
    "contrast, landmarks, names and roles pass axe, %s",
    { tags: "full", ...SLOW },
    async (colorScheme) => {
      const pages = pagesIn(ours);
      const fixed = ["index.html", "onto/index.html", "onto/onto.task.delete/index.html"];
      fixed.push("guides/adding-a-tool/index.html");
      const some = shuffled(
        pages.filter((one) => !fixed.includes(one)),
        randomOf(SEED),
      ).slice(0, Math.ceil(pages.length * SHARE));
      const desk = { width: 1280, height: 900 };
      // One run takes a second; at a small size each scheme has one of the two.
      for (const viewport of SCALE < 1 ? [colorScheme === "light" ? PHONE : desk] : [PHONE, desk]) {
        const [page] = await watched({ colorScheme, viewport });
        for (const path of [...fixed, "search/index.html?q=task", ...some]) {
          await page.goto(served.url + path);
          await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
          expect(await violations(page), `${path} ${viewport.width}`).toEqual([]);
        }
      }
    },
  );

  test("the axe of these tests finds poor contrast and a missing landmark", { tags: "full", ...SLOW }, async () => {
    const [page] = await watched();
    await page.setContent("<!doctype html><html lang=en><title>x</title><p style='color:#ccc;background:#fff'>pale");
    const found = (await violations(page)).join("\n");
    for (const id of ["color-contrast", "landmark-one-main", "region"]) expect(found).toContain(`${id}:`);
  });

  eachCase(["loopback", "disk"], "disk")(
    "the search finds an op by its description; from %s",
    { tags: "full", ...SLOW },
    async (from) => {
      const [page, events] = await watched();
      await page.goto(from === "disk" ? pathToFileURL(join(ours, "index.html")).href : served.url);
      await page.getByLabel("What do you want to do?").fill("the user asks to be reminded to call somebody");
      await page.getByRole("button", { name: "Search" }).click();
      const hits = page.locator("#hits a");
      await expect.poll(() => hits.first().textContent()).toBe("onto.task.create");
      expect(await page.getByRole("status").textContent()).toMatch(/^\d+ found/);
      await page.locator("#query").fill("How do I list all the tasks that are blocked");
      await expect.poll(() => hits.first().textContent()).toBe("onto.task.list");
      await page.locator("#query").fill("searsh the web"); // mistyped
      await expect.poll(() => hits.allTextContents()).toContain("brave.web_search");
      await page.locator("#query").fill("qqqqqq");
      await expect.poll(() => page.getByRole("status").textContent()).toBe("Nothing found for “qqqqqq”.");
      await page.locator("#query").fill("onto.task.list");
      await hits.first().click();
      expect(await page.locator("h1 .name").textContent()).toBe("onto.task.list");
      await page.goBack();
      await expect.poll(() => hits.first().textContent()).toBe("onto.task.list");
      expect(events).toEqual([]);
    },
  );

  test("by keyboard alone: to the content, and through the ways of calling", { ...SLOW, tags: "full" }, async () => {
    const [page, events] = await watched();
    await page.goto(`${served.url}onto/onto.task.create/`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(page.url()).toContain("#site-content");
    await page.getByRole("radio", { name: "MCP" }).first().focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowRight");
    const example = page.locator(".tabs").nth(1);
    expect(await example.locator(".pane:visible").allTextContents()).toEqual([
      expect.stringContaining("toolwright exec onto.task.create"),
    ]);
    expect(events).toEqual([]);
  });

  test("every page searches as you type, by keyboard too, and Escape closes what was found", {
    tags: "full",
    ...SLOW,
  }, async () => {
    const [page, events] = await watched();
    for (const path of ["onto/onto.task.create/", "guides/deploying/", ""]) {
      await page.goto(served.url + path);
      await page.locator("body").press("/");
      await page.keyboard.type("rotate a key");
      const hits = page.locator(".found a");
      await expect.poll(() => hits.allTextContents()).toContain("Command line: keys rotate");
      await page.keyboard.press("Escape");
      expect(await page.locator(".found").isVisible(), path).toBe(false);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("onto.task.list");
      await expect.poll(() => hits.first().textContent()).toBe("onto.task.list");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url()).toContain("onto/onto.task.list/");
    }
    expect(events).toEqual([]);
  });

  test("the page of a pack is filtered as you type", { ...SLOW, tags: "full" }, async () => {
    const [page, events] = await watched({ viewport: PHONE });
    await page.goto(`${served.url}onto/`);
    const links = page.locator("main .listing a:visible");
    const all = await links.count();
    await page.getByText(`${all} ops`, { exact: true }).waitFor();
    await page.getByLabel("Filter", { exact: true }).fill("TASK.delete write");
    await page.getByText(`1 of ${all}`).waitFor();
    expect(await links.allTextContents()).toEqual(["onto.task.delete"]);
    expect(await page.locator("main h2:visible").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    expect(await sideways(page)).toBe(0);
    expect(events).toEqual([]);
  });

  test("the theme stays as it was chosen; a chosen tab is chosen on the next page", {
    ...SLOW,
    tags: "full",
  }, async () => {
    const [page, events] = await watched({ colorScheme: "light" });
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(`${served.url}onto/onto.task.create/`);
    const light = await paper();
    for (let step = 0; step < 2; step++) await page.locator(".theme").click();
    expect(await page.locator(".theme").getAttribute("aria-label")).toBe("Theme: dark");
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.getByText("curl", { exact: true }).first().click();
    await page.goto(`${served.url}onto/onto.task.list/`);
    expect(await paper()).toBe(dark);
    expect(await page.locator(".tabs").nth(1).locator(".pane:visible").textContent()).toContain("curl -s");
    expect(events).toEqual([]);
  });

  test("copy takes a block, and of a terminal session what is typed", { ...SLOW, tags: "full" }, async () => {
    const [page, events] = await watched({ permissions: ["clipboard-read", "clipboard-write"] });
    const copied = async (text: string): Promise<unknown> => {
      const box = page.locator(".code", { hasText: text }).first();
      await box.getByRole("button", { name: "Copy" }).click();
      await expect.poll(() => box.getByRole("button").getAttribute("aria-label")).toBe("Copied");
      return page.evaluate("navigator.clipboard.readText()");
    };
    await page.goto(`${served.url}guides/deploying/`);
    expect(await copied("listening on http")).toBe("toolwright serve --http 8080");
    expect(await copied("log: { level: info")).toMatch(/^# definitions\/toolwright\.yaml\nlog: /);
    expect(events).toEqual([]);
  });

  test("copy page takes the Markdown of the page; from a disk there is no such button", {
    ...SLOW,
    tags: "full",
  }, async () => {
    const [page, events] = await watched({ permissions: ["clipboard-read", "clipboard-write"] });
    for (const [path, twin] of [
      ["guides/deploying/", "guides/deploying.md"],
      ["onto/onto.task.list/", "onto/onto.task.list.md"],
      ["", "index.md"],
    ] as const) {
      await page.goto(`${served.url}${path}`);
      await page.getByRole("button", { name: "Copy page" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(readFileSync(join(ours, twin), "utf8"));
    }
    await page.goto(pathToFileURL(join(ours, "guides/deploying/index.html")).href);
    expect(await page.locator(".copy-page").isVisible()).toBe(false);
    expect(events).toEqual([]);
  });

  test("on a phone the list of pages opens and closes; a link in it leads on", { ...SLOW, tags: "full" }, async () => {
    const [page, events] = await watched({ viewport: PHONE });
    await page.goto(`${served.url}onto/onto.task.create/`);
    const list = page.getByRole("navigation", { name: "Pages" });
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await list.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await list.getByRole("link", { name: "Deploying" }).click();
    expect(await page.locator("h1").textContent()).toBe("Deploying");
    expect(events).toEqual([]);
  });

  test("an argument and a heading have an address of their own", { ...SLOW, tags: "full" }, async () => {
    const [page] = await watched();
    await page.goto(`${served.url}onto/onto.task.create/`);
    await page.getByRole("link", { name: "Link to title" }).click();
    expect(page.url()).toMatch(/#arg-title$/);
    await page.getByRole("link", { name: "Link to Examples" }).click();
    expect(page.url()).toMatch(/#examples$/);
  });

  test("printed: every way of calling, dark on light, no bar", { ...SLOW, tags: "full" }, async () => {
    const [page] = await watched({ colorScheme: "dark" });
    await page.goto(`${served.url}onto/onto.task.create/`);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.locator(".tabs").nth(1).locator(".pane:visible").count()).toBe(5);
    expect(await page.locator(".top, .beside, .tabs label").filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
  });

  test("hostile text among the hits of a search, and in its question, is text", { tags: "full", ...SLOW }, async () => {
    const { root, define } = repository();
    const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    const others = { "snippets.yaml": JSON.stringify({ evil: { description: evil, body: "1" } }) };
    await define([tool("evil", {}, {}, `Finds ${evil}`)], `aliases: { "${evil}": shop.evil }\n`, others);
    const folder = join(root, "site");
    await buildSite(root, folder);
    const [page, events] = await watched();
    const query = new URLSearchParams({ q: `evil ${evil}` });
    await page.goto(`${pathToFileURL(join(folder, "search/index.html")).href}?${query}`);
    await expect.poll(() => page.locator("#hits li").count()).toBeGreaterThan(1);
    expect(await page.locator("#hits").textContent()).toContain(evil);
    expect(await page.locator("#hits img, #hits script, #status *").count()).toBe(0);
    await page.locator("#query").fill("<zzzzzz><b>");
    await expect.poll(() => page.getByRole("status").textContent()).toContain("<zzzzzz><b>");
    expect(await page.locator("#status *").count()).toBe(0);
    expect(events).toEqual([]);
  });

  test("without scripts: tabs, links and details work, and the search says what to do instead", {
    tags: "full",
    ...SLOW,
  }, async () => {
    const [page, events] = await watched({ javaScriptEnabled: false });
    await page.goto(`${pathToFileURL(join(ours, "onto/onto.task.create/index.html")).href}`);
    const example = page.locator(".tabs").nth(1);
    expect(await example.locator(".pane:visible").allTextContents()).toEqual([expect.stringContaining('"op"')]);
    await example.getByText("Command line").click();
    expect(await example.locator(".pane:visible").allTextContents()).toEqual([
      expect.stringContaining("toolwright exec onto.task.create"),
    ]);
    await page.getByLabel("Search the tools").fill("task");
    await page.getByLabel("Search the tools").press("Enter");
    expect(await page.locator("noscript, .note").first().textContent()).toContain("needs scripts");
    await page.getByRole("main").getByRole("link", { name: "ops by entity" }).click();
    expect(await page.locator("h1").textContent()).toBe("By entity");
    expect(events).toEqual([]);
  });

  describe.skipIf(!hasCorpora)("of real servers", () => {
    let large = "";
    let root = "";
    beforeAll(async () => {
      root = temporaryFolder(keep);
      mkdirSync(join(root, "definitions/servers"), { recursive: true });
      writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
      const all = shuffled(snapshotFiles(), randomOf(SEED));
      for (const [name, text] of all.slice(0, Math.ceil(all.length * Math.min(1, SCALE))))
        writeFileSync(join(root, "definitions/servers", name), text);
      const { code, stderr } = await toolwright(["generate", "--root", root]);
      if (code !== 0) throw new Error(stderr);
      large = join(root, "site");
      await buildSite(root, large);
    }, SLOW.timeout);

    test("every link within the site leads to a page, and to a place on it", { tags: "full", ...SLOW }, () => {
      const registry: Registry = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
      expect(pagesIn(large).length).toBeGreaterThanOrEqual(registry.tools.length + registry.packs.length);
      expect(brokenLinks(large)).toEqual([]);
    });

    test("every op has a call in each language", SLOW, () => {
      const texts = pagesIn(large).map((path) => readFileSync(join(large, path), "utf8"));
      const ops = texts.filter((one) => one.includes('id="arguments"'));
      expect(ops.length).toBeGreaterThan(0);
      for (const way of ["MCP", "Python", "TypeScript", "Command line", "curl"])
        expect(ops.filter((one) => !one.includes(`>${way}</label>`))).toEqual([]);
    });

    test("a search weighs at most 500 kB on the wire for 2,649 ops, as hosts compress it", () => {
      const weight = (path: string): number => gzipSync(readFileSync(join(large, path))).length;
      const { tools }: Registry = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
      const shared = ["page.js", "theme.js", "search.js", "minisearch.js", "site.css"].map((one) =>
        weight(`assets/${one}`),
      );
      const fixed = shared.reduce((sum, one) => sum + one, weight("search/index.html"));
      expect(fixed + (weight("search/index.js") / tools.length) * 2_649).toBeLessThanOrEqual(500_000);
    });

    test("the largest pages and others by seed, on a phone from the disk", { tags: "full", ...SLOW }, async () => {
      const pages = pagesIn(large);
      const size = (path: string): number => statSync(join(large, path)).size;
      const largest = pages.toSorted((a, b) => size(b) - size(a)).slice(0, 5);
      const some = shuffled(pages, randomOf(SEED)).slice(0, Math.max(10, Math.round(35 * Math.min(1, SCALE))));
      const examined = new Set([...largest.slice(0, 2), ...some.slice(0, Math.max(3, 35 * SHARE))]);
      const [page, events] = await watched({ viewport: PHONE });
      const poor: string[] = [];
      for (const path of [...largest, ...some]) {
        await page.goto(pathToFileURL(join(large, path)).href);
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        if ((await sideways(page)) > 0) poor.push(`${path} is wide`);
        if (examined.has(path) && size(path) < 200_000)
          poor.push(...(await violations(page)).map((one) => `${path} ${one}`));
      }
      expect({ poor, events }).toEqual({ poor: [], events: [] });
    });
  });
});
