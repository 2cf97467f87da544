/**
 * The lifecycle of the connection to one upstream server: opened at the first call, kept while in use, closed when
 * idle, reopened after it was lost, with backoff after failures.
 */

import { BACKOFF, type Backoff, waitAfter } from "../contract/backoff.js";
import { type Guard, guardBy } from "../contract/guard.js";
import type { Logger } from "../contract/handler.js";
import { messageOf, stackOf } from "../contract/thrown.js";
import type { TokenSource } from "../contract/token-source.js";
import type { Questions, Upstream } from "./client.js";
import { type Deviation, deviationLog } from "./deviations.js";
import { combinedQuestions, isTold } from "./elicitation.js";
import { listing } from "./listing.js";
import type { UpstreamServer } from "./servers.js";
import { isAnswered, isSessionGone } from "./session.js";
import type { Snapshot } from "./snapshot.js";
import { type ConnectionStanding, connectionStanding, type ServerFault } from "./standing.js";
import { BARE_RESULT } from "./tolerated-answer.js";
import { isUpstreamError, UpstreamError } from "./upstream-error.js";

/** Options of all connections. */
export interface ConnectionOptions {
  /** The working directory of stdio servers, which contains `.onetool/`. */
  readonly root: string;
  /** The version of toolwright that servers see. */
  readonly version: string;
  readonly log: () => Logger;
  /** Where tokens of connections come from; default: nowhere. */
  readonly tokens?: () => TokenSource | undefined;
  /** How long an idle child process is kept. */
  readonly idleMs?: number;
  /** How often an idle HTTP connection is pinged, if the protocol has a ping. */
  readonly pingMs?: number;
  readonly backoff?: Backoff;
  readonly messageBytes?: number;
  /** Time limit of each step of ending a child process. */
  readonly graceMs?: number;
}

/** An open connection with the tools of the server. */
export interface LiveConnection {
  readonly upstream: Upstream;
  /** The current tools; listed again after the server has reported a change. */
  tools(): Promise<Snapshot>;
}

/** The connection to one server. */
export interface Connection {
  readonly server: UpstreamServer;
  /**
   * Uses the connection and keeps it open meanwhile. A connection that was opened without some of the capabilities in
   * `questions` is replaced, and closed after its last use: the older protocols declare capabilities once, at the
   * start.
   *
   * @throws UpstreamError immediately during the backoff after a failure
   */
  use<T>(questions: Questions | undefined, work: (live: LiveConnection) => Promise<T>): Promise<T>;
  /** Closes an open connection that is unusable. */
  drop(live: LiveConnection): void;
  /** Reports that the server has gone. */
  lost(live: LiveConnection, why: UpstreamError): void;
  /** Reports that its process shows no sign of life: the next use starts another one. What it does may still end. */
  silent(live: LiveConnection, why: UpstreamError): void;
  /** Reports success, so that the next failure counts as the first. */
  thrives(): void;
  /** Reports how the server breaks the protocol. */
  readonly deviates: (what: Deviation) => void;
  standing(): ConnectionStanding;
  /** The last failure, also where it is connected again. */
  fault(): ServerFault | undefined;
  /** The version that the server says it has, while it is connected. */
  version(): string | undefined;
  /**
   * Connects again, without waiting for the next attempt: a child process ends and another one starts. Calls under way
   * keep the earlier connection.
   *
   * @throws UpstreamError if it cannot be connected
   */
  restart(): Promise<void>;
  /** Closes it for good; resolves when no process is left. */
  close(): Promise<void>;
}

const IDLE_MS = 300_000;
const PING_MS = 60_000;
/** Longest wait that a server may request. */
const MAX_RETRY_AFTER_MS = 300_000;

/** An open connection with its questions and number of uses. */
interface Held extends LiveConnection {
  readonly questions: Questions | undefined;
  uses: number;
}

/** State of one server. */
interface Known {
  /** The connection, or the attempt to open it. */
  opening?: Promise<Held> | undefined;
  /** Set once it is open. */
  live?: Held | undefined;
  /** Capabilities of all clients so far. */
  questions?: Questions | undefined;
  /** Connections that are replaced but still in use. */
  readonly aside: Set<Held>;
  failure?: UpstreamError | undefined;
  fault?: ServerFault | undefined;
  /** Failures in a row. */
  failures: number;
  retryAt: number;
  uses: number;
  /** Closes or pings the idle connection. */
  timer?: NodeJS.Timeout | undefined;
  /** Reconnects. */
  retry?: NodeJS.Timeout | undefined;
  /** Connections that are being closed. */
  readonly closing: Set<Promise<void>>;
  readonly end: AbortController;
}

/**
 * Creates the connection of a server. Nothing is started before its first use.
 *
 * @param isEager - whether it stays open after its first use
 */
