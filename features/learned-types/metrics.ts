/** The metrics of learned types. */

import { counter } from "../../runtime/metrics/metrics.js";

const drifts = counter({
  name: "toolwright.learned.drift",
  unit: "{call}",
  description: "Results that differ from the learned type of their op.",
});

/** Counts a result that differs from the learned type of its op. */
export const recordDrift = (op: string, kind: string): void =>
  drifts(1, { "gen_ai.tool.name": op, "toolwright.drift.kind": kind });
