/**
 * Messages between servers on one PostgreSQL: a row and a NOTIFY, in the transaction of the sender. A connection of its
 * own listens. Where it does not deliver, as behind PgBouncer in transaction mode, the rows are polled; they are also
 * read after a connection broke, so that no message is lost.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Client } from "pg";
import { isObject } from "../contract/json.js";
import { messageOf } from "../contract/thrown.js";
import { listenersUp } from "../metrics/operations.js";
import { inTime, untilDone, withinStateMs } from "./deadline.js";
import { createHub, type MessageHub, type Notifier, type NotifierMessage, POLL_MS, type Topic } from "./notifier.js";
import type { Database } from "./schema.js";

/** PostgreSQL refuses a payload of NOTIFY of 8000 bytes; a longer message is read from its row. */
const MAX_NOTIFY_BYTES = 4000;
/** How long rows of messages are read again: longer than a transaction takes from sending to its commit. */
const WINDOW_S = 60;
/** After that, rows are deleted; how often. */
const KEPT_S = 180;
const SWEEP_MS = 60_000;
/** How long a connection that answers may take to deliver the nonce of its test. */
const TEST_MS = 1500;
/** How often the listening connection is asked for a sign of life, and how long an answer counts. */
const BEAT_MS = 1000;
const ALIVE_MS = 2500;
/** Pauses before another connection is tried: after a failure, doubled each time; where it does not deliver. */
const RETRY_MS = 100;
const MAX_RETRY_MS = 5000;
const RETEST_MS = 30_000;
/** Time limit of a statement. */
const STATEMENT_MS = 2000;
const CONNECT_MS = 5000;
/** How long the end waits for a statement. */
const CLOSE_MS = 300;

/** Statements that are their own transactions. */
type Once = <T>(work: (db: Kysely<Database>) => Promise<T>) => Promise<T>;

/** Dependencies of the notifier. */
export interface PostgresNotifierParts {
  /** Runs statements on the pool. */
  readonly once: Once;
  /** Makes a connection that can listen. */
  readonly connect: () => Client;
  /** Called once if the connection does not deliver. */
  readonly warn: (message: string) => void;
}

/** A notifier that can be closed. */
export interface PostgresNotifier {
  readonly notifier: Notifier;
  /** Closes the connection that listens for a while, because the database has none left for calls. */
  giveWay(): void;
  close(): Promise<void>;
}

/** The channel of the schema that holds the tables: servers in other schemas of the database have others. */
const CHANNEL = sql<string>`concat('toolwright_', md5(current_schema()))`;

/** Sends a message when the transaction commits. */
export async function sendMessage(db: Kysely<Database>, message: NotifierMessage): Promise<void> {
  const { topic, payload, receiver = "" } = message;
  const id = randomUUID();
  const whole = JSON.stringify({ id, ...message });
  const sent = Buffer.byteLength(whole) <= MAX_NOTIFY_BYTES ? whole : JSON.stringify({ id, receiver });
  await sql`with stored as (insert into server_messages (id, topic, receiver, payload, at)
    values (${id}, ${topic}, ${receiver}, ${payload}, clock_timestamp()) returning 1)
    select pg_notify(${CHANNEL}, ${sent}) from stored`.execute(db);
}

