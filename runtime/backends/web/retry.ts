/** Tries again what may well succeed a moment later: throttling, faults of a server, broken connections. */

import { setTimeout as pause } from "node:timers/promises";
import { type Context, isToolFailure } from "../../contract/handler.js";
import { unavailable } from "./errors.js";

/** How long a server is borne with. */
export interface Patience {
  /** Attempts in all. */
  readonly attempts: number;
  /** Milliseconds that one attempt may take; absent: as long as the call. */
  readonly attemptMs?: number;
}

/** Before the second attempt; each later wait is twice as long. */
const FIRST_WAIT_MS = 400;
/** Milliseconds that must be left after a wait for another attempt to be worth it. */
const LEAST_MS = 250;
const PASSING_STATUS: ReadonlySet<unknown> = new Set([408, 425, 500, 502, 503, 504, 529]);
/** Why a connection was not made or broke, where the next one may hold. */
const PASSING_REASON: ReadonlySet<unknown> = new Set([
  "ATTEMPT_TIMEOUT",
  "BROKEN_OFF",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/**
 * Does work with a server, again and again while it fails for a passing reason and the call has time left. Waits are as long as
 * the server says, else they double, with a random part so that callers do not come back together.
 *
 * @param server host, for the message where an attempt takes too long
 * @param attempt the work; its context ends with the attempt
 * @throws ToolFailure of the last attempt
 */
export async function retrying<T>(
  ctx: Context,
  server: string,
  { attempts, attemptMs }: Patience,
  attempt: (ctx: Context) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await limited(ctx, server, attemptMs, attempt);
    } catch (error) {
      const wait = tries < attempts ? waitAfter(error, tries) : undefined;
      if (wait === undefined || Date.now() + wait + LEAST_MS >= ctx.deadline) throw error;
      await pause(wait, undefined, { signal: ctx.signal });
    }
  }
}

async function limited<T>(
  ctx: Context,
  server: string,
  ms: number | undefined,
  attempt: (ctx: Context) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return attempt(ctx);
  const timer = AbortSignal.timeout(ms);
  try {
    return await attempt({ ...ctx, signal: AbortSignal.any([ctx.signal, timer]) });
  } catch (error) {
    if (!timer.aborted || ctx.signal.aborted || isToolFailure(error)) throw error;
    return unavailable(server, `does not answer within ${ms / 1000} s`, { reason: "ATTEMPT_TIMEOUT" });
  }
}

/** Milliseconds to wait after a failure; undefined where another attempt would fail as well. */
function waitAfter(error: unknown, tries: number): number | undefined {
  if (!isToolFailure(error)) return undefined;
  const { status, reason, retry_after_ms: told, estimated }: Passing = error.details ?? {};
  const passes = error.code === "RATE_LIMITED" || PASSING_STATUS.has(status) || PASSING_REASON.has(reason);
  if (!passes) return undefined;
  if (told !== undefined && estimated !== true) return told;
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random());
}

/** What failures of the web client say in their details. */
interface Passing {
  readonly status?: number;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  /** Whether nobody named the waiting time. */
  readonly estimated?: true;
}
