/** For a dry run: reads whether what a write is about exists, if an op reads that. */

import { fail } from "../contract/handler.js";
import type { ReadyCall } from "./call.js";
import { entityRead, pathParameters } from "./entity-read.js";

/**
 * Makes the read, if there is one. A write with ids that were not read gets a warning: that of a create may name what does not exist.
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
    else warnOfIds(idsIn(call), warnings);
    return {};
  }
  const { op, args, unread } = check;
  const envelope = await limit.race(() => services.read({ op, args }, principal, call.span), "none");
  if (envelope.ok) {
    if (unread.length > 0) warnings.push(notChecked(`${op} does not read ${unread.join(" and ")}`));
    const read = Object.values(args);
    warnOfIds(
      idsIn(call).filter((name) => !unread.includes(name) && !read.includes(completeArgs[name] ?? null)),
      warnings,
    );
    return { checked: op };
  }
  const { code, message, details } = envelope.error;
  if (code === "NOT_FOUND") fail(code, message, details);
  warnings.push(notChecked(`${op} answered ${code}`));
  return {};
}

const notChecked = (why: string): string => `existence_not_checked: whether it exists was not read, ${why}`;

/** Names of arguments that hold ids, where their type does not say it. */
const ID_NAME = /(?:_ids?|[a-z0-9]Ids?)$/;

/** The arguments of a call that name what exists already. */
const idsIn = ({ tool, completeArgs }: ReadyCall): readonly string[] =>
  tool.parameters
    .filter(({ original, type }) => /^id\b/.test(type) || ID_NAME.test(original))
    .map(({ original }) => original)
    .filter((name) => [completeArgs[name] ?? []].flat().length > 0);

function warnOfIds(names: readonly string[], warnings: string[]): void {
  const [last, ...others] = names.toReversed();
  if (last === undefined) return;
  const listed = others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
  warnings.push(`existence_not_checked: ${listed} ${others.length === 0 ? "was" : "were"} not looked up`);
}
