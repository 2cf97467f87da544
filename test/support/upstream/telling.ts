/** A project with a server over stdio whose tools answer exactly what each is told to. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { type Json, temporaryFolder, toolwright } from "../project.js";

/** A tool of the server. */
export interface TellingTool {
  /** The text of the JSON of its result. */
  readonly result: string;
  /** The text of the JSON of a JSON-RPC error that it answers in place of the result. */
  readonly error?: string;
  /** Default: a read. */
  readonly isWrite?: boolean;
  readonly outputSchema?: object;
  /** Parameters of notifications of progress before the result. */
  readonly progress?: readonly object[];
}

/** An entry that starts the server; `file` is where its tools are written to. */
export function tellingServer(tools: Readonly<Record<string, TellingTool>>, file: string): ServerEntry {
  writeFileSync(file, JSON.stringify(tools));
  const script = fileURLToPath(new URL("telling.mjs", import.meta.url));
  return { command: process.execPath, args: [script, file], answer_bytes: 20_000_000 };
}

/** A project that calls the server as the pack `odd`. */
export async function tellingRoot(
  tools: Readonly<Record<string, TellingTool>>,
  options: { readonly configuration?: string; readonly remove?: (clean: () => void) => void } = {},
): Promise<string> {
  const root = temporaryFolder(options.remove);
  const definitions = join(root, "definitions");
  mkdirSync(join(definitions, "servers"), { recursive: true });
  const servers = { odd: tellingServer(tools, join(root, "tools.json")) };
  writeFileSync(
    join(definitions, "toolwright.yaml"),
    `use: [ot]\nsources: [{ mcp: servers/*.json }]\nservers: ${JSON.stringify(servers)}\n${options.configuration ?? ""}`,
  );
  for (const args of [["snapshot", "odd"], ["generate"]]) {
    const { code, stderr, stdout } = await toolwright([...args, "--root", root]);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
  }
  return root;
}

/** The envelope of a call of `tool_exec`. */
export async function execEnvelope(client: Client, op: string, args: Json = {}): Promise<Json> {
  const { structuredContent } = (await client.callTool({ name: "tool_exec", arguments: { op, args } })) as Json;
  return structuredContent;
}
