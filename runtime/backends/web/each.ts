/** Several pieces of work in one call: a few at once, each with its own result or error. */

import { type Context, isToolFailure } from "../../contract/handler.js";

/** Why one piece of work failed. */
export interface PieceError {
  /** As in an envelope: NOT_FOUND, RATE_LIMITED, UNAVAILABLE, … */
  code: string;
  message: string;
}

/** How one piece of work ended. */
export type Piece<R> = { readonly value: R } | { readonly error: PieceError };

/** Time at the end of a call that is kept for answering. */
const LAST_MS = 1000;
const LAST_PART = 0.1;
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Does the work for each item and gives the results in their order. What is not done shortly before the call's deadline has
 * the error TIMEOUT, so that the others are not lost.
 *
 * @param work its context ends before the call's own
 * @throws whatever is no ToolFailure, and when the call is cancelled
 */
export async function eachOf<I, R>(
  ctx: Context,
  items: readonly I[],
  parallel: number,
  work: (item: I, ctx: Context) => Promise<R>,
): Promise<readonly Piece<R>[]> {
  const left = Math.max(0, ctx.deadline - Date.now());
  const ms = Math.floor(Math.min(left - Math.min(LAST_MS, left * LAST_PART), LONGEST_MS));
  const timer = AbortSignal.timeout(ms);
  const own: Context = { ...ctx, deadline: Date.now() + ms, signal: AbortSignal.any([ctx.signal, timer]) };
  const late = (): PieceError => ({ code: "TIMEOUT", message: "It was not done within the time of the call." });
  const pieces: Piece<R>[] = [];
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
  const one = async (item: I): Promise<Piece<R>> => {
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
