/** Reports to a client that a run goes on. */

import type { CallOptions } from "../call/call.js";

/** Interval of progress reports, in milliseconds: clients time out a call without them. */
const BEAT_MS = 1000;

/** Reports the seconds of a run as progress, while it waits and works. */
export function heartbeat({ progress }: CallOptions): NodeJS.Timeout | undefined {
  const started = performance.now();
  return progress && setInterval(() => progress(Math.round((performance.now() - started) / 1000)), BEAT_MS);
}
