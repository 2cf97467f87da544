/** The servers that share a database: each says every few seconds that it is there, and what it serves. */

import { sql } from "kysely";
import type { Logger } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { untilDone, withinStateMs } from "./deadline.js";
import type { Notifier } from "./notifier.js";
import type { State } from "./open.js";
import { queries } from "./schema.js";

/** A server. */
export interface Replica {
  readonly id: string;
  /** Host and process. */
  readonly name: string;
  /** Of toolwright. */
  readonly version: string;
  /** Digest of the configuration and registry that it serves. */
  readonly digest: string;
  /** Most connections of its pool. */
  readonly pool: number;
}

/** The servers of one database. */
export interface Replicas {
  /** This server as others see it; undefined before the database was asked, and where it is not shared. */
  own(): Replica | undefined;
  /** The other servers, as far as is known. */
  others(): readonly Replica[];
  /** Whether messages of others are pushed; undefined before the database was asked. */
  isPushed(): boolean | undefined;
  /** Number of servers, this one included. */
  count(): number;
  /** Stores the digest of what this server serves now, and tells the others. */
  serve(digest: string): void;
  /** Calls back when another server tells what it serves. */
  onServed(listener: (digest: string) => void): () => void;
  /** Leaves. */
  close(): Promise<void>;
}

/** Dependencies of the replicas. */
export interface ReplicasParts {
  readonly state: () => Promise<State>;
  readonly name: string;
  readonly version: string;
  readonly log: Logger;
}

/** How often a server says that it is there, after which it counts as gone, and when its row is deleted. */
const BEAT_MS = 5000;
const GONE_S = 16;
const DELETED_S = 120;
const STATEMENT_MS = 2000;
/** How long the end waits for the database. */
const CLOSE_MS = 500;

/** The servers whose rows are fresh. @throws ToolFailure UNAVAILABLE */
export const liveReplicas = async (state: State): Promise<readonly Replica[]> =>
  (await state.shared?.once((db) =>
    db
      .selectFrom("server_replicas")
      .select(["id", "name", "version", "digest", "pool"])
      .where(sql<boolean>`seen_at > clock_timestamp() - make_interval(secs => ${GONE_S})`)
      .orderBy("name")
      .execute(),
  )) ?? [];

/** What this server knows of all. */
interface Known {
  own: Replica | undefined;
  others: readonly Replica[];
  /** Digest of what it serves, and the digest that the others were told. */
  digest: string;
  told: string;
}

/** Joins at the first `serve`. A database that one server has to itself has no others. */
export function joinReplicas(parts: ReplicasParts): Replicas {
  const { state, log } = parts;
  const known: Known = { own: undefined, others: [], digest: "", told: "" };
  const ended = new AbortController();
  const warnOfOthers = differing(log);
  const { joined, ...hearing } = createHearing(known, () => lookAgain());
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const lookAgain = (): Promise<unknown> => {
    last = last.then(() => (ended.signal.aborted ? undefined : look(parts, known, joined)));
    return last;
  };
  const beat = async (): Promise<void> => {
    await lookAgain();
    if (known.own) warnOfOthers(known.own, known.others);
    clearTimeout(timer);
    if (!ended.signal.aborted) timer = setTimeout(() => void beat(), BEAT_MS).unref();
  };
  return {
    own: () => known.own,
    others: () => known.others,
    ...hearing,
    count: () => 1 + known.others.length,
    serve(digest) {
      known.digest = digest;
      void beat();
    },
    async close() {
      ended.abort();
      clearTimeout(timer);
      hearing.stop();
      const gone = last.then(async () => known.own && leave(await state(), known.own.id));
      // The row of a server that could not leave counts for some seconds.
      await untilDone(gone, CLOSE_MS);
    },
  };
}

/** Hears what other servers serve. */
function createHearing(known: Known, look: () => Promise<unknown>) {
  const listeners = new Set<(digest: string) => void>();
  let notifier: Notifier | undefined;
  let stop: (() => void) | undefined;
  const heard = (payload: string): void => {
    const [sender, digest = ""] = payload.split(" ");
    if (sender === known.own?.id) return;
    for (const listener of listeners) listener(digest);
    void look();
  };
  return {
    joined(open: State): void {
      ({ notifier } = open);
      stop ??= notifier.on("configuration", heard);
    },
    isPushed: () => notifier?.isPushed(),
    onServed(listener: (digest: string) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => stop?.(),
  };
}

/** Says that this server is there, tells the others what it serves if that has changed, and reads who else is there. */
async function look({ state, name, version, log }: ReplicasParts, known: Known, joined: (state: State) => void) {
  try {
    const open = await state();
    if (!open.shared) return;
    joined(open);
    const { digest } = known;
    const own = { id: open.notifier.id, name, version, digest, pool: open.shared.pool };
    known.own = own;
    await withinStateMs(STATEMENT_MS, () => stay(open, own, known.told !== digest));
    known.told = digest;
    await withinStateMs(STATEMENT_MS, () => open.shared?.clock.measure() ?? Promise.resolve(0));
    known.others = (await withinStateMs(STATEMENT_MS, () => liveReplicas(open))).filter(({ id }) => id !== own.id);
  } catch (error) {
    log.debug("other servers are not known", { error: messageOf(error) });
  }
}

/** Warns of servers that serve something else, once they have done so for some seconds; a reload may be under way. */
function differing(log: Logger) {
  let [before, warned] = ["", ""];
  return (own: Replica, others: readonly Replica[]): void => {
    const found = others.filter(({ digest }) => digest !== own.digest);
    const key = JSON.stringify(found.map(({ id, digest }) => [id, digest, own.digest]));
    if (found.length > 0 && key === before && key !== warned) {
      warned = key;
      const servers = found.map(({ name, version }) => `${name} (toolwright ${version})`).join(", ");
      log.warn("other servers of this database have another configuration or generated/: deploy the same to all", {
        servers,
      });
    }
    before = key;
  };
}

/**
 * Stores that a server is there, and deletes rows of servers that left without saying so.
 *
 * @param isNew whether the others are told what it serves
 */
const stay = (state: State, { id, name, version, digest, pool }: Replica, isNew: boolean): Promise<void> =>
  state.transaction("write", async (tx) => {
    const now = sql<Date>`clock_timestamp()`;
    const db = queries(tx);
    await db
      .insertInto("server_replicas")
      .values({ id, name, version, digest, pool, seen_at: now })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ digest, pool, seen_at: now }))
      .execute();
    if (isNew) await state.send(tx, { topic: "configuration", payload: `${id} ${digest}` });
    else
      await db
        .deleteFrom("server_replicas")
        .where(sql<boolean>`seen_at < clock_timestamp() - make_interval(secs => ${DELETED_S})`)
        .execute();
  });

const leave = (state: State, id: string): Promise<unknown> =>
  withinStateMs(STATEMENT_MS, () =>
    state.transaction("write", (tx) => queries(tx).deleteFrom("server_replicas").where("id", "=", id).execute()),
  );
