/** A warning that an outsider can bring about as often as he likes: the first ones are logged as they are, the others are counted. */

import type { Logger } from "../contract/handler.js";

/** Warns, or counts. */
export interface RepeatedWarning {
  warn(fields: Readonly<Record<string, string>>): void;
  /** Logs what was counted since, and counts no more. */
  end(): void;
}

/** Warnings that are logged as they are, and how often the number of the others is logged. */
const FIRST = 5;
const SUMMARY_MS = 60_000;

/** Nothing was warned of so far. */
export function repeatedWarning(log: () => Logger, message: string, summaryMs = SUMMARY_MS): RepeatedWarning {
  let total = 0;
  let counted = 0;
  let timer: NodeJS.Timeout | undefined;
  const summarize = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (counted > 0) log().warn(`${message}: more of them, not logged one by one`, { count: counted, total });
    counted = 0;
  };
  return {
    warn(fields) {
      total++;
      if (total <= FIRST) return log().warn(message, fields);
      counted++;
      timer ??= setTimeout(summarize, summaryMs).unref();
    },
    end: summarize,
  };
}
