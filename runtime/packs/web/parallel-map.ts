/** Parallel map: runs several pieces of work in one call, a few at once, each with its own result or error. */

import { MAX_TIMER_MS } from "../../contract/guard.js";
import { type Context, isToolFailure } from "../../contract/handler.js";

/** Why one piece of work failed. */
export interface PieceError {
  /** As in an envelope: NOT_FOUND, RATE_LIMITED, UNAVAILABLE, … */
  code: string;
  message: string;
}

/** Result of one piece of work. */
export type PieceResult<R> = { readonly value: R } | { readonly error: PieceError };

/** Time at the end of a call that is reserved for the answer. */
const LAST_MS = 1000;
const LAST_PART = 0.1;

/**
 * Runs the work for each item and returns the results in order. Items that are not done shortly before the call's
 * deadline get the error TIMEOUT, so that the others are not lost.
 *
 * @param work - its context ends before the call's own
 * @throws errors other than a ToolFailure, and when the call is cancelled
 */
export async function parallelMap<I, R>(
  ctx: Context,
  items: readonly I[],
  parallel: number,
  work: (item: I, ctx: Context) => Promise<R>,
): Promise<readonly PieceResult<R>[]> {
  const left = Math.max(0, ctx.deadline - Date.now());
  const ms = Math.floor(Math.min(left - Math.min(LAST_MS, left * LAST_PART), MAX_TIMER_MS));
  const timer = AbortSignal.timeout(ms);
  const own: Context = { ...ctx, deadline: Date.now() + ms, signal: AbortSignal.any([ctx.signal, timer]) };
  const late = (): PieceError => ({ code: "TIMEOUT", message: "It was not done within the time of the call." });
  const pieces: PieceResult<R>[] = [];
  const queue = items.entries();
  let done = 0;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (timer.aborted) pieces[index] = { error: late() };
      else pieces[index] = await one(item);
      ctx.signal.throwIfAborted();
      ctx.progress(++done, items.length);
    }
  };
  const one = async (item: I): Promise<PieceResult<R>> => {
    try {
      return { value: await work(item, own) };
    } catch (error) {
      if (isToolFailure(error)) return { error: { code: error.code, message: error.message } };
      if (timer.aborted && !ctx.signal.aborted) return { error: late() };
      throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, worker));
  return pieces;
}
