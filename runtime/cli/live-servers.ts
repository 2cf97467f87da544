/**
 * Reads servers for one command, and leaves them open for it: a server that a command starts is started once, to list its tools
 * and to run them.
 */

import { secretsOf } from "../config/secrets.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import type { PoolOf } from "../gateway/open-project.js";
import { UNANSWERED } from "../upstream/drift.js";
import { openServer } from "../upstream/servers.js";
import { isUpstreamError, UpstreamError } from "../upstream/upstream-error.js";
import { createPool, type Pool, type Pooled } from "../upstream/upstreams.js";
import { type SnapshotStart, snapshot, writeSnapshot } from "./snapshot.js";
import { type Outcome, printOutcome } from "./snapshot-report.js";

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
 *
 * @param shown what a remedy says instead of a place in `toolwright.yaml`, by the name of the server
 */
export async function readLiveServers(
  start: SnapshotStart,
  names: readonly string[],
  shown: (name: string) => string,
): Promise<LiveServers> {
  const { root, version, config, err, paint } = start;
  const pool = createPool({ root, version });
  const held: Pooled[] = [];
  const outcomes = await Promise.all(
    names.map(async (name) => outcomeOf(start, name, config.servers?.[name] ?? {}, { pool, held })),
  );
  const failed = outcomes.filter(({ kind }) => kind === "failed");
  for (const one of failed) printOutcome(forCaller(one, shown(one.name)), 0, { out: err, paint });
  return {
    pool: async () => pool,
    ok: failed.length === 0,
    close: async () => void (await Promise.all(held.map((one) => one.release()))),
  };
}

/** The flags for what a server has in `toolwright.yaml`, beside that which names it. */
const FLAGS: Readonly<Record<string, string>> = { headers: "--header", env: "--env", timeout: "--timeout" };

/** The outcome with a remedy for a caller who has no `toolwright.yaml`. */
function forCaller(outcome: Outcome, place: string): Outcome {
  if (outcome.kind !== "failed") return outcome;
  const { code, message, remedy, stderr } = outcome.error;
  const said = remedy
    .replace(/"toolwright snapshot [\w-]+"/g, "this command")
    .replace(
      /\bservers\.[\w-]+(?:\.(\w+))?(?: in toolwright\.yaml)?/g,
      (_, member: string | undefined) => FLAGS[member ?? ""] ?? place,
    );
  return { ...outcome, error: new UpstreamError(code, message, said, stderr) };
}

interface Opening {
  readonly pool: Pool;
  /** Takes what is opened. */
  readonly held: Pooled[];
}

/** Never throws, so that each server is reported. */
async function outcomeOf(
  start: SnapshotStart,
  name: string,
  entry: ServerEntry,
  { pool, held }: Opening,
): Promise<Outcome> {
  const server = openServer(name, entry, secretsOf(start.root, start.config.secrets));
  const failed = (error: UpstreamError): Outcome => ({ kind: "failed", name, error });
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
