/**
 * `snapshot: { every: 6h }` of a server: a recurring job reads its tools, compares them with the snapshot, and reports
 * differences in the log and in the console data. It never changes `definitions/`.
 */

import { snapshotEveryMs } from "../contract/duration.js";
import type { Logger, Transaction } from "../contract/handler.js";
import { clip } from "../contract/scrub.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import type { TokenSource } from "../contract/token-source.js";
import { nowIn } from "../state/job-table.js";
import type { Jobs, JobWork } from "../state/jobs.js";
import type { State } from "../state/open.js";
import { queries } from "../state/schema.js";
import type { ServerDrift } from "./drift.js";
import type { LockParts } from "./lock.js";
import { expandServer } from "./servers.js";
import { UpstreamError } from "./upstream-error.js";

/** What the jobs work with. */
export interface SnapshotJobsParts extends Pick<LockParts, "root" | "toolsFromSnapshot" | "compareTools"> {
  readonly version: string;
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly secret: (name: string) => string | undefined;
  /** Where tokens of connections come from; default: nowhere. */
  readonly tokens?: () => TokenSource | undefined;
}

/** Begins the jobs of a project; the returned function ends them. */
export type SnapshotJobs = (jobs: Jobs, log: Logger) => () => void;

/** A difference, as the console shows it. */
export interface ShownDrift {
  /** When the server was read, in ISO 8601. */
  readonly checked_at: string;
  /** Worst first; empty if the server matches its snapshot. */
  readonly findings: readonly { readonly level: string; readonly text: string }[];
}

/** Findings that are stored, and characters of each. */
const MAX_FINDINGS = 50;
const MAX_TEXT_LENGTH = 300;

const shown = ({ findings, notes }: ServerDrift): ShownDrift["findings"] =>
  [
    ...findings.map(({ level, rule, op, message }) => ({ level, text: `${rule}: ${op}: ${message}` })),
    ...notes.map((text) => ({ level: "warning", text })),
  ]
    .slice(0, MAX_FINDINGS)
    .map(({ level, text }) => ({ level, text: clip(text, MAX_TEXT_LENGTH) }));

/** The jobs of the servers that are read on a schedule. */
export const snapshotJobs =
  (parts: SnapshotJobsParts): SnapshotJobs =>
  (jobs, log) => {
    const ends = Object.entries(parts.servers).flatMap(([name, { enabled = true, snapshot }]) => {
      const everyMs = snapshotEveryMs(snapshot?.every ?? "");
      if (!enabled || everyMs === undefined) return [];
      const work: JobWork = async ({ signal, state }) => {
        const drift = await readDrift(parts, name, signal);
        const findings = shown(drift);
        report(log, name, findings);
        return (tx) => store(state, tx, name, findings);
      };
      return [jobs.handle(`snapshot ${name}`, work, { everyMs, delayMs: everyMs })];
    });
    return () => {
      for (const end of ends) end();
    };
  };

/** @throws UpstreamError if the server cannot be read */
async function readDrift(parts: SnapshotJobsParts, name: string, signal: AbortSignal): Promise<ServerDrift> {
  const { root, version, servers, secret, tokens } = parts;
  const server = expandServer(name, servers[name] ?? {}, secret);
  if ("reason" in server) throw new UpstreamError("UNAVAILABLE", server.reason, server.remedy);
  const [{ serverDrift, readBy, snapshotReader, readServer }, { authorizationOf }] = await Promise.all([
    import("./drift.js"),
    import("./authorization.js"),
  ]);
  const authorization = authorizationOf({ root });
  return serverDrift(
    parts,
    name,
    await readServer(readBy(server, snapshotReader(servers[name]?.snapshot?.principal)), {
      root,
      version,
      authorization,
      signal,
      ...(tokens ? { tokens } : {}),
    }),
  );
}

function report(log: Logger, name: string, findings: ShownDrift["findings"]): void {
  if (findings.length === 0) {
    log.debug("a server matches its snapshot", { server: name });
    return;
  }
  const remedy = `review it with "toolwright snapshot ${name} --check"`;
  log.warn(`the server ${name} differs from its snapshot: ${remedy}`, {
    differences: findings.length,
    first: findings[0]?.text,
  });
}

async function store(state: State, tx: Transaction, server: string, findings: ShownDrift["findings"]): Promise<void> {
  const row = { checked_at: nowIn(state), findings: JSON.stringify(findings) };
  await queries(tx)
    .insertInto("server_drift")
    .values({ server, ...row })
    .onConflict((conflict) => conflict.column("server").doUpdateSet(row))
    .execute();
}

/** What the latest reading of each server found, by server. */
export async function readDrifts(state: State): Promise<ReadonlyMap<string, ShownDrift>> {
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("server_drift").selectAll().execute());
  return new Map(
    rows.map(({ server, checked_at, findings }) => [
      server,
      { checked_at: new Date(checked_at).toISOString(), findings: JSON.parse(findings) as ShownDrift["findings"] },
    ]),
  );
}
