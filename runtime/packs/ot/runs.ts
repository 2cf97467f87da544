/** `ot.runs` and `ot.resume`: programs of the caller that pause, or whose server has ended. */

import type { HostContext } from "../host.js";

/** The runs of the caller, the latest first, with the calls that wait. */
export async function listRuns({ host, principal }: HostContext): Promise<unknown[]> {
  const { runs, waiting } = await host.runs.list(principal);
  return runs.map(({ caller: _, ...run }) => {
    const calls = waiting
      .filter((one) => one.run === run.id)
      .map(({ call, kind, op, args }) => ({ call, kind, op, args }));
    return calls.length === 0 ? run : { ...run, waiting: calls };
  });
}

/** Part of the time of the call that is left for its answer, in milliseconds. */
const ANSWER_MS = 1000;

/** Goes on with a run; returns what `run` would have answered. When the time of the call ends, the run goes on. */
export async function resumeRun(id: string, ctx: HostContext): Promise<string> {
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
  const report = await Promise.race([host.runs.resume(id, ctx, waitMs), later]).finally(() => end.abort());
  if (!report) return `${id} goes on. Next: ot.resume("${id}") gives its answer`;
  if (report.isError && report.paused === undefined) ctx.countedAs?.("CONFLICT");
  return report.text;
}
