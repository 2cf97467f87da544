/** `toolwright connect` as a process: entries printed and written, for each client. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { findServers } from "../../../runtime/cli/client-servers.js";
import { CLIENTS, filesOf, isToolwright } from "../../../runtime/cli/clients.js";
import { eachCase } from "../../../test/support/each-case.js";
import { CHECKOUT, freshRoot, type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { onTerminal } from "../../../test/support/terminal.js";

const LAUNCHER = join(CHECKOUT, "generator", "launch.mjs");
const KEY = "oub_abcdefghij_0123456789abcdefghijklmnop";
const clientOf = (id: string) => CLIENTS.find((one) => one.id === id) as (typeof CLIENTS)[number];
const reference = (text: string): string => `\${${text}}`;

/** A project and a home of its own; the environment holds a key. */
function place(files: Readonly<Record<string, string | Buffer>> = {}) {
  const [root, home] = [freshRoot(), temporaryFolder()];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "", OUBLIETTE_API_KEY: KEY };
  return { root, home, env };
}

type Place = ReturnType<typeof place>;
const connect = async ({ root, env }: Place, ...args: readonly string[]) => {
  const ran = await toolwright(["connect", ...args, "--root", root], { env });
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  return ran;
};
const read = (root: string, file: string): string => readFileSync(join(root, file), "utf8");
const local = (root: string, ...flags: readonly string[]) => ({
  command: process.execPath,
  args: [LAUNCHER, "serve", "--stdio", "--root", root, ...flags],
});

