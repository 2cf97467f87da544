/**
 * The connection to one upstream server over its life: opened at the first call, kept while it is used, closed when nobody has
 * used it for a while, opened again after it was lost, and left alone for a time where that fails.
 */

import { type Guard, guardBy, stackOf } from "../contract/guard.js";
import type { Logger } from "../contract/handler.js";
import { messageOf } from "../contract/message-of.js";
import type { Server } from "../mcp/servers.js";
import type { Snapshot } from "../mcp/snapshot.js";
import type { Questions, Upstream } from "../mcp/upstream.js";
import { isUpstreamError, UpstreamError } from "../mcp/upstream-error.js";
import { BACKOFF, type Backoff, waitAfter } from "./backoff.js";
import { both, isTold } from "./questions.js";

/** What every connection is opened with. */
export interface ConnectionOptions {
  /** The working folder of stdio servers, which holds `.onetool/`. */
  readonly root: string;
  /** Our version, as servers see it. */
  readonly version: string;
  readonly log: () => Logger;
  /** How long an unused child process stays. */
  readonly idleMs?: number;
  /** How often an unused connection over HTTP is tried, where the protocol has a ping. */
  readonly pingMs?: number;
  readonly backoff?: Backoff;
  readonly messageBytes?: number;
  /** Time that each step of ending a child process may take. */
  readonly graceMs?: number;
}

/** An open connection with the tools that the server offers. */
export interface Live {
  readonly upstream: Upstream;
  /** The tools as they are; read again after the server has said that they changed. */
  tools(): Promise<Snapshot>;
}

/** How a server stands. */
export interface Standing {
  /** `idle` has not been needed so far, or not for a while; one that is to be there is never idle. */
  readonly state: "connected" | "idle" | "disconnected";
  /** Why it is not connected. */
  readonly error?: UpstreamError;
  /** Milliseconds until it is tried again. */
  readonly retryMs?: number;
}

/** One server. */
export interface Connection {
  readonly server: Server;
  /**
   * Uses the connection; it stays open meanwhile. One whose server was not told of everything that `questions` can answer is replaced,
   * and closed after its last use: in the older protocols that is said once, at the start.
   *
   * @throws UpstreamError at once while the server is left alone after a failure
   */
  use<T>(questions: Questions | undefined, work: (live: Live) => Promise<T>): Promise<T>;
  /** Gives up an open connection that turned out to be of no use. */
  drop(live: Live): void;
  /** Says that nobody was there any more at the other end. */
  lost(live: Live, why: UpstreamError): void;
  /** Says that the server does what it is there for, so that its next failure counts as the first. */
  thrives(): void;
  standing(): Standing;
  /** Ends it for good; resolves when no process is left. */
  close(): Promise<void>;
}

const IDLE_MS = 300_000;
const PING_MS = 60_000;
/** A server may ask to be left alone that long. */
const MOST_TOLD_MS = 300_000;

/** An open connection, and what it was opened with. */
interface Held extends Live {
  readonly questions: Questions | undefined;
  uses: number;
}

/** What is known of one server so far. */
interface Known {
  /** The connection, or the attempt to open it. */
  opening?: Promise<Held> | undefined;
  /** Set once it is open. */
  live?: Held | undefined;
  /** What the server may ask of any client so far. */
  questions?: Questions | undefined;
  /** Replaced, and still in use. */
  readonly aside: Set<Held>;
  failure?: UpstreamError | undefined;
  /** In a row. */
  failures: number;
  retryAt: number;
  uses: number;
  /** Ends it, or tries it, after a while without use. */
  timer?: NodeJS.Timeout | undefined;
  /** Opens it again. */
  retry?: NodeJS.Timeout | undefined;
  /** Everything that is being closed. */
  readonly closing: Set<Promise<void>>;
  readonly end: AbortController;
}

/**
 * Makes the connection of a server. Nothing is started before it is used.
 *
 * @param isEager whether it stays open, once it was used
 */
export function createConnection(server: Server, isEager: boolean, options: ConnectionOptions): Connection {
  const known: Known = {
    ...{ failures: 0, retryAt: 0, uses: 0 },
    ...{ aside: new Set<Held>(), closing: new Set<Promise<void>>(), end: new AbortController() },
  };
  const life: Life = { server, isEager, options, known };
  return {
    server,
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
    thrives: () => {
      known.failures = 0;
    },
    standing: () => standingOf(known, isEager),
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
  readonly server: Server;
  readonly isEager: boolean;
  readonly options: ConnectionOptions;
  readonly known: Known;
}

function standingOf({ live, failure, retryAt }: Known, isEager: boolean): Standing {
  if (live) return { state: "connected" };
  if (!failure) return { state: isEager ? "disconnected" : "idle" };
  return { state: "disconnected", error: failure, retryMs: Math.max(0, Math.round(retryAt - performance.now())) };
}

/** Opens what a caller needs, and counts it as used. */
async function take(life: Life, questions: Questions | undefined): Promise<Held> {
  const { known } = life;
  for (;;) {
    known.questions = both(known.questions, questions);
    const live = await open(life);
    // Whoever waited beside us may have replaced it.
    if (known.live !== live) continue;
    if (OLDER.test(live.upstream.protocolVersion) && !isTold(live.questions, questions)) {
      setAside(life, live);
      continue;
    }
    live.uses++;
    return live;
  }
}

async function workOn<T>(life: Life, live: Held, work: (live: Live) => Promise<T>): Promise<T> {
  try {
    return await work(live);
  } finally {
    live.uses--;
    if (live.uses === 0 && life.known.aside.has(live)) shut(life, live);
  }
}

/** The next use opens another one; this one is closed when nobody uses it. */
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

/** A listener that throws ends the open connection, and the next use opens another one. */
const guardOf = (life: Life): Guard =>
  guardBy((error) => {
    life.options.log().error("upstream connection", { server: life.server.name, error: stackOf(error) });
    if (life.known.live) shut(life, life.known.live);
  });

const ours = (error: unknown): UpstreamError =>
  new UpstreamError("UNAVAILABLE", messageOf(error), "report this to whoever maintains toolwright");

const ENDING = (): UpstreamError => new UpstreamError("UNAVAILABLE", "toolwright is ending", "start it again");

/** Why a server is not tried, and when it is. */
const leftAlone = (
  { code, message, remedy, stderr, status, retryAfterMs }: UpstreamError,
  waitMs: number,
): UpstreamError =>
  new UpstreamError(
    code === "UNAUTHENTICATED" ? code : "UNAVAILABLE",
    `${message}; it is tried again in ${Math.ceil(waitMs / 1_000)} s`,
    remedy,
    stderr,
    { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(waitMs) }) },
  );

