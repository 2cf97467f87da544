/**
 * Takes a call through outages of the state database: it is made again when the database answers again. A call of a
 * program waits as long as its program does, any other one within its own time. A call that the program has made before,
 * on a server that has ended, or in an outage, waits until the lease of that one ends.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { type Backoff, waitAfter } from "../contract/backoff.js";
import { isToolFailure, type ToolFailure } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { isOutage, UnknownOutcome } from "../state/failure.js";
import { type Call, type CallError, failureAt, openCall } from "./call.js";
import { stateWaitMs } from "./within-call.js";

/** Pauses between two attempts. */
const PAUSES: Backoff = { firstMs: 100, longestMs: 1000 };

/**
 * Takes a call, again after each outage.
 *
 * @throws CallError of the last attempt
 */
export const throughOutages = <T>(opened: Call, attempt: (call: Call) => Promise<T>): Promise<T> =>
  attempt(opened).catch((error: unknown) => again(opened, attempt, failureAt(opened, error)));

async function again<T>(opened: Call, attempt: (call: Call) => Promise<T>, first: CallError): Promise<T> {
  const { key, run } = opened.options;
  let failure = first;
  for (let failures = 1; await mayRepeat(failure); failures++) {
    if (isOutage(failure.cause)) run?.outages?.waits(key);
    if (!(await paused(failure.call, waitAfter(failures, Math.random, PAUSES)))) throw failure;
    const next = anew(opened);
    try {
      const answer = await attempt(next);
      run?.outages?.answered(key);
      return answer;
    } catch (error) {
      failure = failureAt(next, error);
    }
  }
  run?.outages?.answered(key);
  throw failure;
}

/** Whether the call may be made again: it has had no effect, or its key says which. */
async function mayRepeat({ call, cause }: CallError): Promise<boolean> {
  const { tool, envelope, dryRun, services, options } = call;
  const { run, key } = options;
  const failed = isToolFailure(cause) ? cause : undefined;
  // Its own calls have waited while its time went by.
  if (failed?.code === "TIMEOUT") return run?.outages?.takeWithin(key) === true;
  if (failed?.code === "CONFLICT")
    return run?.outages !== undefined && envelope?.key === undefined && isInFlight(failed);
  if (!isOutage(cause)) return false;
  if (run?.outages || tool === undefined || tool.kind === "read" || dryRun) return true;
  if (cause instanceof UnknownOutcome) return false;
  const bound = envelope?.key === undefined ? await services.project.handler(tool.op) : undefined;
  return envelope?.key !== undefined || (typeof bound === "object" && bound.transactional === true);
}

const isInFlight = ({ details }: ToolFailure): boolean => isObject(details) && details["reason"] === "in_flight";

/** Waits; returns false if the call has no time left, or its caller has gone. */
async function paused(call: Call, ms: number): Promise<boolean> {
  if (!call.options.run?.outages && stateWaitMs(call) <= ms) return false;
  const { signal } = call;
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  return !signal?.aborted;
}

/** The call from its beginning; that of a program has its own time anew. */
function anew({ services, request, principal, options, traceId, started, arrived, span }: Call): Call {
  const call = openCall(services, request, principal, options);
  const isOfProgram = options.run?.outages !== undefined;
  return { ...call, traceId, started, span, arrived: isOfProgram ? performance.now() : arrived };
}
