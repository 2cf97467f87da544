/**
 * The page of a large pack, the fields of arguments, and results as tables and trees, in a real browser.
 *
 * @module-tag full
 */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { focused, hit } from "../../../support/console/in-page-console.mjs";
import { type HttpServed, serveHttp } from "../../../support/http.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../../support/project.js";

const SLOW = 300_000;
const FULL = { tags: "full", timeout: SLOW };
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** Operations by tag: 1,223 in all. */
const TAGS = { orders: 600, invoices: 400, stock: 180, refunds: 37, labels: 6 };

function description(): object {
  const operations = Object.entries(TAGS).flatMap(([tag, count]) =>
    Array.from({ length: count }, (_, at) => {
      const about = { tags: [tag], operationId: `${tag}_find_${at}`, summary: `Find the ${tag} of part ${at}` };
      return [`/${tag}/${at}`, { get: { ...about, responses: { 200: { description: "Found." } } } }] as const;
    }),
  );
  const info = { title: "Shop", version: "1" };
  return { openapi: "3.0.3", info, servers: [{ url: "https://shop.example" }], paths: Object.fromEntries(operations) };
}

const THINGS = `export const pack = { summary: "Things." };

const SCRIPT = "<script>globalThis.hit = 1</script><img src=x onerror='globalThis.hit = 2'>";

/**
 * Lists things as a page.
 *
 * @param args.count - how many
 * @kind read
 */
export async function list(args: { count: number }) {
  const items = Array.from({ length: args.count }, (_, at) => ({
    id: at,
    name: at === 0 ? SCRIPT : "thing " + at,
    [SCRIPT]: at % 2 === 0,
    place: { city: "Uppsala\\u202e", tags: ["a", "b"] },
  }));
  return { items, pagination: { total: args.count, has_more: false } };
}

/**
 * Gets one thing.
 *
 * @kind read
 */
export async function get() {
  return { name: SCRIPT, empty: {}, none: null, at: "https://example.org/x", deep: { inner: { leaf: "found it" } }, many: Array.from({ length: 120 }, (_, at) => at) };
}

/**
 * Tells a text.
 *
 * @kind read
 */
export async function tell() {
  return "first line\\n<b>second</b> line\\n" + "word ".repeat(2000) + "the end";
}

/**
 * Takes every kind of argument.
 *
 * @param args.thing_id - which
 * @param args.notes - what you think
 * @param args.loud - whether
 * @param args.count - how many
 * @param args.size - how large
 * @param args.tags - words
 * @kind read
 */
export async function take(args: {
  thing_id: string; notes: string; loud?: boolean; count?: number; size: "small" | "large"; tags: string[];
}) {
  return args;
}
`;

