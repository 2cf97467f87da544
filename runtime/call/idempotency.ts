/** Carries out a write once for its idempotency key, and gives its stored answer to repeated calls. */

import { setTimeout as sleep } from "node:timers/promises";
import { WAITS } from "../contract/envelope.js";
import type { SuccessEnvelope } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import { fail, isToolFailure, type Transaction } from "../contract/handler.js";
import { outcomeOfError } from "../contract/write-outcome.js";
import { BACKGROUND_MS, remainingMs, untilDone, withinStateMs } from "../state/deadline.js";
import { StateFailure, UnknownOutcome } from "../state/failure.js";
import type { State } from "../state/open.js";
import type { LedgerRow } from "../state/schema.js";
import { answerReplay, answerSuccess } from "./answer.js";
import type { EarlierWrite, ReadyCall } from "./call.js";
import { callHandler, inTransaction, orderOf } from "./call-handler.js";
import { type Claim, LEASE_MS, type LedgerSlot, type LedgerVerdict, ledgerVerdict } from "./ledger.js";
import { openedAnswer, sealedAnswer } from "./stored-answer.js";

/**
 * Carries out one write per idempotency key at a time in this process; across processes the ledger's rows and locks
 * decide.
 *
 * @throws ToolFailure CONFLICT if the key was used for other arguments, or its call still goes on
 */
export async function carryOutOnce(call: ReadyCall, claim: Claim): Promise<SuccessEnvelope> {
  const { inFlight, state, expiry } = call.services;
  const slot = JSON.stringify([claim.caller, claim.op, claim.key]);
  const running = inFlight.get(slot);
  if (running !== undefined) return refuseRepeat(running === claim.hash ? "in_flight" : "different_arguments");
  inFlight.set(slot, claim.hash);
  try {
    return await (call.handler.transactional ? inOneTransaction(call, claim) : underLease(call, claim));
  } finally {
    inFlight.delete(slot);
    if (expiry) void state.get().then(expiry.on, () => undefined);
  }
}

/** Effect and ledger row commit together, so a crash leaves neither. */
async function inOneTransaction(call: ReadyCall, claim: Claim): Promise<SuccessEnvelope> {
  const { ledger } = call.services;
  const work = async (tx: Transaction): Promise<SuccessEnvelope> => {
    const standing = await ledger.reserve(tx, claim);
    const verdict = standing && ledgerVerdict(standing, claim, true);
    if (verdict === "replay") return answerAgain(call, claim, standing?.envelope ?? "");
    if (verdict === "take_over") await ledger.takeOver(tx, claim);
    else if (verdict !== undefined) refuseRepeat(verdict);
    const envelope = answerSuccess(call, await callHandler(call, { tx }));
    await ledger.succeed(tx, claim, storedText(call, claim, envelope));
    return envelope;
  };
  const done = inTransaction(call, "write", work, orderOf(call.handler));
  return done.catch((error: unknown) => {
    if (!(isOutcomeUnknown(error) && isToolFailure(error) && error.code === "UNAVAILABLE")) throw error;
    throw new UnknownOutcome(error, UNKNOWN_UNDER_KEY);
  });
}

const UNKNOWN_UNDER_KEY =
  "The connection to the database broke while this was being stored. Whether it took effect is not known. Send the same call with the same idempotency_key: it is answered from what was stored, or carried out once.";

/** The answer as stored in the ledger. */
function storedText({ handler: { keep }, services }: ReadyCall, claim: Claim, envelope: SuccessEnvelope): string {
  const text = writeJson(keep ? { ...envelope, result: keep(envelope.result) } : envelope);
  return sealedAnswer(services.answerSeal, claim, text);
}

/** Replays the stored answer, unless it is shown only once. */
function answerAgain(call: ReadyCall, claim: LedgerSlot, stored: string): SuccessEnvelope {
  const answer = answerReplay(call, openedAnswer(call.services.answerSeal, claim, stored));
  if (!call.handler.keep) return answer;
  const reason =
    "This idempotency_key was used, and the answer is shown only once. Use a new key for a new call; details.earlier is the part that is kept.";
  return fail("CONFLICT", reason, { reason: "told_once", earlier: answer.result });
}

/** Answers a call with what the same write of a failed run was answered. @throws ToolFailure CONFLICT if that is told once only */
export async function answerOfEarlier(call: ReadyCall): Promise<SuccessEnvelope> {
  const { repeats } = call;
  if (!repeats || repeats.answer === null) throw new Error("a write without an answer is no write that was made");
  return answerAgain(call, repeats, repeats.answer);
}

