/** The metrics of the runtime: requests that it answers and makes, ops, and what calls wait for. */

import type { GatewayToolName } from "../contract/gateway-tools.js";
import { ERROR_CODES } from "../contract/handler.js";
import { isRecord } from "../contract/json.js";
import { codeOf } from "../contract/thrown.js";
import { type Attributes, counter, gauge, histogram, level, timed } from "./metrics.js";

const served = histogram({
  name: "mcp.server.operation.duration",
  unit: "s",
  description: "Requests of MCP clients, from their arrival to their answer.",
});

const requested = histogram({
  name: "mcp.client.operation.duration",
  unit: "s",
  description: "Requests to upstream MCP servers.",
});

const opDuration = histogram({
  name: "toolwright.op.duration",
  unit: "s",
  description: "Calls of ops, batches and runs, those made by programs included.",
});

/** Calls that were refused because a key made too many. */
export const rateRefusals = counter({
  name: "toolwright.rate.refusals",
  unit: "{request}",
  description: "Requests that were refused because their key made too many.",
});

/** Calls that wait for a connection of the pool of PostgreSQL. */
export const poolWaiting = level({
  name: "db.client.connection.pending_requests",
  unit: "{request}",
  description: "Transactions that wait for a connection to PostgreSQL.",
});

/** Connections of the pool of PostgreSQL that are in use. */
export const poolUsed = level({
  name: "db.client.connection.count",
  unit: "{connection}",
  description: "Connections to PostgreSQL, by state.",
});

/** Connections to PostgreSQL that hear messages of other servers. */
export const listenersUp = level({
  name: "toolwright.listener.up",
  unit: "{connection}",
  description:
    "Connections that hear the messages of other servers as they are sent; without one, messages are polled.",
});

/** Processes of the engines of `run`. */
export const engineProcesses = level({
  name: "toolwright.run.processes",
  unit: "{process}",
  description: "Child processes of the engines of run.",
});

/** Runs, by state: `waiting` for their turn or `running`. */
const activeRuns = level({
  name: "toolwright.run.active",
  unit: "{run}",
  description: "Runs that wait for their turn, and those under way.",
});

const jobs = gauge({
  name: "toolwright.jobs",
  unit: "{job}",
  description: "Jobs of the database, by state.",
});

const jobsDelay = gauge({
  name: "toolwright.jobs.delay",
  unit: "s",
  description: "How long the job that is due longest waits for a worker.",
});

/** Records the jobs of a database. @param jobsBy number of jobs by state @param delayMs how long the one due longest waits */
export function recordJobs(jobsBy: Readonly<Record<string, number>>, delayMs: number): void {
  for (const [state, count] of Object.entries(jobsBy)) jobs(count, { state });
  jobsDelay(delayMs / 1000);
}

/** A value of `error.type` for what is not in a list of known ones, by the semantic conventions. */
const OTHER = "_OTHER";
const CODES: ReadonlySet<string> = new Set(ERROR_CODES);

/** What has no result yet, because it waits for a person: no error. */
export const PAUSED = { outcome: "paused" } as const;
/** A program that was refused before it ran. */
export const REFUSED_OUTCOME = { outcome: "refused" } as const;
const PAUSE: Attributes = { "toolwright.outcome": PAUSED.outcome };

/**
 * Records a call of an op, a batch or a run. Types of exceptions are chosen by callers, and so are no attribute.
 *
 * @param ended the type of its failure, or that it is paused; undefined if it has a result
 * @param fields of its span: the language of a program, and that it was refused
 */
export function recordOp(
  op: string,
  ms: number,
  ended: string | typeof PAUSED | undefined,
  { language, outcome }: { readonly language?: unknown; readonly outcome?: unknown } = {},
): void {
  opDuration(ms / 1000, {
    "gen_ai.tool.name": op,
    ...endOf(ended),
    ...(typeof language === "string" ? { "toolwright.language": language } : {}),
    ...(outcome === REFUSED_OUTCOME.outcome ? { "toolwright.outcome": outcome } : {}),
  });
}

function endOf(ended: string | typeof PAUSED | undefined): Attributes {
  if (ended === PAUSED) return PAUSE;
  return typeof ended === "string" ? { "error.type": CODES.has(ended) ? ended : OTHER } : {};
}

/** Whether the result of `run` says that its program waits. */
const isPause = (result: Readonly<Record<string, unknown>>, tool: string | undefined): boolean =>
  tool === ("run" satisfies GatewayToolName) &&
  isRecord(result["structuredContent"]) &&
  result["structuredContent"]["status"] === PAUSED.outcome;

/** How a request ended. */
type Ended = { readonly result: unknown } | { readonly error: unknown };

/** The error of a request, as attribute: a code of JSON-RPC, `tool_error` for a result that is one, or `_OTHER`. */
function errorOf(ended: Ended, tool?: string): Attributes {
  if ("result" in ended) {
    if (!isRecord(ended.result) || ended.result["isError"] !== true) return {};
    return isPause(ended.result, tool) ? PAUSE : { "error.type": "tool_error" };
  }
  const code = codeOf(ended.error);
  const isKnown = typeof code === "number" && Number.isInteger(code) && code >= -32_768 && code <= -32_000;
  return { "error.type": isKnown ? String(code) : OTHER };
}

/** Records a request of a client. @param toolOf the tool of the request, if it names one that exists */
export const recordServed = <T>(method: string, toolOf: () => string | undefined, work: () => Promise<T>): Promise<T> =>
  timed(served, work, (ended) => servedAttributes(method, toolOf(), ended));

/** As {@link recordServed}, for a request that has ended. @param begun when it came, of `performance.now()` */
export function recordEnded(method: string, tool: string | undefined, ended: Ended, begun: number): void {
  served((performance.now() - begun) / 1000, servedAttributes(method, tool, ended));
}

const servedAttributes = (method: string, tool: string | undefined, ended: Ended): Attributes => ({
  "mcp.method.name": method,
  ...(tool === undefined ? {} : { "gen_ai.tool.name": tool }),
  ...errorOf(ended, tool),
});

/** Records a request to an upstream server. @param server its name in the configuration */
export const recordRequested = <T>(
  { server, method, tool }: { readonly server: string; readonly method: string; readonly tool: string | undefined },
  work: () => Promise<T>,
): Promise<T> =>
  timed(requested, work, (ended) => ({
    "mcp.method.name": method,
    "toolwright.server": server,
    ...(tool === undefined ? {} : { "gen_ai.tool.name": tool }),
    ...errorOf(ended),
  }));

/** Counts a run that waits for its turn, until `work` is called, and then as running, until `end` is. */
export function countTurn<T>(work: () => Promise<T>): { work(): Promise<T>; end(): void } {
  let state = "waiting";
  activeRuns(1, { state });
  const end = (): void => activeRuns(-1, { state });
  return {
    work() {
      end();
      state = "running";
      activeRuns(1, { state });
      return work();
    },
    end,
  };
}
