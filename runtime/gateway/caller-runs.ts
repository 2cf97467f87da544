/** The runs of a caller that wait for a person, for the transport that asks its client about them. */

import { randomUUID } from "node:crypto";
import { callerIds, type LastingCaller, withFormerIds } from "../access/former-keys.js";
import type { Keys } from "../access/keys.js";
import { sqlLedger } from "../call/ledger.js";
import { type CanCall, canCall, EVERY_OP } from "../catalog/advice.js";
import type { RegistryIndex } from "../catalog/registry.js";
import type { Settings } from "../config/settings.js";
import { writeJson } from "../contract/exact-number.js";
import type { Principal } from "../contract/handler.js";
import type { JsonObject } from "../contract/registry.js";
import type { CallerRun } from "../run/kept/caller-run.js";
import type { ClientAnswer } from "../run/kept/client-answers.js";
import { approvalPageUrl } from "../run/kept/page.js";
import { type NamedCall, type PausedFacts, pausedText } from "../run/kept/paused-text.js";
import type { WaitingCall } from "../run/kept/waiting-calls.js";
import { diffLines, planText } from "../run/preview/plan-text.js";
import type { State } from "../state/open.js";

/** A run that waits. */
export interface PausedRun {
  readonly id: string;
  /** The calls that wait, the oldest first. */
  readonly waiting: readonly WaitingCall[];
  /** URL of the page on which people decide; absent if the server has none. */
  readonly page?: string;
  /** What the caller is told. */
  readonly text: string;
  /** What its caller can call. */
  readonly can: CanCall;
  /** What its program has said when it paused, if it paused in this call. */
  readonly facts?: PausedFacts | undefined;
}

/** Calls that the structured answer names. */
const MAX_NAMED = 20;
/** Longest arguments that a caller is shown, in characters: a person sees all of what they approve, or decides elsewhere. */
export const MAX_ARGS_LENGTH = 2000;

/** A run that waits as an object, for callers. */
export function pausedObject({ id: run, waiting, page, can, facts = {} }: Omit<PausedRun, "text">): JsonObject {
  const { written = [], earlier } = facts;
  const named = waiting.slice(0, MAX_NAMED).map(({ id, call, kind, op, args, title, by, expires_at }) => {
    const shown = writeJson(args).length <= MAX_ARGS_LENGTH ? { args } : {};
    const about = title === undefined ? {} : { title };
    return { id, call, kind, op, ...shown, ...about, by: [...by], expires_at };
  });
  return {
    status: "paused",
    run,
    ...(earlier === undefined ? {} : { same_program: earlier }),
    waiting: named,
    count: waiting.length,
    ...(written.length === 0 ? {} : { written }),
    ...(page === undefined ? {} : { page }),
    ...resumeOf(run, can),
  };
}

const resumeOf = (id: string, can: CanCall) => (can("ot.resume") ? { resume: { op: "ot.resume", args: { id } } } : {});

/** The state of a run of a caller: its status, what waits, and how to go on. Undefined for an id that the caller has no run of. */
export async function standingOf(
  { find, paused }: Pick<CallerRuns, "find" | "paused">,
  id: string,
  principal: Principal,
): Promise<JsonObject | undefined> {
  const waits = await paused(id, principal);
  if (waits) return pausedObject(waits);
  const run = await find(id, principal);
  if (!run) return undefined;
  const { status, halted } = run;
  if (status !== "running") return { status, run: id };
  // Only ot.resume asks.
  if (halted === undefined) return { status, run: id, ...resumeOf(id, EVERY_OP) };
  return { status: "interrupted", run: id, halted, ...resumeOf(id, EVERY_OP) };
}

/** Runs of callers. */
export interface CallerRuns {
  /** A run of the caller; undefined if there is none. */
  find(id: string, principal: Principal): Promise<CallerRun | undefined>;
  /** Stops a run of the caller. */
  stop(id: string, principal: Principal): Promise<void>;
  /**
   * A run of the caller; undefined if none of its calls waits, or it is not the caller's.
   *
   * @param facts - what its program has said when it paused, if it paused in this call
   */
  paused(id: string, principal: Principal, facts?: PausedFacts): Promise<PausedRun | undefined>;
  /** Decides about calls as the client was asked about them, if their rules allow elicitation. */
  decide(id: string, answers: readonly ClientAnswer[], principal: Principal): Promise<void>;
  /** Uses up what a state is good for once; false if that has been done on any server. */
  useUp(nonce: string, keepMs: number, principal: Principal): Promise<boolean>;
}

interface Parts {
  readonly state: () => Promise<State>;
  readonly clock: () => number;
  /** The keys of the project: what a key that was replaced has begun is the caller's. */
  readonly keys: Pick<Keys, "list">;
  /** The ops, for what a caller is advised to call. */
  readonly index: Pick<RegistryIndex, "view">;
  /** For the URL of the server. */
  readonly settings: { readonly http: Pick<Settings["http"], "publicUrl"> };
}

/** The op under which used states are in the ledger: no op has this name. */
const STATES = "run";

/** A call with what is said of it: its plan, or how it differs from the plan. */
function named(call: WaitingCall): NamedCall {
  if (call.plan) return { ...call, lines: planText(call.plan).split("\n") };
  return call.planned ? { ...call, lines: diffLines(call, call.planned) } : call;
}

/** Runs on the state database of a project. */
export function callerRuns({ state, clock, settings: { http }, keys, index }: Parts): CallerRuns {
  const address = http.publicUrl?.href;
  const lasting = (principal: Principal): Promise<LastingCaller> => withFormerIds(keys, principal);
  return {
    async find(id, principal) {
      const { readCallerRun } = await import("../run/kept/caller-run.js");
      return readCallerRun(await state(), id, await lasting(principal), clock());
    },
    async stop(id, principal) {
      const { stopRun } = await import("../run/kept/stop.js");
      await stopRun(await state(), id, { by: principal.id, reason: "" }, clock(), await lasting(principal));
    },
    async paused(id, principal, facts) {
      const callers = callerIds(await lasting(principal));
      const { waitingCalls } = await import("../run/kept/waiting-calls.js");
      const waiting = await waitingCalls(await state(), clock(), { run: id, callers });
      if (waiting.length === 0) return undefined;
      const page = address === undefined ? {} : { page: approvalPageUrl(address, id) };
      const can = canCall(index.view(principal.grant));
      const text = pausedText(id, waiting.map(named), { address, can }, facts);
      return { id, waiting, ...page, facts, can, text };
    },
    async decide(id, answers, principal) {
      if (answers.length === 0) return;
      const { decideAsAsked } = await import("../run/kept/client-answers.js");
      await decideAsAsked(await state(), id, answers, await lasting(principal), clock());
    },
    async useUp(nonce, keepMs, { id: caller }) {
      const slot = { caller, op: STATES, key: `state:${nonce}`, hash: "", owner: randomUUID() };
      const open = await state();
      return open.transaction(
        "write",
        async (tx) => (await sqlLedger.reserve(tx, { ...slot, now: clock(), keepMs })) === undefined,
      );
    },
  };
}