async function attempt(life: Life): Promise<Held> {
  const { server, options, known } = life;
  const { questions } = known;
  // Imported here, so that a start with many servers costs no more than one without.
  const [{ connect }, { authorizationOf }, { readSnapshot }] = await Promise.all([
    import("../mcp/upstream.js"),
    import("../mcp/upstream-auth.js"),
    import("../mcp/snapshot.js"),
  ]);
  const authorization = authorizationOf({ root: options.root });
  const { root, version, messageBytes, graceMs, log } = options;
  let live: Held | undefined;
  let lost: UpstreamError | undefined;
  const upstream = await connect(server, {
    ...{ root, version, authorization, signal: known.end.signal },
    ...(messageBytes === undefined ? {} : { messageBytes }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(questions ? { questions } : {}),
    onLost: (why) => {
      lost = why;
      if (live) isLost(life, live, why);
    },
  });
  // It may be gone before anybody has heard that it is there.
  if (lost) {
    await upstream.close();
    throw lost;
  }
  log().debug("upstream connected", { server: server.name, version: upstream.info.version });
  live = {
    ...{ upstream, questions, uses: 0 },
    tools: listing(upstream, () => readSnapshot(server, upstream, AbortSignal.timeout(server.timeoutMs))),
  };
  known.live = live;
  known.failure = undefined;
  return live;
}

/** An open connection has ended by itself: the next use may try again at once, unless it ends again before it was of use. */
function isLost(life: Life, live: Live, why: UpstreamError): void {
  const { known } = life;
  if (known.live === live) {
    failed(life, why, known.failures);
    known.failures++;
  }
  shut(life, live);
}

/** Reads the list when it is first wanted, and again when it changed since; who asks meanwhile waits for the same reading. */
function listing(upstream: Upstream, read: () => Promise<Snapshot>): () => Promise<Snapshot> {
  let at = -1;
  let reading: Promise<Snapshot> | undefined;
  return () => {
    const changes = upstream.listChanges();
    if (reading && at === changes) return reading;
    at = changes;
    const started = read();
    reading = started;
    started.then(
      () => {
        // Changes that came while it was read are in it already.
        if (reading === started) at = upstream.listChanges();
      },
      () => {
        if (reading === started) reading = undefined;
      },
    );
    return started;
  };
}

/** Notes a failure, and how long the server is left alone after it; one that is to be there is tried again by itself. */
function failed(life: Life, error: UpstreamError, failuresBefore: number): void {
  const { server, options, known } = life;
  const told = Math.min(error.retryAfterMs ?? 0, MOST_TOLD_MS);
  const wait = Math.max(told, waitAfter(failuresBefore, Math.random, options.backoff ?? BACKOFF));
  known.failure = error;
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
function shut({ known }: Life, live: Live): void {
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

/** Nobody uses it: a child process ends after a while, a connection over HTTP is tried from time to time. */
function rest(life: Life): void {
  const { server, options, known } = life;
  const { live } = known;
  clearTimeout(known.timer);
  if (!live || known.end.signal.aborted) return;
  const isChild = server.door.kind === "stdio";
  if (isChild && life.isEager) return;
  const wait = isChild ? (options.idleMs ?? IDLE_MS) : (options.pingMs ?? PING_MS);
  const unused = guardOf(life)(() => {
    if (known.live !== live || known.uses > 0) return undefined;
    return isChild ? shut(life, live) : ping(life, live);
  });
  known.timer = setTimeout(unused, wait);
  known.timer.unref();
}

/** The newer protocol has no ping, no session that could end, and says with each request what the client can answer. */
const OLDER = /^202[0-5]-/;

async function ping(life: Life, live: Live): Promise<void> {
  const { known } = life;
  const { upstream } = live;
  if (!OLDER.test(upstream.protocolVersion)) return;
  try {
    await upstream.request("ping");
  } catch (error) {
    if (known.live !== live || known.end.signal.aborted) return;
    return isLost(life, live, upstream.explain(error));
  }
  if (known.uses === 0) rest(life);
}
