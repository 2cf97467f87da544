/** The failure of an emitter or a source on input that passed every check: our own fault, exit 70, but with a name to report. */

/** Names the emitter that failed and keeps the cause. */
export class EmitterError extends Error {
  override readonly name = "EmitterError";
  constructor(emitter: string, cause: unknown) {
    super(`the emitter ${emitter} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
