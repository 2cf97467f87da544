/** What calls of a program raise, and the paths of ops that are packs too. */

import type { CallFailure } from "../languages/language.js";

/** Why calls of a run that has ended are cancelled. Without a reason, Node.js makes an error with a stack. */
export const RUN_ENDED = "the run has ended";

/** Name of the op of a pack that is an op too, in that pack: no segment of a path is empty. */
export const OWN_OP = "";

/** The data of a call that was refused before it was made. */
export const REFUSED: Pick<CallFailure, "code" | "details"> = {
  code: "VALIDATION_ERROR",
  details: { $: "dict", entries: [] },
};

/** The failure of a call, as its program is told. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly failure: CallFailure;
  /** @param exception - the class of exception that the program should get */
  constructor(exception: string | undefined, message: string, { code, details } = REFUSED) {
    super(message);
    this.failure = { code, message, details, ...(exception === undefined ? {} : { exception }) };
  }
  get exception(): string | undefined {
    return this.failure.exception;
  }
}

/** The failure of a call that was made before, to be raised again. */
export const failureAsError = (failure: CallFailure): HostError =>
  new HostError(failure.exception, failure.message, failure);

/** What a program is told of a failure that this server has to look at: nothing. */
export const INTERNAL: CallFailure = { code: "INTERNAL", message: "", details: { $: "dict", entries: [] } };
