/**
 * Reads servers for one command, and leaves them open for it: a server that a command starts is started once, to list its tools
 * and to run them.
 */

import { secretsOf } from "../config/secrets.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import type { PoolOf } from "../gateway/open-project.js";
import { UNANSWERED } from "../upstream/drift.js";
import { expandServer } from "../upstream/servers.js";
import { isUpstreamError, UpstreamError } from "../upstream/upstream-error.js";
import { type ConnectionPool, createConnectionPool, type Pooled } from "../upstream/upstreams.js";
import { type SnapshotStart, snapshot, writeSnapshot } from "./snapshot.js";
import { printOutcome, type SnapshotOutcome } from "./snapshot-report.js";

/** Servers that are open, and the pool that hands them on. */
export interface LiveServers {
  readonly pool: PoolOf;
  /** Whether all of them were read. */
  readonly ok: boolean;
  /** Closes those that nothing else uses. */
  close(): Promise<void>;
}

/**
 * Connects to servers, and writes their snapshots; what cannot be read is printed.
 */
export async function readLiveServers(start: SnapshotStart, names: readonly string[]): Promise<LiveServers> {
  const { root, version, config, err, paint } = start;
  const pool = createConnectionPool({ root, version });
  const held: Pooled[] = [];
  const outcomes = await Promise.all(
    names.map(async (name) => outcomeOf(start, name, config.servers?.[name] ?? {}, { pool, held })),
  );
  const failed = outcomes.filter(({ kind }) => kind === "failed");
  for (const one of failed) printOutcome(one, 0, { out: err, paint });
  return {
    pool: async () => pool,
    ok: failed.length === 0,
    close: async () => void (await Promise.all(held.map((one) => one.release()))),
  };
}

interface Opening {
  readonly pool: ConnectionPool;
  /** Takes what is opened. */
  readonly held: Pooled[];
}

/** Never throws, so that each server is reported. */
async function outcomeOf(
  start: SnapshotStart,
  name: string,
  entry: ServerEntry,
  { pool, held }: Opening,
): Promise<SnapshotOutcome> {
  const server = expandServer(name, entry, secretsOf(start.root, start.config.secrets));
  const failed = (error: UpstreamError): SnapshotOutcome => ({ kind: "failed", name, error });
  if ("reason" in server) return failed(new UpstreamError("UNAVAILABLE", server.reason, server.remedy));
  const used = pool.take(server, false);
  held.push(used);
  try {
    return await writeSnapshot(start, name, await listed(used));
  } catch (error) {
    if (!isUpstreamError(error)) throw error;
    if (!start.interactive || !asksToSignIn(error) || (await signIn(start, name)) !== 0) return failed(error);
    await used.connection.restart();
    return writeSnapshot(start, name, await listed(used));
  }
}

const listed = ({ connection }: Pooled) => connection.use(UNANSWERED, (live) => live.tools());

const asksToSignIn = ({ code, status }: UpstreamError): boolean => code === "UNAUTHENTICATED" || status === 401;

/** Reads a server as `toolwright snapshot` does, which has the user sign in. */
const signIn = (start: SnapshotStart, name: string): Promise<number> =>
  snapshot({ ...start, out: start.err }, [name], { next: false });
