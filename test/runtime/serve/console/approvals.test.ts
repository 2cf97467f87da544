/** Approvals in the console: on a real server, by those who may decide, and in a real browser. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, type Look, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import type { Json } from "../../../support/project.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 400_000;
const RULES = `approve: [{ ops: ["vault.add_note"] }, { ops: ["vault.create_token"], by: [cli] }]`;
const cleaning: (() => unknown)[] = [];
let served: ServedKeys;

beforeAll(async () => {
  served = await serveKeys((clean) => void cleaning.push(clean), [RULES], ["--allow-write"]);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** Asks the server as a key; resolves to the status and the answer. */
async function ask(key: string, path: string, body?: object): Promise<readonly [status: number, answer: Json]> {
  const answer = await fetch(`${new URL(served.server.url).origin}${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  return [answer.status, await answer.json()];
}

const waitingFor = async (key: string): Promise<Json> => (await ask(key, "/api/approvals"))[1].waiting;
const notes = (): string => join(served.root, "notes.txt");

/** A program that waits; resolves to its run. */
async function paused(key: string, text: string): Promise<string> {
  const command = `vault.add_note(text=${JSON.stringify(text)}, file=${JSON.stringify(notes())})["text"]`;
  const [, { text: reply, paused: id }] = await ask(key, "/api/run", { command });
  expect(reply).toContain("1 call waits for approval");
  expect(reply).toContain(id);
  return /run_\w+/.exec(reply)?.[0] ?? "";
}

describe("the routes", () => {
  test("an admin sees what waits and decides; the agent goes on; others do not decide", { timeout: SLOW }, async () => {
    const { admin, write, read } = served.known;
    const run = await paused(write.key, "from a program");
    const seen = { run, kind: "approval", caller: write.id, call: "1", op: "vault.add_note", rule: "approve[0]" };
    expect(await waitingFor(write.key)).toMatchObject([{ ...seen, barred: expect.stringContaining("admins decide") }]);
    expect(await waitingFor(read.key)).toEqual([]);
    const [shown] = await waitingFor(admin.key);
    expect(shown).toMatchObject({ ...seen, args: { text: "from a program" } });
    expect(shown).not.toHaveProperty("barred");

    const decision = { run, call: "1", decision: "approved", reason: "looks right" };
    expect((await ask("wrong", "/api/approvals/decide", decision))[0]).toBe(401);
    expect((await ask(write.key, "/api/approvals/decide", decision))[0]).toBe(403);
    expect((await ask(read.key, "/api/approvals/decide", decision))[0]).toBe(404);
    for (const wrong of [{ decision: "yes" }, { run: 1 }, { reason: "x".repeat(1001) }])
      expect((await ask(admin.key, "/api/approvals/decide", { ...decision, ...wrong }))[0]).toBe(400);
    for (const other of [{ decision: "happened" }, { call: "2" }, { run: "run_none" }])
      expect((await ask(admin.key, "/api/approvals/decide", { ...decision, ...other }))[0]).toBe(404);
    expect(await ask(admin.key, "/api/approvals/decide", decision)).toEqual([200, { ok: true }]);
    expect((await ask(admin.key, "/api/approvals/decide", decision))[0]).toBe(404);

    const resumed = { op: "ot.resume", args: { id: run } };
    const [, { result }] = await ask(write.key, "/api/exec", resumed);
    expect(JSON.stringify(result)).toContain("from a program");
    expect(readFileSync(notes(), "utf8")).toBe(`${write.id}: from a program\n`);
    expect(await waitingFor(admin.key)).toEqual([]);
  });

  test("a key does not approve what it has asked for, and a rule says where people decide", {
    timeout: SLOW,
  }, async () => {
    const { admin } = served.known;
    const own = await paused(admin.key, "own");
    const command = 'vault.create_token(name="x")["token"]';
    const [, { text }] = await ask(admin.key, "/api/run", { command });
    const other = /run_\w+/.exec(text)?.[0] ?? "";
    const barred = new Map((await waitingFor(admin.key)).map((one: Json) => [one.run, one.barred]));
    expect(barred.get(own)).toBe("A key of your own family has asked: somebody else decides.");
    expect(barred.get(other)).toBe("The rule approve[1] lets people decide by cli only.");
    for (const run of [own, other])
      expect((await ask(admin.key, "/api/approvals/decide", { run, call: "1", decision: "approved" }))[0]).toBe(403);
  });
});

/** A program with several calls at once, in a fence; resolves to its run. */
async function pausedTwice(key: string, texts: readonly string[]): Promise<string> {
  const calls = texts.map((text) => `    ("vault.add_note", ${JSON.stringify({ text, file: notes() })}),`);
  const code = ["# Adds notes.", "", "ot.batch(calls=[", ...calls, "])"].join("\n");
  const [, { text }] = await ask(key, "/api/run", { command: `\`\`\`python\n${code}\n\`\`\`` });
  expect(text).toContain(`${texts.length} calls wait for approval`);
  return /run_\w+/.exec(text)?.[0] ?? "";
}

