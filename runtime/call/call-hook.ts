/** What features of plugins do around a call that passed every check of its arguments. */

import type { Envelope, FailureEnvelope, SuccessEnvelope } from "../contract/envelope.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import { isToolFailure } from "../contract/handler.js";
import type { PluginCall, PluginServing } from "../contract/plugin-feature.js";
import { messageOf, stackOf } from "../contract/thrown.js";

/** How a call is carried out. */
export interface CarriedCall {
  /** @throws what a step throws */
  readonly carryOut: () => Promise<SuccessEnvelope>;
  /** What the caller will be told of a failure. */
  readonly told: (error: unknown) => FailureEnvelope;
  /** How long a hook may take before and after that, in milliseconds. */
  readonly hookMs: number;
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
    if (!dispatch) throw new Error("dispatch takes the call itself that the feature was given, until it is answered");
    return dispatch();
  });
  return async (seen, { carryOut, told, hookMs }) => {
    const own = timeOfItsOwn(hookMs);
    let made: Promise<SuccessEnvelope> | undefined;
    dispatches.set(seen, () => {
      own.pause();
      made ??= carryOut();
      return made.catch(told).finally(own.go);
    });
    try {
      await Promise.race([take(seen), own.over]);
      if (!made) throw new Error("it neither passed the call on nor refused it");
    } catch (error) {
      if (isToolFailure(error)) throw error;
      const failure = new Error(`${label} failed: ${messageOf(error)}`);
      throw Object.assign(failure, { stack: `${label} failed: ${stackOf(error)}` });
    } finally {
      own.end();
      // A call that has its answer is not carried out later.
      dispatches.delete(seen);
    }
    return made;
  };
}

/** Time that goes by unless it is paused; `over` rejects once a stretch of it is longer than `ms`. */
function timeOfItsOwn(ms: number) {
  let expire = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    expire = () => reject(new Error(`it took longer than ${ms} ms`));
  });
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearTimeout(timer);
  let hasEnded = false;
  const end = (): void => {
    hasEnded = true;
    pause();
  };
  const go = (): void => {
    pause();
    if (hasEnded) return;
    timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
  };
  go();
  return { over, pause, go, end };
}
