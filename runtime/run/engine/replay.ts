/** Runs code a second time without calling its tools twice: answers of the first run are repeated. */

import { type HostCall, HostError, type Namespace, type RunRequest, type Value } from "./engine.js";
import { isOp } from "./monty-packs.js";

interface Asked {
  readonly asked: string;
  /**
   * Whether an op is called. On Monty a call of an unknown name is a call; on CPython it is an error that does not
   * reach the host.
   */
  readonly isOp: boolean;
  /** The result of the call, which may still be pending. */
  readonly answer: Promise<{ readonly value: Value } | { readonly error: unknown }>;
}

/** A first run with recorded answers. */
export interface Recording {
  readonly namespace: Namespace;
  /** The last exception that the host raised. */
  lastFault(): HostError | undefined;
  /** For the second run: the same calls in the same order get the recorded answers; further calls go to the host. */
  again(): { readonly request: RunRequest; readonly isOther: () => boolean };
  /** Cancels calls whose answers are no longer needed. */
  close(): void;
}

/** Records the answers of the host to a request. */
export function recording(request: RunRequest): Recording {
  const { namespace } = request;
  const kept: Asked[] = [];
  const over = new AbortController();
  let fault: HostError | undefined;
  const call = async (one: HostCall): Promise<Value> => {
    // A call outlives the engine that made it: its answer may serve the second run.
    const signal = request.signal ? AbortSignal.any([over.signal, request.signal]) : over.signal;
    const answer = namespace.call({ ...one, signal }).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    kept.push({ asked: keyOf(one), isOp: isOp(namespace.packs, one.path), answer });
    const given = await answer;
    if ("value" in given) return given.value;
    if (given.error instanceof HostError) fault = given.error;
    throw given.error;
  };
  const again = () => {
    let at = 0;
    let other = false;
    const repeated = async (one: HostCall): Promise<Value> => {
      const asked = keyOf(one);
      while (kept[at]?.isOp === false && kept[at]?.asked !== asked) at++;
      const first = kept[at++];
      if (first === undefined && !other) return namespace.call(one);
      other ||= first?.asked !== asked;
      if (other || first === undefined)
        throw new HostError("RuntimeError", "the call differs from the one that was made");
      const given = await first.answer;
      if ("error" in given) throw given.error;
      return given.value;
    };
    return { request: { ...request, namespace: { ...namespace, call: repeated } }, isOther: () => other };
  };
  return { namespace: { ...namespace, call }, lastFault: () => fault, again, close: () => over.abort() };
}

const keyOf = ({ path, args, kwargs }: HostCall): string =>
  JSON.stringify([path, args, kwargs], (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Uint8Array) return { bytes: [...value] };
    // Whether a whole float stays a float depends on the engine.
    return isFloat(value) ? Number(value.text) : value;
  });

const isFloat = (value: unknown): value is { readonly text: string } =>
  typeof value === "object" && value !== null && "$" in value && value.$ === "float";
