/** Runs that nothing keeps from going on: their server has ended, or their calls were decided. A job resumes each. */

import type { Transaction } from "../../contract/handler.js";
import { addJob } from "../../state/job-table.js";
import type { Jobs } from "../../state/jobs.js";
import type { State } from "../../state/open.js";
import { iso, type Queries, queries, type RunRow } from "../../state/schema.js";
import { type Decided, type Decision, decide } from "./approval-table.js";
import { type OutcomeResolution, type Resolution, type Resolver, resolveOutcome } from "./outcome-table.js";
import type { Halt } from "./run-table.js";

/** The kind of a job that goes on with a run; its payload is the id of the run. */
const RESUME = "resume a run";
/** The kind of the recurring job that looks for such runs. */
const LOOK = "runs to resume";
const LOOK_EVERY_MS = 15_000;
/** Attempts to go on with a run: one that ends each of its servers is left then. */
const ATTEMPTS = 5;
/** Runs that one look finds. */
const MAX_FOUND = 100;

/** The runs that can go on. */
const readyRuns = (db: Queries, now: number) =>
  db
    .selectFrom("runs")
    .select(["id", "epoch"])
    .where("status", "=", "running")
    // One that cannot go on is ended so.
    .where(({ eb, or }) => or([eb("halted", "is", null), eb("halted", "=", "too_large" satisfies Halt)]))
    .where("lease_until", "<=", iso(now))
    .where("expires_at", ">", iso(now))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("approvals")
            .select("approvals.run_id")
            .whereRef("approvals.run_id", "=", "runs.id")
            .where("approvals.status", "=", "waiting")
            .where("approvals.expires_at", ">", iso(now)),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("outcomes")
            .select("outcomes.run_id")
            .whereRef("outcomes.run_id", "=", "runs.id")
            .where("outcomes.status", "=", "waiting")
            .where("outcomes.expires_at", ">", iso(now)),
        ),
      ),
    );

type Ready = Pick<RunRow, "id" | "epoch">;

/** Adds the job that resumes a run: one for each time that a server has left it. */
const addResume = (state: State, tx: Transaction, { id, epoch }: Ready): Promise<boolean> =>
  addJob(state, tx, { kind: RESUME, key: `${id}:${epoch}`, payload: id, maxAttempts: ATTEMPTS });

/** Has a run resumed by a job, if nothing keeps it from going on. Call it last in the transaction. */
export async function resumeLater(state: State, tx: Transaction, id: string, now: number): Promise<void> {
  const ready = await readyRuns(queries(tx), now).where("id", "=", id).executeTakeFirst();
  if (ready) await addResume(state, tx, ready);
}

/**
 * Decides about calls of a run that wait; a job resumes the run when none waits any more.
 *
 * @param places - of the calls; empty: all that wait
 */
export const decideCalls = (
  state: State,
  id: string,
  places: readonly string[],
  decision: Decision,
  now: number,
): Promise<Decided> => decideIn(state, id, now, (tx) => decide(tx, id, places, decision, now));

const NOTHING: Decided = { done: [], elsewhere: [], left: 0 };

/**
 * Decides about calls of a run that has not ended; a job resumes the run when none waits any more.
 *
 * @param work decides, while the row of the run is locked: the server that works on it may be about to leave it
 */
export const decideIn = (
  state: State,
  id: string,
  now: number,
  work: (tx: Transaction, run: RunRow) => Promise<Decided>,
): Promise<Decided> =>
  state.transaction("write", async (tx) => {
    const run = await queries(tx).selectFrom("runs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
    const decided = run?.status === "running" ? await work(tx, run) : NOTHING;
    if (decided.done.length > 0) await resumeLater(state, tx, id, now);
    return decided;
  });

/** Says what has become of a write; a job resumes the run then. */
export const resolveCall = (
  state: State,
  call: { readonly id: string; readonly place: string },
  resolution: Resolution,
  resolver: Resolver,
  now: number,
): Promise<OutcomeResolution> =>
  state.transaction("write", async (tx) => {
    const resolved = await resolveOutcome(tx, call, resolution, resolver, now);
    if (resolved === "done") await resumeLater(state, tx, call.id, now);
    return resolved;
  });

/** What resumes a run for anybody. */
export interface Resumer {
  resume(
    id: string,
    caller: undefined,
    options: { readonly signal: AbortSignal; readonly isJob: true },
  ): Promise<{ readonly text: string }>;
}

/** Resumes runs in jobs; returns what ends this. */
export function resumeInJobs(jobs: Jobs, clock: () => number, { resume }: Resumer): () => void {
  const ends = [
    jobs.handle(
      LOOK,
      async ({ state }) => {
        await state.transaction("write", async (tx) => {
          const found = await readyRuns(queries(tx), clock()).orderBy("lease_until").limit(MAX_FOUND).execute();
          for (const ready of found) await addResume(state, tx, ready);
        });
        return undefined;
      },
      { everyMs: LOOK_EVERY_MS },
    ),
    jobs.handle(RESUME, async ({ payload, state, signal }) => {
      const id = String(payload);
      const isReady = (): Promise<unknown> =>
        state.transaction("read", (tx) => readyRuns(queries(tx), clock()).where("id", "=", id).executeTakeFirst());
      // Somebody may have resumed it.
      if (!(await isReady())) return undefined;
      const { text } = await resume(id, undefined, { signal, isJob: true });
      if (await isReady()) throw new Error(`${id} has not gone on: ${text}`);
      return undefined;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