/** Notifies listeners of a nonce, which shows whether they can hear. */
async function sendNonce(db: Kysely<Database>, nonce: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ nonce })})`.execute(db);
}

const broken = (): never => {
  throw new Error("the listening connection broke");
};

/** A listening connection. */
interface Listening {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** Whether a nonce arrives on it. @throws Error if it breaks */
  delivers(send: (nonce: string) => Promise<void>): Promise<boolean>;
  /** @throws Error if it does not answer */
  ask(): Promise<void>;
  destroy(): void;
}

/** What a listening connection reports to, and what ends it. */
interface Hearing {
  readonly heard: (payload: string) => void;
  readonly closed: AbortSignal;
}

/** Connects, and listens. */
async function listen(client: Client, channel: string, { heard, closed }: Hearing): Promise<Listening> {
  const nonces = new Map<string, () => void>();
  const ended = new Promise<void>((resolve) => {
    client.once("end", resolve);
    // Without a listener an error would end the process.
    client.on("error", () => resolve());
  });
  client.on("notification", ({ payload = "" }) => {
    const [, nonce] = /^\{"nonce":"([\w-]+)"\}$/.exec(payload) ?? [];
    if (nonce === undefined) heard(payload);
    else nonces.get(nonce)?.();
  });
  const destroy = (): void => {
    closed.removeEventListener("abort", destroy);
    client.connection.stream.destroy();
  };
  closed.addEventListener("abort", destroy, { once: true });
  const late = (): Error => new Error("the listening connection does not answer");
  const ask = async (text: string): Promise<void> => {
    const asked = client.query(text);
    asked.catch(() => undefined);
    await inTime(asked, STATEMENT_MS, late);
  };
  try {
    await client.connect();
    await ask(`listen ${channel}`);
  } catch (error) {
    destroy();
    throw error;
  }
  return {
    ended,
    ask: () => ask("select 1"),
    destroy,
    async delivers(send) {
      const nonce = randomUUID();
      const arrived = new Promise<boolean>((resolve) => nonces.set(nonce, () => resolve(true)));
      await send(nonce);
      // A slow database delivers before it answers.
      await ask("select 1");
      return Promise.race([arrived, ended.then(broken), sleep(TEST_MS, false, { ref: false })]);
    },
  };
}

/**
 * Whether a connection delivers what is sent on the pool.
 *
 * @throws the error of a database that is out of reach
 */
export async function deliversOn({ once, connect }: Omit<PostgresNotifierParts, "warn">): Promise<boolean> {
  const channel = await channelOf(once);
  const { signal: closed } = new AbortController();
  const connection = await listen(connect(), channel, { heard: () => undefined, closed });
  try {
    return await connection.delivers((nonce) => once((db) => sendNonce(db, nonce)));
  } finally {
    connection.destroy();
  }
}

async function channelOf(once: Once): Promise<string> {
  const { rows } = await once((db) => sql<{ channel: string }>`select ${CHANNEL} as channel`.execute(db));
  return rows[0]?.channel ?? "";
}

/** A notification; undefined for one that no server has sent. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Ids of the latest messages for a server, in their order. */
const latestIds = async (once: Once, receiver: string): Promise<readonly string[]> => {
  const isLate = sql<boolean>`at > clock_timestamp() - make_interval(secs => ${WINDOW_S})`;
  const rows = await withinStateMs(STATEMENT_MS, () =>
    once((db) =>
      db
        .selectFrom("server_messages")
        .select("id")
        .where(isLate)
        .where("receiver", "in", ["", receiver])
        .orderBy("at")
        .execute(),
    ),
  );
  return rows.map(({ id }) => id);
};

/** Reads messages for a server, each once. */
function createReader(once: Once, { id: ownId, deliver }: Pick<MessageHub, "id" | "deliver">) {
  const seen = new Set<string>();
  let before: readonly string[] = [];
  let isBegun = false;
  const take = (id: string, message: NotifierMessage): void => {
    if (seen.has(id)) return;
    seen.add(id);
    deliver(message);
  };
  const deliverRow = async (id: string): Promise<void> => {
    if (seen.has(id)) return;
    const row = await withinStateMs(STATEMENT_MS, () =>
      once((db) => db.selectFrom("server_messages").selectAll().where("id", "=", id).executeTakeFirst()),
    );
    if (row) take(id, { topic: row.topic as Topic, payload: row.payload });
  };
  return {
    /** Ignores the messages that are there; the first time only. */
    async begin(): Promise<void> {
      if (isBegun) return;
      for (const id of await latestIds(once, ownId)) seen.add(id);
      isBegun = true;
    },
    /** Delivers the messages that are there and were not delivered. */
    async poll(): Promise<void> {
      if (!isBegun) return;
      for (const id of await latestIds(once, ownId)) await deliverRow(id);
    },
    /** Delivers a notification; the row of a long one is read, if it is for this server. */
    async heard(text: string): Promise<void> {
      const told = parsed(text);
      if (!isObject(told) || typeof told["id"] !== "string") return;
      const { id, topic, payload, receiver } = told;
      if (receiver && receiver !== ownId) return;
      if (typeof payload === "string") take(id, { topic: topic as Topic, payload });
      else await deliverRow(id);
    },
    /** Deletes old rows, those of questions too, and forgets messages. */
    async sweep(): Promise<void> {
      for (const id of before) seen.delete(id);
      before = [...seen];
      const old = sql<boolean>`at < clock_timestamp() - make_interval(secs => ${KEPT_S})`;
      await withinStateMs(STATEMENT_MS, () => once((db) => db.deleteFrom("server_messages").where(old).execute()));
      const over = sql<boolean>`expires_at < clock_timestamp()`;
      await withinStateMs(STATEMENT_MS, () => once((db) => db.deleteFrom("server_questions").where(over).execute()));
    },
  };
}

/** What listening and polling work with. */
interface Work extends PostgresNotifierParts {
  readonly hub: MessageHub;
  readonly reader: ReturnType<typeof createReader>;
  readonly closed: AbortSignal;
}

/** Waits, but not after the end. */
const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);

/**
 * Follows a connection that delivers until it breaks.
 *
 * @param answered called with the time at which a connection that has answered was asked
 */
async function follow(connection: Listening, { reader, hub, closed }: Work, answered: (at: number) => void) {
  await reader.poll();
  hub.gap();
  listenersUp(1);
  try {
    while (!closed.aborted) {
      const at = performance.now();
      await connection.ask();
      answered(at);
      if (await Promise.race([connection.ended.then(() => true), pause(BEAT_MS, closed).then(() => false)])) return;
    }
  } finally {
    listenersUp(-1);
  }
}

/** Warns the first time, with the remedy. */
function warningOnce(warn: (message: string) => void, closed: AbortSignal): (message: string) => void {
  let isWarned = false;
  return (message) => {
    if (!isWarned && !closed.aborted) warn(`${message}. ${REMEDY}`);
    isWarned = true;
  };
}

/** Keeps a connection that listens. */
function createListener(work: Work) {
  const { once, connect, warn, hub, reader, closed } = work;
  let current: Listening | undefined;
  let pushedUntil = Number.NEGATIVE_INFINITY;
  const warnOnce = warningOnce(warn, closed);
  const heard = (payload: string): void => {
    // What cannot be read now is read once there is another connection.
    reader.heard(payload).catch(() => current?.destroy());
  };
  /** @returns whether the connection delivered until it broke */
  const listenOnce = async (channel: string): Promise<boolean> => {
    const connection = await listen(connect(), channel, { heard, closed });
    current = connection;
    try {
      const delivers = await connection.delivers((nonce) => once((db) => sendNonce(db, nonce)));
      if (delivers)
        await follow(connection, work, (at) => {
          pushedUntil = at + ALIVE_MS;
        });
      return delivers;
    } finally {
      connection.destroy();
      pushedUntil = Number.NEGATIVE_INFINITY;
      hub.gap();
    }
  };
  let yieldedUntil = Number.NEGATIVE_INFINITY;
  return {
    isPushed: () => performance.now() < pushedUntil,
    /** Gives the connection to a call, which found none left. */
    giveWay(): void {
      yieldedUntil = performance.now() + RETEST_MS;
      warnOnce("the database has no connection left for listening");
      current?.destroy();
    },
    async keep(): Promise<void> {
      let retryMs = RETRY_MS;
      while (!closed.aborted)
        try {
          await pause(Math.max(0, yieldedUntil - performance.now()), closed);
          await reader.begin();
          const delivered = await listenOnce(await channelOf(once));
          if (!delivered) warnOnce(NOT_DELIVERED);
          retryMs = RETRY_MS;
          await pause(delivered ? RETRY_MS : RETEST_MS, closed);
        } catch (error) {
          if (retryMs === MAX_RETRY_MS) warnOnce(`there is no connection that listens: ${messageOf(error)}`);
          await pause(retryMs, closed);
          retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
        }
    },
  };
}

/** Polls for messages while they are not pushed, and deletes old ones. */
async function keepPolling({ reader, closed }: Work, isPushed: () => boolean): Promise<void> {
  let sweptAt = performance.now();
  while (!closed.aborted) {
    await pause(POLL_MS, closed);
    if (closed.aborted) return;
    const isDue = performance.now() - sweptAt > SWEEP_MS;
    if (isDue) sweptAt = performance.now();
    // A database that is out of reach is asked again at the next turn.
    if (isDue) await reader.sweep().catch(() => undefined);
    if (!isPushed()) await reader.poll().catch(() => undefined);
  }
}

/** Creates the notifier of a database. It connects at the first listener, and again whenever the connection breaks. */
export function postgresNotifier(parts: PostgresNotifierParts): PostgresNotifier {
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const hub = createHub(() => {
    running = Promise.all([listener.keep(), keepPolling(work, listener.isPushed)]);
  });
  const work = { ...parts, hub, reader: createReader(parts.once, hub), closed: closing.signal };
  const listener = createListener(work);
  const { deliver: _, gap: __, ...notifier } = hub;
  return {
    notifier: { ...notifier, isPushed: listener.isPushed },
    giveWay: listener.giveWay,
    async close() {
      closing.abort();
      // A statement that is under way ends with the pool.
      await untilDone(running, CLOSE_MS);
    },
  };
}

/** Creates a connection for listening; `pg` connects it. */
export const listeningClient = (pg: { readonly Client: typeof Client }, url: string): Client =>
  new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "toolwright listen",
  });

const REMEDY =
  "Messages between servers are polled each second: set state.listen_url to a PostgreSQL URL that leads to the database without a pooler in transaction mode";
const NOT_DELIVERED = "notifications of PostgreSQL do not arrive on the connection that listens";
