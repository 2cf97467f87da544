/** Carries out a call that passed every check: control, dry run, ledger, handler. Rules: `gateway.md` (d), steps 8 to 11. */

import { digest } from "../contract/canonical.js";
import { fail, isToolFailure, type Transaction } from "../contract/handler.js";
import type { Tool } from "../contract/registry.js";
import type { SuccessEnvelope } from "../envelope.js";
import { replay, succeed } from "./answer.js";
import { execute, executeIn, executePlan, handlerOf, inTransaction, isUnbound, type Run } from "./execute.js";
import type { Job, Kit } from "./job.js";
import { type Claim, judge, LEASE_MS, type Verdict } from "./ledger.js";
import { startLimit } from "./limit.js";
import type { Prepared } from "./prepare.js";

/**
 * Carries the call out.
 *
 * @throws ToolFailure with the code that the step, the planner or the handler gives
 */
export async function carryOut(
  kit: Kit,
  job: Job,
  tool: Tool,
  prepared: Prepared,
  key: string | undefined,
): Promise<SuccessEnvelope> {
  requireWrites(job, tool);
  const { args, dryRun } = prepared;
  const parts = await handlerOf(kit, tool);
  const { settings } = kit.project;
  const limit = startLimit(settings.ops.get(tool.op)?.deadline_ms ?? settings.callTimeoutMs, kit.now(), job.signal);
  const run: Run = { kit, job, tool, args, parts, limit };
  if (key !== undefined && (dryRun || tool.kind === "read"))
    job.warnings.push("idempotency_ignored: nothing is written, so nothing is kept under the key");
  try {
    if (dryRun) return await dry(run);
    if (key === undefined || tool.kind === "read") return succeed(kit, job, await execute(run));
    return await keyed(run, {
      caller: job.principal.id,
      op: tool.op,
      key,
      hash: digest(args),
      owner: job.traceId,
      now: kit.now(),
      keepMs: settings.keepMs,
    });
  } finally {
    limit.end();
  }
}

/** Step 8, the only one that refuses something visible. */
function requireWrites(job: Job, tool: Tool): void {
  if (tool.kind === "read" || job.principal.allowWrite) return;
  const remedy = "Start the server with --allow-write, or call with a key that may write.";
  fail("PERMISSION_DENIED", `${tool.op} writes, and writing is switched off. ${remedy}`, {
    granted: "read",
    required: "write",
  });
}

async function dry(run: Run): Promise<SuccessEnvelope> {
  const { kit, job, tool, args, parts } = run;
  // An unbound handler says so itself, which is the truth about this call.
  if (isUnbound(parts)) return succeed(kit, job, await execute(run));
  const preview = { dry_run: true, would_call: { tool: tool.tool_name, args } };
  return succeed(kit, job, parts.plan ? await executePlan(run, parts.plan) : preview);
}

/** One keyed write at a time in this process; between processes the ledger's rows and locks decide. */
async function keyed(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { inFlight } = run.kit.options;
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
function keyedInOne(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { kit, job } = run;
  return inTransaction(run, "write", async (tx) => {
    const standing = await kit.ledger.reserve(tx, claim);
    const verdict = standing && judge(standing, claim, true);
    if (verdict === "replay") return replay(kit, job, standing?.envelope ?? "");
    if (verdict === "take_over") await kit.ledger.takeOver(tx, claim);
    else if (verdict !== undefined) refuse(verdict);
    const envelope = succeed(kit, job, await executeIn(run, tx));
    await kit.ledger.succeed(tx, claim, JSON.stringify(envelope));
    return envelope;
  });
}

/** The claim commits first, so that a crash in between is seen; the lease is renewed while the handler runs. */
async function keyedInSteps(run: Run, claim: Claim): Promise<SuccessEnvelope> {
  const { kit, job } = run;
  const standing = await inTransaction(run, "write", (tx) => kit.ledger.reserve(tx, claim));
  if (standing) {
    const verdict = judge(standing, claim, false);
    return verdict === "replay" ? replay(kit, job, standing.envelope ?? "") : refuse(verdict);
  }
  const state = await kit.state();
  const keep = async (what: string, work: (tx: Transaction) => Promise<void>): Promise<void> => {
    await state.transaction("write", work).catch((error: unknown) => {
      kit.log.warn(`ledger: ${what} failed`, { trace_id: job.traceId, error: String(error) });
    });
  };
  const renew = (until: number) => keep("lease", (tx) => kit.ledger.renew(tx, claim, until));
  const heart = setInterval(() => renew(kit.now() + LEASE_MS), LEASE_MS / 3);
  let ran = false;
  try {
    const envelope = succeed(kit, job, await execute(run));
    ran = true;
    await state.transaction("write", (tx) => kit.ledger.succeed(tx, claim, JSON.stringify(envelope)));
    return envelope;
  } catch (error) {
    clearInterval(heart);
    // It took effect, or nobody knows: the row stays, its lease over, and says so to the next call.
    if (ran || isOutcomeUnknown(error)) await renew(kit.now());
    else await keep("release", (tx) => kit.ledger.release(tx, claim));
    throw error;
  } finally {
    clearInterval(heart);
  }
}

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
