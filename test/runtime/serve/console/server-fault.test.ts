/** What the console says of a server that crashes: the last lines of its standard error, to those who administer. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER, CHROMIUM } from "../../../support/browser.js";
import { faultsOf, openPage, overflowOf, startBrowser } from "../../../support/console/console.js";
import { hit } from "../../../support/console/in-page-console.mjs";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { keysOfEveryGrant } from "../../../support/keys.js";
import { temporaryFolder, toolwright } from "../../../support/project.js";

const SLOW = 400_000;
const SECRET = "a-secret-of-the-database";
/** Ends at its start, or with its tool `boom`. */
const SERVER = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const fail = (lines) => process.stderr.write(lines.join("\\n") + "\\n", () => process.exit(3));
if (process.argv[2] === "start") {
  fail([
    ...Array.from({ length: 30 }, (_, at) => "line " + at + " " + "x".repeat(1000)),
    "password=" + process.env.DB_PASSWORD,
    "\\u001b[31m<img src=x onerror=globalThis.hit=1>\\u001b[0m",
  ]);
} else for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const serverInfo = { name: "crash", version: "1.0.0" };
  const tool = (name) => ({ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  else if (method === "tools/list") send({ id, result: { tools: [tool("boom"), tool("fine")] } });
  else if (method === "tools/call" && params.name === "boom") fail(["TypeError: no rows", "    at boom (tool.js:7:1)"]);
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "fine" }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
}
`;
const entry = (...args: readonly string[]): string =>
  `{ command: node, args: [crash.mjs${args.map((one) => `, ${one}`).join("")}], env: { DB_PASSWORD: ${SECRET} } }`;
const CONFIG = `use: [ot]
sources: [{ mcp: servers/*.json }]
servers:
  broken: ${entry("start")}
  flaky: ${entry()}
access: { rate: { burst: 400, per_second: 100 } }
`;

const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let server: HttpServed;
let keys: Awaited<ReturnType<typeof keysOfEveryGrant>>;

beforeAll(async () => {
  const root = temporaryFolder(later);
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "crash.mjs"), SERVER);
  writeFileSync(join(root, "definitions", "toolwright.yaml"), CONFIG);
  for (const args of [["snapshot", "flaky"], ["generate"]]) {
    const { code, stderr } = await toolwright([...args, "--root", root]);
    if (code !== 0) throw new Error(stderr);
  }
  keys = await keysOfEveryGrant(root);
  later(() => keys.keys.close());
  server = await serveHttp(root, [], async (clean) => later(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const ask = async (key: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}` };
  const how = body ? { path, body, headers } : { method: "GET", path, headers };
  return JSON.parse((await raw(server.url, how)).text);
};
const seen = async (key: string, name: string) =>
  (await ask(key, "/api/servers")).servers.find((one: { readonly name: string }) => one.name === name);

test("the last lines, bounded and without secrets, for admins alone", { timeout: SLOW }, async () => {
  await ask(keys.admin.key, "/api/servers/restart", { name: "broken" });
  const { fault, state } = await seen(keys.admin.key, "broken");
  expect(state).toBe("disconnected");
  expect(fault.message).toContain("exit code 3");
  expect(Date.now() - fault.at).toBeLessThan(SLOW);
  expect(fault.stderr.slice(-2)).toEqual(["password=***", "<img src=x onerror=globalThis.hit=1>"]);
  expect(fault.stderr).toHaveLength(8);
  expect(Math.max(...fault.stderr.map((one: string) => one.length))).toBeLessThanOrEqual(300);
  expect(JSON.stringify(await ask(keys.admin.key, "/api/servers"))).not.toContain(SECRET);
  expect(await seen(keys.write.key, "broken")).not.toHaveProperty("fault");
});

test("a crash is remembered when the server is connected again", { timeout: SLOW }, async () => {
  const call = (op: string) => ask(keys.read.key, "/api/exec", { op, args: {} });
  expect((await call("flaky.boom")).ok).toBe(false);
  await expect.poll(async () => (await call("flaky.fine")).ok, { timeout: SLOW }).toBe(true);
  const stderr = ["TypeError: no rows", "at boom (tool.js:7:1)"];
  expect(await seen(keys.admin.key, "flaky")).toMatchObject({ state: "connected", fault: { stderr } });
  expect(await seen(keys.read.key, "flaky")).not.toHaveProperty("fault");
});

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  test("the lines are text on the screen of servers", { timeout: SLOW }, async () => {
    const browser = await startBrowser();
    later(() => browser.close());
    await ask(keys.admin.key, "/api/servers/restart", { name: "broken" });
    const { page, events } = await openPage(browser, `${new URL(server.url).origin}/#/servers`, { width: 390 });
    await page.getByLabel("API key").fill(keys.admin.key);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    const lines = page.getByRole("region", { name: "standard error of broken" });
    await lines.getByText("<img src=x onerror=globalThis.hit=1>").waitFor();
    expect(await page.evaluate(hit)).toBeUndefined();
    expect(await faultsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(events).toEqual([]);
  });
});
