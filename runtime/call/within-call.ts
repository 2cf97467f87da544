/** Sets the deadline of a call for the state database where the call uses the database. Setting it for the whole call would make each call a sixth slower on Node.js 20. */

import { withinStateMs } from "../state/deadline.js";
import type { Call } from "./call.js";
import { limitMs, stateLimitMs } from "./limit.js";
import { findOp } from "./resolve.js";

/** Does a part of a call that uses the state database. All such parts together wait for the database a little less than the call may take. */
export const withinCall = <T>(call: Call, work: () => Promise<T>): Promise<T> => withinStateMs(stateWaitMs(call), work);

/** How long a call may still wait for the database. */
export function stateWaitMs({ services, view, asked, arrived, options }: Call): number {
  const op = findOp(view, asked)?.tool.op ?? "";
  const ms = Math.min(limitMs(services.project.settings, op), options.limitMs ?? Number.POSITIVE_INFINITY);
  return stateLimitMs(ms) - (performance.now() - arrived);
}
