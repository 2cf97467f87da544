/** Previews in the console: what a program would write, and that nothing of it stays. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { freshRoot, type Json } from "../../../support/project.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let server: HttpServed;
let project = "";

const ask = async (path: string, body: object): Promise<Json> =>
  JSON.parse((await raw(server.url, { path, body })).text);
const titles = async (): Promise<readonly string[]> => {
  const { result } = await ask("/api/exec", { op: "onto.task.list", args: { project_id: project } });
  return result.items.map(({ title, label }: Json) => title ?? label);
};
const create = (title: string): string =>
  `onto.task.create(project_id="${project}", title="${title}", type_key="task.execute", state_key="todo")`;

beforeAll(async () => {
  server = await serveHttp(freshRoot(later), ["--allow-write"], async (clean) => later(clean));
  const made = await ask("/api/exec", {
    op: "onto.project.create",
    args: {
      project: { name: "Payments", type_key: "project.technical.platform" },
      entities: [],
      relationships: [],
    },
  });
  project = made.result.project.id;
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

test("a preview has a plan, and changes nothing; a run has none", { timeout: SLOW }, async () => {
  const command = `made = ${create("Call Anna")}\nmade["task"]["id"]`;
  const { plan, is_error: isError, text } = await ask("/api/run", { command, preview: true });
  expect(text).toContain("Nothing was changed.");
  expect(isError).toBe(false);
  expect(plan).toMatchObject({ exactness: "exact", reads: 0, entries: [{ op: "onto.task.create", place: "1" }] });
  expect(plan.entries[0].args).toMatchObject({ title: "Call Anna" });
  expect(await titles()).toEqual([]);
  const ran = await ask("/api/run", { command, preview: "yes" });
  expect(ran).not.toHaveProperty("plan");
  expect(await titles()).toEqual(["Call Anna"]);
});

test("numbers of a plan stay exact", { timeout: SLOW }, async () => {
  const command = create("Exact").replace(/\)$/, ', props={"n": 12345678901234567890})');
  const { text } = await raw(server.url, { path: "/api/run", body: { command, preview: true } });
  expect(text).toContain("12345678901234567890");
});

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])("at %j a click shows the writes in order, and what the program ends with", { timeout: SLOW }, async (look) => {
    const browser = await startBrowser();
    later(() => browser.close());
    const before = await titles();
    const code = `onto.task.list(project_id="${project}")\n${create("<b>first</b>")}\n${create("second")}\n1/0`;
    const { origin } = new URL(server.url);
    const { page, events } = await openPage(browser, `${origin}/#/run/${encodeURIComponent(code)}`, look);
    await page.getByText("Calls of a run are real").waitFor();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Preview: nothing was changed" }).waitFor({ timeout: SLOW });
    await page.getByText("2 writes and 1 read, exact").waitFor();
    const writes = page.getByRole("list", { name: "Plan of the program" }).getByRole("listitem");
    expect(await writes.count()).toBe(2);
    await writes.nth(0).getByText('"<b>first</b>"').first().waitFor();
    await writes.nth(1).getByText('"second"').first().waitFor();
    await page.getByText("The program then fails: ZeroDivisionError").waitFor();
    expect(await titles()).toEqual(before);
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(events).toEqual([]);
  });
});
