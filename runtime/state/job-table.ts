/**
 * The table of jobs: what must run later or again. Each statement computes with the clock of the database, so that the
 * clocks of servers do not matter. A statement about a running job names its owner and fence: a worker whose lease has
 * ended changes nothing.
 */

import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../contract/handler.js";
import type { State } from "./open.js";
import { type JobRow, type Queries, queries } from "./schema.js";

/** A job to add. */
export interface NewJob {
  readonly kind: string;
  /** At most one job of the kind has this key, until the job has ended or was dropped; default: none. */
  readonly key?: string | undefined;
  /** JSON of at most {@link MAX_PAYLOAD_BYTES}; default: null. */
  readonly payload?: unknown;
  /** Time until it is due, in milliseconds; default 0. */
  readonly delayMs?: number | undefined;
  /** Makes it a recurring job, due again so long after each end. It needs a key. */
  readonly everyMs?: number | undefined;
  /** Attempts before it becomes a dead letter; default {@link MAX_ATTEMPTS}. A recurring job then waits for its next turn. */
  readonly maxAttempts?: number | undefined;
}

/** A job that a worker has leased. */
export type LeasedJob = Pick<JobRow, "id" | "kind" | "payload" | "every_ms" | "attempts" | "max_attempts" | "fence"> & {
  readonly owner: string;
};

/** Longest payload. More data belongs in a table of its own, and its id in the payload. */
export const MAX_PAYLOAD_BYTES = 16 * 1024;
/** Longest kind and key, in characters. */
const MAX_NAME_LENGTH = 200;
/** Attempts by default: with the pauses between them, up to half an hour. */
const MAX_ATTEMPTS = 12;

