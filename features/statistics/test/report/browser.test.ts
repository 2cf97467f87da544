/**
 * A report opened from the disk in a real browser.
 *
 * @module-tag full
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CallEntry } from "../../../../runtime/contract/recorder.js";
import type { Stats } from "../../../../runtime/contract/statistics.js";
import { BROWSER, CHROMIUM } from "../../../../test/support/browser.js";
import { eachCase } from "../../../../test/support/each-case.js";
import { temporaryFolder } from "../../../../test/support/project.js";
import { reportPage } from "../../report/page.js";
import { call, figuresOf, manyCalls } from "./fixture.js";
import { addThings, contrasts, drawn, misplaced, structure } from "./in-page.mjs";

const SLOW = 120_000;
const SCRIPT = "<script>alert(1)</script>";
const OPS = [
  ...["onto.task.list", "onto.task.search", "onto.project.graph.get", "ot.help", SCRIPT, `x.${SCRIPT}`],
  "github.create_a_pull_request_with_a_name_that_is_longer_than_anybody_would_ever_want_it_to_be",
];

/** A report that is open, and everything that happened meanwhile. */
interface Opened {
  readonly page: Page;
  readonly url: string;
  readonly events: readonly string[];
}

interface Look {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly period?: Stats["period"];
}

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args });
  }, SLOW);
  afterAll(() => browser?.close());

  async function opened(calls: readonly CallEntry[], look: Look = {}): Promise<Opened> {
    return openedText(reportPage(await figuresOf(calls, { period: look.period ?? "month" })), look);
  }

  async function openedText(text: string, { scheme = "light", width = 1280 }: Look): Promise<Opened> {
    const file = join(temporaryFolder(), "stats.html");
    writeFileSync(file, text);
    const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
    onTestFinished(() => page.close());
    const events: string[] = [];
    page.on("request", (request) => events.push(`request ${request.url()}`));
    page.on("console", (message) => events.push(`console ${message.text()}`));
    page.on("pageerror", (error) => events.push(`error ${error.message}`));
    page.on("dialog", (dialog) => {
      events.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    const url = pathToFileURL(file).href;
    await page.goto(url);
    return { page, url, events };
  }

  let text = "";
  beforeAll(async () => {
    text = reportPage(await figuresOf(manyCalls(OPS, 1500, 30), { period: "month" }));
  });
  const month = (look: Look = {}): Promise<Opened> => openedText(text, look);

  test("charts are visible; no request but the file, no message, no dialog", { timeout: SLOW }, async () => {
    const { page, url, events } = await month();
    const boxes = await page
      .locator("svg.wide")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    expect(boxes).toHaveLength(2);
    for (const { x, right, width, height } of boxes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(1280);
      expect(Math.min(width, height * 4)).toBeGreaterThan(800);
    }
    expect(await inside(page, "svg.wide .done", "svg.wide")).toBeGreaterThan(25);
    expect(await inside(page, "svg.wide .failed", "svg.wide")).toBeGreaterThan(10);
    expect(await inside(page, "svg.wide path.median", "svg.wide")).toBe(OPS.length);
    expect(await inside(page, "svg.wide path.high", "svg.wide")).toBe(OPS.length);
    expect(
      await page.locator("svg.narrow").evaluateAll((all) => all.filter((one) => one.checkVisibility()).length),
    ).toBe(0);
    await page.waitForLoadState("networkidle");
    expect(events).toEqual([`request ${url}`]);
  });

  test("a tool named as a script stays text", { timeout: SLOW }, async () => {
    const { page, events } = await month();
    expect(await page.evaluate("document.scripts.length")).toBe(0);
    const names = await page.locator("section[aria-labelledby=tools] th.tool").allTextContents();
    expect(names).toEqual(expect.arrayContaining([SCRIPT, `x.${SCRIPT}`]));
    expect(events.filter((one) => one.startsWith("dialog"))).toEqual([]);
  });

  test("the policy lets its own style in, and nothing else", { timeout: SLOW }, async () => {
    const { page, events } = await month();
    const added = await page.evaluate(addThings);
    expect(added).toEqual(["Tool statistics, last 30 days", "32px"]);
    await expect.poll(() => events.filter((one) => /Content Security Policy/.test(one)).length).toBe(3);
  });

  test("dark mode has colours of its own; in both, text and marks have contrast to their background", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const papers: string[] = [];
    for (const scheme of ["light", "dark"] as const) {
      const { page } = await month({ scheme });
      papers.push(String(await page.evaluate("getComputedStyle(document.body).backgroundColor")));
      const found = await page.evaluate(contrasts);
      expect(found.length).toBeGreaterThan(100);
      const poor = found.filter(({ kind, ratio }) => ratio < (kind === "text" ? 4.5 : 3));
      expect(poor, scheme).toEqual([]);
    }
    expect(papers).toEqual(["rgb(255, 255, 255)", "rgb(16, 21, 27)"]);
  });

  eachCase([390, 320, 768, 960], "390", "768")(
    "%i px wide: the page does not scroll sideways, wide tables do in their own box",
    { tags: "full", timeout: SLOW },
    async (width) => {
      const { page } = await month({ width });
      await page.locator("summary").first().click();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      const shown = width <= 760 ? "narrow" : "wide";
      expect(await page.locator(`svg.${shown}`).evaluateAll((all) => all.every((one) => one.checkVisibility()))).toBe(
        true,
      );
      expect(await inside(page, `svg.${shown} .done`, `svg.${shown}`)).toBeGreaterThan(25);
      const beyond = await page
        .locator(".scroll")
        .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
      if (width < 400) expect(Math.max(...beyond)).toBeGreaterThan(100);
    },
  );

  eachCase(
    [
      ["day", 1],
      ["week", 7],
      ["month", 30],
      ["all", 60],
      ["all", 400],
    ],
    "month",
  )(
    "the labels of %s over %i days lie within their chart, and not on each other",
    { tags: "full", timeout: SLOW },
    async (period, days) => {
      for (const width of [1280, 390]) {
        const { page } = await opened(manyCalls(OPS, 600, days), { period, width });
        expect(await page.evaluate(misplaced)).toEqual([]);
      }
    },
  );

  test("a reader without eyes finds a language, landmarks, headings in order, named charts and tables", {
    timeout: SLOW,
  }, async () => {
    const { page } = await month();
    const found = await page.evaluate(structure);
    expect(found).toMatchObject({ language: "en", landmarks: [1, 1, 1], nameless: 0, headless: 0 });
    expect(found.headings).toBe("H1 H2 H2 H2 H2 H2 H2");
    expect(new Set(found.ids).size).toBe(found.ids.length);
    const tree = await page.locator("body").ariaSnapshot();
    for (const part of [
      "- banner",
      "- main",
      "- contentinfo",
      'heading "Tool statistics" [level=1]',
      'img "Calls per day',
    ])
      expect(tree).toContain(part);
  });

  test("of nothing, of one call, and of 500 ops", { timeout: SLOW, tags: "full" }, async () => {
    const none = await opened([]);
    expect(await none.page.locator(".empty").isVisible()).toBe(true);
    const one = await opened([call()], { period: "all", width: 390 });
    expect(await inside(one.page, "svg.narrow .done", "svg.narrow")).toBe(1);
    const names = Array.from({ length: 500 }, (_, at) => `pack${at % 23}.op_${at}`);
    const many = await opened(
      names.map((op) => call({ op })),
      { width: 390 },
    );
    expect(await many.page.locator("section[aria-labelledby=tools] th.tool").count()).toBe(500);
    expect(await inside(many.page, "svg.narrow path.median", "svg.narrow")).toBe(20);
    expect(await many.page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    for (const { events } of [none, one, many]) expect(events).toHaveLength(1);
  });
});

/** How many drawn things are visible inside of one of the frames. */
const inside = (page: Page, things: string, frames: string): Promise<number> => page.evaluate(drawn, [things, frames]);
