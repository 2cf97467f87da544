/** Holds back writes that a person must approve. Only a program can wait for that; any other call is refused. */

import { type ApprovalRule, ruleOfKey } from "../config/approval-settings.js";
import { digest } from "../contract/canonical.js";
import { approvalPatterns } from "../contract/grant.js";
import { fail } from "../contract/handler.js";
import { around } from "./arguments/exact.js";
import type { CheckedCall } from "./call.js";

/**
 * Waits for the approval of a write, if a rule of `approve` or the key asks for one. A call of a program that has been
 * asked about waits for its decision, whatever the rules are now.
 *
 * @throws ToolFailure PERMISSION_DENIED if it is rejected, or outside a program
 */
export async function requireApproval(call: CheckedCall): Promise<void> {
  const { tool, options, completeArgs } = call;
  if (tool.kind === "read") return;
  const { run, key, parked } = options;
  const rule = ruleFor(call);
  if (!rule && (key === undefined || !(run?.isPlanned || run?.wasAsked(key)))) return;
  if (!run || key === undefined) return fail("PERMISSION_DENIED", `${tool.op} ${NEEDS}`, { reason: "needs_approval" });
  await run.permit({
    key,
    op: tool.op,
    args: completeArgs,
    hash: digest(completeArgs),
    rule,
    parked: () => parked?.(),
  });
}

/**
 * The rule that decides: the first of the configuration that applies, else that of the key. A condition compares plain
 * numbers, so one that is rounded fits if a number beside it does: in doubt, a person is asked.
 */
export function ruleFor({ tool, principal, services, completeArgs }: CheckedCall): ApprovalRule | undefined {
  const { approvals } = services.project.settings;
  const applies = ({ selects, fits }: ApprovalRule): boolean =>
    selects(tool, principal.id) && (fits === undefined || around(completeArgs).some(fits));
  const patterns = approvalPatterns(principal.grant);
  return approvals.find(applies) ?? (patterns.length === 0 ? undefined : [ruleOfKey(patterns)].find(applies));
}

const NEEDS =
  "needs the approval of a person. Call it in a program of run, which waits for that. dry_run needs no approval.";
