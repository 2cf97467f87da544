/** Upstream servers for tests, and a function from an entry of `servers` to its snapshot. */

import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { connectUpstream, type UpstreamOptions } from "../../../runtime/upstream/client.js";
import { expandServer, type UpstreamServer } from "../../../runtime/upstream/servers.js";
import { readSnapshot, type Snapshot } from "../../../runtime/upstream/snapshot.js";
import { UpstreamError } from "../../../runtime/upstream/upstream-error.js";

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The program that replaces a browser. */
export const BROWSER = script("browser.mjs");

/** An entry that starts a server with the given behaviour. */
export const behaving = (behaviour: string, given?: unknown, rest: ServerEntry = {}): ServerEntry => ({
  command: process.execPath,
  ...rest,
  args: [
    script("server.mjs"),
    behaviour,
    ...(given === undefined ? [] : [JSON.stringify(given)]),
    ...(rest.args ?? []),
  ],
});

/** An entry that starts a server of the official SDK. */
export const sdkServer = (era: "legacy" | "modern", page = 2): ServerEntry => ({
  command: process.execPath,
  args: [script("sdk.mjs"), era, String(page)],
});

/** An entry that starts a server of the older SDK. */
export const olderSdkServer: ServerEntry = { command: process.execPath, args: [script("older.mjs")] };

/** An entry that starts a server of the newer protocol which asks the client. */
export const askingServer: ServerEntry = { command: process.execPath, args: [script("asking.mjs")] };

/** A server, its variables filled in from a map. */
export function ready(entry: ServerEntry, variables: Readonly<Record<string, string>> = {}): UpstreamServer {
  const server = expandServer("tested", entry, (name) => variables[name]);
  if ("reason" in server) throw new Error(server.reason);
  return server;
}

/** Connects, reads and closes. */
export async function snapshotOf(server: UpstreamServer, options: Partial<UpstreamOptions> = {}): Promise<Snapshot> {
  const upstream = await connectUpstream(server, { root: tmpdir(), version: "0", graceMs: 200, ...options });
  try {
    return await readSnapshot(server, upstream, AbortSignal.timeout(server.timeoutMs));
  } finally {
    await upstream.close();
  }
}

/** What a server fails with. */
export async function failureOf(
  server: UpstreamServer,
  options: Partial<UpstreamOptions> = {},
): Promise<UpstreamError> {
  const outcome = await snapshotOf(server, options).catch((error: unknown) => error);
  if (outcome instanceof UpstreamError) return outcome;
  throw new Error(`no UpstreamError: ${JSON.stringify(outcome)} ${outcome}`);
}

/** Names of the tools of a snapshot. */
export const namesIn = ({ tools }: Snapshot): readonly unknown[] =>
  tools.map((one) => (one as { name?: unknown }).name);
