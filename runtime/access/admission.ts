/** Admits requests of live keys, and ends their work when a key expires or is revoked. */

import { fail, isToolFailure, type Principal, ToolFailure, type Transaction } from "../contract/handler.js";
import type { Order } from "../state/driver.js";
import type { State } from "../state/open.js";
import { INVALID_KEY, isKeysUnreadable } from "./key-store.js";
import type { Keys } from "./keys.js";

/** The part of the key store that transports use. */
export type KeyCheck = Pick<Keys, "verify" | "still" | "anyMade" | "anyLive" | "watch" | "audit">;

/** The refusal of a caller, which reveals nothing about the request. */
class KeyRefusal extends ToolFailure {
  constructor() {
    super("UNAUTHENTICATED", INVALID_KEY);
  }
}

/** Whether an error refuses the caller's key, as opposed to a failure of the op. */
export const isKeyRefusal = (error: unknown): boolean => error instanceof KeyRefusal;

/** @throws ToolFailure UNAUTHENTICATED always */
export function refuseKey(): never {
  throw new KeyRefusal();
}

/** Message of an outage, which must not look like a revocation. */
const OUT_OF_REACH = "The key store cannot be read. Try again later.";

/**
 * Queries the key store.
 *
 * @throws ToolFailure UNAVAILABLE if it is out of reach
 */
export const askKeys = <T>(question: Promise<T>): Promise<T> =>
  question.catch((error: unknown) =>
    isKeysUnreadable(error)
      ? fail("UNAVAILABLE", OUT_OF_REACH, isToolFailure(error.cause) ? error.cause.details : undefined)
      : Promise.reject(error),
  );

/**
 * Refuses a caller whose key is no longer live.
 *
 * @throws ToolFailure UNAUTHENTICATED, or UNAVAILABLE if the key store is out of reach
 */
export async function requireLive(
  keys: Pick<KeyCheck, "still">,
  { kind, id }: Principal,
  tx?: Transaction,
): Promise<void> {
  if (kind === "key" && !(await askKeys(keys.still(id, tx)))) refuseKey();
}

/**
 * Runs work for a caller in one transaction. Nothing is committed if its key ends meanwhile, such as during a wait for
 * the database.
 *
 * @throws ToolFailure as {@link requireLive}
 */
export const inTransactionOf = <T>(
  { state, keys, principal, order }: CallerWork,
  mode: "read" | "write",
  work: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  state.transaction(
    mode,
    async (tx) => {
      const done = await work(tx);
      if (mode === "write") await requireLive(keys, principal, tx);
      return done;
    },
    order,
  );

/** What {@link inTransactionOf} works with. */
export interface CallerWork {
  readonly state: State;
  readonly keys: Pick<KeyCheck, "still">;
  readonly principal: Principal;
  /** Order of a write transaction, if it has one. */
  readonly order?: Order | undefined;
}

/**
 * Runs work for a caller while its key is live.
 *
 * @param work gets a signal that fires if the caller disconnects or its key ends
 * @throws ToolFailure UNAUTHENTICATED if the key is not live, or ends during the work
 */
export async function whileLive<T>(
  keys: KeyCheck,
  principal: Principal,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (principal.kind !== "key") return work(caller);
  const watch = keys.watch(principal.id);
  try {
    await requireLive(keys, principal);
    return await work(caller ? AbortSignal.any([caller, watch.signal]) : watch.signal);
  } catch (error) {
    if (watch.signal.aborted) refuseKey();
    throw error;
  } finally {
    watch.release();
  }
}