export function createConnection(server: UpstreamServer, isEager: boolean, options: ConnectionOptions): Connection {
  const known: Known = {
    ...{ failures: 0, retryAt: 0, uses: 0 },
    ...{ aside: new Set<Held>(), closing: new Set<Promise<void>>(), end: new AbortController() },
  };
  const deviates = deviationLog(server.name, options.log);
  const life: Life = { server, isEager, options, known, deviates };
  return {
    ...{ server, deviates },
    use: async (questions, work) => {
      known.uses++;
      clearTimeout(known.timer);
      try {
        return await workOn(life, await take(life, questions), work);
      } finally {
        known.uses--;
        if (known.uses === 0) rest(life);
      }
    },
    drop: (live) => shut(life, live),
    lost: (live, why) => isLost(life, live, why),
    silent: (live, why) => isSilent(life, live, why),
    thrives: () => {
      known.failures = 0;
    },
    standing: () => connectionStanding(known, isEager),
    fault: () => known.fault,
    version: () => known.live?.upstream.info.version,
    restart: async () => {
      clearTimeout(known.retry);
      known.failure = undefined;
      if (known.live) setAside(life, known.live);
      await open(life);
      if (known.uses === 0) rest(life);
    },
    close: async () => {
      clearTimeout(known.timer);
      clearTimeout(known.retry);
      known.end.abort(new Error("toolwright is ending"));
      await known.opening?.then((live) => shut(life, live)).catch(() => undefined);
      for (const live of known.aside) shut(life, live);
      await Promise.all(known.closing);
    },
  };
}

interface Life {
  readonly server: UpstreamServer;
  readonly isEager: boolean;
  readonly options: ConnectionOptions;
  readonly known: Known;
  readonly deviates: (what: Deviation) => void;
}

/** Opens a connection with the capabilities that a caller needs, and counts the use. */
async function take(life: Life, questions: Questions | undefined): Promise<Held> {
  const { known } = life;
  for (;;) {
    known.questions = combinedQuestions(known.questions, questions);
    const live = await open(life);
    // Another caller may have replaced it meanwhile.
    if (known.live !== live) continue;
    if (OLDER.test(live.upstream.protocolVersion) && !isTold(live.questions, questions)) {
      setAside(life, live);
      continue;
    }
    live.uses++;
    return live;
  }
}

async function workOn<T>(life: Life, live: Held, work: (live: LiveConnection) => Promise<T>): Promise<T> {
  try {
    return await work(live);
  } finally {
    live.uses--;
    if (live.uses === 0 && life.known.aside.has(live)) shut(life, live);
  }
}

/** Removes a connection; the next use opens another one. It is closed when it is no longer in use. */
function setAside(life: Life, live: Held): void {
  const { known } = life;
  known.live = undefined;
  known.opening = undefined;
  if (live.uses > 0) known.aside.add(live);
  else shut(life, live);
}

function open(life: Life): Promise<Held> {
  const { known } = life;
  if (known.opening) return known.opening;
  if (known.end.signal.aborted) return Promise.reject(ENDING());
  const wait = known.retryAt - performance.now();
  if (known.failure && wait > 0) return Promise.reject(leftAlone(known.failure, wait));
  const opening = attempt(life);
  known.opening = opening;
  opening.catch(
    guardOf(life)((error: unknown) => {
      known.opening = undefined;
      known.failures++;
      failed(life, isUpstreamError(error) ? error : ours(error), known.failures);
    }),
  );
  return opening;
}

/** Closes the open connection if a listener throws. */
const guardOf = (life: Life): Guard =>
  guardBy((error) => {
    life.options.log().error("upstream connection", { server: life.server.name, error: stackOf(error) });
    if (life.known.live) shut(life, life.known.live);
  });

const ours = (error: unknown): UpstreamError =>
  new UpstreamError("UNAVAILABLE", messageOf(error), "report this to the maintainers of toolwright");

const ENDING = (): UpstreamError => new UpstreamError("UNAVAILABLE", "toolwright is ending", "start it again");

/** The error during backoff: the last failure, and the time of the next attempt. */
const leftAlone = (
  { code, message, remedy, stderr, status, scope, lack, retryAfterMs }: UpstreamError,
  waitMs: number,
): UpstreamError =>
  new UpstreamError(
    code === "UNAUTHENTICATED" ? code : "UNAVAILABLE",
    `${message}; it is tried again in ${Math.ceil(waitMs / 1_000)} s`,
    remedy,
    stderr,
    { status, scope, lack, ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(waitMs) }) },
  );

