/** Carries out a call that passed every check: permission to write, dry run, idempotency key, handler. */

import { basename } from "node:path";
import { digest } from "../contract/canonical.js";
import type { SuccessEnvelope } from "../contract/error-body.js";
import { fail } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { hint } from "../contract/own-command.js";
import type { JsonValue, Tool } from "../contract/registry.js";
import { isUsageError } from "../contract/usage-error.js";
import { inTime } from "../state/deadline.js";
import { isStateFailure, StateFailure } from "../state/failure.js";
import { answerSuccess } from "./answer.js";
import { requireApproval } from "./approval.js";
import type { BoundHandler, CheckedCall, EarlierWrite, ReadyCall, RunHooks } from "./call.js";
import { asksForDryRun, callHandler, handlerOf, hasNoHandler, slotOf } from "./call-handler.js";
import { checkExistence } from "./existence.js";
import { answerOfEarlier, carryOutOnce } from "./idempotency.js";
import { limitMs, startLimit } from "./limit.js";
import { previewCall } from "./preview.js";
import { attachMedia } from "./result-media.js";
import { stateWaitMs, withinCall } from "./within-call.js";

/**
 * Carries out the call. A read uses the database at most in a transaction or through the host, which keep to the deadline of the call; a write, and what a
 * preview does, in many places.
 *
 * @throws ToolFailure with the code of the step, the planner or the handler
 */
export function carryOut(checked: CheckedCall): Promise<SuccessEnvelope> {
  const isRead = checked.tool.kind === "read" && !checked.options.run?.preview;
  return isRead ? carriedOut(checked) : withinCall(checked, () => carriedOut(checked));
}

async function carriedOut(checked: CheckedCall): Promise<SuccessEnvelope> {
  requireWrites(checked);
  const handler = await handlerOf(checked);
  requireExact(checked, handler);
  const { services, tool, signal, admissionMs, options } = checked;
  const ms = limitMs(services.project.settings, tool.op);
  const dryRun = checked.dryRun || (asksForDryRun(checked) && hasNoHandler(handler));
  const repeats = dryRun ? undefined : repeatedBy(checked);
  const isMade = typeof repeats?.answer === "string";
  const preview = dryRun || isMade ? undefined : options.run?.preview;
  if (!dryRun && !isMade && !preview) await requireApproval(checked);
  if (!dryRun && asksForDryRun(checked)) checked.warnings.push("dry_run_ignored: a read changes nothing");
  const limit = startLimit(ms, services.clock(), signal, admissionMs);
  const call: ReadyCall = { ...checked, dryRun, handler, limit, repeats };
  try {
    const envelope = await (isMade ? answerOfEarlier(call) : preview ? previewCall(call, preview) : underKey(call));
    const { run, key, attach } = options;
    if (attach) attachMedia(envelope.result, attach);
    if (key !== undefined && !dryRun) run?.answered?.({ key, op: tool.op }, envelope.result);
    return envelope;
  } finally {
    call.limit.end();
  }
}

/** What a person does whose command may not write. */
export const commandRemedy = (tool: OwnTool): string =>
  [
    hint("Add --allow-write to the command, or set access.allow_write.", "Add --allow-write to the command."),
    ...readMark(tool),
  ].join(" ");

type OwnTool = Pick<Tool, "source" | "tool_name" | "action">;

/** How somebody marks a tool of their own as a read; nothing for tools of others, and for those that delete. */
function readMark({ source, tool_name: name, action }: OwnTool): readonly string[] {
  if (source.kind !== "local" || source.shipped || action === "delete") return [];
  const file = basename(source.file);
  if (source.code !== undefined) return [`If it only reads, set readonly = True in ${file}.`];
  if (source.call) return [`If it only reads, say so with @kind read in its comment in ${file}.`];
  return hint(name, "") === "" ? [] : [`If it only reads, set kind: read for ${name} under ops in toolwright.yaml.`];
}

/** The write of a failed run that a call of the program which corrects that run would repeat. */
function repeatedBy({ tool, options: { run, key }, envelope, completeArgs }: CheckedCall): EarlierWrite | undefined {
  if (!run?.earlier || tool.kind === "read" || key === undefined || envelope.key !== undefined) return undefined;
  return run.earlier.write({ key, op: tool.op, hash: digest(completeArgs) });
}

