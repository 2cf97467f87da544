/** `connect --replace` takes imported servers out of a client's files, and `disconnect` puts them back. */

import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify as tomlText } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parsedValues } from "../../../runtime/cli/client-text.js";
import { type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { onTerminal } from "../../../test/support/terminal.js";
import { connectClient } from "../connect.js";
import { disconnect } from "../disconnect.js";
import type { ConnectFlags } from "../setting.js";

const TOKEN = "sesame-opens-41";
/** The servers of the client; those of the project are named memory and docs. */
const MEMORY = { command: "memory-server", args: ["--all"], env: { MEMORY_TOKEN: TOKEN } };
const DOCS = { url: "https://docs.example/mcp" };
const OTHER = { command: "other-server" };
const CONFIG = {
  servers: {
    memory: { type: "stdio", command: "memory-server", args: ["--all"], env: { MEMORY_TOKEN: "$" + "{MEMORY_TOKEN}" } },
    docs: { type: "http", url: "https://docs.example/mcp", timeout: 9 },
    unread: { type: "stdio", command: "unread-server" },
  },
};

/** A project that has imported servers, and a home. */
function world(files: Readonly<Record<string, string>>) {
  const home = realpathSync(temporaryFolder());
  const root = join(home, "shop");
  const texts = { ...files, "definitions/servers/memory.json": "{}", "definitions/servers/docs.json": "{}" };
  for (const [name, text] of Object.entries(texts)) {
    const path = name.startsWith("~/") ? join(home, name.slice(2)) : join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replaceAll("ROOT", root), { mode: 0o600 });
  }
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  const setting = {
    ...{ root, launcher: "/opt/generator/launch.mjs", out: write, err: write },
    paint: (_: unknown, text: string) => text,
    project: async () => ({ root, config: CONFIG }),
  } as never;
  const machine = { home, platform: "linux", env: {} } as const;
  return {
    root,
    home,
    connect: async (id: string, flags: ConnectFlags = {}) => {
      said = "";
      const code = await connectClient(setting, id, { write: true, yes: true, ...flags }, machine);
      expect(said).not.toContain(TOKEN);
      return { code, said };
    },
    disconnect: async (id: string) => {
      said = "";
      const code = await disconnect(setting, id, { yes: true }, machine);
      expect(said).not.toContain(TOKEN);
      return { code, said };
    },
    read: (name: string): string =>
      readFileSync(name.startsWith("~/") ? join(home, name.slice(2)) : join(root, name), "utf8"),
  };
}

const JSON_TEXT = `{
  // mine
  "mcpServers": {
    "memory": ${JSON.stringify(MEMORY)}, // first
    "other": ${JSON.stringify(OTHER)},
    "docs": ${JSON.stringify(DOCS)}
  }
}
`;

