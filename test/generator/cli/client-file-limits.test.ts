/** Limits of a client's file outside of its servers' entries, and the unit of its time limits. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { keptKeys } from "../../../runtime/cli/client-keys.js";
import { serversFrom } from "../../../runtime/cli/client-servers.js";
import { importServer } from "../../../runtime/cli/import-server.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const server = (rest: object = {}) => ({ command: "x", ...rest });
const two = { one: server(), two: server() };

/** What is imported from a file of a client, by name, and what is left out. */
async function imported(file: string, values: object, beside: Readonly<Record<string, object>> = {}) {
  const [folder, home] = [temporaryFolder(), temporaryFolder()];
  for (const [name, value] of Object.entries({ [file]: values, ...beside })) {
    const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(value).replaceAll("FOLDER", folder));
  }
  const machine = { home, platform: "linux", env: {} } as const;
  const { servers, skipped } = importServer(await serversFrom(join(folder, file), folder, machine), () => undefined);
  return {
    kept: Object.fromEntries(servers.map(({ name, entry: { type: _t, command: _c, ...entry } }) => [name, entry])),
    out: skipped.map(({ name, reason, lost }) => [name, lost ? lost.map(({ key }) => key).join() : reason]),
  };
}

describe("servers that the rest of the file leaves out", () => {
  const says = (key: string) => ({ kept: { one: {} }, out: [["two", `${key} of its client leaves it out`]] });
  const names = (key: string) => ({ kept: { one: {} }, out: [["two", key]] });
  const both = (key: string) => ({
    kept: {},
    out: [
      ["one", key],
      ["two", key],
    ],
  });

  test.each<readonly [string, string, object, Readonly<Record<string, object>>, object]>([
    ["Gemini, excluded", "settings.json", { mcp: { excluded: ["two"] }, mcpServers: two }, {}, says("mcp.excluded")],
    ["Gemini, allowed", "settings.json", { mcp: { allowed: ["one"] }, mcpServers: two }, {}, says("mcp.allowed")],
    [
      "Claude Code, in the project",
      ".mcp.json",
      { mcpServers: two },
      { ".claude/settings.local.json": { disabledMcpjsonServers: ["two"] } },
      says("disabledMcpjsonServers"),
    ],
    [
      "Claude Code, of the user",
      ".mcp.json",
      { mcpServers: two },
      { "~/.claude.json": { projects: { FOLDER: { disabledMcpServers: ["two"] } } } },
      says("disabledMcpServers"),
    ],
    [
      "Claude Code, not approved",
      ".mcp.json",
      { mcpServers: two },
      { ".claude/settings.json": { enabledMcpjsonServers: ["one"] } },
      names("enabledMcpjsonServers"),
    ],
    ...(
      [
        ["denied", { deniedMcpServers: [{ serverName: "two" }] }, says("deniedMcpServers")],
        ["allowed", { allowedMcpServers: [{ serverName: "one" }] }, says("allowedMcpServers")],
        ["maybe denied", { deniedMcpServers: [{ serverCommand: ["x"] }] }, both("deniedMcpServers")],
        [
          "maybe allowed",
          { allowedMcpServers: [{ serverName: "one" }, { serverUrl: "https://x/*" }] },
          names("allowedMcpServers"),
        ],
      ] as const
    ).map(
      ([what, settings, wanted]) =>
        [
          `Claude Code, ${what}`,
          ".mcp.json",
          { mcpServers: two },
          { ".claude/settings.json": settings },
          wanted,
        ] as const,
    ),
    [
      "opencode, of one agent",
      "opencode.json",
      { mcp: two, agent: { plan: { tools: { "two_*": false, write: false } }, build: { tools: { write: false } } } },
      {},
      names("agent.plan"),
    ],
    ["opencode, off", "opencode.json", { mcp: two, tools: { "two_*": false } }, {}, says("tools.two_*")],
    ["opencode, denied", "opencode.json", { mcp: two, permission: { "two*": "deny" } }, {}, says("permission.two*")],
    ["opencode, asks", "opencode.json", { mcp: two, permission: { "two_*": "ask" } }, {}, names("permission.two_*")],
    ["opencode, in part", "opencode.json", { mcp: two, tools: { "two_get*": false } }, {}, names("tools.two_get*")],
    [
      "opencode, one tool",
      "opencode.json",
      { mcp: two, tools: { two_get: false, write: false } },
      {},
      { kept: { one: {}, two: { tools: { except: ["get"] } } }, out: [] },
    ],
  ])("are left out or named, as their client treats them: %s", async (_client, file, values, beside, wanted) => {
    expect(await imported(file, values, beside)).toEqual(wanted);
  });

  test("the command line names them", { timeout: 180_000 }, async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions"));
    writeFileSync(join(root, "definitions", "toolwright.yaml"), "sources: []\n");
    const file = join(root, "settings.json");
    writeFileSync(file, JSON.stringify({ mcp: { excluded: ["one", "two"] }, mcpServers: two }));
    const { stdout, stderr } = await toolwright(["add", "--from", file, "--yes", "--root", root]);
    expect(stdout + stderr).toContain("mcp.excluded of its client leaves it out");
  });
});

describe("the unit of timeout is that of the client", () => {
  test.each<readonly [string, number, object]>([
    ["settings.json", 3000, { timeout: 3 }],
    ["settings.json", 600_000, { timeout: 600 }],
    [".mcp.json", 3000, { timeout: 3 }],
    [".mcp.json", 500, {}],
    ["cline_mcp_settings.json", 3000, { timeout: 3000 }],
    ["cline_mcp_settings.json", 7200, { timeout: 7200 }],
    [".roo/mcp.json", 3600, { timeout: 3600 }],
    ["other.json", 60, { timeout: 60 }],
    ["other.json", 60_000, { timeout: 60 }],
    ["other.json", 3000, {}],
  ])("in %s a timeout of %d is kept as the time that it means", async (file, timeout, entry) => {
    expect((await imported(file, { mcpServers: { one: server({ timeout }) } })).kept).toEqual({ one: entry });
  });

  test("opencode", async () => {
    expect((await imported("opencode.jsonc", { mcp: { one: server({ timeout: 5000 }) } })).kept).toEqual({
      one: { timeout: 5 },
    });
  });

  test("a limit whose unit is not known is named", () => {
    const [note] = keptKeys(server({ timeout: 3000 }), "one").notes;
    expect(note).toContain("set servers.one.timeout (seconds)");
  });
});
