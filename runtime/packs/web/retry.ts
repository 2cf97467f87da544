/** Retries after temporary failures: throttling, server errors, broken connections. */

import { setTimeout as pause } from "node:timers/promises";
import { type Context, isToolFailure } from "../../contract/handler.js";
import { failUnavailable } from "../../http-client/client.js";

/** Limits of retries. */
export interface Patience {
  /** Total number of attempts. */
  readonly attempts: number;
  /** Time limit of one attempt in milliseconds; absent: as long as the call. */
  readonly attemptMs?: number;
}

/** Wait before the second attempt; each later one is twice as long. */
const FIRST_WAIT_MS = 400;
/** Milliseconds that must remain after a wait for another attempt. */
const LEAST_MS = 250;
const PASSING_STATUS: ReadonlySet<unknown> = new Set([408, 425, 500, 502, 503, 504, 529]);
/** Connection errors that may be temporary. */
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
 * Retries work while it fails temporarily and the call has time left. The server's suggested wait is used; otherwise
 * waits double, with a random part so that callers do not retry simultaneously.
 *
 * @param server - host, for the message of an attempt that takes too long
 * @param attempt - the work; its context ends with the attempt
 * @throws ToolFailure of the last attempt
 */
export async function withRetries<T>(
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
    return failUnavailable(server, `does not answer within ${ms / 1000} s`, { reason: "ATTEMPT_TIMEOUT" });
  }
}

/** Milliseconds to wait after a failure; `undefined` if it is not temporary. */
function waitAfter(error: unknown, tries: number): number | undefined {
  if (!isToolFailure(error)) return undefined;
  const { status, reason, retry_after_ms: told, estimated }: Passing = error.details ?? {};
  const passes = error.code === "RATE_LIMITED" || PASSING_STATUS.has(status) || PASSING_REASON.has(reason);
  if (!passes) return undefined;
  if (told !== undefined && estimated !== true) return told;
  return FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random());
}

/** Details of failures of the web client. */
interface Passing {
  readonly status?: number;
  readonly reason?: string;
  readonly retry_after_ms?: number;
  /** Whether the wait was not suggested by the server. */
  readonly estimated?: true;
}
