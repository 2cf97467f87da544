/** Lets in what live keys ask for, and ends it when they die. */

import { fail, isToolFailure, type Principal, ToolFailure, type Transaction } from "../contract/handler.js";
import type { State } from "../state/open.js";
import { INVALID_KEY, isKeysUnreadable } from "./key-store.js";
import type { Keys } from "./keys.js";

/** What is asked of the store of keys where somebody calls. */
export type KeyCheck = Pick<Keys, "verify" | "still" | "anyMade" | "anyLive" | "watch" | "audit">;

/** The refusal of a caller, which says nothing about what was asked for. */
class KeyRefusal extends ToolFailure {
  constructor() {
    super("UNAUTHENTICATED", INVALID_KEY);
  }
}

/** Whether a caller was refused for its key, and not by what stands behind an op. */
export const isKeyRefusal = (error: unknown): boolean => error instanceof KeyRefusal;

/** @throws ToolFailure UNAUTHENTICATED always */
export function refuseKey(): never {
  throw new KeyRefusal();
}

/** An outage must not look like a revocation. */
const OUT_OF_REACH = "The key store cannot be read. Try again later.";

/**
 * Asks the store of keys something.
 *
 * @throws ToolFailure UNAVAILABLE where it is out of reach
 */
export const askKeys = <T>(question: Promise<T>): Promise<T> =>
  question.catch((error: unknown) =>
    isKeysUnreadable(error)
      ? fail("UNAVAILABLE", OUT_OF_REACH, isToolFailure(error.cause) ? error.cause.details : undefined)
      : Promise.reject(error),
  );

/**
 * Refuses a caller whose key is not live any more.
 *
 * @throws ToolFailure UNAUTHENTICATED, or UNAVAILABLE where nobody can say
 */
export async function requireLive(
  keys: Pick<KeyCheck, "still">,
  { kind, id }: Principal,
  tx?: Transaction,
): Promise<void> {
  if (kind === "key" && !(await askKeys(keys.still(id, tx)))) refuseKey();
}

/**
 * Does work for a caller in one transaction. Nothing is committed where its key died meanwhile, as while it waited for the database.
 *
 * @throws ToolFailure as {@link requireLive}
 */
export const inTransactionOf = <T>(
  {
    state,
    keys,
    principal,
  }: { readonly state: State; readonly keys: Pick<KeyCheck, "still">; readonly principal: Principal },
  mode: "read" | "write",
  work: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  state.transaction(mode, async (tx) => {
    const done = await work(tx);
    if (mode === "write") await requireLive(keys, principal, tx);
    return done;
  });

/**
 * Does work for a caller as long as its key is live.
 *
 * @param work gets a signal that fires when the caller has gone or its key dies
 * @throws ToolFailure UNAUTHENTICATED where the key is not live, or dies while the work is under way
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
