/** Carries a tool call of a guest to its namespace, and what came of it back as data. */

import { BUILTIN_EXCEPTIONS, type BuiltinException, type HostCall, type HostError } from "./engine.js";
import type { Job } from "./job.js";
import type { Answer } from "./monty-wire.js";

const KNOWN: ReadonlySet<string> = new Set(BUILTIN_EXCEPTIONS);

/** Whether a thrown value is a {@link HostError}, from this copy of the package or another. */
export const isHostError = (value: unknown): value is HostError => value instanceof Error && value.name === "HostError";

/** Makes one call; never throws. */
export async function answerCall(job: Job, call: Omit<HostCall, "signal">): Promise<Answer> {
  const { path, args, kwargs, line } = call;
  job.hostCalls += 1;
  try {
    const place = line === undefined ? {} : { line };
    const value = await job.request.namespace.call({ path, args, kwargs, signal: job.calls.signal, ...place });
    return { kind: "value", value };
  } catch (error) {
    if (!isHostError(error)) return raise("RuntimeError", `${path.join(".")} failed`);
    // Nobody has this name, so nothing was called.
    if (path.length === 1 && error.pyType === "NameError") job.hostCalls -= 1;
    return raise(KNOWN.has(error.pyType) ? error.pyType : "RuntimeError", error.message);
  }
}

const raise = (pyType: BuiltinException, message: string): Answer => ({ kind: "error", pyType, message });
