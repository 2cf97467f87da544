/**
 * The last line of defence of a server process. Listeners of the transports hand what they throw to the connection that they belong to;
 * what gets here was thrown where only the process is left, as in a timer or a promise that a handler of the project has left behind.
 */

import { stackOf } from "./contract/guard.js";
import type { Logger } from "./contract/handler.js";

/** Faults within a minute after which the process ends: it does not recover by going on. */
const MAX_PER_MINUTE = 20;
const MINUTE_MS = 60_000;
/** Exit code for a fault of ours. */
const EXIT_FAULT = 70;

/**
 * Logs uncaught errors and rejections and goes on serving. Calls hold what they do to the state in transactions, and each transport ends
 * its own connections, so a stray error leaves no half-done work behind that others would see; many of them in a row mean that something
 * is broken for good, and end the process, for a supervisor to start it again.
 *
 * @returns what takes it back
 */
export function keepServing(log: () => Logger): () => void {
  const times: number[] = [];
  const caught = (error: unknown, origin: string): void => {
    const now = performance.now();
    times.push(now);
    while ((times[0] ?? now) < now - MINUTE_MS) times.shift();
    log().error("an error was caught by nobody but the process", { origin, error: stackOf(error) });
    if (times.length < MAX_PER_MINUTE) return;
    log().error("too many of them: the process ends", { count: times.length, within_ms: MINUTE_MS });
    process.exit(EXIT_FAULT);
  };
  process.on("uncaughtException", caught);
  return () => void process.removeListener("uncaughtException", caught);
}
