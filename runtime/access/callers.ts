/** Identifies the caller of each request of a transport. */

import { fail, type Principal } from "../contract/handler.js";
import { rateRefusals } from "../metrics/operations.js";
import { askKeys, isKeyRefusal, type KeyCheck, refuseKey } from "./admission.js";
import { keyPrincipal } from "./principal.js";
import type { Rates } from "./rate.js";

/**
 * Returns the principal of a request.
 *
 * @param calls number of calls that the request counts as; default 1
 * @throws ToolFailure UNAUTHENTICATED for a key that is not live, RATE_LIMITED, or UNAVAILABLE if the key store is out
 * of reach
 */
export type CallerOf = (calls?: number) => Principal | Promise<Principal>;

/** The principal; undefined if its key is not live, so that nothing is shown. */
export async function tryPrincipal(principal: CallerOf): Promise<Principal | undefined> {
  try {
    return await principal();
  } catch (error) {
    if (isKeyRefusal(error)) return undefined;
    throw error;
  }
}

/** The current principal outside a request. Not rate-limited. `undefined` if the key store is unavailable. */
export const currentPrincipal = (principal: CallerOf): Promise<Principal | undefined> =>
  tryPrincipal(() => principal(0)).catch(() => undefined);

/** Environment variable with the key of the caller. */
const OWN_KEY = "OUBLIETTE_API_KEY";

/**
 * Takes the caller's own key out of the environment, so that no child process inherits it; undefined if it is not set
 * or blank.
 */
export function takeOwnKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const key = env[OWN_KEY]?.trim();
  delete env[OWN_KEY];
  return key === "" ? undefined : key;
}

/** The key check and the rate limits of a transport. */
interface KeyGate {
  readonly keys: KeyCheck;
  readonly rates: Rates;
}

/** The caller of a fixed key, which is verified at each request. @param gate read at each request */
export const keyCaller =
  (gate: () => KeyGate, key: string): CallerOf =>
  async (calls = 1) => {
    const { keys, rates } = gate();
    const principal = (await principalOfKey(keys, key)) ?? refuseKey();
    const wait = await rates.take(principal.id, calls);
    return wait === 0 ? principal : fail("RATE_LIMITED", tooMany(wait), { retry_after_ms: wait });
  };

/**
 * The principal of a key; undefined if the key is not live.
 *
 * @throws ToolFailure UNAVAILABLE if the key store is out of reach
 */
export async function principalOfKey(keys: KeyCheck, key: string): Promise<Principal | undefined> {
  const live = await askKeys(keys.verify(key));
  return live && keyPrincipal(live);
}

/** The message of a request that a rate limit refuses, which is counted. */
export function tooMany(waitMs: number): string {
  rateRefusals(1);
  return `Too many calls of this caller. Try again in ${Math.ceil(waitMs / 1000)} s.`;
}
