/** Processes on one folder that meet an expired token at once: the refresh token is redeemed once, and nobody is told that it has ended. */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { authorizationOf } from "../../../runtime/upstream/authorization.js";
import { type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { guardedServer } from "../../support/upstream/http.js";
import { ready, snapshotOf } from "../../support/upstream/servers.js";

const SLOW = { timeout: 180_000 };
const PROCESSES = 8;

/** A project whose server a person has authorized. Its authorization server ends everything when a refresh token is used twice. */
async function authorized() {
  const root = temporaryFolder();
  const authority = await guardedServer([{ name: "read", inputSchema: { type: "object" } }]);
  const entry = { url: `${authority.origin}/mcp`, timeout: 60 };
  mkdirSync(join(root, "definitions"));
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    stringify({ sources: [{ mcp: "servers/*.json" }], servers: { web: entry } }),
  );
  await snapshotOf(
    { ...ready(entry), name: "web" },
    {
      authorization: authorizationOf({ root, open: (url) => void fetch(url), waitMs: 20_000 }),
    },
  );
  authority.grants.length = 0;
  const file = join(root, ".onetool", "oauth", "web.json");
  const stored = (): Json => JSON.parse(readFileSync(file, "utf8"));
  return { root, authority, file, stored };
}

test("eight processes redeem a refresh token once, each time it is needed", SLOW, async () => {
  const { root, authority, stored } = await authorized();
  for (let round = 1; round <= 2; round++) {
    authority.tokens.clear();
    const ran = await Promise.all(
      Array.from({ length: PROCESSES }, () => toolwright(["snapshot", "web", "--root", root])),
    );
    expect(ran.map(({ code, stdout, stderr }) => (code === 0 ? 0 : stdout + stderr))).toEqual(Array(PROCESSES).fill(0));
    expect([authority.grants.length, authority.reused]).toEqual([round, []]);
    expect(authority.refreshes.has(stored().tokens.refresh_token)).toBe(true);
  }
});

test("a process that dies with the lock holds up nobody", SLOW, async () => {
  const { root, authority } = await authorized();
  const script = `
    const { withFileLock } = await import(${JSON.stringify(new URL("../../../runtime/state/file-lock.ts", import.meta.url).href)});
    await withFileLock(process.argv[1], () => new Promise((resolve) => { console.log("locked"); setTimeout(resolve, 60000); }));
  `;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", script, join(root, ".onetool", "oauth", "web.lock")],
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)), stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  authority.tokens.clear();
  const running = toolwright(["snapshot", "web", "--root", root]);
  await sleep(2_000);
  expect(authority.grants).toEqual([]);
  child.kill("SIGKILL");
  expect(await running).toMatchObject({ code: 0 });
  expect([authority.grants, authority.reused]).toEqual([["refresh_token"], []]);
});

test("a refresh token that another program has redeemed meanwhile: its tokens are used", SLOW, async () => {
  const { root, authority, file, stored } = await authorized();
  authority.tokens.clear();
  authority.broken.answer = (_, response) => {
    delete authority.broken.answer;
    const tokens = { access_token: "access-of-another", token_type: "Bearer", refresh_token: "refresh-of-another" };
    authority.tokens.add(tokens.access_token);
    writeFileSync(file, JSON.stringify({ ...stored(), tokens }));
    response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}');
  };
  const { code, stdout, stderr } = await toolwright(["snapshot", "web", "--root", root]);
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining("has ended")]);
  expect(stored().tokens.refresh_token).toBe("refresh-of-another");
});
