/** A warning that outsiders can trigger at will: the first ones are logged, the others are counted. */

import type { Logger } from "../../contract/handler.js";

/** Logs or counts a warning. */
export interface RepeatedWarning {
  warn(fields: Readonly<Record<string, string>>): void;
  /** Logs the pending count and stops. */
  end(): void;
}

/** Warnings that are logged one by one, and how often the count of the others is logged. */
const FIRST = 5;
const SUMMARY_MS = 60_000;

/** Starts without warnings. */
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