async function attempt(life: Life): Promise<Held> {
  const { server, options, known } = life;
  const { questions } = known;
  // Imported lazily, so that the start with many servers is as fast as without any.
  const [{ connectUpstream }, { authorizationOf }, { readSnapshot }] = await Promise.all([
    import("./client.js"),
    import("./authorization.js"),
    import("./snapshot.js"),
  ]);
  const authorization = authorizationOf({ root: options.root });
  let live: Held | undefined;
  let lost: UpstreamError | undefined;
  const upstream = await connectUpstream(server, {
    ...{ ...options, authorization, signal: known.end.signal, deviates: life.deviates },
    ...(questions ? { questions } : {}),
    onLost: (why) => {
      lost = why;
      if (live) isLost(life, live, why);
    },
  });
  // It may have ended before `live` is set.
  if (lost) {
    await upstream.close();
    throw lost;
  }
  options.log().debug("upstream connected", { server: server.name, version: upstream.info.version });
  live = {
    ...{ upstream, questions, uses: 0 },
    tools: listing(upstream, () => readSnapshot(server, upstream, AbortSignal.timeout(server.timeoutMs))),
  };
  known.live = live;
  known.failure = undefined;
  return live;
}

/** Handles a connection that ended by itself: the next use reconnects at once, unless it ends again before a success. */
function isLost(life: Life, live: LiveConnection, why: UpstreamError): void {
  const { known } = life;
  if (known.live === live) {
    failed(life, why, known.failures);
    known.failures++;
  }
  shut(life, live);
}

/** Longest time that a process which shows no sign of life is left to itself. */
const PATIENCE_MS = 30_000;

/** Opens another connection at the next use, and closes this one later: its process may be busy with a call that nobody waits for. */
function isSilent(life: Life, live: LiveConnection, why: UpstreamError): void {
  const { known, server } = life;
  const held = known.live;
  if (!held || held !== live) return;
  failed(life, why, known.failures);
  known.failures++;
  held.uses++;
  setAside(life, held);
  const end = guardOf(life)(() => {
    held.uses--;
    if (held.uses === 0) shut(life, held);
  });
  setTimeout(end, Math.min(server.timeoutMs, PATIENCE_MS)).unref();
}

/** Records a failure and starts the backoff; an eager connection reconnects by itself. */
function failed(life: Life, error: UpstreamError, failuresBefore: number): void {
  const { server, options, known } = life;
  const told = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const wait = Math.max(told, waitAfter(failuresBefore, Math.random, options.backoff ?? BACKOFF));
  known.failure = error;
  known.fault = { error, at: Date.now() };
  known.retryAt = performance.now() + wait;
  if (known.end.signal.aborted) return;
  options.log().warn(`server ${server.name} is not connected: ${error.message}`, { retry_ms: wait });
  if (!life.isEager) return;
  clearTimeout(known.retry);
  const again = guardOf(life)(() => void open(life).catch(() => undefined));
  known.retry = setTimeout(again, wait);
  known.retry.unref();
}

/** Closes an open connection; the next use opens another one. */
function shut({ known }: Life, live: LiveConnection): void {
  known.aside.delete(live as Held);
  if (known.live === live) {
    known.live = undefined;
    known.opening = undefined;
  }
  const closing = live.upstream
    .close()
    .catch(() => undefined)
    .finally(() => known.closing.delete(closing));
  known.closing.add(closing);
}

/** Schedules what happens to an idle connection: a child process is ended, an HTTP connection is pinged. */
function rest(life: Life): void {
  const { server, options, known } = life;
  const { live } = known;
  clearTimeout(known.timer);
  if (!live || known.end.signal.aborted) return;
  // Connections of callers are as many as callers, so they are not kept either.
  const isChild = server.endpoint.kind === "stdio" || server.caller !== undefined;
  if (isChild && life.isEager) return;
  const wait = isChild ? (options.idleMs ?? IDLE_MS) : (options.pingMs ?? PING_MS);
  const unused = guardOf(life)(() => {
    if (known.live !== live || known.uses > 0) return undefined;
    return isChild ? shut(life, live) : ping(life, live);
  });
  known.timer = setTimeout(unused, wait);
  known.timer.unref();
}

/**
 * Versions of the older protocols. The newer one has no ping and no session, and declares the client's capabilities in
 * each request.
 */
const OLDER = /^202[0-5]-/;

async function ping(life: Life, live: LiveConnection): Promise<void> {
  const { known } = life;
  const { upstream } = live;
  if (!OLDER.test(upstream.protocolVersion)) return;
  try {
    if (BARE_RESULT in (await upstream.request("ping"))) life.deviates("ping");
  } catch (error) {
    if (known.live !== live || known.end.signal.aborted) return;
    if (isSessionGone(upstream, error) || !isAnswered(error)) return isLost(life, live, upstream.explain(error));
    life.deviates("ping");
  }
  if (known.uses === 0) rest(life);
}