/** Refuses writes without permission. The only step that refuses an op the caller may see. */
function requireWrites({ tool, principal, services }: CheckedCall): void {
  if (tool.kind === "read" || principal.allowWrite) return;
  const remedy = services.project.settings.isCommand
    ? commandRemedy(tool)
    : hint(
        "Start the server with --allow-write, or call with a key that may write.",
        "Start the server with --allow-write.",
      );
  fail("PERMISSION_DENIED", `${tool.op} writes, and writing is switched off. ${remedy}`, {
    granted: "read",
    required: "write",
  });
}

/**
 * Refuses what would not be done as it was asked: a dry run or a key of an op that counts as a read and still changes
 * something, and a change in a parallel batch.
 */
function requireExact({ tool: { op, kind }, envelope, options }: CheckedCall, { effect }: BoundHandler): void {
  if (options.readsOnly && (kind === "write" || effect === "own"))
    fail("VALIDATION_ERROR", `${op} changes something, and a parallel batch only reads. Use mode "sequential".`);
  const field = envelope.dryRun ? "dry_run" : envelope.key === undefined ? undefined : "idempotency_key";
  if (kind === "read" && effect && field) fail("VALIDATION_ERROR", `${op} takes no ${field}${REMEDIES[effect]}`);
}

const REMEDIES = {
  calls:
    ": it passes calls on, and would carry them out without it. Nothing was called. Make each call with tool_exec, or as an entry of tool_batch, and give it there.",
  own: ": it counts as a read, and has an effect all the same. Nothing was done. Leave it out.",
};

/** Carries out a write with an idempotency key once; any other call has no use for a key. */
async function underKey(call: ReadyCall): Promise<SuccessEnvelope> {
  const { services, tool, completeArgs, dryRun, options } = call;
  const { caller, key } = slotOf(call);
  if (tool.kind === "read" || dryRun) {
    if (call.envelope.key !== undefined)
      call.warnings.push("idempotency_ignored: nothing is written, so nothing is kept under the key");
    return answerSuccess(call, dryRun ? await planOf(call) : await callHandler(call));
  }
  if (key === undefined || !(await hasLedger(call))) return answerSuccess(call, await callHandler(call));
  const { run } = options;
  if (run) await call.limit.race(() => storedInTime(call, run), "none");
  const made = carryOutOnce(call, {
    caller,
    op: tool.op,
    key,
    hash: digest(completeArgs),
    // Of its own: a call that is made again must not be taken for the one before.
    owner: services.traceId(),
    now: services.clock(),
    keepMs: Math.max(run?.keepMs ?? 0, services.project.settings.keepMs),
  });
  return run?.earlier?.made(made, call.repeats) ?? made;
}

/** Stores the program. That the database does not answer is its failure, not one of the op. */
const storedInTime = (call: ReadyCall, run: RunHooks): Promise<void> =>
  inTime(run.beforeWrite(), stateWaitMs(call), () => new StateFailure("slow"));

/**
 * Whether the call goes through the ledger. Without a state database, a write of a program is carried out as one without a
 * key: nothing can repeat the program either. A database that may come back is waited for, or the call refused.
 */
async function hasLedger({ envelope, handler, services, limit, traceId }: ReadyCall): Promise<boolean> {
  if (envelope.key !== undefined || handler.transactional) return true;
  try {
    await limit.race(() => services.state.get(), "none");
    return true;
  } catch (error) {
    if (!(isStateFailure(error) && isUsageError(error.cause))) throw error;
    services.log.warn("a write of a program is not kept under a key", { trace_id: traceId, error: error.message });
    return false;
  }
}

/** The result of a dry run: from the planner, or the call that would be made. */
async function planOf(call: ReadyCall): Promise<JsonValue> {
  const { tool, completeArgs: args, handler } = call;
  const hasNone = hasNoHandler(handler);
  if (hasNone) call.warnings.push(`unbound: ${tool.op} has no handler yet, so a call answers UNAVAILABLE`);
  if (!handler.plan) {
    const checked = hasNone ? {} : await checkExistence(call);
    return { dry_run: true, would_call: { tool: tool.tool_name, args }, ...checked };
  }
  const result = await callHandler(call, { plan: handler.plan });
  return isObject(result) && result["dry_run"] !== true ? { dry_run: true, ...result } : result;
}
