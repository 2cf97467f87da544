/** What features of plugins do around a call that passed every check of its arguments. */

import type { Envelope, FailureEnvelope, SuccessEnvelope } from "../contract/envelope.js";
import { isToolFailure } from "../contract/handler.js";
import type { PluginCall, PluginServing } from "../contract/plugin-feature.js";
import { messageOf, stackOf } from "../contract/thrown.js";

/** How a call is carried out. */
export interface CarriedCall {
  /** @throws what a step throws */
  readonly carryOut: () => Promise<SuccessEnvelope>;
  /** What the caller will be told of a failure. */
  readonly told: (error: unknown) => FailureEnvelope;
}

/** Does something around a call that is carried out. It may refuse the call, and changes neither the call nor its answer. */
export type CallHook = (seen: PluginCall, carried: CarriedCall) => Promise<SuccessEnvelope>;

/** One hook out of several, the first one innermost; undefined without any. */
export const joinedHooks = (hooks: readonly CallHook[]): CallHook | undefined =>
  hooks.length === 0
    ? undefined
    : hooks.reduce(
        (inner, outer) => (seen, carried) => outer(seen, { ...carried, carryOut: () => inner(seen, carried) }),
      );

/**
 * The hook of a feature. An error that is no `fail` becomes INTERNAL, and the log names the feature.
 *
 * @param label the feature, for the log
 */
export function hookOf(label: string, around: NonNullable<PluginServing["around"]>): CallHook {
  const dispatches = new WeakMap<PluginCall, () => Promise<Envelope>>();
  const take = around(async (seen) => {
    const dispatch = dispatches.get(seen);
    if (!dispatch) throw new Error("dispatch takes the call itself that the feature was given");
    return dispatch();
  });
  return async (seen, { carryOut, told }) => {
    let made: Promise<SuccessEnvelope> | undefined;
    dispatches.set(seen, () => {
      made ??= carryOut();
      return made.catch(told);
    });
    try {
      await take(seen);
      if (!made) throw new Error("it neither passed the call on nor refused it");
    } catch (error) {
      if (isToolFailure(error)) throw error;
      const failure = new Error(`${label} failed: ${messageOf(error)}`);
      throw Object.assign(failure, { stack: `${label} failed: ${stackOf(error)}` });
    }
    return made;
  };
}
