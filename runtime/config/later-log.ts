/** Lines of the log that are written a little later, together. */

import type { Logger } from "../contract/handler.js";

type Level = keyof Logger;

/** Writes a line. @param time when it was told, in ms since the epoch; default: now */
export type Tell = (level: Level, message: string, fields: object | undefined, time?: number) => void;

/** @param inform takes lines that only inform */
export const loggerOf = (tell: Tell, inform: Tell): Logger => ({
  debug: (message, fields) => inform("debug", message, fields),
  info: (message, fields) => inform("info", message, fields),
  warn: (message, fields) => tell("warn", message, fields),
  error: (message, fields) => tell("error", message, fields),
});

/** How long a line waits at most, and how many do. */
const LATER_MS = 5;
const MOST_LATER = 200;

/** Writes what waits when the process exits. */
const waiting = new Set<() => void>();
process.on("exit", () => {
  for (const flush of waiting) flush();
});

/**
 * Writes lines a little later, together. One by one, between other work, a line takes three times as long to make, and each
 * is a system call that wakes the process that reads. What warns is written at once, after what came before.
 */
export function later(tell: Tell, together: (work: () => void) => void, isOn: (level: Level) => boolean): Logger {
  let told: Parameters<Tell>[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    waiting.delete(flush);
    const lines = told;
    told = [];
    together(() => {
      for (const line of lines) tell(...line);
    });
  };
  const inform: Tell = (level, message, fields) => {
    if (!isOn(level)) return;
    told.push([level, message, fields, Date.now()]);
    waiting.add(flush);
    timer ??= setTimeout(flush, LATER_MS).unref();
    if (told.length >= MOST_LATER || !isPlain(fields)) flush();
  };
  const now: Tell = (level, message, fields) => {
    flush();
    tell(level, message, fields);
  };
  return loggerOf(now, inform);
}

/** Whether no field can change or fail before it is written. */
function isPlain(fields: object | undefined): boolean {
  for (const key in fields) if (typeof fields[key as keyof typeof fields] === "object") return false;
  return true;
}

/** Bytes that are written at once: a pipe that processes share keeps so many together. */
const TOGETHER_BYTES = 4096;

/** A destination that writes together what is written during some work. */
export function collected(destination: { write(text: string): unknown }) {
  let isCollecting = false;
  let lines = "";
  let bytes = 0;
  const flush = (): void => {
    if (bytes > 0) destination.write(lines);
    lines = "";
    bytes = 0;
  };
  return {
    write(line: string): void {
      const more = Buffer.byteLength(line);
      if (bytes + more > TOGETHER_BYTES) flush();
      lines += line;
      bytes += more;
      if (!isCollecting) flush();
    },
    within(work: () => void): void {
      isCollecting = true;
      try {
        work();
      } finally {
        isCollecting = false;
        flush();
      }
    },
  };
}
