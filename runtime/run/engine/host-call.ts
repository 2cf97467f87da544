/** Executes a tool call of a guest in its namespace, and returns the answer as data. */

import { BUILTIN_EXCEPTIONS, type BuiltinException, type HostCall, type HostError } from "./engine.js";
import type { Job } from "./job.js";
import { isOp } from "./monty-packs.js";
import type { Answer } from "./monty-wire.js";

const NOBODY: ReadonlySet<string> = new Set(["AttributeError", "NameError"]);
const KNOWN: ReadonlySet<string> = new Set(BUILTIN_EXCEPTIONS);

/** Whether a thrown value is a {@link HostError}, from this copy of the package or another. */
export const isHostError = (value: unknown): value is HostError => value instanceof Error && value.name === "HostError";

/** Executes one call; never throws. */
export async function answerCall(job: Job, call: Omit<HostCall, "signal">): Promise<Answer> {
  const { path, args, kwargs, line } = call;
  job.hostCalls += 1;
  try {
    const place = line === undefined ? {} : { line };
    const value = await job.request.namespace.call({ path, args, kwargs, signal: job.calls.signal, ...place });
    return { kind: "value", value };
  } catch (error) {
    if (!isHostError(error)) return raise("RuntimeError", `${path.join(".")} failed`);
    // No op has this name, so the call does not count.
    if (NOBODY.has(error.pyType) && !isOp(job.request.namespace.packs, path)) job.hostCalls -= 1;
    return raise(KNOWN.has(error.pyType) ? error.pyType : "RuntimeError", error.message);
  }
}

const raise = (pyType: BuiltinException, message: string): Answer => ({ kind: "error", pyType, message });
