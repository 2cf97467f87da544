/** Results that differ from the locked type of their op: counted, and one warning an op and hour. Never fails a call. */

import type { Logger } from "../../runtime/contract/handler.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { type Misfit, misfitOf, misfitText } from "./fit.js";
import { recordDrift } from "./metrics.js";
import { variantOf } from "./variant.js";

const HOUR_MS = 3_600_000;

/** How a result differs from the locked type of its op. A combination of arguments that was never called has no type. */
export function driftOf(tool: Tool, args: unknown, result: unknown): Misfit | undefined {
  const { learned_result: learned } = tool;
  if (learned?.level !== "locked" || learned.stale) return undefined;
  if (learned.variants && !learned.variants.includes(variantOf(tool, args))) return undefined;
  return misfitOf(result, learned.schema);
}

/** Makes what reports drift: to the metrics at once, to the log once an op and hour. */
export function driftReport(log: Logger, clock: () => number): (op: string, misfit: Misfit) => void {
  const warned = new Map<string, number>();
  return (op, misfit) => {
    recordDrift(op, misfit.kind);
    if ((warned.get(op) ?? Number.NEGATIVE_INFINITY) > clock() - HOUR_MS) return;
    warned.set(op, clock());
    log.warn(`a result of ${op} differs from its learned type: ${misfitText(misfit)}`, { op, path: misfit.path });
  };
}
