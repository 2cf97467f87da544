/** Reports to a client that a run goes on, and what the calls of its program report. */

import type { CallOptions } from "../call/call.js";

/** Interval of reports without a message, in milliseconds: clients time out a call without them. */
const BEAT_MS = 1000;
/** Shortest interval between reports of calls; of those that come sooner, the last one is passed on. */
const RELAY_MS = 100;
/** How much a report exceeds an earlier one of the same moment. */
const STEP = 0.001;

type Report = NonNullable<CallOptions["progress"]>;

/** The progress of one run. */
export interface RunProgress {
  /** Takes the report of a call. */
  readonly report: Report;
  end(): void;
}

/** Reports the seconds since now in place of given numbers, whichever part of a run reports: each is more than the one before. */
export function growingReport(progress: Report): Report {
  const started = performance.now();
  let last = 0;
  return (_done, _total, message) => {
    const now = Math.round(performance.now() - started) / 1000;
    last = Math.max(now, Math.round((last + STEP) * 1000) / 1000);
    progress(last, undefined, message);
  };
}

/** Reports the seconds of a run, while it waits and works, with the messages of its calls; absent if nobody asks for progress. */
export function runProgress({ progress }: CallOptions): RunProgress | undefined {
  if (!progress) return undefined;
  const send = growingReport(progress);
  const beat = setInterval(() => send(0), BEAT_MS);
  let latest: string | undefined;
  let pause: NodeJS.Timeout | undefined;
  const relay = (): void => {
    pause = undefined;
    if (latest === undefined) return;
    send(0, undefined, latest);
    latest = undefined;
    pause = setTimeout(relay, RELAY_MS);
  };
  return {
    report(_done, _total, message) {
      latest = message;
      if (!pause) relay();
    },
    end() {
      clearInterval(beat);
      clearTimeout(pause);
      pause = undefined;
      if (latest !== undefined) send(0, undefined, latest);
    },
  };
}

/** What takes the reports of one call of a program: they get the name of its op, and their numbers as text. */
export const progressOf =
  (op: string, report: Report): Report =>
  (done, total, message) =>
    report(done, total, `${op}: ${message ?? (total === undefined ? done : `${done} of ${total}`)}`);
