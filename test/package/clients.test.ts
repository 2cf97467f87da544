/** Each MCP client, with the packed package in a folder whose name must be quoted: what `connect` writes into its file starts a server that answers, and `disconnect` takes it out. */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse as parseToml } from "smol-toml";
import { expect, onTestFinished, test } from "vitest";
import { CLIENTS } from "../../runtime/cli/clients.js";
import { pageText } from "../support/doc-pages.js";
import { eachCase } from "../support/each-case.js";
import type { Json } from "../support/project.js";
import { type Newcomer, newcomers } from "./newcomer.js";

const PAGE = "docs/getting-started.md";
const newcomer = newcomers();

/** The clients that the page names. */
const NAMED = [...(/^The known clients are (.*?)\./m.exec(pageText(PAGE))?.[1] ?? "").matchAll(/`([\w-]+)`/g)].map(
  ([, name = ""]) => name,
);

test("the page names each client", () => {
  expect(NAMED.toSorted()).toEqual(CLIENTS.map(({ id }) => id).toSorted());
});

/** The file that `connect` says it wrote, and its first entry of a server that a process is started for. */
function entryIn(
  me: Newcomer,
  said: string,
): { readonly file: string; readonly entry: Json; readonly isShared: boolean } {
  const [, named = ""] = /^wrote (.+)$/m.exec(said) ?? [];
  const file = named.replace(/^~/, me.env["HOME"] ?? homedir());
  const isShared = file === named;
  const path = isShared ? join(me.root, file) : file;
  const text = readFileSync(path, "utf8");
  const content: Json = path.endsWith(".toml") ? parseToml(text) : JSON.parse(text);
  const { toolwright: entry } = content.mcpServers ?? content.servers ?? content.mcp_servers;
  return { file: path, entry, isShared };
}

eachCase(NAMED, "claude-code")(
  "%s calls an op by the entry that connect writes, and disconnect takes it out again",
  { timeout: 300_000 },
  async (name) => {
    const me = newcomer();
    await me.ok("npm exec --no -- toolwright init --yes");
    const line = pageText(PAGE).match(/^\$ (toolwright connect claude-code --write) +#/m)?.[1] ?? "";
    const { file, entry, isShared } = entryIn(me, await me.ok(`${line.replace("claude-code", name)} --yes`));

    // An editor fills in its folder, and starts servers of a project there; others start them anywhere.
    const filled = (text: string): string => text.replaceAll(/\$\{workspaceFolder\}/g, me.root);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: filled(entry.command),
        args: entry.args.map(filled),
        cwd: isShared ? me.root : "/",
        env: { PATH: process.env["PATH"] ?? "", HOME: me.env["HOME"] ?? "" },
        stderr: "ignore",
      }),
    );
    onTestFinished(() => client.close());
    const asked = { name: "tool_exec", arguments: { op: "demo.get_greeting", args: { name: "Ann" } } };
    expect((await client.callTool(asked)).structuredContent).toMatchObject({ ok: true });

    await me.ok(`toolwright disconnect ${name} --yes`);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").not.toContain("toolwright");
  },
);
