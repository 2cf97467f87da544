/** The first hour with the packed package, and with a fresh clone, in an empty folder: init from three clients, add, connect, serve --watch, docs build, completion. */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { installInto } from "../support/installed.js";
import { CHECKOUT, temporaryFolder } from "../support/project.js";
import { behaving } from "../support/upstream/servers.js";

const server = (name: string) =>
  behaving("tools", [{ name, description: `List ${name}.`, inputSchema: { type: "object", properties: {} } }]);

/** A clone of what is committed, with the packages of the checkout. Gives its command line. */
function clone(): string {
  const folder = join(temporaryFolder(), "toolwright");
  execFileSync("git", ["clone", "-q", "--no-local", "--depth", "1", `file://${CHECKOUT}`, folder]);
  symlinkSync(realpathSync(join(CHECKOUT, "node_modules")), join(folder, "node_modules"));
  return join(folder, "generator/launch.mjs");
}

/** How a newcomer gets the program: its path, given the folder of the project, and how a client's entry names it. */
const WAYS = [
  [
    "the packed package",
    installInto,
    { command: "node", path: "node_modules/toolwright/dist/generator/main.js", root: "." },
  ],
  ["a fresh clone", clone, {}],
] as const;

test.each(WAYS)(
  "a newcomer goes from an empty folder to a served project with %s",
  {
    timeout: 480_000,
    tags: "full",
  },
  async (_way, install, portable) => {
    const [root, home] = [temporaryFolder(), temporaryFolder()];
    const program = install(root);
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "" };
    const run = (...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [program, ...args], {
          cwd: root,
          env,
          stdio: ["ignore", "pipe", "pipe"],
        });
        let text = "";
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (more) => (text += more));
        child.once("close", (code) => resolve({ code, text }));
      });
    const put = (path: string, value: unknown): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(value));
    };
    const read = (file: string): string => readFileSync(join(root, file), "utf8");
    const servers = () => parse(read("definitions/toolwright.yaml")).servers;

    put(join(home, ".cursor/mcp.json"), {
      mcpServers: { notes: { ...server("list_notes"), env: { LEVEL: "debug" } } },
    });
    put(join(root, ".mcp.json"), { mcpServers: { tasks: { ...server("list_tasks"), env: { T_TOKEN: "hush" } } } });
    put(join(root, ".vscode/mcp.json"), { servers: { files: server("list_files") } });
    const three = ["cursor", "claude-code", "vscode"].flatMap((client) => ["--import", client]);
    expect(await run("init", "--yes", ...three)).toMatchObject({ code: 0 });
    expect(Object.keys(servers()).sort()).toEqual(["files", "notes", "tasks"]);
    expect(servers().notes.env).toEqual({ LEVEL: "debug" });
    expect(read("definitions/toolwright.yaml")).not.toContain("hush");

    const { command = "", args = [] } = server("list_mails");
    const added = await run("add", "mails", "--yes", "--", command, ...args);
    expect(added).toEqual({ code: 0, text: expect.stringContaining("+ 1 op: mails.list_mails") });

    expect(await run("connect", "claude-code", "--write", "--yes")).toMatchObject({ code: 0 });
    const named = { command: process.execPath, path: program, root, ...portable };
    const entry = JSON.parse(read(".mcp.json")).mcpServers.toolwright;
    expect(entry).toEqual({
      type: "stdio",
      command: named.command,
      args: [named.path, "serve", "--stdio", "--root", named.root],
    });

    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: entry.command,
        args: [...entry.args, "--watch"],
        cwd: root,
        stderr: "ignore",
      }),
    );
    onTestFinished(() => client.close());
    const typeOf = async (path: string): Promise<unknown> =>
      ((await client.callTool({ name: "tool_help", arguments: { path } })).structuredContent as { type: unknown }).type;
    expect(await typeOf("mails.list_mails")).toBe("op");
    const snapshot = join(root, "definitions/servers/mails.json");
    await vi.waitFor(
      async () => {
        // The watch begins a moment after the server answers.
        writeFileSync(snapshot, readFileSync(snapshot, "utf8").replaceAll("list_mails", "list_letters"));
        expect(await typeOf("mails.list_letters")).toBe("op");
      },
      { timeout: 60_000, interval: 1000 },
    );

    expect(await run("docs", "build")).toMatchObject({ code: 0 });
    expect(existsSync(join(root, "site/index.html"))).toBe(true);
    expect(read("site/index.html")).not.toContain('rel="canonical"');

    expect(await run("completion", "complete", "--", "exec", "not")).toEqual({
      code: 0,
      text: expect.stringMatching(/^notes\.list_notes\t.*\n:4\n$/),
    });
    const script = await run("completion", "zsh");
    expect(script.text).toContain(`'${program}' completion complete -- `);
    expect(script.text).not.toContain(CHECKOUT);
  },
);