/** The claim commits first, so that a crash in between is detected; the lease is renewed while the handler works. */
async function underLease(call: ReadyCall, claim: Claim): Promise<SuccessEnvelope> {
  const { services } = call;
  const standing = await reserve(call, claim);
  if (standing) {
    const verdict = ledgerVerdict(standing, claim, isRepeatable(call));
    if (verdict === "replay") return answerAgain(call, claim, standing.envelope ?? "");
    if (verdict === "outcome_unknown") await (call.repeats ? refuseUnknown(call.repeats) : askOutcome(call));
    if (verdict !== "take_over") return refuseRepeat(verdict);
  }
  const state = await services.state.get();
  const keep = (what: string, work: (tx: Transaction) => Promise<void>, times?: number): Promise<void> =>
    persist(call, { state, what, work, ...(times === undefined ? {} : { times }) });
  const renew = (until: number, times?: number) =>
    keep("lease", (tx) => services.ledger.renew(tx, claim, until), times);
  // A renewal is tried once only: a late one is useless.
  const heart = setInterval(() => renew(services.clock() + LEASE_MS, 1), LEASE_MS / 3);
  let isDone = false;
  try {
    const envelope = answerSuccess(call, await callHandler(call));
    isDone = true;
    const stored = storedText(call, claim, envelope);
    const store = (tx: Transaction) => services.ledger.succeed(tx, claim, stored);
    try {
      await withinStateMs(Math.max(remainingMs(STORE_MS), STORE_MS), () => state.transaction("write", store));
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
      isDone || isOutcomeUnknown(error) || (call.options.run && mayHaveHappened(error))
        ? renew(services.clock())
        : keep("release", (tx) => services.ledger.release(tx, claim));
    await untilDone(ending, STORE_MS);
    throw error;
  } finally {
    clearInterval(heart);
  }
}

/** Whether a second call has no second effect: its key is passed on, or a program repeats an op that is declared idempotent. */
const isRepeatable = ({ handler, options, tool, services }: ReadyCall): boolean =>
  handler.repeatable || (options.run !== undefined && services.project.settings.ops.get(tool.op)?.idempotent === true);

/** Pauses the program that makes a call of unknown outcome; any other caller is told. */
async function askOutcome({ options: { run, key, parked }, tool: { op }, completeArgs }: ReadyCall): Promise<void> {
  if (run && key !== undefined) await run.outcomeUnknown({ key, op, args: completeArgs, parked: () => parked?.() });
}

/** Time for the ledger after the call, whatever is left of the call's own limit. */
const STORE_MS = 500;
const NOT_KEPT_YET =
  "idempotency_pending: it was carried out, but the answer is not stored under the key yet; do not send the call again with another key";

/** Claims the slot. If it is unknown whether that took effect, the claim is released: nothing was called yet. */
function reserve(call: ReadyCall, claim: Claim): Promise<LedgerRow | undefined> {
  const { ledger, state } = call.services;
  const work = async (tx: Transaction): Promise<LedgerRow | undefined> => {
    const standing = await ledger.reserve(tx, claim);
    if (standing && ledgerVerdict(standing, claim, isRepeatable(call)) === "take_over")
      await ledger.takeOver(tx, claim);
    return standing;
  };
  return inTransaction(call, "write", work).catch(async (error: unknown) => {
    if (!isOutcomeUnknown(error)) throw error;
    const release = state
      .get()
      .then((open) => persist(call, { state: open, what: "release", work: (tx) => ledger.release(tx, claim) }));
    await untilDone(release, STORE_MS);
    throw new StateFailure("unreachable", { message: NOT_BEGUN, details: NOTHING_DONE, cause: error });
  });
}

const NOT_BEGUN = "The connection to the database broke before the call began. Nothing was changed: try again.";
const NOTHING_DONE = { outcome: "none", retry_after_ms: 2000 };

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
async function persist(
  { services, traceId }: ReadyCall,
  { state, what, work, times = PERSIST_TIMES }: Persisted,
): Promise<void> {
  for (let time = 1; ; time++)
    try {
      await withinStateMs(BACKGROUND_MS, () => state.transaction("write", work));
      return;
    } catch (error) {
      if (time === 1 || time === times)
        services.log.warn(`ledger: ${what} failed`, { trace_id: traceId, error: String(error) });
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

/** Whether a write of a program that failed may have taken effect. The program that corrects it must not repeat it then. */
const mayHaveHappened = (error: unknown): boolean => {
  // A call within it waits for a person: it is made again under its key.
  const isWaiting = isToolFailure(error) && { reason: undefined, ...error.details }.reason === WAITS;
  return !isWaiting && outcomeOfError(error) === "unknown";
};

/** Refuses to repeat a write of a failed run that may have happened. */
const refuseUnknown = ({ key }: EarlierWrite): never =>
  fail(
    "CONFLICT",
    `${key.slice(0, key.indexOf(":"))} made this call, and whether it took effect is not known. It was not made again: read first. If it took effect, leave the call out; else make it with tool_exec.`,
    { reason: "outcome_unknown" },
  );

const REFUSALS: Readonly<Record<Exclude<LedgerVerdict, "replay" | "take_over">, string>> = {
  different_arguments: "This idempotency_key was used with other arguments. Use a new key for a new call.",
  in_flight: "A call with this idempotency_key is still running. Wait for its answer.",
  outcome_unknown:
    "It is not known what became of the call with this idempotency_key: it may have taken effect. Read first, then use a new key if it did not.",
};

function refuseRepeat(verdict: LedgerVerdict): never {
  const reason = verdict === "replay" || verdict === "take_over" ? "in_flight" : verdict;
  return fail("CONFLICT", REFUSALS[reason], { reason });
}
