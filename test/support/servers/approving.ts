/** A project whose notes a person must approve, and clients of every protocol era that ask their user, or do not. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { type HttpServed, MODERN, serveHttp } from "../http.js";
import { keysOfEveryGrant } from "../keys.js";
import { CHECKOUT, generatedRoot, type Json, serverCommand, toolwright } from "../project.js";

/** URL of the servers, below which the page of a run is. */
export const ADDRESS = "https://tools.example.com";

/** How a project differs. */
export interface ApprovingOptions {
  /** `by` of the rule. */
  readonly by?: readonly string[];
  /** Whether the server knows its URL. */
  readonly hasAddress?: boolean;
}

/** A generated root of `vault`, whose rule is about `vault.add_note`. */
export async function approvingRoot(
  { by = ["console", "cli"], hasAddress = true }: ApprovingOptions = {},
  remove: (clean: () => void) => void = onTestFinished,
): Promise<string> {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"), remove);
  const lines = [
    "sources: [{ functions: vault.ts }]",
    `approve: [{ ops: ["vault.add_note"], by: [${by.join(", ")}] }]`,
    ...(hasAddress ? [`public_url: ${ADDRESS}`] : []),
  ];
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `${lines.join("\n")}\n`);
  return root;
}

const notes = (root: string): string => join(root, "notes.txt");

/** The lines that notes of a root have. */
export const notesOf = (root: string): readonly string[] =>
  existsSync(notes(root)) ? readFileSync(notes(root), "utf8").split("\n").slice(0, -1) : [];

/** A program that adds notes one after the other, and answers with the last. */
export const adding = (root: string, ...texts: readonly string[]): string =>
  texts.map((text) => `vault.add_note(text=${JSON.stringify(text)}, file=${JSON.stringify(notes(root))})`).join("\n") +
  '["text"]';

/** The protocol eras, with what a client of each offers. */
export const ERAS: readonly (readonly [era: string, options: ClientOptions])[] = [
  ["2025-06-18", { versionNegotiation: { mode: "legacy" }, supportedProtocolVersions: ["2025-06-18"] }],
  ["2025-11-25", { versionNegotiation: { mode: "legacy" }, supportedProtocolVersions: ["2025-11-25"] }],
  [MODERN, { versionNegotiation: { mode: { pin: MODERN } } }],
];

/** Starts a server of a root, and connects a client to it; resolves to the id of the caller. */
export type Connect = (client: Client, root: string) => Promise<string>;

/** The transports. */
export const TRANSPORTS: readonly (readonly [name: string, connect: Connect])[] = [
  [
    "stdio",
    async (client, root) => {
      await client.connect(new StdioClientTransport(serverCommand(root, ["--allow-write"])));
      onTestFinished(() => client.close());
      return "local";
    },
  ],
  [
    "HTTP",
    async (client, root) => {
      const { keys, write } = await keysOfEveryGrant(root);
      keys.close();
      await overHttp(client, await serveHttp(root, ["--allow-write"]), write.key);
      return write.id;
    },
  ],
];

/** Connects a client to a server. */
export async function overHttp(client: Client, { url }: HttpServed, key: string): Promise<void> {
  const authProvider = { token: async () => key };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  onTestFinished(() => client.close());
}

/** What the user of a client says to a question. */
export type Says = (params: Json) => Json | Promise<Json>;

/** A client that declares elicitation in these modes, and answers with what its user says. */
export function asked(
  options: ClientOptions,
  modes: { readonly form?: Json; readonly url?: Json },
  says: Says,
): Client {
  const client = new Client({ name: "asked", version: "1" }, { ...options, capabilities: { elicitation: modes } });
  client.setRequestHandler("elicitation/create", async ({ params }) => says(params));
  return client;
}

/** The answer of `run`. */
export async function ran(client: Client, command: string, more: Json = {}): Promise<Json> {
  const { content, structuredContent, isError } = (await client.callTool({
    name: "run",
    arguments: { command },
    ...more,
  })) as Json;
  return { text: content[0].text, structured: structuredContent, isError: isError === true };
}

/** The answer of an op. */
export async function exec(client: Client, op: string, args: Json): Promise<Json> {
  return ((await client.callTool({ name: "tool_exec", arguments: { op, args } })) as Json).structuredContent;
}

/** Runs a command on a root. */
export async function command(root: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await toolwright([...args, "--root", root]);
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout;
}
