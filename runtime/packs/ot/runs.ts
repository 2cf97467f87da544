/** `ot.runs` and `ot.resume`: programs of the caller that pause, or whose server has ended. */

import { WAITS } from "../../contract/envelope.js";
import type { RunReport } from "../../run/run-answer.js";
import type { HostContext } from "../host.js";

/** The runs of the caller, the latest first, with the calls that wait. */
export async function ownRuns({ host, principal }: HostContext): Promise<unknown[]> {
  const { runs, waiting } = await host.runs.list(principal);
  return runs.map(({ caller: _, ...run }) => {
    const calls = waiting
      .filter((one) => one.run === run.id)
      .map(({ call, kind, op, args, title }) => ({ call, kind, op, args, ...(title === undefined ? {} : { title }) }));
    return calls.length === 0 ? run : { ...run, waiting: calls };
  });
}

/** Part of the time of the call that is left for its answer, in milliseconds. */
const ANSWER_MS = 1000;

/**
 * Goes on with a run; returns what `run` would have answered. When the time of the call ends, the run goes on. For callers
 * other than programs, all but the result of a program is a failure, whose details say what has become of the run.
 */
export async function resumeOwnRun(id: string, ctx: HostContext): Promise<string> {
  // It would wait for itself.
  const isOwn = ctx.key?.startsWith(`${id}:`) === true;
  const answer = (isOwn ? OWN : undefined) ?? (await answerInTime(id, ctx)) ?? goesOn(id);
  if (answer.isError) await fails(id, answer, ctx);
  return answer.text;
}

const OWN: RunReport = {
  text: "RuntimeError: a program cannot resume itself\nNext: leave the call out; the program is under way",
  isError: true,
};

/** The answer of a run; undefined if there is none before the time of the call ends. */
async function answerInTime(id: string, ctx: HostContext): Promise<RunReport | undefined> {
  const { host, signal } = ctx;
  const waitMs = Math.max(0, ctx.deadline - host.now().getTime() - ANSWER_MS);
  const end = new AbortController();
  const later = new Promise<undefined>((resolve) => {
    const timer = setTimeout(resolve, waitMs, undefined).unref();
    const leave = (): void => resolve(undefined);
    (signal as AbortSignal).addEventListener("abort", leave, { once: true });
    end.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      (signal as AbortSignal).removeEventListener("abort", leave);
    });
  });
  return Promise.race([host.runs.resume(id, ctx, waitMs), later]).finally(() => end.abort());
}

const goesOn = (id: string): RunReport => ({
  text: `${id} goes on. Next: ot.resume("${id}") gives its answer`,
  isError: true,
  isBusy: true,
});

/** Says that there is no result, and why. */
async function fails(
  id: string,
  { text, isBusy = false }: RunReport,
  { host, principal, failedAs }: HostContext,
): Promise<void> {
  const found = await host.runs.standing(id, principal);
  const waits = isBusy || found?.["status"] === "paused";
  failedAs?.(found ? "CONFLICT" : "NOT_FOUND", { ...found, ...(waits ? { reason: WAITS } : { error: text }) });
}