describe("servers that the project has imported", () => {
  test("stay without --replace, and are named; with it they are out, and disconnect restores every byte", async () => {
    const at = world({ ".mcp.json": JSON_TEXT });
    const plain = await at.connect("claude-code");
    expect(plain.said).toContain("memory, docs: 2 servers that toolwright has too");
    expect(Object.keys(((await parsedValues(at.read(".mcp.json"), "json")) as Json).mcpServers)).toEqual([
      "memory",
      "other",
      "docs",
      "toolwright",
    ]);
    const { said } = await at.connect("claude-code", { replace: true });
    expect(said).toContain('taken out: memory, docs; "toolwright disconnect claude-code" puts back what was there');
    expect(at.read(".mcp.json")).toContain(
      '\n    // first\n    "other": {"command":"other-server"},\n    "toolwright": {',
    );
    const kept = join(at.root, ".onetool/connect/claude-code.json");
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect((await at.disconnect("claude-code")).code).toBe(0);
    expect(at.read(".mcp.json")).toBe(JSON_TEXT);
    expect(existsSync(kept)).toBe(false);
    const again = await at.disconnect("claude-code");
    expect([again.code, again.said]).toEqual([1, expect.stringContaining("no entry that")]);
  });

  test("what changed since stays: the entry goes, the originals come back where their names are free", async () => {
    const at = world({ ".mcp.json": JSON_TEXT });
    await at.connect("claude-code", { replace: true });
    const now = (await parsedValues(at.read(".mcp.json"), "json")) as Json;
    now.mcpServers.docs = { command: "mine" };
    writeFileSync(join(at.root, ".mcp.json"), JSON.stringify(now));
    expect((await at.disconnect("claude-code")).code).toBe(0);
    expect(JSON.parse(at.read(".mcp.json"))).toEqual({
      mcpServers: { other: OTHER, docs: { command: "mine" }, memory: MEMORY },
    });
  });

  test("a file that connect made is deleted; TOML is edited as JSON is", async () => {
    const at = world({});
    await at.connect("codex", { replace: true });
    await at.disconnect("codex");
    expect(existsSync(join(at.root, ".codex/config.toml"))).toBe(false);
    const before = `model = "x"\n\n${tomlText({ mcp_servers: { memory: MEMORY, other: OTHER } })}# end\n`;
    const toml = world({ ".codex/config.toml": before });
    await toml.connect("codex", { replace: true });
    const between = toml.read(".codex/config.toml");
    expect(between).not.toContain("memory");
    writeFileSync(join(toml.root, ".codex/config.toml"), `# mine\n${between}`);
    await toml.disconnect("codex");
    expect(toml.read(".codex/config.toml")).toMatch(/^# mine\nmodel = "x"\n/);
    expect(await parsedValues(toml.read(".codex/config.toml"), "toml")).toEqual(await parsedValues(before, "toml"));
  });

  test("those of this project in a file of the user go too; those of every project stay, and are named", async () => {
    const personal = JSON.stringify(
      { mcpServers: { docs: DOCS }, projects: { ROOT: { mcpServers: { memory: MEMORY }, x: 1 } } },
      null,
      2,
    );
    const at = world({ "~/.claude.json": personal });
    const before = at.read("~/.claude.json");
    const { said } = await at.connect("claude-code", { replace: true });
    expect(said).toContain("docs is in toolwright too, and stays in");
    expect(JSON.parse(at.read("~/.claude.json"))).toEqual({
      mcpServers: { docs: DOCS },
      projects: { [at.root]: { mcpServers: {}, x: 1 } },
    });
    await at.disconnect("claude-code");
    expect(at.read("~/.claude.json")).toBe(before);
    expect(existsSync(join(at.root, ".mcp.json"))).toBe(false);
  });

  test("a server that differs, was not read, or has another secret is not one of them", async () => {
    const text = JSON.stringify({
      mcpServers: { memory: { ...MEMORY, args: [] }, unread: { command: "unread-server" } },
    });
    const at = world({ ".mcp.json": text, ".onetool/secrets.yaml": "MEMORY_TOKEN: another\n" });
    expect((await at.connect("claude-code", { replace: true })).said).not.toContain("taken out");
    writeFileSync(join(at.root, ".mcp.json"), JSON.stringify({ mcpServers: { memory: MEMORY } }));
    expect((await at.connect("claude-code", { replace: true })).said).not.toContain("taken out");
    expect(Object.keys(JSON.parse(at.read(".mcp.json")).mcpServers)).toEqual(["memory", "toolwright"]);
  });

  test("an entry from before there was a record is taken out", async () => {
    const at = world({});
    await at.connect("cursor");
    writeFileSync(join(at.root, ".onetool/connect/cursor.json"), '{"files":[]}');
    expect((await at.disconnect("cursor")).code).toBe(0);
    expect(JSON.parse(at.read(".cursor/mcp.json"))).toEqual({ mcpServers: {} });
  });
});

test("on a terminal the originals are asked for; --replace alone is refused", { tags: "full" }, async ({ skip }) => {
  const root = temporaryFolder();
  const text = JSON.stringify({ mcpServers: { memory: { command: "memory-server" } } });
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "sources: [{ mcp: servers/*.json }]\nservers: { memory: { command: memory-server, type: stdio } }\n",
  );
  writeFileSync(join(root, "definitions/servers/memory.json"), "{}");
  writeFileSync(join(root, ".mcp.json"), text);
  const env = { HOME: temporaryFolder() };
  const alone = await toolwright(["connect", "claude-code", "--replace", "--root", root], { env });
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("add --write")]);
  const asked = (first: string) =>
    onTerminal(["connect", "claude-code", "--write", "--root", root], {
      env,
      steps: [
        ["Take memory out of Claude Code?", first],
        ["Write .mcp.json?", "y"],
      ],
    });
  const no = await asked("n");
  if (!no) return skip("no python3 for a terminal");
  expect(Object.keys(JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8")).mcpServers)).toEqual([
    "memory",
    "toolwright",
  ]);
  writeFileSync(join(root, ".mcp.json"), text);
  expect((await asked("y"))?.text).toContain("taken out: memory");
  expect(Object.keys(JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8")).mcpServers)).toEqual(["toolwright"]);
});
