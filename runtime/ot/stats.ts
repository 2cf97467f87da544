/** `ot.stats`: what was measured, over a period and for all ops or one (`ot-pack.md` 3, D24). */

import type { HostContext } from "../shipped.js";
import { PERIODS, type Period, type Stats } from "../stats/figures.js";

/** The figures, or why there are none. */
export async function statistics(period: string, tool: string, { host }: HostContext): Promise<Stats | string> {
  const { statistics: recorded } = host;
  if (!recorded) return "Error: Statistics are disabled. Set stats.enabled: true in toolwright.yaml.";
  if (!isPeriod(period))
    return `Error: Invalid period '${period.slice(0, 40)}'. Valid: ${Object.keys(PERIODS).join(", ")}. Example: ot.stats(period='day')`;
  return recorded.read({ period, op: tool, now: host.now().getTime() });
}

const isPeriod = (name: string): name is Period => Object.hasOwn(PERIODS, name);
