/** Warnings about requests of strangers, who could otherwise fill the log. */

import type { Logger } from "../../contract/handler.js";

/** Writes a warning, unless the same one was written within the last second. */
export type Say = (message: string, fields: Readonly<Record<string, string>>) => void;

/** Time in which a line of the log is not repeated. */
const QUIET_MS = 1000;
/** Most lines that are remembered for that. */
const MAX_SAID = 100;

/** @param log receives the warnings that are no repetition */
export function quietly(log: Logger): Say {
  const said = new Map<string, number>();
  return (message, fields) => {
    const [now, line] = [performance.now(), `${message} ${Object.values(fields).join(" ")}`];
    if (now - (said.get(line) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    if (said.size >= MAX_SAID) said.clear();
    said.set(line, now);
    log.warn(message, fields);
  };
}
