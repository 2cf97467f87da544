/** Carries out a call with what features of plugins do around it. */

import type { SuccessEnvelope } from "../contract/envelope.js";
import type { PluginCall } from "../contract/plugin-feature.js";
import type { JsonObject } from "../contract/registry.js";
import { failureSeen } from "./answer.js";
import { type CheckedCall, failureAt } from "./call.js";
import { carryOut } from "./carry-out.js";
import { limitMs } from "./limit.js";

/** Carries out the call, with the hook of the project around it if there is one. @throws ToolFailure as {@link carryOut}, or of a feature */
export function carryOutHooked(call: CheckedCall): Promise<SuccessEnvelope> {
  const { hook, project } = call.services;
  if (!hook) return carryOut(call);
  const hookMs = limitMs(project.settings, call.tool.op);
  const told = (error: unknown) => failureSeen(failureAt(call, error));
  return hook(callSeen(call), { carryOut: () => carryOut(call), told, hookMs });
}

const callSeen = ({ tool, principal, dryRun, options, traceId, completeArgs }: CheckedCall): PluginCall =>
  Object.freeze({
    op: tool.op,
    kind: tool.kind,
    get args() {
      return JSON.parse(JSON.stringify(completeArgs)) as JsonObject;
    },
    principal,
    dryRun: dryRun || options.run?.preview !== undefined,
    traceId,
    client: options.client,
  });
