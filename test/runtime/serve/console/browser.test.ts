/** The console in a real browser on a real server. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import {
  addScript,
  ask,
  focused,
  hit,
  keptByBrowser,
  selectedCode,
} from "../../../support/console/in-page-console.mjs";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { keysOfEveryGrant } from "../../../support/keys.js";
import {
  CHECKOUT,
  freshRoot,
  generatedRoot,
  type Json,
  temporaryFolder,
  toolwright,
} from "../../../support/project.js";
import { SCALE } from "../../../support/random.js";

const SLOW = 180_000;
const FULL = { tags: "full", timeout: SLOW };
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const origin = ({ url }: HttpServed): string => new URL(url).origin;

async function exec(server: HttpServed, op: string, args: object): Promise<Json> {
  const { text } = await raw(server.url, { path: "/api/exec", body: { op, args } });
  return JSON.parse(text);
}

async function write(page: Page, code: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(code);
}

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  let open: HttpServed;
  let project = "";
  beforeAll(async () => {
    browser = await startBrowser();
    open = await serveHttp(freshRoot(later), ["--allow-write"], async (clean) => later(clean));
    const made = await exec(open, "onto.project.create", {
      project: { name: "Payments", type_key: "project.technical.platform" },
      entities: [],
      relationships: [],
    });
    project = made.result.project.id;
  }, SLOW);
  afterAll(async () => {
    await browser?.close();
    for (const clean of cleaning.reverse()) await clean();
  });

  test("find an op, run it dry, create a task for real, see it in the statistics and the calls", {
    timeout: SLOW,
  }, async () => {
    const { page, events } = await openPage(browser, `${origin(open)}/`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel("Search ops").fill("craete task");
    await page.getByRole("option", { name: /^onto\.task\.create/ }).click();
    await page.getByRole("heading", { level: 1, name: "onto.task.create" }).waitFor();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("2 arguments need attention").first().waitFor();
    expect(await page.locator("[aria-invalid=true]").evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      "arg-project_id",
      "arg-title",
    ]);
    await page.getByLabel("project_id").fill(project);
    await page.getByLabel("title").fill("Call Anna");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("heading", { name: "Dry run: nothing was changed" }).waitFor();
    expect((await exec(open, "onto.task.list", { project_id: project })).result.items).toEqual([]);

    await page.getByRole("button", { name: "Do it for real" }).click();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await exec(open, "onto.task.list", { project_id: project })).result.items).toEqual([]);
    await page.getByRole("button", { name: "Do it for real" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Write" }).click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    const { items } = (await exec(open, "onto.task.list", { project_id: project })).result;
    expect(items.map(({ title, label }: Json) => title ?? label)).toEqual(["Call Anna"]);
    expect(await page.getByRole("button", { name: "Do it for real" }).count()).toBe(0);

    await page.getByRole("link", { name: "Statistics" }).click();
    const row = page.getByRole("row", { name: /^onto\.task\.create/ });
    await row.waitFor();
    const cells = await row.getByRole("cell").allTextContents();
    expect(cells.slice(0, 2)).toEqual(["3", "1"]);
    expect(cells.slice(2, 5)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[\d.]+ m?s$/)));
    await page.getByRole("img", { name: /^Calls per hour: \d+ in all/ }).waitFor();

    await page.getByRole("link", { name: "Calls" }).click();
    await page.getByText("onto.task.create").first().waitFor();
    expect(events).toEqual([]);
  });

  test(
    "a corrected call fills the form, and an argument that changes takes back the offer to write",
    FULL,
    async () => {
      const { page } = await openPage(browser, `${origin(open)}/#/op/onto.task.create`);
      await page.getByRole("button", { name: "Edit as JSON" }).click();
      await page
        .getByLabel("Arguments", { exact: true })
        .first()
        .fill(JSON.stringify({ project_id: project, titel: "Typo" }));
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByRole("button", { name: "Use these arguments" }).click();
      expect(await page.getByLabel("title").inputValue()).toBe("Typo");
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByRole("button", { name: "Do it for real" }).waitFor();
      await page.getByLabel("title").fill("Another");
      expect(await page.getByRole("button", { name: "Do it for real" }).count()).toBe(0);
    },
  );

  test("a type error is shown at its line; a run shows its output, a large result page by page", FULL, async () => {
    const { page, events } = await openPage(browser, `${origin(open)}/#/run`);
    await write(page, "tasks = onto.task.list()\n\nonto.task.list(limit='many')\n");
    await page.getByRole("button", { name: "line 3" }).click();
    expect(await page.evaluate(selectedCode)).toBe("onto.task.list(limit='many')");
    expect(await page.locator(".gutter .faulty").allTextContents()).toEqual(["3"]);
    const lines = "print(1)\n".repeat(40);
    await write(page, lines);
    const gutter = await page.locator(".gutter div").count();
    expect(gutter).toBe(41);
    await write(page, "'\\n'.join(f'line {n} of many' for n in range(1, 9001))");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("lines 1 to 50 of 9000").waitFor();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByText("lines 51 to 100 of 9000").waitFor();
    expect(await page.getByRole("region", { name: "Stored result" }).textContent()).toContain("line 51 of many");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByText("lines 1 to 50 of 9000").waitFor();
    expect(events).toEqual([]);
  });

  test("without allow_write there is no button that writes", FULL, async () => {
    const server = await serveHttp(freshRoot());
    const { page } = await openPage(browser, `${origin(server)}/#/op/onto.task.create`);
    await page.getByText("you may only read").waitFor();
    expect(await page.getByRole("button", { name: /Dry run|for real/ }).count()).toBe(0);
    const refused = await exec(server, "onto.task.create", { project_id: project, title: "Call Anna" });
    expect(refused).toMatchObject({ ok: false, error: { code: "PERMISSION_DENIED" } });
  });

  describe("with keys", () => {
    let server: HttpServed;
    let known: Awaited<ReturnType<typeof keysOfEveryGrant>>;
    beforeAll(async () => {
      const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
      known = await keysOfEveryGrant(root);
      later(() => known.keys.close());
      server = await serveHttp(root, [], async (clean) => later(clean));
    }, SLOW);

    async function logIn(page: Page, key: string): Promise<void> {
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Log in" }).click();
    }

    test("log in, read, log out; a wrong key is reported; the key is not stored", FULL, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/`);
      await logIn(page, "oub_nothing");
      await page.getByRole("alert").getByText("invalid or expired API key").waitFor();
      await logIn(page, known.read.key);
      await page.getByText("key · read").waitFor();
      expect(await page.evaluate(keptByBrowser)).toBe('["",{},{}]');
      await page.reload();
      await page.getByText("key · read").waitFor();
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(events).toEqual([]);
    });

    test("with a read key ops that write are not there, and a request for one is refused", FULL, async () => {
      const { page } = await openPage(browser, `${origin(server)}/`);
      await logIn(page, known.read.key);
      await page.getByText("key · read").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByLabel("Search ops").fill("note");
      await page.getByRole("option", { name: /^vault\.list_notes/ }).waitFor();
      expect(await page.getByRole("option", { name: /add_note/ }).count()).toBe(0);
      await page.keyboard.press("Escape");
      await page.goto(`${origin(server)}/#/op/vault.add_note`);
      await page.getByText("There is no op").waitFor();
      expect(await page.getByRole("button", { name: /Dry run|for real/ }).count()).toBe(0);
      await page.goto(`${origin(server)}/#/ops/REST`);
      await page.getByText("There is no page ops/REST").waitFor();
      const call = { op: "vault.add_note", args: { text: "x", file: "/tmp/x" } };
      expect((await page.evaluate(ask, ["/api/exec", call] as const)).ok).toBe(false);
    });

    test("when the key is revoked the next request leads to the login", FULL, async () => {
      const { key, record } = await known.keys.create({ name: "gone", scope: "read" }, "local");
      // A screen that asks for nothing by itself.
      const { page } = await openPage(browser, `${origin(server)}/#/ops`);
      await logIn(page, key);
      await page.getByText("key · read").waitFor();
      await known.keys.revoke(record.key_id);
      await page.getByRole("link", { name: "Calls" }).click();
      await page.getByRole("heading", { name: "Log in" }).waitFor();
    });
  });

  describe("hostile text", () => {
    const SCRIPT = `<script>globalThis.hit = 1</script><img src=x onerror="globalThis.hit = 2">`;
    const TEXT = `${SCRIPT} {{ 7 * 7 }} <Component /> javascript:alert(1) http://127.0.0.1/a"onmouseover="x `;
    const LONG = `${TEXT}${"word ".repeat(6900)}the very end.`;
    const MARKED = [
      "A **strong** word, `code`, [a link](https://docs.example/a) and [another](javascript:alert(1)).",
      "![image](https://evil.example/i.png) <b onclick=hit()>raw</b> <a href='javascript:hit()'>raw</a>",
      "# No heading of the page",
      "- one\n- two",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      '```json\n{"a": [1, "<script>globalThis.hit = 4</script>"]}\n```',
      `${"> ".repeat(400)}deep`,
    ].join("\n\n");
    let server: HttpServed;
    beforeAll(async () => {
      const root = temporaryFolder(later);
      mkdirSync(join(root, "definitions"));
      mkdirSync(join(root, "node_modules"));
      symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
      const tool = (name: string, description: string) => ({
        type: "function",
        function: {
          name,
          description,
          parameters: { type: "object", properties: { text: { type: "string", description: TEXT, enum: [SCRIPT] } } },
        },
      });
      const tools = [tool("list_evil_things", LONG), tool("get_evil_thing", TEXT), tool("get_marked_thing", MARKED)];
      writeFileSync(join(root, "definitions", "tools.json"), JSON.stringify(tools));
      writeFileSync(
        join(root, "definitions", "toolwright.yaml"),
        `use: []\nsources:\n  - chat-tools: tools.json\n    pack: evil\npacks:\n  evil: { summary: ${JSON.stringify(TEXT)} }\nservers:\n  gone: { command: toolwright-no-such-program, lazy: false }\n`,
      );
      const { code, stderr } = await toolwright(["generate", "--root", root]);
      if (code !== 0) throw new Error(stderr);
      server = await serveHttp(root, ["--allow-write"], async (clean) => later(clean));
    }, SLOW);

    test("scripts and styles within the page are refused, and these tests hear of it", {
      tags: "full",
      timeout: SLOW,
    }, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/`);
      await page.getByRole("heading", { name: "for your agents" }).waitFor();
      await page.evaluate(addScript);
      await expect
        .poll(() => events.filter((one) => one.startsWith("console refused")).sort())
        .toEqual(["console refused script-src-elem", "console refused style-src-attr"]);
      expect(await page.evaluate(hit)).toBeUndefined();
    });

    test("Markdown of a description becomes elements of a fixed list, and no address but of http", FULL, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/#/ops`, { width: 390 });
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByLabel("Search ops").fill("get marked thing");
      await page
        .getByRole("option", { name: /marked/ })
        .first()
        .click();
      const shown = page.locator(".part .markdown").first();
      await shown.getByText("strong").waitFor();
      expect(await shown.locator("strong, li, th, td, .syn-call").allTextContents()).toEqual([
        ...["strong", "one", "two"],
        ...["a", "b", "1", "2"],
        '"a"',
      ]);
      const links = await shown.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      expect(links).toEqual(["https://docs.example/a", "https://evil.example/i.png"]);
      expect(await page.locator("main img, main b, main script, main [onclick], article h1").count()).toBe(1);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(hit)).toBeUndefined();
      expect(events).toEqual([]);
    });

    test("a server that cannot be started: why, and what to do", FULL, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/#/servers`, { width: 390 });
      await page.getByRole("heading", { name: "gone disconnected" }).waitFor({ timeout: 60_000 });
      await page.getByText(/Last error: .*toolwright-no-such-program/).waitFor({ timeout: 60_000 });
      await page.getByText("To do:").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      expect(events).toEqual([]);
    });

    test("stays text on every screen, and is shown in full on request", FULL, async () => {
      const { page, events } = await openPage(browser, `${origin(server)}/`, { width: 390 });
      await page.getByText("{{ 7 * 7 }}").first().waitFor();
      const index = JSON.parse((await raw(server.url, { method: "GET", path: "/api/registry" })).text);
      const ops = index.packs[0].ops.map(([op]: Json) => op).filter((op: string) => !op.includes("marked"));
      expect(ops).toHaveLength(2);
      for (const op of ops) {
        const { description } = JSON.parse((await raw(server.url, { method: "GET", path: `/api/op?name=${op}` })).text);
        await page.goto(`${origin(server)}/#/op/${op}`);
        await page.getByRole("heading", { name: "Description" }).waitFor();
        const more = page.getByRole("button", { name: /^Show all/ });
        if (description.length > 30_000) await more.click();
        const shown = await page.locator(".part .markdown").first().textContent();
        expect(shown).toBe(description.trim());
        expect(await page.locator("main script, main img, main component").count()).toBe(0);
        for (const link of await page.locator("main a[target=_blank]").all())
          expect(await link.getAttribute("href")).toBe("http://127.0.0.1/a");
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      }
      await page.goto(`${origin(server)}/#/run`);
      await write(page, `print(${JSON.stringify(TEXT)})`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("region", { name: "Output" }).getByText("{{ 7 * 7 }}").waitFor();
      expect(await page.evaluate(hit)).toBeUndefined();
      expect(events).toEqual([]);
    });
  });

  const SCREENS: readonly (readonly [hash: string, ready: string])[] = [
    ["#/", ".way .code"],
    ["#/ops", "text=Choose a pack"],
    ["#/op/onto.task.creat", "text=Did you mean"],
    ["#/pack/onto", "text=Projects, tasks, documents"],
    ["#/op/onto.task.create", "text=Signatures"],
    ["#/op/onto.project.graph.get", "text=Signatures"],
    ["#/run", "#code"],
    ["#/stats", ".figures"],
    ["#/calls", ".calls li"],
    ["#/calls?outcome=failed", ".filter"],
    ["#/statistic", "text=Near it"],
    ["#/servers", "text=No server"],
    ["#/config", ".settings"],
  ];

  /** Opens what is folded on a screen, and has it show an answer. */
  async function use(page: Page, hash: string): Promise<void> {
    if (hash === "#/calls") await page.locator(".calls summary").first().click();
    if (hash === "#/run") {
      await write(page, "# a comment\nfor one in onto.task.list(limit='many'):\n    print(1, one)\nonto.ta");
      await page.getByRole("button", { name: "line 2" }).waitFor();
      await page.getByRole("option", { name: /^onto\.task\.list/ }).waitFor();
    }
    if (!hash.startsWith("#/op/") || hash.endsWith("creat")) return;
    await page.locator(".try button.main").click();
    await page.locator(".answer").waitFor();
  }

  const ALL_LOOKS = [
    ["dark", 390],
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
  ] as const;
  const LOOKS = ALL_LOOKS.slice(0, SCALE >= 1 ? 4 : 1);

  test("every screen, light and dark, wide and narrow: axe finds nothing, nothing scrolls sideways", FULL, async () => {
    const { page, events } = await openPage(browser, `${origin(open)}/`);
    for (const [hash, ready] of SCREENS) {
      await page.goto(`${origin(open)}/${hash}`);
      await page.locator(ready).first().waitFor();
      await use(page, hash);
      for (const [colorScheme, width] of LOOKS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const look = [hash, colorScheme, width];
        expect([...look, ...(await faultsOf(page))]).toEqual(look);
        expect([...look, await overflowOf(page)]).toEqual([...look, 0]);
      }
    }
    expect(events).toEqual([]);
  });

  test("the whole console is within reach of the keyboard", FULL, async () => {
    const { page } = await openPage(browser, `${origin(open)}/`);
    await page.getByRole("heading", { name: "for your agents" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(focused)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(focused)).toBe("main");
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(focused)).toBe("search");
    await page.keyboard.type("onto.project.lst");
    await page.getByRole("option", { name: /^onto\.project\.list/, selected: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "onto.project.list" }).waitFor();
    expect(await page.evaluate(focused)).toBe("main");
    await page.locator(".try button.main").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Done" }).waitFor();
  });
});
