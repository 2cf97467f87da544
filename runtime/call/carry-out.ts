/** Executes a call that passed every check: write permission, dry run, ledger, handler. */

import { setTimeout as sleep } from "node:timers/promises";
import { digest } from "../contract/canonical.js";
import type { SuccessEnvelope } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import { fail, isToolFailure, type Transaction } from "../contract/handler.js";
import type { Tool } from "../contract/registry.js";
import { BACKGROUND_MS, inTime, remainingMs, withinMs } from "../state/deadline.js";
import type { State } from "../state/open.js";
import type { LedgerRow } from "../state/schema.js";
import { replay, succeed } from "./answer.js";
import { execute, executeIn, executePlan, handlerOf, inTransaction, isUnbound, type Run } from "./execute.js";
import type { Job, Services } from "./job.js";
import { type Claim, judge, LEASE_MS, type Verdict } from "./ledger.js";
import { limitMs, startLimit } from "./limit.js";
import type { Prepared } from "./prepare.js";

/**
 * Executes the call.
 *
 * @throws ToolFailure with the code of the step, the planner or the handler
 */
export async function carryOut(
  services: Services,
  job: Job,
  tool: Tool,
  prepared: Prepared,
  key: string | undefined,
): Promise<SuccessEnvelope> {
  requireWrites(job, tool);
  const { args, dryRun } = prepared;
  const parts = await handlerOf(services, tool, dryRun);
  const { settings } = services.project;
  const limit = startLimit(limitMs(settings, tool.op), services.now(), job.signal, job.admissionMs);
  const run: Run = { services, job, tool, args, parts, limit };
  if (key !== undefined && (dryRun || tool.kind === "read"))
    job.warnings.push("idempotency_ignored: nothing is written, so nothing is kept under the key");
  try {
    if (dryRun) return await dry(run);
    if (key === undefined || tool.kind === "read") return succeed(services, job, await execute(run));
    return await keyed(run, {
      caller: job.principal.id,
      op: tool.op,
      key,
      hash: digest(args),
      owner: job.traceId,
      now: services.now(),
      keepMs: settings.keepMs,
    });
  } finally {
    limit.end();
  }
}

/** Step 8: refuses writes without permission. The only step that refuses an op the caller may see. */
function requireWrites(job: Job, tool: Tool): void {
  if (tool.kind === "read" || job.principal.allowWrite) return;
  const remedy = "Start the server with --allow-write, or call with a key that may write.";
  fail("PERMISSION_DENIED", `${tool.op} writes, and writing is switched off. ${remedy}`, {
    granted: "read",
    required: "write",
  });
}

async function dry(run: Run): Promise<SuccessEnvelope> {
  const { services, job, tool, args, parts } = run;
  if (isUnbound(parts)) job.warnings.push(`unbound: ${tool.op} has no handler yet, so a call answers UNAVAILABLE`);
  const preview = { dry_run: true, would_call: { tool: tool.tool_name, args } };
  return succeed(services, job, parts.plan ? await executePlan(run, parts.plan) : preview);
}

/**
 * Runs one write per idempotency key at a time in this process; across processes the ledger's rows and locks decide.
 */
async function keyed(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { inFlight } = run.services.options;
  const slot = JSON.stringify([claim.caller, claim.op, claim.key]);
  const running = inFlight.get(slot);
  if (running !== undefined) return refuse(running === claim.hash ? "in_flight" : "different_arguments");
  inFlight.set(slot, claim.hash);
  try {
    return await (run.parts.transactional ? keyedInOne(run, claim) : keyedInSteps(run, claim));
  } finally {
    inFlight.delete(slot);
  }
}

/** Effect and ledger row commit together, so a crash leaves neither. */
async function keyedInOne(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { services, job } = run;
  const done = inTransaction(run, "write", async (tx) => {
    const standing = await services.ledger.reserve(tx, claim);
    const verdict = standing && judge(standing, claim, true);
    if (verdict === "replay") return again(run, standing?.envelope ?? "");
    if (verdict === "take_over") await services.ledger.takeOver(tx, claim);
    else if (verdict !== undefined) refuse(verdict);
    const envelope = succeed(services, job, await executeIn(run, tx));
    await services.ledger.succeed(tx, claim, kept(run, envelope));
    return envelope;
  });
  return done.catch((error: unknown) => {
    if (!(isOutcomeUnknown(error) && isToolFailure(error) && error.code === "UNAVAILABLE")) throw error;
    return fail("UNAVAILABLE", UNKNOWN_UNDER_KEY, { outcome: "unknown" });
  });
}

const UNKNOWN_UNDER_KEY =
  "The connection to the database broke while this was being stored. Whether it took effect is not known. Send the same call with the same idempotency_key: it is answered from what was stored, or carried out once.";

/** The answer as stored in the ledger. */
function kept({ parts }: Run, envelope: SuccessEnvelope): string {
  return writeJson(parts.keep ? { ...envelope, result: parts.keep(envelope.result) } : envelope);
}

/** Replays the stored answer, unless it is shown only once. */
function again({ services, job, parts }: Run, stored: string): SuccessEnvelope {
  const answer = replay(services, job, stored);
  if (!parts.keep) return answer;
  const reason =
    "This idempotency_key was used, and the answer is shown only once. Use a new key for a new call; details.earlier is the part that is kept.";
  return fail("CONFLICT", reason, { reason: "told_once", earlier: answer.result });
}