async function makeProject(): Promise<string> {
  const root = temporaryFolder(later);
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  writeFileSync(join(root, "definitions", "shop.json"), JSON.stringify(description()));
  writeFileSync(join(root, "definitions", "things.ts"), THINGS);
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    "use: [ot]\nsources:\n  - functions: things.ts\n  - openapi: shop.json\n    pack: shop\n",
  );
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  return root;
}

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let server: HttpServed;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await serveHttp(await makeProject(), [], async (clean) => later(clean));
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });
  const open = (hash: string, width = 1280) => openPage(browser, `${new URL(server.url).origin}/${hash}`, { width });

  /** Looks at the page in both schemes and widths. */
  async function expectSound(page: Page): Promise<void> {
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect([width, ...(await faultsOf(page))]).toEqual([width]);
      expect([width, await overflowOf(page)]).toEqual([width, 0]);
    }
  }

  async function run(page: Page): Promise<void> {
    await page.locator(".try button.main").click();
    await page.locator(".answer").waitFor();
  }

  describe("the page of a pack of 1,223 ops", () => {
    const links = (page: Page) => page.locator(".explorer a[href^='#/op/']");

    test("has its groups, folded, and each op once", FULL, async () => {
      const { page, events } = await open("#/pack/shop");
      await page.getByRole("heading", { level: 2, name: "orders" }).waitFor();
      const groups = page.locator(".detail > article summary");
      expect((await groups.allTextContents()).map((text) => text.trim())).toEqual(
        Object.entries(TAGS).map(([tag, count]) => expect.stringMatching(new RegExp(`^${tag} ${count}\\b`))),
      );
      expect(await links(page).count()).toBe(0);
      await page.getByRole("heading", { level: 2, name: "refunds" }).click();
      await page.getByRole("link", { name: "shop.refunds_find_36" }).waitFor();
      expect(await links(page).count()).toBe(TAGS.refunds);
      await expectSound(page);
      expect(events).toEqual([]);
    });

    test("is filtered as you type, and the filter is there after going back", FULL, async () => {
      const { page } = await open("#/pack/shop", 390);
      const field = page.getByLabel("Filter");
      await page.getByText("1,223 ops", { exact: true }).waitFor();
      await field.fill("REFUNDS");
      await page.getByText("37 of 1,223").waitFor();
      expect(await links(page).count()).toBe(37);
      await field.fill("find");
      await page.getByText("1,223 of 1,223").waitFor();
      expect(await links(page).count()).toBe(100);
      await page.getByRole("button", { name: "Show 100 more" }).click();
      await expect.poll(() => links(page).count()).toBe(200);
      await field.fill("part 36 refunds");
      await page.getByText("1 of 1,223").waitFor();
      await field.press("ArrowDown");
      expect(await page.evaluate(focused)).toContain("shop.refunds_find_36");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "shop.refunds_find_36" }).waitFor();
      await page.goBack();
      await page.getByText("1 of 1,223").waitFor();
      expect(await field.inputValue()).toBe("part 36 refunds");
      await field.fill("<script>");
      await page.getByText("No op of this pack has all of these words.").waitFor();
      await expectSound(page);
    });

    test("beside an op are the ops of its group only", FULL, async () => {
      const { page } = await open("#/op/shop.refunds_find_7");
      await page.locator(".side [aria-current=page]").waitFor();
      expect(await page.locator(".side .ops a").count()).toBe(TAGS.refunds);
    });
  });

  describe("arguments", () => {
    test("have controls of their kinds, and are sent as they were given", FULL, async () => {
      const { page, events } = await open("#/op/things.take");
      const kindOf = (name: string) =>
        page.getByLabel(name).evaluate((one) => [one.localName, one.getAttribute("type") ?? ""].join(" ").trim());
      await page.getByLabel("thing_id").fill("th_1");
      expect(await kindOf("thing_id")).toBe("input text");
      expect(await kindOf("notes")).toBe("textarea");
      expect(await kindOf("count")).toBe("input number");
      expect(await kindOf("size")).toBe("select");
      expect(await kindOf("loud")).toBe("input checkbox");
      expect(await kindOf("tags")).toBe("textarea");
      await page.getByLabel("notes").fill("one\ntwo");
      await page.getByLabel("size").selectOption("large");
      await page.getByLabel("tags").fill('["a"]');
      await run(page);
      const sent = async () =>
        JSON.parse((await page.getByRole("region", { name: "Result as JSON" }).textContent()) ?? "");
      await page.getByRole("button", { name: "JSON", exact: true }).click();
      expect(await sent()).toEqual({ thing_id: "th_1", notes: "one\ntwo", size: "large", tags: ["a"] });
      await page.getByRole("checkbox", { name: "loud" }).check();
      await page.getByRole("checkbox", { name: "loud" }).uncheck();
      await page.getByLabel("count").fill("3");
      await run(page);
      await page.getByRole("button", { name: "JSON", exact: true }).click();
      expect(await sent()).toMatchObject({ loud: false, count: 3 });
      await page.getByRole("button", { name: "Clear loud" }).click();
      expect(await page.locator("#arg-loud-state").textContent()).toBe("not given");
      await expectSound(page);
      expect(events).toEqual([]);
    });

    test("a fault in JSON is told at its place, and nothing is sent", FULL, async () => {
      const { page } = await open("#/op/things.take");
      await page.getByLabel("tags").fill('["a",\n  b]');
      await page.getByLabel("thing_id").fill("th_1");
      await page
        .getByText('No JSON, line 2, column 3: expected a value; a text is in double quotes, found "b".')
        .waitFor();
      await page.getByRole("button", { name: "Go to it" }).click();
      expect(await page.evaluate(focused)).toBe("arg-tags");
      await page.getByLabel("thing_id").focus();
      await page.keyboard.press("Enter");
      await page.getByText("tags is no JSON, line 2, column 3").waitFor();
      expect(await page.evaluate(focused)).toBe("arg-tags");
      expect(await page.locator(".answer").count()).toBe(0);
      await expectSound(page);
    });

    test("what is no number is not left out in silence", FULL, async () => {
      const { page } = await open("#/op/things.take");
      await page.getByLabel("count").focus();
      await page.keyboard.type("1e");
      await page.keyboard.press("Enter");
      await page.getByText("count is no number.").waitFor();
      expect(await page.locator(".answer").count()).toBe(0);
    });

    test("a text of several lines keeps them in a field of one line", FULL, async () => {
      const { page } = await open("#/op/things.take");
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      await page.getByLabel("Arguments", { exact: true }).first().fill('{"thing_id": "a\\nb"}');
      await page.getByRole("button", { name: "Edit in fields" }).click();
      expect(await page.getByLabel("thing_id").inputValue()).toBe("a\nb");
    });
  });

  describe("results", () => {
    test("a page of objects is a table, more of it on request; hostile names and texts stay text", FULL, async () => {
      const { page, events } = await open("#/op/things.list");
      await page.getByLabel("count").fill("60");
      await run(page);
      const rows = page.getByRole("region", { name: "Rows" }).locator("tbody tr");
      expect(await rows.count()).toBe(50);
      expect(await page.getByRole("columnheader").allTextContents()).toEqual(
        expect.arrayContaining(["id", "name", expect.stringContaining("<script>"), "place"]),
      );
      expect(await rows.nth(1).locator("td").first().textContent()).toBe("1");
      await rows.nth(0).getByText("2 members").click();
      await rows.nth(0).getByText("Uppsala\\u202e").waitFor();
      await expectSound(page);
      await page.getByRole("button", { name: "Show 10 more" }).click();
      await expect.poll(() => rows.count()).toBe(60);
      await page.getByText("pagination").first().waitFor();
      expect(await page.locator("main script, main img").count()).toBe(0);
      expect(await page.evaluate(hit)).toBeUndefined();
      expect(events).toEqual([]);
    });

    test("an object unfolds, and long lists are shown in parts", FULL, async () => {
      const { page, events } = await open("#/op/things.get");
      await run(page);
      const result = page.getByRole("region", { name: "Result", exact: true });
      await result.getByText("found it").waitFor();
      await result.getByText("empty object").waitFor();
      expect(await result.getByRole("link").getAttribute("href")).toBe("https://example.org/x");
      await result.getByText("120 items").click();
      await result.getByRole("button", { name: "Show 50 more" }).click();
      await result.getByRole("button", { name: "Show 20 more" }).waitFor();
      await expectSound(page);
      expect(await page.evaluate(hit)).toBeUndefined();
      expect(events).toEqual([]);
    });

    test("a text is text, with its lines", FULL, async () => {
      const { page } = await open("#/op/things.tell", 390);
      await run(page);
      const result = page.getByRole("region", { name: "Result", exact: true });
      await result.getByRole("button", { name: /^Show all/ }).click();
      expect(await result.textContent()).toContain("first line\n<b>second</b> line\nword ");
      expect(await result.locator("b").count()).toBe(0);
      await result.getByText("the end").waitFor();
      await expectSound(page);
    });

    test("a large result is shown in parts, and copied whole", FULL, async () => {
      const { page, events } = await open("#/op/things.list");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByLabel("count").fill("2000");
      await run(page);
      await page.getByText("50 of 2,000").waitFor();
      expect(await page.locator(".result tbody tr").count()).toBe(50);
      await page.getByRole("button", { name: "Copy the result as JSON" }).click();
      await page.getByText("Copied").first().waitFor();
      const copied = JSON.parse(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied.items).toHaveLength(2000);
      expect(events).toEqual([]);
    });
  });
});
