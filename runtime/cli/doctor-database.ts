/** Checks of `toolwright doctor` on the state database, and on the servers that share it. */

import type { Project } from "../catalog/project.js";
import { counted, onLine } from "../contract/message-text.js";
import type { CheckFinding } from "../gateway/doctor-part.js";
import { type Cause, inFull, isStateFailure } from "../state/failure.js";
import { type Survey, surveyOf } from "../state/survey.js";

/** Whether the database opens, can be written and is sound; for one that servers share, whether they fit together. */
export async function databaseFindings({
  settings,
  root,
}: Pick<Project, "settings" | "root">): Promise<readonly CheckFinding[]> {
  const where = settings.state.url === "" ? ".onetool/state.db" : "PostgreSQL";
  try {
    const { openState } = await import("../state/open.js");
    const notes: string[] = [];
    const state = await openState({ ...settings.state, root, warn: (note) => void notes.push(note) });
    try {
      await state.check();
      await state.examine();
      const found = onLine([where, ...notes].join("; "));
      return [{ what: "database", ok: true, found }, ...sharedFindings(await surveyOf(state))];
    } finally {
      await state.close();
    }
  } catch (error) {
    const found = onLine(`${where}: ${inFull(error)}`);
    return [{ what: "database", ok: false, found, remedy: remedyOf(error) }];
  }
}

/** Whether the servers of a database fit it and each other. Nothing for a database that one server has to itself. */
export const sharedFindings = (survey: Survey | undefined): readonly CheckFinding[] =>
  survey ? [connections(survey), messages(survey), clock(survey), configurations(survey)] : [];

/** Connections that PostgreSQL and its operator need beside those of servers. */
const SPARE_CONNECTIONS = 5;

/** Each server has its pool, and a connection that listens. */
function connections({ replicas, pool, maxConnections }: Survey): CheckFinding {
  const pools = replicas.length === 0 ? [pool] : replicas.map((one) => one.pool);
  const needed = pools.reduce((sum, one) => sum + one + 1, SPARE_CONNECTIONS);
  const servers = replicas.length === 0 ? "a server takes" : `${counted(replicas.length, "server")} may take`;
  return {
    what: "connections",
    ok: needed <= maxConnections,
    found: `${servers} ${needed - SPARE_CONNECTIONS} of ${maxConnections} connections, and ${SPARE_CONNECTIONS} are spare`,
    remedy: "lower state.pool, run fewer servers, or raise max_connections of PostgreSQL",
  };
}

const messages = ({ delivers }: Survey): CheckFinding => ({
  what: "messages",
  ok: delivers,
  found: delivers
    ? "notifications of PostgreSQL arrive"
    : "notifications of PostgreSQL do not arrive on the connection that listens: servers poll each second",
  remedy: "set state.listen_url to a PostgreSQL URL that leads to the database without a pooler in transaction mode",
});

/** Largest difference of clocks, in milliseconds. */
const MAX_SKEW_MS = 1000;

function clock({ skewMs }: Survey): CheckFinding {
  const ok = Math.abs(skewMs) <= MAX_SKEW_MS;
  const by = `${(Math.abs(skewMs) / 1000).toFixed(1)} s ${skewMs > 0 ? "ahead of" : "behind"}`;
  return {
    what: "clock",
    ok,
    found: `the clock of this machine is ${ok ? "within 1 s of" : by} that of the database`,
    remedy:
      "set both by NTP: what servers share expires by the clock of the database, and times in logs are those of this machine",
  };
}

function configurations({ replicas }: Survey): CheckFinding {
  const groups = new Map<string, string[]>();
  for (const { digest, version, name } of replicas) {
    const group = `${digest} ${version}`;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const listed = [...groups.values()].map((names) => names.join(", "));
  const ok = groups.size <= 1;
  return {
    what: "replicas",
    ok,
    found: onLine(
      ok
        ? `${counted(replicas.length, "server")} on this database${replicas.length > 1 ? ", of one configuration" : ""}`
        : `servers of this database differ in configuration, generated/ or version: ${listed.join(" | ")}`,
    ),
    remedy: "deploy the same version, definitions/ and generated/ to all of them",
  };
}

const remedyOf = (error: unknown): string =>
  (isStateFailure(error) ? DATABASE_REMEDIES[error.reason] : undefined) ??
  "do as it says, or check `state` in toolwright.yaml and TOOLWRIGHT_STATE";

const DATABASE_REMEDIES: Readonly<Partial<Record<Cause, string>>> = {
  disk_full: "free space on the disk of the state database; until then nothing is stored",
  disk_failing: "check the disk of the state database",
  damaged: "restore the state database from a copy",
  emptied: "restore the tables of the state database from a copy",
  unreachable: "see that PostgreSQL runs where `state` says and has connections left (max_connections)",
  locked: "find the process that keeps the state database locked, and end it if it hangs",
};