/** The claim commits first, so that a crash in between is detected; the lease is renewed while the handler runs. */
async function keyedInSteps(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { services, job } = run;
  const standing = await reserve(run, claim);
  if (standing) {
    const verdict = judge(standing, claim, false);
    return verdict === "replay" ? again(run, standing.envelope ?? "") : refuse(verdict);
  }
  const state = await services.state();
  const keep = (what: string, work: (tx: Transaction) => Promise<void>, times?: number): Promise<void> =>
    persist(run, { state, what, work, ...(times === undefined ? {} : { times }) });
  const renew = (until: number, times?: number) =>
    keep("lease", (tx) => services.ledger.renew(tx, claim, until), times);
  // A renewal is tried once only: a late one is useless.
  const heart = setInterval(() => renew(services.now() + LEASE_MS, 1), LEASE_MS / 3);
  let ran = false;
  try {
    const envelope = succeed(services, job, await execute(run));
    ran = true;
    const stored = kept(run, envelope);
    const store = (tx: Transaction) => services.ledger.succeed(tx, claim, stored);
    try {
      await withinMs(Math.max(remainingMs(STORE_MS), STORE_MS), () => state.transaction("write", store));
      return envelope;
    } catch (error) {
      if (!isPassing(error)) throw error;
      // The effect is complete, whatever happens to the database: the caller gets the answer now, and the ledger as
      // soon as possible.
      void keep("answer", store);
      return { ...envelope, meta: { ...envelope.meta, warnings: [...envelope.meta.warnings, NOT_KEPT_YET] } };
    }
  } catch (error) {
    clearInterval(heart);
    // If it took effect or that is unknown, the row stays with an expired lease and reports that to the next call.
    const ending =
      ran || isOutcomeUnknown(error)
        ? renew(services.now())
        : keep("release", (tx) => services.ledger.release(tx, claim));
    await inTime(ending, STORE_MS, () => new Error()).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(heart);
  }
}

/** Time for the ledger after the call, whatever is left of the call's own limit. */
const STORE_MS = 500;
const NOT_KEPT_YET =
  "idempotency_pending: it was carried out, but the answer is not stored under the key yet; do not send the call again with another key";

/** Claims the slot. If it is unknown whether that took effect, the claim is released: nothing has run yet. */
function reserve(run: Run, claim: Claim): Promise<LedgerRow | undefined> {
  const { ledger, state } = run.services;
  return inTransaction(run, "write", (tx) => ledger.reserve(tx, claim)).catch(async (error: unknown) => {
    if (!isOutcomeUnknown(error)) throw error;
    const release = state().then((open) =>
      persist(run, { state: open, what: "release", work: (tx) => ledger.release(tx, claim) }),
    );
    await inTime(release, STORE_MS, () => new Error()).catch(() => undefined);
    return fail("UNAVAILABLE", NOT_BEGUN, { outcome: "none", retry_after_ms: RETRY_AFTER_MS });
  });
}

const NOT_BEGUN = "The connection to the database broke before the call began. Nothing was changed: try again.";
const RETRY_AFTER_MS = 2000;

/** A ledger change to write, and its name in the log. */
interface Persisted {
  readonly state: State;
  readonly what: string;
  readonly work: (tx: Transaction) => Promise<void>;
  /** Number of attempts; default {@link PERSIST_TIMES}. */
  readonly times?: number;
}

/** Attempts to write a row of the ledger while the database is unavailable, and the pause between them. */
const PERSIST_TIMES = 60;
const PERSIST_PAUSE_MS = 1000;

/** Writes a row of the ledger, with retries. Never rejects. */
async function persist({ services, job }: Run, { state, what, work, times = PERSIST_TIMES }: Persisted): Promise<void> {
  for (let time = 1; ; time++)
    try {
      await withinMs(BACKGROUND_MS, () => state.transaction("write", work));
      return;
    } catch (error) {
      if (time === 1 || time === times)
        services.log.warn(`ledger: ${what} failed`, { trace_id: job.traceId, error: String(error) });
      if (!isPassing(error) || time === times) return;
      await sleep(PERSIST_PAUSE_MS, undefined, { ref: false });
    }
}

/** Whether the state database failed, so that a retry may succeed. */
const isPassing = (error: unknown): boolean =>
  isOutcomeUnknown(error) || (isToolFailure(error) && error.code === "UNAVAILABLE");

const isOutcomeUnknown = (error: unknown): boolean =>
  isToolFailure(error) &&
  error.details !== undefined &&
  "outcome" in error.details &&
  error.details.outcome === "unknown";

const REFUSALS: Readonly<Record<Exclude<Verdict, "replay" | "take_over">, string>> = {
  different_arguments: "This idempotency_key was used with other arguments. Use a new key for a new call.",
  in_flight: "A call with this idempotency_key is still running. Wait for its answer.",
  outcome_unknown:
    "A call with this idempotency_key ended without an answer, and may have taken effect. Read first, then use a new key if it did not.",
};

function refuse(verdict: Verdict): never {
  const reason = verdict === "replay" || verdict === "take_over" ? "in_flight" : verdict;
  return fail("CONFLICT", REFUSALS[reason], { reason });
}
