/** The entry that each client gets, and its file. */

import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { CLIENTS, filesOf, isToolwright, type Machine } from "../../../runtime/cli/clients.js";
import type { Json } from "../../../test/support/project.js";
import { withEntry } from "../edit.js";
import { entryFor } from "../entry.js";

const clientOf = (id: string) => CLIENTS.find((one) => one.id === id) as (typeof CLIENTS)[number];
const reference = (text: string): string => `\${${text}}`;

describe("entries of each client", () => {
  const served = { root: "/p", node: "/usr/bin/node", launcher: "/t/generator/launch.mjs" };
  const url = "https://a.example/mcp";

  test("a server behind a URL has its key from the environment or a question, in the client's own syntax", () => {
    const remote = CLIENTS.filter((one) => one.remote).map(
      (one) => [one.id, entryFor(one, { ...served, url })] as const,
    );
    const headers = (name: string) => ({ headers: { Authorization: `Bearer ${reference(name)}` } });
    expect(Object.fromEntries(remote)).toEqual({
      "claude-code": { type: "http", url, ...headers("OUBLIETTE_API_KEY") },
      cursor: { url, ...headers("env:OUBLIETTE_API_KEY") },
      vscode: { type: "http", url, ...headers("input:OUBLIETTE_API_KEY") },
      windsurf: { serverUrl: url, ...headers("env:OUBLIETTE_API_KEY") },
      codex: { url, bearer_token_env_var: "OUBLIETTE_API_KEY" },
    });
    for (const [, entry] of remote) expect(isToolwright(entry, "shop")).toBe(true);
  });

  test("a server that asks for no key has an entry without one, which can be written again", async () => {
    const remote = CLIENTS.filter((one) => one.remote);
    const entries = remote.map((one) => [one.id, entryFor(one, { ...served, url, key: false })] as const);
    expect(Object.fromEntries(entries)).toEqual({
      "claude-code": { type: "http", url },
      cursor: { url },
      vscode: { type: "http", url },
      windsurf: { serverUrl: url },
      codex: { url },
    });
    for (const [at, [, entry]] of entries.entries()) {
      const wanted = { client: remote[at] as (typeof CLIENTS)[number], name: "toolwright", entry };
      const once = await withEntry("", wanted, "x");
      expect(once).not.toContain("OUBLIETTE_API_KEY");
      expect(await withEntry(once, wanted, "x")).toBe(once);
    }
    expect(() => entryFor(clientOf("cursor"), { ...served, key: false })).toThrow("name it with --url");
  });

  test("VS Code asks for the key once, however many entries refer to it", async () => {
    const client = clientOf("vscode");
    const entry = entryFor(client, { ...served, url });
    const before = '{\n  "inputs": [\n    { "id": "mine" } // keep\n  ]\n}\n';
    const once = await withEntry(before, { client, name: "one", entry }, "x");
    const twice = await withEntry(once, { client, name: "two", entry }, "x");
    const { inputs, servers } = parse(twice);
    expect(inputs.map((one: Json) => one.id)).toEqual(["mine", "OUBLIETTE_API_KEY"]);
    expect(inputs[1]).toMatchObject({ type: "promptString", password: true });
    expect(Object.keys(servers)).toEqual(["one", "two"]);
    expect(once).toContain('{ "id": "mine" }, // keep\n');
  });

  test("files lie where each system keeps them, and the project's comes first", () => {
    const files = (machine: Omit<Machine, "home">) =>
      Object.fromEntries(
        CLIENTS.map((one) => [one.id, filesOf(one, "/p", { home: "/h", ...machine }).map((file) => file.path)]),
      );
    const linux = files({ platform: "linux", env: {} });
    expect(linux).toEqual({
      "claude-desktop": ["/h/.config/Claude/claude_desktop_config.json"],
      "claude-code": ["/p/.mcp.json", "/h/.claude.json"],
      cursor: ["/p/.cursor/mcp.json", "/h/.cursor/mcp.json"],
      vscode: ["/p/.vscode/mcp.json", "/h/.config/Code/User/mcp.json"],
      windsurf: ["/h/.codeium/windsurf/mcp_config.json"],
      codex: ["/p/.codex/config.toml", "/h/.codex/config.toml"],
    });
    const mac = files({ platform: "darwin", env: {} });
    expect(mac["claude-desktop"]).toEqual(["/h/Library/Application Support/Claude/claude_desktop_config.json"]);
    expect(mac["vscode"]?.[1]).toBe("/h/Library/Application Support/Code/User/mcp.json");
    const windows = files({ platform: "win32", env: { APPDATA: "/roaming" } });
    expect(windows["claude-desktop"]).toEqual(["/roaming/Claude/claude_desktop_config.json"]);
  });

  test.each([
    [{ command: "toolwright", args: ["serve"] }, true],
    [{ command: "npx", args: ["-y", "toolwright@0.1.0", "serve"] }, true],
    [{ command: "C:\\node.exe", args: ["C:\\p\\node_modules\\toolwright\\dist\\generator\\main.js", "serve"] }, true],
    [{ command: "node", args: ["/any/checkout/generator/launch.mjs", "serve", "--stdio"] }, true],
    [{ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/toolwright"] }, false],
    [{ command: "x", env: { OUBLIETTE_API_KEY: "y" } }, false],
    [{ url: "https://a.example/toolwright/mcp" }, false],
  ])("%o is toolwright: %s", (entry, is) => expect(isToolwright(entry, "shop")).toBe(is));
});
