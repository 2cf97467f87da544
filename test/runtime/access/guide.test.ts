/** The page `docs/identity-provider.md`: its provider, its configuration and its commands, as they stand there. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { BROWSER, CHROMIUM } from "../../support/browser.js";
import { openPage, startBrowser } from "../../support/console/console.js";
import { blocksIn } from "../../support/doc-blocks.js";
import { pageText } from "../../support/doc-pages.js";
import { type HttpServed, raw, serveHttp } from "../../support/http.js";
import { freePort } from "../../support/ports.js";
import { CHECKOUT, generatedRoot, toolwright } from "../../support/project.js";

const SLOW = 400_000;
const PAGE = "docs/identity-provider.md";
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let blocks: (language: string) => string;
let root: string;
let served: HttpServed;

/** Starts the provider of the page; it is there once it publishes its metadata. */
async function startProvider(issuer: string): Promise<void> {
  const file = join(root, "provider.mjs");
  writeFileSync(file, blocks("js"));
  symlinkSync(join(CHECKOUT, "node_modules", "oidc-provider"), join(root, "node_modules", "oidc-provider"));
  const child: ChildProcess = spawn(process.execPath, [file], { cwd: root, stdio: "ignore" });
  later(() => child.kill("SIGKILL"));
  const metadata = `${issuer}/.well-known/openid-configuration`;
  await vi.waitFor(async () => expect((await fetch(metadata)).ok).toBe(true), { timeout: 120_000, interval: 200 });
}

beforeAll(async () => {
  const [port, providerPort] = [await freePort(), await freePort()];
  const text = pageText(PAGE).replaceAll(":8080", `:${port}`).replaceAll("9000", String(providerPort));
  blocks = (language) =>
    blocksIn(PAGE, text)
      .filter((one) => one.language === language)
      .map((one) => one.text)
      .join("\n");
  root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), later);
  const file = join(root, "definitions", "toolwright.yaml");
  writeFileSync(file, `sources: [{ functions: vault.ts }]\n${blocks("yaml")}`);
  // All that the page does before it starts the server.
  const [prepare = ""] = blocks("sh").split("toolwright generate");
  execFileSync("sh", ["-c", prepare], { cwd: root });
  await startProvider(`http://127.0.0.1:${providerPort}`);
  served = await serveHttp(root, [], async (clean) => later(clean), port);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

test("doctor reaches the provider, and prints the redirect URI that the page registers", {
  timeout: SLOW,
}, async () => {
  // As in another shell: nothing is exported.
  const { stdout } = await toolwright(["doctor"], { cwd: root });
  const [, redirect = "none"] = /redirect_uris: \["([^"]+)"\]/.exec(blocks("js")) ?? [];
  expect(stdout).toContain(`with the redirect URI ${redirect}`);
  expect(stdout).toContain("1 key for ES256, RS256");
  expect(stdout).not.toContain("CONSOLE_SECRET");
});

test("the token of a machine reads, and does not write", { timeout: SLOW }, async () => {
  const line = blocks("sh")
    .split("\n")
    .find((one) => one.startsWith("curl "));
  const answer = execFileSync("sh", ["-c", line ?? ""], { encoding: "utf8" });
  const { access_token: token } = JSON.parse(answer);
  const explained = await toolwright(["config", "check-token"], { cwd: root, input: `${token}\n` });
  expect([explained.code, explained.stdout]).toEqual([0, expect.stringContaining("read: projects all")]);
  const call = (op: string, args: object) =>
    raw(served.url, { path: "/api/exec", body: { op, args }, headers: { authorization: `Bearer ${token}` } });
  expect((await call("vault.list_notes", {})).text).toContain('"ok":true');
  const file = join(root, "no.txt");
  expect((await call("vault.add_note", { text: "x", file })).text).toContain('"ok":false');
});

describe.skipIf(CHROMIUM === undefined)(BROWSER, () => {
  test("alice logs in at the provider's own page, and may write", { timeout: SLOW }, async () => {
    const browser = await startBrowser();
    later(() => browser.close());
    const { page } = await openPage(browser, `${new URL(served.url).origin}/#/ops`);
    page.setDefaultTimeout(SLOW);
    await page.getByRole("button", { name: "Log in with Example" }).click();
    await page.locator("input[name=login]").fill("alice");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    // The provider asks whether the console may have her identity.
    await page.getByRole("button", { name: /continue/i }).click();
    await page.getByText("user · reads and writes").waitFor();
    expect(page.url()).toBe(`${new URL(served.url).origin}/#/ops`);
  });
});

test("the page names the check of the log that the runtime writes", () => {
  const source = readFileSync(join(CHECKOUT, "features/sign-in/login-routes.ts"), "utf8");
  for (const line of ["a sign-in at the console was refused", "an identity provider is away"]) {
    expect(source).toContain(line);
    expect(pageText(PAGE)).toContain(line);
  }
});
