/**
 * Wraps dispatch to record every call of every transport, including refused ones. Separate from the recorder, which uses
 * the state database: the console's bundle for the browser imports the recorded name of unknown ops from here.
 */

import type { Dispatch } from "../../runtime/call/call.js";
import { isWaiting } from "../../runtime/contract/envelope.js";
import type { Envelope } from "../../runtime/contract/error-body.js";
import type { ErrorCode } from "../../runtime/contract/handler.js";
import { jsonSize } from "../../runtime/contract/json-size.js";
import type { Recorder } from "../../runtime/contract/recorder.js";

/** Recorded name of unknown ops: names made up by callers would create an unlimited number of rows. */
export const UNKNOWN_OP = "?";

/** The same dispatch with recording; a call counts for the op that ran or was meant. */
export function recorded(dispatch: Dispatch, recorder: Recorder, clock: () => number): Dispatch {
  return {
    ...dispatch,
    async dispatch(request, principal, options) {
      // A preview is no use of the ops.
      if (options?.run?.preview) return dispatch.dispatch(request, principal, options);
      const started = performance.now();
      let told: ErrorCode | undefined;
      const failedAs = (code: ErrorCode): void => {
        told = code;
      };
      const envelope = await dispatch.dispatch(request, principal, { ...options, failedAs });
      // Input required: no result yet. The repeated call, with the client's responses, is counted instead.
      if (options?.inputRequired && isQuestion(envelope)) return envelope;
      // Nor has a call that waits for a person: it is made again when its program goes on.
      if (isWaiting(envelope)) return envelope;
      const ms = performance.now() - started;
      const meant = envelope.meta.executed_op ?? envelope.op;
      const { args } = (typeof request === "object" && request !== null ? request : {}) as { readonly args?: unknown };
      recorder.call({
        at: clock(),
        op: dispatch.index.view(principal.grant).exact(meant)?.op ?? UNKNOWN_OP,
        ...codeOf(envelope.ok ? told : envelope.error.code),
        ms,
        chars_in: jsonSize(args),
        chars_out: jsonSize(envelope.ok ? envelope.result : envelope.error),
        trace_id: envelope.meta.trace_id,
        caller: principal.id,
        client: options?.client ?? "",
      });
      return envelope;
    },
  };
}

const codeOf = (code: ErrorCode | undefined): { readonly code?: ErrorCode } => (code === undefined ? {} : { code });

const isQuestion = (envelope: Envelope): boolean =>
  !envelope.ok && envelope.error.details["reason"] === "input_required";
