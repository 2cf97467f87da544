/** Reads the tools of a server, and compares them with its snapshot: for `toolwright snapshot`, and for the job of `snapshot.every`. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LOCAL_ID } from "../access/principal.js";
import type { Finding } from "../contract/finding.js";
import type { Principal } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import type { TokenSource } from "../contract/token-source.js";
import type { Authorization } from "./authorization.js";
import { connectUpstream, type Questions } from "./client.js";
import type { LockParts } from "./lock.js";
import type { UpstreamServer } from "./servers.js";
import { readSnapshot, type Snapshot, snapshotIn, snapshotText } from "./snapshot.js";

/** The path of a server's snapshot, relative to the root. */
export const snapshotFile = (name: string): string => `definitions/servers/${name}.json`;

/**
 * Capabilities to declare, since some servers list a tool only to a client that can answer its questions; no question
 * is answered.
 */
export const UNANSWERED: Questions = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
  answer: async (method) => {
    throw new Error(`${method}: questions are not answered while the tools are listed`);
  },
};

/** What reading takes. */
export interface SnapshotReading {
  readonly root: string;
  readonly version: string;
  readonly authorization: Authorization;
  /** Where tokens of connections come from; default: nowhere. */
  readonly tokens?: () => TokenSource | undefined;
  readonly signal: AbortSignal;
}

/**
 * The caller with whose connection a server is read, where each caller has one.
 *
 * @param id a key or a user; default: the owner of the machine
 */
export const snapshotReader = (id: string = LOCAL_ID): Principal => ({
  ...{ kind: "local", id, grant: { level: "read", projects: [] }, allowWrite: false },
});

/** A server as this caller reaches it. */
export const readBy = (server: UpstreamServer, principal: Principal): UpstreamServer => ({
  ...server,
  caller: { principal, key: "" },
});

/** Connects to a server and lists its tools. @throws UpstreamError */
export async function readServer(server: UpstreamServer, { signal, ...reading }: SnapshotReading): Promise<Snapshot> {
  const upstream = await connectUpstream(server, { ...reading, signal, questions: UNANSWERED });
  try {
    return await readSnapshot(server, upstream, AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)]));
  } finally {
    await upstream.close();
  }
}

/** How a server differs from its snapshot; nothing of both: not at all. */
export interface ServerDrift {
  readonly findings: readonly Finding[];
  /** Differences beside those of tools. */
  readonly notes: readonly string[];
}

/** Compares by meaning: what a caller would notice, but not the version of the server. Writes nothing. */
export async function serverDrift(
  { root, toolsFromSnapshot, compareTools }: Pick<LockParts, "root" | "toolsFromSnapshot" | "compareTools">,
  name: string,
  found: Snapshot,
): Promise<ServerDrift> {
  const file = snapshotFile(name);
  const only = (note: string): ServerDrift => ({ findings: [], notes: [note] });
  const text = await readFile(join(root, file), "utf8").catch(() => undefined);
  if (text === undefined) return only(`${file} is not there`);
  const before = snapshotIn(text);
  if (!before) return only(`${file} is no snapshot`);
  const old = await toolsFromSnapshot(name, text);
  const now = await toolsFromSnapshot(name, snapshotText(found)).catch(messageOf);
  if (typeof now === "string") return only(`what it lists now does not build: ${now}`);
  // Older snapshots have `null` for missing instructions.
  const isSame = (before.instructions ?? "") === (found.instructions ?? "");
  return { findings: await compareTools(old, now), notes: isSame ? [] : ["its instructions changed"] };
}
