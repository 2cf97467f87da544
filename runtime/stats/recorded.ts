/** Dispatch that is recorded: every call of every door, refused ones too. */

import type { ErrorCode } from "../contract/handler.js";
import type { Dispatch } from "../dispatch.js";
import type { Envelope } from "../envelope.js";
import type { Recorder } from "./recorder.js";
import { jsonSize } from "./size.js";

/** Stands for names that callers make up: they would be rows without end. */
export const UNKNOWN = "?";

/** The same dispatch; what it answers is counted under the op that was carried out or meant. */
export function recorded(dispatch: Dispatch, recorder: Recorder, clock: () => number): Dispatch {
  return {
    ...dispatch,
    async dispatch(call, principal, hooks) {
      const started = performance.now();
      let told: ErrorCode | undefined;
      const failedAs = (code: ErrorCode): void => {
        told = code;
      };
      const envelope = await dispatch.dispatch(call, principal, { ...hooks, failedAs });
      // It has no result yet: what is counted is the call that the client makes with its answers.
      if (hooks?.rounds && isQuestion(envelope)) return envelope;
      const ms = performance.now() - started;
      const meant = envelope.meta.executed_op ?? envelope.op;
      const { args } = (typeof call === "object" && call !== null ? call : {}) as { readonly args?: unknown };
      recorder.call({
        at: clock(),
        op: dispatch.index.view(principal.grant).exact(meant)?.op ?? UNKNOWN,
        ...codeOf(envelope.ok ? told : envelope.error.code),
        ms,
        chars_in: jsonSize(args),
        chars_out: jsonSize(envelope.ok ? envelope.result : envelope.error),
        trace_id: envelope.meta.trace_id,
        caller: principal.id,
        client: hooks?.client ?? "",
      });
      return envelope;
    },
  };
}

const codeOf = (code: ErrorCode | undefined): { readonly code?: ErrorCode } => (code === undefined ? {} : { code });

const isQuestion = (envelope: Envelope): boolean =>
  !envelope.ok && envelope.error.details["reason"] === "input_required";
