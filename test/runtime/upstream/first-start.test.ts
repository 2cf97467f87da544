/** Servers that npm or PyPI install at their first start, and an `add` that did not read its server. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { atFirstStart, installerOf } from "../../../runtime/upstream/first-start.js";
import { expandServer, type UpstreamServer } from "../../../runtime/upstream/servers.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { behaving } from "../../support/upstream/servers.js";

const TOOLS = [{ name: "list_notes", description: "List notes.", inputSchema: { type: "object", properties: {} } }];

describe("the first start of a server", () => {
  test.each([
    ["npx", ["-y", "a"], "npx"],
    ["/usr/bin/npx", ["a"], "npx"],
    ["C:\\node\\npx.cmd", ["a"], "npx"],
    ["npm", ["exec", "a"], "npm exec"],
    ["pnpm", ["dlx", "a"], "pnpm dlx"],
    ["uvx", ["a"], "uvx"],
    ["uv", ["tool", "run", "a"], "uv tool run"],
    ["uv", ["run", "a.py"], undefined],
    ["npm", ["start"], undefined],
    ["node", ["npx"], undefined],
  ])("%s %j installs by %s", (command, args, installer) => {
    expect(installerOf({ command, args })).toBe(installer);
    const server = expandServer("a", { command, args }, () => undefined) as UpstreamServer;
    expect(atFirstStart(server, { command, args }).timeoutMs).toBe(installer === undefined ? 30_000 : 120_000);
    expect(atFirstStart(server, { command, args, timeout: 5 }).timeoutMs).toBe(server.timeoutMs);
  });
});

test("add: a server that was not read is read by the same command, once; an installer is named the first time", {
  tags: "slow",
  timeout: 120_000,
}, async () => {
  const [root, bin] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: []\n");
  const { command = "", args = [] } = behaving("tools", TOOLS);
  const serve = [command, ...args].map((one) => `'${one}'`).join(" ");
  const npx = (text: string): void => writeFileSync(join(bin, "npx"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}${delimiter}${process.env["PATH"]}` };
  const add = () => toolwright(["add", "--root", root, "--yes", "notes", "npx", "notes"], { env });
  const snapshot = join(root, "definitions/servers/notes.json");

  npx("exit 1");
  const failed = await add();
  expect([failed.code, existsSync(snapshot)]).toEqual([1, false]);
  expect(failed.stderr).toContain("notes: npx may install its package first, which may take up to 120 s\n");

  npx(`exec ${serve}`);
  const again = await add();
  expect([again.code, existsSync(snapshot)]).toEqual([0, true]);
  expect(again.stdout).toContain("notes is there already, and was not read yet\n");
  expect(again.stdout).toContain("+ 1 op: notes.list_notes");

  const third = await add();
  expect([third.code, third.stdout, third.stderr]).toEqual([
    0,
    "notes is there already\nThere is nothing to add.\n",
    "",
  ]);
});
