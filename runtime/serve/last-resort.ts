/**
 * Handles uncaught errors of a server process. The listeners of the transports route errors to their connection; what
 * arrives here was thrown outside them, for example in a timer or an unawaited promise of a handler.
 */

import type { Logger } from "../contract/handler.js";
import { stackOf } from "../contract/thrown.js";

/** Faults within a minute after which the process ends, since it is not expected to recover. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
/** Exit code for an internal fault. */
const EXIT_FAULT = 70;

/**
 * Logs uncaught errors and rejections and goes on serving. Calls change the state in transactions, and each transport
 * ends its own connections, so a stray error leaves no partial changes. Many errors in a row end the process, so that a
 * supervisor restarts it.
 *
 * @returns a function that removes the handler
 */
export function keepServing(log: () => Logger): () => void {
  const times: number[] = [];
  const caught = (error: unknown, origin: string): void => {
    const now = performance.now();
    times.push(now);
    while ((times[0] ?? now) < now - MINUTE_MS) times.shift();
    log().error("uncaught error", { origin, error: stackOf(error) });
    if (times.length < MAX_PER_MINUTE) return;
    log().error("too many uncaught errors: the process ends", { count: times.length, within_ms: MINUTE_MS });
    process.exit(EXIT_FAULT);
  };
  process.on("uncaughtException", caught);
  return () => void process.removeListener("uncaughtException", caught);
}
