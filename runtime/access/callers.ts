/** Who calls through a door, asked at each request. */

import { fail, type Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import { askKeys, isKeyRefusal, type KeyCheck, refuseKey } from "./admission.js";
import { keyPrincipal } from "./principal.js";

/**
 * Who calls.
 *
 * @param calls as how many calls the request counts; default 1
 * @throws ToolFailure UNAUTHENTICATED for a key that is not live, RATE_LIMITED, or UNAVAILABLE where the store of keys is out of reach
 */
export type CallerOf = (calls?: number) => Principal | Promise<Principal>;

/** Who calls; nobody, to whom nothing is shown, where the key is not live. */
export async function orNobody(principal: CallerOf): Promise<Principal | undefined> {
  try {
    return await principal();
  } catch (error) {
    if (isKeyRefusal(error)) return undefined;
    throw error;
  }
}

/** Who is there, for what no request asks: it counts as no call, and where nobody can say it is nobody. */
export const whoIsThere = (principal: CallerOf): Promise<Principal | undefined> =>
  orNobody(() => principal(0)).catch(() => undefined);

/** The variable that holds the key of a caller. */
const OWN_KEY = "OUBLIETTE_API_KEY";

/** The caller's own key, taken out of the environment so that no child inherits it; undefined where it is not set, or blank. */
export function takeOwnKey(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const key = env[OWN_KEY]?.trim();
  delete env[OWN_KEY];
  return key === "" ? undefined : key;
}

/** What a door needs to know a key, and how often it has called. */
type Gate = Pick<Gateway, "keys" | "rates">;

/** The caller whose key was taken, verified at each request. */
export const keyCaller =
  (gate: Gate, key: string): CallerOf =>
  async (calls = 1) => {
    const principal = (await principalOfKey(gate.keys, key)) ?? refuseKey();
    const wait = gate.rates.take(principal.id, calls);
    return wait === 0 ? principal : fail("RATE_LIMITED", tooMany(wait), { retry_after_ms: wait });
  };

/**
 * The principal of a key; undefined where it is not live.
 *
 * @throws ToolFailure UNAVAILABLE where the store of keys is out of reach
 */
export async function principalOfKey(keys: KeyCheck, key: string): Promise<Principal | undefined> {
  const live = await askKeys(keys.verify(key));
  return live && keyPrincipal(live);
}

/** What somebody is told who calls too often. */
export const tooMany = (waitMs: number): string =>
  `Too many calls with this key. Try again in ${Math.ceil(waitMs / 1000)} s.`;
