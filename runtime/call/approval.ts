/** Holds back writes that a person must approve. Only a program can wait for that; any other call is refused. */

import { digest } from "../contract/canonical.js";
import { fail } from "../contract/handler.js";
import type { CheckedCall } from "./call.js";

/**
 * Waits for the approval of a write, if a rule of `approve` asks for one.
 *
 * @throws ToolFailure PERMISSION_DENIED if it is rejected, or outside a program
 */
export async function requireApproval({
  tool,
  principal,
  options,
  services,
  completeArgs,
}: CheckedCall): Promise<void> {
  if (tool.kind === "read") return;
  const rule = services.project.settings.approvals.find((one) => one.applies(tool.op, principal.id));
  if (!rule) return;
  const { run, key, parked } = options;
  if (!run || key === undefined) return fail("PERMISSION_DENIED", `${tool.op} ${NEEDS}`, { reason: "needs_approval" });
  await run.permit({
    key,
    op: tool.op,
    args: completeArgs,
    hash: digest(completeArgs),
    expiresMs: rule.expiresMs,
    parked: () => parked?.(),
  });
}

const NEEDS =
  "needs the approval of a person. Call it in a program of run, which waits for that. dry_run needs no approval.";