/** The time of the database, in milliseconds since the epoch. */
export const nowIn = ({ shared }: Pick<State, "shared">): RawBuilder<number> =>
  shared
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`;

/** A time from now on, in whole milliseconds. */
const later = (state: Pick<State, "shared">, ms: number): RawBuilder<number> =>
  sql<number>`${nowIn(state)} + ${sql.lit(Math.ceil(ms))}`;

/** Runs one statement, in a transaction of its own. */
const once = <T>(state: State, work: (db: Queries) => Promise<T>): Promise<T> =>
  state.shared ? state.shared.once(work) : state.transaction("write", (tx) => work(queries(tx)));

/** Wakes the workers of all servers after the commit. */
const wake = (state: Pick<State, "send">, tx: Transaction, kind: string): Promise<void> =>
  state.send(tx, { topic: "jobs", payload: kind });

function requireShort({ kind, key = "" }: NewJob, payload: string): void {
  for (const [what, text] of Object.entries({ kind, key }))
    if (text.length > MAX_NAME_LENGTH)
      throw new Error(`the ${what} of a job has at most ${MAX_NAME_LENGTH} characters, not ${text.length}`);
  const bytes = Buffer.byteLength(payload);
  if (bytes > MAX_PAYLOAD_BYTES)
    throw new Error(
      `the payload of a job ${kind} has at most ${MAX_PAYLOAD_BYTES} bytes, not ${bytes}: store the data in a table, and its id in the payload`,
    );
}

/**
 * Adds a job when the transaction commits. Call it last in the transaction: it sends a message.
 *
 * @returns false if the key is taken, also by a dead letter. The job that has it stays as it is; a recurring one takes
 * the new interval
 * @throws Error if kind, key or payload are too long
 * @example
 * await state.transaction("write", async (tx) => {
 *   await addJob(state, tx, { kind: "mail", key: order.id, payload: { order: order.id }, delayMs: 60_000 });
 * });
 */
export async function addJob(state: Pick<State, "shared" | "send">, tx: Transaction, job: NewJob): Promise<boolean> {
  const { kind, key = null, delayMs = 0, everyMs, maxAttempts = MAX_ATTEMPTS } = job;
  const payload = JSON.stringify(job.payload ?? null);
  requireShort(job, payload);
  if (everyMs !== undefined && key === null) throw new Error(`the recurring job ${kind} has no key`);
  const id = randomUUID();
  const row = { id, kind, unique_key: key, payload, every_ms: everyMs ?? null, run_at: later(state, delayMs) };
  const found = await queries(tx)
    .insertInto("jobs")
    .values({ ...row, attempts: 0, max_attempts: maxAttempts, fence: 0 })
    .onConflict((conflict) => {
      const taken = conflict.columns(["kind", "unique_key"]);
      if (everyMs === undefined) return taken.doNothing();
      const latest = later(state, everyMs);
      const run_at = sql<number>`case when jobs.run_at > ${latest} then ${latest} else jobs.run_at end`;
      return taken.doUpdateSet({ every_ms: everyMs, run_at }).where("jobs.every_ms", "is distinct from", everyMs);
    })
    .returning("id")
    .executeTakeFirst();
  if (found) await wake(state, tx, kind);
  return found?.id === id;
}

/** What a worker takes. */
export interface JobClaim {
  readonly owner: string;
  readonly kinds: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
}

/** Leases due jobs, those whose lease has ended too, the longest due first. Counts an attempt of each. */
export async function claimJobs(state: State, claim: JobClaim): Promise<readonly LeasedJob[]> {
  const { owner, kinds, limit, leaseMs } = claim;
  const now = nowIn(state);
  const leased = await once(state, (db) =>
    db
      .with("due", (cte) =>
        cte
          .selectFrom("jobs")
          .select("id")
          .where("dead_at", "is", null)
          .where("run_at", "<=", now)
          .where("kind", "in", kinds)
          .where(({ or, eb }) => or([eb("lease_until", "is", null), eb("lease_until", "<=", now)]))
          .orderBy("run_at")
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .updateTable("jobs")
      .set(({ eb }) => ({
        owner,
        lease_until: later(state, leaseMs),
        fence: eb("fence", "+", 1),
        attempts: eb("attempts", "+", 1),
      }))
      .where("id", "in", (eb) => eb.selectFrom("due").select("due.id"))
      .returning(["id", "kind", "payload", "every_ms", "attempts", "max_attempts", "fence"])
      .execute(),
  );
  return leased.map((job) => ({ ...job, owner }));
}

/** Milliseconds until a job of these kinds is due, or its lease ends; undefined if there is none. */
export async function nextJobMs(state: State, kinds: readonly string[]): Promise<number | undefined> {
  const now = nowIn(state);
  const times = await state.transaction("read", async (tx) => {
    const jobs = queries(tx).selectFrom("jobs").where("kind", "in", kinds).limit(1);
    const [due, lease] = [
      // One that has become due since the last look, too.
      jobs.select(sql<number>`run_at - ${now}`.as("ms")).where("dead_at", "is", null).where("lease_until", "is", null),
      jobs.select(sql<number>`lease_until - ${now}`.as("ms")).where("lease_until", "is not", null),
    ];
    return [await due.orderBy("run_at").execute(), await lease.orderBy("lease_until").execute()].flat();
  });
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times.map(({ ms }) => Number(ms))));
}

/** Prolongs leases; returns the fences of those that still hold, by id. */
export async function keepLeases(
  state: State,
  owner: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<ReadonlyMap<string, number>> {
  const kept = await once(state, (db) =>
    db
      .updateTable("jobs")
      .set({ lease_until: later(state, leaseMs) })
      .where("owner", "=", owner)
      .where("id", "in", ids)
      .returning(["id", "fence"])
      .execute(),
  );
  return new Map(kept.map(({ id, fence }) => [id, fence]));
}

/** The lease of a job had ended, and another worker may have taken it. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  constructor({ id, kind }: LeasedJob) {
    super(`the lease of the job ${kind} (${id}) had ended`);
  }
}

/** Whether the lease of a job still belongs to its worker. */
const isLeased = ({ id, owner, fence }: LeasedJob): RawBuilder<boolean> =>
  sql<boolean>`(id = ${id} and owner = ${owner} and fence = ${fence})`;

const FREE = { owner: null, lease_until: null } as const;

/**
 * Ends a job, or schedules a recurring one again, and stores the effects of its run in the same transaction.
 *
 * @throws LeaseLost if another worker may run it; the effects are not stored then
 */
export const endJob = (state: State, job: LeasedJob, effects?: (tx: Transaction) => Promise<unknown>): Promise<void> =>
  state.transaction("write", async (tx) => {
    const db = queries(tx);
    const again = { ...FREE, attempts: 0, last_error: null, run_at: later(state, job.every_ms ?? 0) };
    const mine = isLeased(job);
    const ended =
      job.every_ms === null
        ? await db.deleteFrom("jobs").where(mine).returning("id").execute()
        : await db.updateTable("jobs").set(again).where(mine).returning("id").execute();
    if (ended.length === 0) throw new LeaseLost(job);
    await effects?.(tx);
  });

/** What becomes of a job after a failure. */
export type JobAfterFailure = "waits" | "dead";

/** Ends a failed attempt: the job waits for the next one, or becomes a dead letter after its last one. */
export async function failJob(state: State, job: LeasedJob, error: string, waitMs: number): Promise<JobAfterFailure> {
  const isLast = job.attempts >= job.max_attempts;
  const last = job.every_ms === null ? { dead_at: nowIn(state) } : { attempts: 0, run_at: later(state, job.every_ms) };
  const next = isLast ? last : { run_at: later(state, waitMs) };
  await changeLeased(state, job, { ...FREE, last_error: error, ...next });
  return isLast && job.every_ms === null ? "dead" : "waits";
}

/** Gives back a job that was not done because its worker ends; another worker takes it at once. */
export const releaseJob = (state: State, job: LeasedJob): Promise<void> =>
  state.transaction("write", async (tx) => {
    const change = { ...FREE, attempts: job.attempts - 1 };
    await queries(tx).updateTable("jobs").set(change).where(isLeased(job)).execute();
    await wake(state, tx, job.kind);
  });

type Change = Partial<Record<"run_at" | "dead_at" | "attempts", number | RawBuilder<number>>> & {
  readonly last_error: string;
};

const changeLeased = (state: State, job: LeasedJob, change: Change & typeof FREE): Promise<unknown> =>
  once(state, (db) => db.updateTable("jobs").set(change).where(isLeased(job)).execute());

/** Time after which a recurring job that no server runs is deleted: it is no longer configured. */
const UNUSED_MS = 7 * 86_400_000;

/** Deletes recurring jobs that no server has run for a week. */
export const dropUnusedJobs = (state: State): Promise<unknown> =>
  once(state, (db) =>
    db
      .deleteFrom("jobs")
      .where("every_ms", "is not", null)
      .where("lease_until", "is", null)
      .where("run_at", "<", later(state, -UNUSED_MS))
      .execute(),
  );

/** A job as an operator sees it. Times are ISO 8601 in UTC. */
export interface ShownJob {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
  /** `waiting`: until it is due. `due`: for a worker. `running`. `dead`: its last attempt failed. */
  readonly state: "waiting" | "due" | "running" | "dead";
  readonly due_at: string;
  readonly every_ms: number | null;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_error: string | null;
}

/** Jobs that a listing shows. */
const MAX_LISTED = 1000;

/** The jobs, dead letters first, then by the time at which they are due; and how many more there are. */
export const listJobs = (state: State): Promise<{ readonly jobs: readonly ShownJob[]; readonly more: number }> =>
  state.transaction("read", async (tx) => {
    const db = queries(tx);
    const rows = await db
      .selectFrom("jobs")
      .selectAll()
      .select(nowIn(state).as("now"))
      .orderBy(sql`case when dead_at is null then 1 else 0 end`)
      .orderBy("run_at")
      .orderBy("id")
      .limit(MAX_LISTED)
      .execute();
    const { count } = await db
      .selectFrom("jobs")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return { jobs: rows.map(shown), more: Number(count) - rows.length };
  });

function shown({ unique_key, run_at, now, dead_at, lease_until, ...row }: JobRow & { readonly now: number }): ShownJob {
  const { id, kind, every_ms, attempts, max_attempts, last_error } = row;
  const isRunning = lease_until !== null && lease_until > now;
  const state = dead_at !== null ? "dead" : isRunning ? "running" : run_at <= now ? "due" : "waiting";
  const due_at = new Date(run_at).toISOString();
  return { id, kind, key: unique_key, state, due_at, every_ms, attempts, max_attempts, last_error };
}

/** The number of jobs in each state, and for how many milliseconds the oldest due job has been due. */
export interface JobFigures {
  readonly jobsBy: Readonly<Record<ShownJob["state"], number>>;
  readonly delayMs: number;
}

/** Counts the jobs. */
export async function countJobs(state: State): Promise<JobFigures> {
  const now = nowIn(state);
  const isRunning = sql<boolean>`(lease_until is not null and lease_until > ${now})`;
  const rows = await state.transaction("read", (tx) =>
    queries(tx)
      .selectFrom("jobs")
      .select([
        sql<ShownJob["state"]>`case when dead_at is not null then 'dead' when ${isRunning} then 'running'
          when run_at <= ${now} then 'due' else 'waiting' end`.as("state"),
        sql<number>`max(${now} - run_at)`.as("delay"),
      ])
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .groupBy(sql`1`)
      .execute(),
  );
  const count = (of: ShownJob["state"]): number => Number(rows.find(({ state }) => state === of)?.count ?? 0);
  const jobsBy = { waiting: count("waiting"), due: count("due"), running: count("running"), dead: count("dead") };
  return { jobsBy, delayMs: Number(rows.find(({ state }) => state === "due")?.delay ?? 0) };
}

/** What came of a change by an operator. */
export type Changed = "done" | "running" | "not found";

/** Makes a job due at once, with all of its attempts: a dead letter too. */
export const retryJob = (state: State, id: string): Promise<Changed> =>
  state.transaction("write", async (tx) => {
    const change = { attempts: 0, dead_at: null, run_at: nowIn(state) };
    const [done] = await queries(tx)
      .updateTable("jobs")
      .set(change)
      .where("id", "=", id)
      .where(isFree(state))
      .returning("kind")
      .execute();
    if (done) await wake(state, tx, done.kind);
    return done ? "done" : whyNot(tx, id);
  });

/** Deletes a job. */
export const dropJob = (state: State, id: string): Promise<Changed> =>
  state.transaction("write", async (tx) => {
    const gone = await queries(tx)
      .deleteFrom("jobs")
      .where("id", "=", id)
      .where(isFree(state))
      .returning("id")
      .execute();
    return gone.length > 0 ? "done" : whyNot(tx, id);
  });

const isFree = (state: State): RawBuilder<boolean> =>
  sql<boolean>`(lease_until is null or lease_until <= ${nowIn(state)})`;

async function whyNot(tx: Transaction, id: string): Promise<Changed> {
  const found = await queries(tx).selectFrom("jobs").select("id").where("id", "=", id).execute();
  return found.length > 0 ? "running" : "not found";
}
