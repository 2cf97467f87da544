/** The error of an emitter or a source on input that passed all checks: an internal error, exit 70, with the emitter's name. */

import { messageOf } from "../../runtime/contract/message-of.js";

/** Names the emitter that failed and keeps the cause. */
export class EmitterError extends Error {
  override readonly name = "EmitterError";
  constructor(emitter: string, cause: unknown) {
    super(`the emitter ${emitter} failed: ${messageOf(cause)}`, { cause });
  }
}