const approvalsFor = async (key: string): Promise<Json> => (await ask(key, "/api/approvals"))[1];

describe("all calls of a program", () => {
  test("the program with the lines of what waits, and the rule in its own words", { timeout: SLOW }, async () => {
    const { admin, write, read } = served.known;
    const run = await pausedTwice(write.key, ["one", "two"]);
    const { waiting, programs } = await approvalsFor(admin.key);
    const own = waiting.filter((one: Json) => one.run === run);
    expect(own.map(({ call, rule_text: text }: Json) => [call, text])).toEqual([
      ["1.1", "ops:\n  - vault.add_note"],
      ["1.2", "ops:\n  - vault.add_note"],
    ]);
    const lines = programs[run].code.split("\n");
    expect(lines[0]).toBe("# Adds notes.");
    expect(programs[run].lines).toEqual({ "1.1": 3, "1.2": 3 });
    expect((await approvalsFor(write.key)).programs[run].code).toBe(programs[run].code);
    expect((await approvalsFor(read.key)).programs).toEqual({});
  });

  test("are approved at once: those that were seen, by those who may", { timeout: SLOW }, async () => {
    const { admin, write, read } = served.known;
    const all = (key: string, body: object) => ask(key, "/api/approvals/decide-all", body);
    const run = await pausedTwice(write.key, ["three", "four"]);
    const other = await paused(write.key, "five");
    const waiting: Json[] = await waitingFor(admin.key);
    const questions = waiting.filter((one) => one.run === run).map(({ id }) => id);
    const decision = { run, questions, decision: "approved", reason: "both" };
    expect((await all("wrong", decision))[0]).toBe(401);
    expect((await all(write.key, decision))[0]).toBe(403);
    expect((await all(read.key, decision))[0]).toBe(404);
    for (const wrong of [{ decision: "happened" }, { questions: "all" }, { questions: [1] }, { run: 1 }])
      expect((await all(admin.key, { ...decision, ...wrong }))[0]).toBe(400);
    const strange = waiting.find((one) => one.run === other)?.id;
    for (const asked of [[], [...questions, strange]])
      expect((await all(admin.key, { ...decision, questions: asked }))[0]).toBe(404);
    expect((await waitingFor(admin.key)).filter((one: Json) => one.run === run)).toHaveLength(2);
    expect(await all(admin.key, decision)).toEqual([200, { ok: true }]);
    expect((await all(admin.key, decision))[0]).toBe(404);
    const [, { result }] = await ask(write.key, "/api/exec", { op: "ot.resume", args: { id: run } });
    expect(JSON.stringify(result)).toContain("four");
    expect(readFileSync(notes(), "utf8")).toContain(`${write.id}: three\n`);
    expect((await waitingFor(admin.key)).map((one: Json) => one.run)).toContain(other);
  });
});

