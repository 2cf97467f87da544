/** Admits requests of live keys and valid tokens, and ends their work when a key is revoked or either expires. */

import { capabilitiesOf } from "../contract/capabilities.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import { isToolFailure, type Principal, ToolFailure, type Transaction } from "../contract/handler.js";
import { withinStateMs } from "../state/deadline.js";
import type { Order } from "../state/driver.js";
import { isStateFailure, StateFailure } from "../state/failure.js";
import type { State } from "../state/open.js";
import { callerToken } from "./caller-tokens.js";
import { INVALID_KEY, INVALID_TOKEN, isKeysUnreadable } from "./key-store.js";
import type { Watched } from "./key-watch.js";
import type { Keys } from "./keys.js";

/** The part of the key store that transports use. */
export type KeyCheck = Pick<Keys, "verify" | "still" | "anyMade" | "anyLive" | "watch" | "audit">;

/** The part of it that decides whether work may go on. */
export type Admission = Pick<KeyCheck, "still" | "watch">;

/** An admission that waits for the key store for as long as the work has time. */
export const boundedBy = ({ watch, still }: Admission, ms: () => number): Admission => ({
  watch,
  still: (keyId, tx) => withinStateMs(ms(), () => still(keyId, tx)),
});

/** The refusal of a caller, which reveals nothing about the request. */
class KeyRefusal extends ToolFailure {
  constructor(message = INVALID_KEY) {
    super("UNAUTHENTICATED", message);
  }
}

/** Whether an error refuses the caller's key, as opposed to a failure of the op. */
export const isKeyRefusal = (error: unknown): boolean => error instanceof KeyRefusal;

/** @throws ToolFailure UNAUTHENTICATED always */
export function refuseKey(): never {
  throw new KeyRefusal();
}

/** @throws ToolFailure UNAUTHENTICATED always */
function refuseToken(): never {
  throw new KeyRefusal(INVALID_TOKEN);
}

/** Message of an outage, which must not look like a revocation. */
const OUT_OF_REACH = "The key store cannot be read. Try again later.";

/**
 * Queries the key store.
 *
 * @throws ToolFailure UNAVAILABLE if it is out of reach
 */
export const askKeys = <T>(question: Promise<T>): Promise<T> =>
  question.catch((error: unknown) => {
    throw keysOutage(error);
  });

/** An error for a caller: UNAVAILABLE if the key store is out of reach, any other one as it is. */
export function keysOutage(error: unknown): unknown {
  if (!isKeysUnreadable(error)) return error;
  const { cause } = error;
  if (isStateFailure(cause)) return new StateFailure(cause.reason, { message: OUT_OF_REACH, cause });
  return new ToolFailure("UNAVAILABLE", OUT_OF_REACH, isToolFailure(cause) ? cause.details : undefined);
}

/**
 * Refuses a caller whose key is no longer live, or whose token has expired.
 *
 * @throws ToolFailure UNAUTHENTICATED, or UNAVAILABLE if the key store is out of reach
 */
export async function requireLive(
  keys: Pick<KeyCheck, "still">,
  principal: Principal,
  tx?: Transaction,
): Promise<void> {
  const { endsWith } = capabilitiesOf(principal);
  if (endsWith === "key" && !(await askKeys(keys.still(principal.id, tx)))) refuseKey();
  if (endsWith === "token" && msLeft(principal) <= 0) refuseToken();
}

/** Time until the token of a user expires. */
const msLeft = ({ until = 0 }: Principal): number => until - Date.now();

/** Watches the permission of a principal during work; undefined if it does not end. */
export function watchOf(keys: Pick<KeyCheck, "watch">, principal: Principal): Watched | undefined {
  const { endsWith } = capabilitiesOf(principal);
  if (endsWith === "nothing") return undefined;
  return endsWith === "key" ? keys.watch(principal.id) : watchToken(principal);
}

function watchToken(principal: Principal): Watched {
  const ended = new AbortController();
  const end = (): void => ended.abort(new KeyRefusal(INVALID_TOKEN));
  const expiry = setTimeout(end, Math.min(Math.max(0, msLeft(principal)), MAX_TIMER_MS)).unref();
  const stop = recheckToken(principal, end);
  return {
    signal: ended.signal,
    release() {
      clearTimeout(expiry);
      stop();
    },
  };
}

/** Least time between two checks of a token. */
const RECHECK_MS = 1000;

/**
 * Checks a token again whenever what is known of it is no longer sure, and ends the work once it is refused. While its
 * issuer is away, the work goes on until the token expires.
 */
function recheckToken(first: Principal, end: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const plan = (principal: Principal): void => {
    const recheck = callerToken(principal)?.recheck;
    if (!recheck || isOver) return;
    const ms = Math.min(Math.max(RECHECK_MS, recheck.at - Date.now()), MAX_TIMER_MS);
    timer = setTimeout(async () => {
      const next = await recheck.again().catch(() => principal);
      if (next?.id === first.id) plan(next);
      else end();
    }, ms).unref();
  };
  plan(first);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
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
  readonly state: Pick<State, "transaction">;
  readonly keys: Pick<KeyCheck, "still">;
  readonly principal: Principal;
  /** Order of a write transaction, if it has one. */
  readonly order?: Order | undefined;
}

/**
 * Runs work for a caller while its key is live or its token valid.
 *
 * @param work gets a signal that fires if the caller disconnects or its key ends
 * @throws ToolFailure UNAUTHENTICATED if the key is not live, or ends during the work
 */
export function whileLive<T>(
  keys: Admission,
  principal: Principal,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const watch = watchOf(keys, principal);
  return watch ? whileWatched(watch, keys, principal, caller, work) : work(caller);
}

async function whileWatched<T>(
  watch: Watched,
  keys: Admission,
  principal: Principal,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  try {
    await requireLive(keys, principal);
    return await work(caller ? AbortSignal.any([caller, watch.signal]) : watch.signal);
  } catch (error) {
    if (watch.signal.aborted) throw isKeyRefusal(watch.signal.reason) ? watch.signal.reason : new KeyRefusal();
    throw error;
  } finally {
    watch.release();
  }
}
