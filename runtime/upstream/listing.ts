/** The tools of an open connection, listed when they are needed. */

import type { Upstream } from "./client.js";
import type { Snapshot } from "./snapshot.js";

/** Lists the tools on first use, and again after a change; simultaneous callers share one listing. */
export function listing(upstream: Upstream, read: () => Promise<Snapshot>): () => Promise<Snapshot> {
  let at = -1;
  let reading: Promise<Snapshot> | undefined;
  return () => {
    const changes = upstream.listChanges();
    if (reading && at === changes) return reading;
    at = changes;
    const started = read();
    reading = started;
    started.then(
      () => {
        // Changes reported while it was listed are included already.
        if (reading === started) at = upstream.listChanges();
      },
      () => {
        if (reading === started) reading = undefined;
      },
    );
    return started;
  };
}