describe("toolwright connect on the command line", () => {
  test("without a client: every client with its files, and what they hold", async () => {
    const at = place({ ".cursor/mcp.json": JSON.stringify({ mcpServers: { x: { command: "x" } } }), ".mcp.json": "{" });
    await connect(at, "vscode", "--name", "mine", "--write", "--yes");
    const { code, stdout, stderr } = await connect(at);
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(lines).toContainEqual(["claude-desktop", "~/.config/Claude/claude_desktop_config.json", "not there"]);
    expect(lines).toContainEqual(["claude-code", ".mcp.json", "cannot be read"]);
    expect(lines).toContainEqual(["cursor", ".cursor/mcp.json", "there, without toolwright"]);
    expect(lines).toContainEqual(["vscode", ".vscode/mcp.json", "connected as mine"]);
    const { clients } = JSON.parse((await connect(at, "--json")).stdout);
    expect(clients.filter((one: Json) => one.written).map((one: Json) => one.client)).toEqual(
      CLIENTS.map((one) => one.id),
    );
    expect(clients.find((one: Json) => one.client === "vscode" && one.written)).toEqual({
      client: "vscode",
      label: "VS Code",
      file: join(at.root, ".vscode/mcp.json"),
      scope: "project",
      written: true,
      state: "connected",
      names: ["mine"],
    });
  });

  test("prints the entry and names the file; --json has both; nothing is written", { tags: "full" }, async () => {
    const at = place();
    const plain = await connect(at, "claude-code", "--allow-write");
    expect(plain.code).toBe(0);
    expect(JSON.parse(plain.stdout)).toEqual({
      mcpServers: { toolwright: { type: "stdio", ...local(at.root, "--allow-write") } },
    });
    expect(plain.stderr).toBe("For Claude Code, in .mcp.json; --write puts it there.\n");
    const any = await connect(at, "json", "--name", "shop");
    expect(JSON.parse(any.stdout)).toEqual({ mcpServers: { shop: local(at.root) } });
    const codex = JSON.parse((await connect(at, "codex", "--json")).stdout);
    expect(parseToml(codex.text)).toEqual({ mcp_servers: { toolwright: local(at.root) } });
    expect([codex.client, codex.file, codex.entry]).toEqual([
      "codex",
      join(at.root, ".codex/config.toml"),
      local(at.root),
    ]);
    expect(readdirSync(at.root).sort()).toEqual(["definitions", "docs", "generated"]);
    expect(readdirSync(at.home)).toEqual([]);
  });

  test("a file of the project holds what works on another machine, a file of the person what works here", {
    tags: "full",
  }, async () => {
    const at = place();
    mkdirSync(join(at.root, "node_modules"));
    symlinkSync(CHECKOUT, join(at.root, "node_modules", "toolwright"));
    const program = "node_modules/toolwright/generator/launch.mjs";
    const folder = reference("workspaceFolder");
    for (const [client, file, args] of [
      ["claude-code", ".mcp.json", [program, "serve", "--stdio", "--root", "."]],
      ["cursor", ".cursor/mcp.json", [`${folder}/${program}`, "serve", "--stdio", "--root", folder]],
      ["vscode", ".vscode/mcp.json", [`${folder}/${program}`, "serve", "--stdio", "--root", folder]],
      ["codex", ".codex/config.toml", [program, "serve", "--stdio", "--root", "."]],
    ] as const) {
      const { code, stdout } = await connect(at, client, "--write", "--yes");
      const text = read(at.root, file);
      for (const own of [at.root, CHECKOUT, process.execPath, "/"]) expect(text).not.toContain(`"${own}`);
      for (const one of ["node", ...args]) expect(text).toContain(JSON.stringify(one));
      expect([code, stdout]).toEqual([0, expect.not.stringContaining("paths of this machine")]);
    }
    const own = JSON.parse((await connect(at, "windsurf", "--json")).stdout);
    const { args: flags } = local(at.root);
    expect(own.entry).toEqual({ ...local(at.root), args: [join(at.root, program), ...flags.slice(1)] });
    const { command, args } = JSON.parse(read(at.root, ".mcp.json")).mcpServers.toolwright;
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, cwd: at.root, stderr: "ignore" }));
    expect((await client.listTools()).tools.map((one) => one.name)).toContain("tool_exec");
    await client.close();
    const bare = await connect(place(), "claude-code", "--write", "--yes");
    expect(bare.stdout).toContain(".mcp.json names paths of this machine, since toolwright is not installed");
  });

  test("wrong calls: exit 2 with the next step, and nothing is written", { tags: "full" }, async () => {
    const at = place({ "other/.mcp.json": "{}" });
    for (const [args, says] of [
      [["cursr"], /there is no client "cursr"; did you mean cursor\? clients: claude-desktop, /],
      [["--write"], /--write needs a client: claude-desktop, /],
      [["json", "--write", "--yes"], /json has no file of its own/],
      [["cursor", "--name", "a b"], /--name "a b" is a name that some clients refuse/],
      [["cursor", "--name", "__proto__"], /is a name that some clients refuse/],
      [["cursor", "--url", "ftp://x"], /is no http or https URL/],
      [["cursor", "--url", "https://me:pass@a.example/mcp"], /looks like a key/],
      [["cursor", "--url", `https://a.example/mcp?key=${KEY}`], /looks like a key/],
      [
        ["cursor", "--url", "https://a.example/mcp", "--allow-write"],
        /--allow-write is for a server that the client starts/,
      ],
      [["claude-desktop", "--url", "https://a.example/mcp"], /Claude Desktop holds commands only/],
      [["cursor", "--write"], /only written with a person's consent: give it with --yes/],
      [["cursor", "--write", "--json"], /give it with --yes/],
    ] as const) {
      const { code, stderr } = await connect(at, ...args);
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
    const elsewhere = await toolwright(["connect", "cursor", "--root", join(at.root, "other")], { env: at.env });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining("there is no definitions/ in")]);
    expect(readdirSync(at.root).sort()).toEqual(["definitions", "docs", "generated", "other"]);
    expect(readdirSync(at.home)).toEqual([]);
  });

  test("--write --yes makes file and folders, says the change, and nothing the second time", {
    tags: "full",
  }, async () => {
    const at = place();
    const first = await connect(at, "windsurf", "--write", "--yes");
    const file = "~/.codeium/windsurf/mcp_config.json";
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain(`+++ ${file}`);
    expect(first.stdout).toContain('+    "toolwright": {');
    expect(first.stdout).toContain(`wrote ${file}\n`);
    expect(JSON.parse(read(at.home, ".codeium/windsurf/mcp_config.json"))).toEqual({
      mcpServers: { toolwright: local(at.root) },
    });
    expect(readdirSync(join(at.home, ".codeium/windsurf"))).toEqual(["mcp_config.json"]);
    const second = await connect(at, "windsurf", "--write");
    expect([second.code, second.stdout]).toEqual([0, `${file} has toolwright already; nothing to do\n`]);
    const json = await connect(at, "windsurf", "--write", "--json", "--yes", "--name", "two");
    const target = join(at.home, ".codeium/windsurf/mcp_config.json");
    expect(JSON.parse(json.stdout)).toEqual({
      client: "windsurf",
      file: target,
      name: "two",
      changed: true,
      taken: [],
    });
  });

  test("the rest of a file, its mode, mark and line ends stay; what was there is kept for its owner; neighbours' keys are not shown", {
    tags: "full",
  }, async () => {
    const before =
      '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "a", "env": { "A_TOKEN": "hidden-value" } } // last\r\n\t}\r\n}\r\n';
    const at = place({ ".cursor/mcp.json": before });
    const path = join(at.root, ".cursor/mcp.json");
    chmodSync(path, 0o600);
    const { code, stdout } = await connect(at, "cursor", "--write", "--yes");
    expect(code).toBe(0);
    expect(stdout).not.toContain("hidden-value");
    expect(stdout).toContain("as it was: .onetool/connect/cursor.json");
    const args = local(at.root)
      .args.map((one) => `\t\t\t\t${JSON.stringify(one)}`)
      .join(",\r\n");
    expect(read(at.root, ".cursor/mcp.json")).toBe(
      before
        .replace("} } // last", "} }, // last")
        .replace(
          "// last\r\n",
          `// last\r\n\t\t"toolwright": {\r\n\t\t\t"command": ${JSON.stringify(process.execPath)},\r\n\t\t\t"args": [\r\n${args}\r\n\t\t\t]\r\n\t\t}\r\n`,
        ),
    );
    const kept = join(at.root, ".onetool/connect/cursor.json");
    expect([path, kept].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(read(at.root, ".onetool/.gitignore")).toBe("*\n");
    expect(readdirSync(dirname(path))).toEqual(["mcp.json"]);
    expect((await toolwright(["disconnect", "cursor", "--yes", "--root", at.root], { env: at.env })).code).toBe(0);
    expect(read(at.root, ".cursor/mcp.json")).toBe(before);
    expect(existsSync(kept)).toBe(false);
  });

  test("a file that is no text for its client is left alone: broken, not UTF-8, a folder, a link to nowhere", {
    tags: "full",
  }, async () => {
    const at = place({
      ".mcp.json": '{ "mcpServers": { ',
      ".cursor/mcp.json": Buffer.from('{"a":"\xff"}', "latin1"),
      ".codex/config.toml": "a = \n",
    });
    mkdirSync(join(at.root, ".vscode/mcp.json"), { recursive: true });
    mkdirSync(join(at.home, ".codeium/windsurf"), { recursive: true });
    symlinkSync("nowhere", join(at.home, ".codeium/windsurf/mcp_config.json"));
    for (const [client, says] of [
      ["claude-code", /\.mcp\.json is no JSON that can be read, and is left as it is/],
      ["cursor", /is no UTF-8/],
      ["codex", /config\.toml is no TOML that can be read/],
      ["vscode", /is no file/],
      ["windsurf", /is a link that leads nowhere/],
    ] as const) {
      const { code, stderr } = await connect(at, client, "--write", "--yes");
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
    expect(read(at.root, ".mcp.json")).toBe('{ "mcpServers": { ');
    expect(existsSync(join(at.home, ".codeium/windsurf/nowhere"))).toBe(false);
    expect(existsSync(join(at.root, ".onetool"))).toBe(false);
  });

  test("a link is followed: its target is written, and stays a link's target", { tags: "full" }, async () => {
    const at = place({ "kept/real.json": "{}\n" });
    symlinkSync("kept/real.json", join(at.root, ".mcp.json"));
    const { stdout } = await connect(at, "claude-code", "--write", "--yes");
    expect(stdout).toContain("wrote kept/real.json; as it was: .onetool/connect/claude-code.json");
    expect(readFileSync(join(at.root, ".mcp.json"), "utf8")).toBe(read(at.root, "kept/real.json"));
    expect(Object.keys(JSON.parse(read(at.root, "kept/real.json")).mcpServers)).toEqual(["toolwright"]);
  });

  test("an entry of that name is replaced where it is toolwright's, else refused; what a person added to it stays", {
    tags: "full",
  }, async () => {
    const at = place({
      ".mcp.json": JSON.stringify({ mcpServers: { toolwright: { command: "npx", args: ["other-server"] } } }),
    });
    const refused = await connect(at, "claude-code", "--write", "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/another server of the name toolwright.*--name/),
    ]);
    expect((await connect(at, "claude-code", "--write", "--yes", "--name", "mine")).code).toBe(0);
    const { mcpServers } = JSON.parse(read(at.root, ".mcp.json"));
    mcpServers.mine.env = { LANG: "de" };
    writeFileSync(join(at.root, ".mcp.json"), JSON.stringify({ mcpServers }, null, 4));
    expect(
      (await connect(at, "claude-code", "--write", "--yes", "--name", "mine", "--url", "https://a.example/mcp")).code,
    ).toBe(0);
    expect(JSON.parse(read(at.root, ".mcp.json"))).toEqual({
      mcpServers: {
        toolwright: { command: "npx", args: ["other-server"] },
        mine: {
          type: "http",
          env: { LANG: "de" },
          url: "https://a.example/mcp",
          headers: { Authorization: `Bearer ${reference("OUBLIETTE_API_KEY")}` },
        },
      },
    });
    expect((await connect(at, "claude-code", "--write", "--yes", "--name", "mine")).code).toBe(0);
    expect(JSON.parse(read(at.root, ".mcp.json")).mcpServers.mine).toEqual({
      type: "stdio",
      env: { LANG: "de" },
      ...local(at.root),
    });
  });

  test("on a terminal the change is asked for: no writes nothing and ends with 1, yes writes", {
    tags: "full",
  }, async ({ skip }) => {
    const at = place();
    const asked = (types: string) =>
      onTerminal(["connect", "claude-code", "--write", "--root", at.root], {
        env: at.env,
        steps: [["Write .mcp.json?", types]],
      });
    const no = await asked("n");
    if (!no) return skip("no python3 for a terminal");
    expect([no.code, no.text]).toEqual([1, expect.stringContaining("Nothing was written.")]);
    expect(existsSync(join(at.root, ".mcp.json"))).toBe(false);
    const yes = await asked("y");
    expect([yes?.code, yes?.text]).toEqual([0, expect.stringContaining("wrote .mcp.json")]);
    expect(existsSync(join(at.root, ".mcp.json"))).toBe(true);
  });

  eachCase(["claude-code", "codex"], "codex")(
    "what was written for %s starts a server that a client can use",
    { tags: "full" },
    async (id) => {
      const at = place();
      expect((await connect(at, id, "--write", "--yes")).code).toBe(0);
      const [file] = filesOf(clientOf(id), at.root, { home: at.home, platform: process.platform, env: at.env });
      const text = readFileSync(file?.path ?? "", "utf8");
      expect(text).not.toContain(KEY);
      const values: Json = id === "codex" ? parseToml(text) : JSON.parse(text);
      const { command, args } = values[clientOf(id).member].toolwright;
      const client = new Client({ name: "test", version: "1" });
      await client.connect(new StdioClientTransport({ command, args, cwd: at.home, stderr: "pipe" }));
      try {
        const { tools } = await client.listTools();
        expect(tools.map((one) => one.name)).toContain("tool_exec");
      } finally {
        await client.close();
      }
    },
  );

  test("what connect writes is what init leaves out", { tags: "full" }, async () => {
    const at = place();
    for (const args of [["claude-code"], ["codex"], ["cursor", "--url", "https://a.example/mcp"]])
      await connect(at, ...args, "--name", "served", "--write", "--yes");
    const found = await findServers(at.root, { home: at.home, platform: process.platform, env: at.env });
    expect(found.map(({ name, value }) => [name, isToolwright(value, name)])).toEqual([
      ["served", true],
      ["served", true],
      ["served", true],
    ]);
  });
});
