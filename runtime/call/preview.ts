/** Calls of a program that is previewed: what they would do is noted, and nothing of it stays. */

import type { SuccessEnvelope } from "../contract/error-body.js";
import type { JsonValue } from "../contract/registry.js";
import { answerSuccess } from "./answer.js";
import { ruleFor } from "./approval.js";
import type { ReadyCall } from "./call.js";
import { callHandler, hasNoHandler } from "./call-handler.js";
import type { PreviewHooks } from "./preview-hooks.js";

/**
 * Carries out a call of a previewed program. Reads are real, unless they ask about what is assumed. A write is carried out
 * in a transaction that is rolled back if its handler takes one; any other is not sent.
 */
export async function previewCall(call: ReadyCall, hooks: PreviewHooks): Promise<SuccessEnvelope> {
  const { tool, handler, completeArgs: args } = call;
  const { key = "" } = call.options;
  const isAssumed = hooks.isAssumed(args);
  if (tool.kind === "read") {
    // The effects of a batch are those of the calls that it makes.
    const isSent = handler.inPreview === "run" || (handler.inPreview !== "skip" && !isAssumed);
    return answerSuccess(call, isSent ? await callHandler(call) : hooks.assume({ key, tool }));
  }
  const notes = hooks.write({ key, tool, args, rule: ruleFor(call) });
  try {
    const isCarriedOut = handler.transactional || handler.inPreview === "run" || hasNoHandler(handler);
    if (!isCarriedOut) return answerSuccess(call, notes.assumed(isAssumed ? undefined : await plannedBy(call)));
    const result = await callHandler(call);
    notes.done(result);
    return answerSuccess(call, result);
  } catch (error) {
    notes.failed(error);
    throw error;
  }
}

const plannedBy = async (call: ReadyCall): Promise<JsonValue | undefined> => {
  const { plan } = call.handler;
  return plan ? callHandler(call, { plan }) : undefined;
};
