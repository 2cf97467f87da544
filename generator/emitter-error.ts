/** The failure of an emitter or a source on input that passed every check: our own fault, exit 70, but with a name to report. */

import { messageOf } from "toolwright/codegen";

/** Names the emitter that failed and keeps the cause. */
export class EmitterError extends Error {
  override readonly name = "EmitterError";
  constructor(emitter: string, cause: unknown) {
    super(`the emitter ${emitter} failed: ${messageOf(cause)}`, { cause });
  }
}
