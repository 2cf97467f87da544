/** Runs code a second time without calling its tools twice: what the first run was answered is given again. */

import { type HostCall, HostError, type Namespace, type RunRequest, type Value } from "./engine.js";

interface Answered {
  readonly asked: string;
  readonly answer: { readonly value: Value } | { readonly error: unknown };
}

/** A first run whose answers are kept. */
export interface Recording {
  readonly namespace: Namespace;
  /** The exception that the host raised last. */
  lastFault(): HostError | undefined;
  /** For the second run: the same calls, in their order, are answered from the first; once they are through, the host is asked. */
  again(): { readonly request: RunRequest; readonly isOther: () => boolean };
}

/** Records what the host answers to a request. */
export function recording(request: RunRequest): Recording {
  const { namespace } = request;
  const kept: Answered[] = [];
  let fault: HostError | undefined;
  const call = async (one: HostCall): Promise<Value> => {
    const at = kept.length;
    try {
      const value = await namespace.call(one);
      kept.splice(at, 0, { asked: keyOf(one), answer: { value } });
      return value;
    } catch (error) {
      kept.splice(at, 0, { asked: keyOf(one), answer: { error } });
      if (error instanceof HostError) fault = error;
      throw error;
    }
  };
  const again = () => {
    let at = 0;
    let other = false;
    const repeated = async (one: HostCall): Promise<Value> => {
      const first = kept[at++];
      if (first === undefined && !other) return namespace.call(one);
      other ||= first?.asked !== keyOf(one);
      if (other || first === undefined)
        throw new HostError("RuntimeError", "the call differs from the one that was made");
      if ("error" in first.answer) throw first.answer.error;
      return first.answer.value;
    };
    return { request: { ...request, namespace: { ...namespace, call: repeated } }, isOther: () => other };
  };
  return { namespace: { ...namespace, call }, lastFault: () => fault, again };
}

const keyOf = ({ path, args, kwargs }: HostCall): string =>
  JSON.stringify([path, args, kwargs], (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Uint8Array) return { bytes: [...value] };
    // Whether a whole float crosses as one depends on the engine.
    return isFloat(value) ? Number(value.text) : value;
  });

const isFloat = (value: unknown): value is { readonly text: string } =>
  typeof value === "object" && value !== null && "$" in value && value.$ === "float";
