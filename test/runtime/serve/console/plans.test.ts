/** Plans in the console: on a real server, what differs from one, and in a real browser. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lineDiff } from "../../../../runtime/serve/console/app/line-diff.js";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import type { Json } from "../../../support/project.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 400_000;
const RULES = ['approve: [{ ops: ["vault.add_note"] }]', "expose: { run_preview: writes }"];
const cleaning: (() => unknown)[] = [];
let served: ServedKeys;

beforeAll(async () => {
  served = await serveKeys((clean) => void cleaning.push(clean), RULES, ["--allow-write"]);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

async function ask(key: string, path: string, body?: object): Promise<readonly [status: number, answer: Json]> {
  const answer = await fetch(`${new URL(served.server.url).origin}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  return [answer.status, await answer.json()];
}

const waitingFor = async (key: string): Promise<Json> => (await ask(key, "/api/approvals"))[1].waiting;
const file = (name: string): string => join(served.root, name);

/** A program that writes two notes, the second one as the answer to the first one says; it waits with its plan. */
async function paused(key: string, name: string): Promise<string> {
  const add = (text: string): string => `vault.add_note(text=${text}, file=${JSON.stringify(file(name))})`;
  const command = `made = ${add('"first"')}\n${add('"long" if len(made["text"]) > 20 else "short"')}\n"done"`;
  const [, { text }] = await ask(key, "/api/run", { command });
  expect(text).toContain("its plan waits for approval");
  return /run_\w+/.exec(text)?.[0] ?? "";
}

const decided = (run: string, call: string) =>
  ask(served.known.admin.key, "/api/approvals/decide", { run, call, decision: "approved" });
const resumed = (run: string) => ask(served.known.write.key, "/api/exec", { op: "ot.resume", args: { id: run } });

/** A program that pauses since it differs from its plan. */
async function diverged(name: string): Promise<string> {
  const run = await paused(served.known.write.key, name);
  expect((await decided(run, "0"))[0]).toBe(200);
  const said = async () => JSON.stringify((await resumed(run))[1]);
  await expect.poll(said, { timeout: SLOW }).toContain("diverged_from_plan");
  return run;
}

test("an admin approves a plan, then a write that was not planned", { timeout: SLOW }, async () => {
  const { admin, write } = served.known;
  const run = await paused(write.key, "notes.txt");
  const [plan] = await waitingFor(write.key);
  expect(plan).toMatchObject({
    ...{ run, kind: "plan", call: "0", op: "plan", barred: expect.stringContaining("admins decide") },
    plan: { exactness: "partial", partial_from: 2, entries: [{ args: { text: "first" } }, { args: { text: "long" } }] },
  });
  expect((await ask(write.key, "/api/approvals/decide", { run, call: "0", decision: "approved" }))[0]).toBe(403);
  expect((await decided(run, "0"))[0]).toBe(200);
  await expect.poll(async () => (await waitingFor(admin.key)).length, { timeout: SLOW }).toBe(1);
  const [other] = await waitingFor(admin.key);
  expect(other).toMatchObject({ kind: "diverged", args: { text: "short" }, planned: [{ args: { text: "long" } }] });
  expect(readFileSync(file("notes.txt"), "utf8")).toBe(`${write.id}: first\n`);
  expect((await decided(run, other.call))[0]).toBe(200);
  const said = async () => JSON.stringify((await resumed(run))[1]);
  await expect.poll(said, { timeout: SLOW }).toContain("done");
  expect(readFileSync(file("notes.txt"), "utf8")).toBe(`${write.id}: first\n${write.id}: short\n`);
});

test("a key does not approve its own plan", { timeout: SLOW }, async () => {
  const run = await paused(served.known.admin.key, "own.txt");
  expect((await decided(run, "0"))[0]).toBe(403);
});

test("lines that two texts have in common, and those that differ", () => {
  expect(lineDiff(["a", "b", "c"], ["a", "x", "c", "d"])).toEqual(["  a", "- b", "+ x", "  c", "+ d"]);
  expect(lineDiff([], ["a"])).toEqual(["+ a"]);
  const long = Array.from({ length: 500 }, (_, n) => String(n));
  expect(lineDiff(long, ["0"])).toHaveLength(501);
});

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
    cleaning.push(() => browser.close());
  }, SLOW);

  async function opened(run: string, look: Look = {}) {
    const { page, events } = await openPage(browser, `${new URL(served.server.url).origin}/#/approvals/${run}`, look);
    await page.getByLabel("API key").fill(served.known.admin.key);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Approvals" }).waitFor();
    return { page, events };
  }

  test("a plan is shown and approved, then what differs from it", { timeout: SLOW }, async () => {
    const run = await paused(served.known.write.key, "shown.txt");
    const { page, events } = await opened(run);
    const entry = page.getByRole("listitem").filter({ hasText: run }).first();
    await entry.getByText("Plan of a program").waitFor();
    await entry.getByText("Partial from here").waitFor();
    await entry.getByLabel(`arguments of the planned call 1 of ${run}`).getByText('"first"').waitFor();
    await entry.getByRole("button", { name: `Approve: 0 of ${run}` }).click();
    await page.getByText("differs from the plan").first().waitFor();
    const diff = page.getByLabel(`Planned and now: 2 of ${run}`);
    await diff.locator(".removed").filter({ hasText: '"long"' }).waitFor();
    await diff.locator(".added").filter({ hasText: '"short"' }).waitFor();
    await page.getByRole("button", { name: `Approve: 2 of ${run}` }).click();
    await expect.poll(async () => JSON.stringify((await resumed(run))[1]), { timeout: SLOW }).toContain("done");
    expect(events).toEqual([]);
  });

  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])("at %j it has no fault", { tags: "full", timeout: SLOW }, async (look) => {
    const name = `${look.width}-${look.scheme}`;
    await paused(served.known.write.key, `waits-${name}.txt`);
    const run = await diverged(`${name}.txt`);
    const { page } = await opened(run, look);
    await page.getByText("differs from the plan").first().waitFor();
    await page.getByText("Plan of a program").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const shots = process.env["TOOLWRIGHT_TEST_SHOTS"];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/plans-${name}.png`, fullPage: true });
  });
});
