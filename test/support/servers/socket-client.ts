/** `toolwright client` as a separate process, with a client of the official SDK on it. */

import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { CHECKOUT, type Json, temporaryFolder } from "../project.js";

/** A client that is connected. */
export interface SocketClient {
  readonly client: Client;
  /** Names of all tools, in order. */
  names(): Promise<readonly string[]>;
  call(name: string, args?: object): Promise<Json>;
  /** Number of notifications that the tools changed. */
  changes(): number;
  stderr(): string;
}

/** Starts the client for a socket; without a root, in a folder without a project. */
export async function socketClient(
  path: string,
  {
    key,
    root,
    env = {},
  }: { readonly key?: string; readonly root?: string; readonly env?: Record<string, string> } = {},
): Promise<SocketClient> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(CHECKOUT, "generator/launch.mjs"), "client", "--socket", path, "--root", root ?? temporaryFolder()],
    env: { OUBLIETTE_DISCOVERY_WAIT_MS: "30000", ...env, ...(key === undefined ? {} : { OUBLIETTE_API_KEY: key }) },
    cwd: CHECKOUT,
    stderr: "pipe",
  });
  let stderr = "";
  let changes = 0;
  transport.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}) => client.callTool({ name, arguments: { ...args } }),
    changes: () => changes,
    stderr: () => stderr,
  };
}
