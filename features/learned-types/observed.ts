/** Wraps dispatch so that a learner sees the results of calls that succeeded. */

import type { Dispatch } from "../../runtime/call/call.js";
import { readNames } from "../../runtime/call/request-names.js";
import { capabilitiesOf } from "../../runtime/contract/capabilities.js";
import { isRecord } from "../../runtime/contract/json.js";
import { asRequest } from "../../runtime/contract/request-fields.js";
import type { LearnSettings } from "./learn-settings.js";
import type { Learner } from "./learner.js";

/** The same dispatch; results of the ops that `learned` names are learned from. */
export function observed(dispatch: Dispatch, learner: Learner, { learned }: Pick<LearnSettings, "learned">): Dispatch {
  return {
    ...dispatch,
    async dispatch(request, principal, options) {
      const envelope = await dispatch.dispatch(request, principal, options);
      // A replayed answer is one that was learned from; in a preview it may be assumed.
      if (!envelope.ok || envelope.meta.replayed || options?.run?.preview) return envelope;
      const view = dispatch.index.view(principal.grant);
      const tool = view.exact(envelope.meta.executed_op ?? envelope.op);
      if (!tool || !learned.has(tool.op) || saysError(envelope.result)) return envelope;
      const { args = {} } = asRequest(readNames(view, request).request) ?? {};
      // Arguments that are written as a text are not read a second time.
      if (!isRecord(args)) return envelope;
      const caller = capabilitiesOf(principal).isNamed ? principal.id : undefined;
      learner.call({ tool, args, result: envelope.result, caller });
      return envelope;
    },
  };
}

/** Texts that say an error in place of a result. */
const ERROR_TEXT = /^\s*(?:error|failed|failure|exception|traceback|unauthori[sz]ed|forbidden|not found)\b/i;

/** Characters of a text that are looked at. */
const ERROR_TEXT_LENGTH = 100;

/** Whether a result that counts as a success says that the call failed, or was a dry run. */
export function saysError(result: unknown): boolean {
  if (typeof result === "string") return ERROR_TEXT.test(result.slice(0, ERROR_TEXT_LENGTH));
  if (!isRecord(result)) return false;
  const { error, errors, isError, ok, success, dry_run } = result;
  const hasErrors = Array.isArray(errors) && errors.length > 0;
  return Boolean(error) || hasErrors || [isError, dry_run].includes(true) || [ok, success].includes(false);
}
