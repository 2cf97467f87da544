/** For a dry run: reads whether what a write is about exists, if an op reads that. */

import { fail } from "../contract/handler.js";
import type { ReadyCall } from "./call.js";
import { entityRead, pathParameters } from "./entity-read.js";

/**
 * Makes the read, if there is one. A write with an id that was not read gets a warning.
 *
 * @returns what the result of the dry run says of it
 * @throws ToolFailure NOT_FOUND, as the call itself would
 */
export async function checkExistence(call: ReadyCall): Promise<{ readonly checked?: string }> {
  const { services, view, tool, completeArgs, principal, limit, warnings } = call;
  const check = entityRead(view, tool, completeArgs, services.project.settings.ops.get(tool.op)?.check);
  if (!check) {
    const hasId = tool.annotations.destructiveHint || pathParameters(tool).length > 0;
    if (hasId) warnings.push(notChecked(`no op reads it for ${tool.op}`));
    return {};
  }
  const { op, args, unread } = check;
  const envelope = await limit.race(() => services.read({ op, args }, principal, call.span), "none");
  if (envelope.ok) {
    if (unread.length > 0) warnings.push(notChecked(`${op} does not read ${unread.join(" and ")}`));
    return { checked: op };
  }
  const { code, message, details } = envelope.error;
  if (code === "NOT_FOUND") fail(code, message, details);
  warnings.push(notChecked(`${op} answered ${code}`));
  return {};
}

const notChecked = (why: string): string => `existence_not_checked: whether it exists was not read, ${why}`;