describe("stopping a program", () => {
  test("its caller and admins stop it, others do not, and it ends once", { timeout: SLOW }, async () => {
    const { admin, write, read } = served.known;
    const stop = (key: string, body: object) => ask(key, "/api/approvals/stop", body);
    const own = await paused(write.key, "to be stopped by its caller");
    const other = await paused(write.key, "to be stopped by an admin");
    expect((await stop(read.key, { run: own }))[0]).toBe(404);
    expect((await stop(admin.key, { run: "run_none" }))[0]).toBe(404);
    for (const wrong of [{ run: 1 }, { run: own, reason: "x".repeat(1001) }])
      expect((await stop(admin.key, wrong))[0]).toBe(400);
    expect(await stop(write.key, { run: own, reason: "changed my mind" })).toEqual([200, { ok: true }]);
    expect(await stop(admin.key, { run: other })).toEqual([200, { ok: true }]);
    expect((await stop(admin.key, { run: other }))[0]).toBe(409);
    const left = (await waitingFor(admin.key)).map((one: Json) => one.run);
    expect(left).not.toEqual(expect.arrayContaining([own]));
    expect(left).not.toEqual(expect.arrayContaining([other]));
    const [, { error }] = await ask(write.key, "/api/exec", { op: "ot.resume", args: { id: own } });
    expect(error.message).toBe(`Stopped by ${write.id}: changed my mind.`);
  });
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

  test("the link of a pause shows the call with its arguments, and a click rejects it", { timeout: SLOW }, async () => {
    const run = await paused(served.known.write.key, "<b>to be rejected</b>");
    const { page, events } = await opened(run);
    const args = page.getByRole("region", { name: `arguments of 1 of ${run}` });
    await args.getByText("<b>to be rejected</b>").waitFor();
    const entry = page.getByRole("listitem").filter({ hasText: run });
    await entry.getByLabel("Reason (optional)").fill("not today");
    await entry.getByRole("button", { name: `Reject: 1 of ${run}` }).click();
    await page.getByText(`No call of ${run} waits for a person here.`).waitFor();
    const [, { error }] = await ask(served.known.write.key, "/api/exec", { op: "ot.resume", args: { id: run } });
    expect(JSON.stringify(error)).toContain("not today");
    expect(events).toEqual([]);
  });

  test("the line that waits is marked, and a click approves all calls of the program", { timeout: SLOW }, async () => {
    const run = await pausedTwice(served.known.write.key, ["six", "seven"]);
    const { page, events } = await opened(run);
    const program = page.getByRole("region", { name: `Program of ${run}` });
    const marked = program.locator(".waits");
    await marked.first().waitFor();
    expect(await marked.allTextContents()).toEqual([
      expect.stringMatching(/ot\.batch\(calls=\[.*waits: calls 1\.1, 1\.2$/),
    ]);
    await page.getByRole("region", { name: "rule approve[0]" }).first().getByText("- vault.add_note").waitFor();
    await page.getByRole("button", { name: `Approve all 2 calls of ${run}` }).click();
    await page.getByText(`Approved: 2 calls of ${run}.`).waitFor();
    await page.getByText(`No call of ${run} waits for a person here.`).waitFor();
    const [, { ok }] = await ask(served.known.write.key, "/api/exec", { op: "ot.resume", args: { id: run } });
    expect(ok).toBe(true);
    expect(events).toEqual([]);
  });

  test("at 390 the line that waits is in view, however many lines come before it", { timeout: SLOW }, async () => {
    const before = Array.from({ length: 40 }, (_, at) => `line_${at} = "some text that is wider than the window is"`);
    const command = [...before, `vault.add_note(text="late", file=${JSON.stringify(notes())})`].join("\n");
    const [, { text }] = await ask(served.known.write.key, "/api/run", { command });
    const run = /run_\w+/.exec(text)?.[0] ?? "";
    const { page } = await opened(run, { width: 390 });
    const program = page.getByRole("region", { name: `Program of ${run}` });
    const line = program.locator(".waits");
    await line.waitFor();
    const [frame, marked] = [await program.boundingBox(), await line.boundingBox()];
    expect((marked?.y ?? Number.NaN) + (marked?.height ?? 0)).toBeLessThanOrEqual(
      (frame?.y ?? 0) + (frame?.height ?? 0),
    );
    expect(marked?.y).toBeGreaterThanOrEqual(frame?.y ?? Number.NaN);
    // Nothing lies over the code, so the mark reaches to the frame.
    const right = (box: typeof frame): number => (box?.x ?? 0) + (box?.width ?? 0);
    expect(right(frame) - right(marked)).toBeLessThan(32);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  });

  test("a click stops the program", { timeout: SLOW }, async () => {
    const run = await paused(served.known.write.key, "to be stopped");
    const { page, events } = await opened(run);
    const entry = page.getByRole("listitem").filter({ hasText: run });
    await entry.getByLabel("Reason (optional)").fill("not needed");
    await entry.getByRole("button", { name: `Stop the program: ${run}` }).click();
    await page.getByText(`No call of ${run} waits for a person here.`).waitFor();
    const [, { error }] = await ask(served.known.write.key, "/api/exec", { op: "ot.resume", args: { id: run } });
    expect(error.message).toBe(`Stopped by ${served.known.admin.id}: not needed.`);
    expect(events).toEqual([]);
  });

  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])("at %j it has no fault", { tags: "full", timeout: SLOW }, async (look) => {
    const run = await paused(
      served.known.write.key,
      "a note of some length, which a person reads before it is written",
    );
    const { page } = await opened(run, look);
    await page.getByText("a note of some length").first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const shots = process.env["TOOLWRIGHT_TEST_SHOTS"];
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/approvals-${look.width}-${look.scheme}.png`, fullPage: true });
  });
});
