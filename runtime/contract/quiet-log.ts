/** Warnings about requests of strangers, who could otherwise fill the log. */

import type { Logger } from "./handler.js";

/**
 * Writes a warning, unless one of the same kind was written within the last second: then it is counted, and the count is
 * written at the end of that second as `suppressed`.
 *
 * @param kind fields that make the kind. What a stranger chooses is no part of it
 * @param more fields of this one warning
 */
export type Say = (message: string, kind: Fields, more?: Fields) => void;

type Fields = Readonly<Record<string, string>>;

/** Time in which a kind of warning is not repeated. */
const QUIET_MS = 1000;
/** Most kinds that are told apart within that time; others are counted by their message. */
const MAX_KINDS = 100;

/**
 * Makes the writer of warnings.
 *
 * @param log receives the warnings that are no repetition, and the counts of the others
 * @example
 * const say = quietly(log);
 * say("a token was refused", { check: "aud" }, { trace_id: newTraceId() });
 */
export function quietly(log: Logger): Say {
  const suppressed = new Map<string, number>();
  const begin = (key: string, message: string, kind: Fields): void => {
    suppressed.set(key, 0);
    const end = (): void => {
      const count = suppressed.get(key) ?? 0;
      suppressed.delete(key);
      if (count > 0) log.warn(message, { ...kind, suppressed: count });
    };
    setTimeout(end, QUIET_MS).unref();
  };
  return (message, kind, more = {}) => {
    const own = JSON.stringify([message, kind]);
    const isKnown = suppressed.has(own) || suppressed.size < MAX_KINDS;
    const key = isKnown ? own : message;
    const count = suppressed.get(key);
    if (count !== undefined) return void suppressed.set(key, count + 1);
    begin(key, message, isKnown ? kind : {});
    log.warn(message, { ...kind, ...more });
  };
}
