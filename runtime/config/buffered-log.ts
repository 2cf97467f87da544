/** A logger that writes lines a little later, together. */

import type { Logger } from "../contract/handler.js";

type Level = keyof Logger;

/** Writes a line. @param time when it was logged, in ms since the epoch; default: now */
export type WriteLine = (level: Level, message: string, fields: object | undefined, time?: number) => void;

/** A logger whose warnings and errors are written by `write`, and other lines by `inform`. */
export const loggerOf = (write: WriteLine, inform: WriteLine): Logger => ({
  debug: (message, fields) => inform("debug", message, fields),
  info: (message, fields) => inform("info", message, fields),
  warn: (message, fields) => write("warn", message, fields),
  error: (message, fields) => write("error", message, fields),
});

const MAX_DELAY_MS = 5;
const MAX_WAITING_LINES = 200;

/** The buffers that hold lines when the process exits. */
const waiting = new Set<() => void>();
let isExiting = false;
process.on("exit", () => {
  isExiting = true;
  for (const flush of waiting) flush();
});

/**
 * Makes a logger that keeps lines for at most {@link MAX_DELAY_MS}. Written one by one, between other work, a line takes
 * three times as long, and each is a system call that wakes the process that reads. A warning is written at once, after
 * the lines before it.
 *
 * @param batch runs work whose lines are written together
 */
export function bufferedLogger(
  write: WriteLine,
  batch: (work: () => void) => void,
  isOn: (level: Level) => boolean,
): Logger {
  let lines: Parameters<WriteLine>[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    waiting.delete(flush);
    const ready = lines;
    lines = [];
    batch(() => {
      for (const line of ready) write(...line);
    });
  };
  const inform: WriteLine = (level, message, fields) => {
    if (!isOn(level)) return;
    lines.push([level, message, fields && { ...fields }, Date.now()]);
    waiting.add(flush);
    timer ??= setTimeout(flush, MAX_DELAY_MS).unref();
    if (isExiting || lines.length >= MAX_WAITING_LINES || holdsObject(fields)) flush();
  };
  const writeNow: WriteLine = (level, message, fields) => {
    flush();
    write(level, message, fields);
  };
  return loggerOf(writeNow, inform);
}

/** Whether a field can change before it is written. */
function holdsObject(fields: object | undefined): boolean {
  for (const key in fields) if (typeof fields[key as keyof typeof fields] === "object") return true;
  return false;
}

/** A pipe that several processes write to keeps so many bytes of one write together. */
const MAX_WRITE_BYTES = 4096;

/** A destination that writes together what is written during a batch. */
export function batchedWriter(destination: { write(text: string): unknown }) {
  let isBatch = false;
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
      if (bytes + more > MAX_WRITE_BYTES) flush();
      lines += line;
      bytes += more;
      if (!isBatch) flush();
    },
    batch(work: () => void): void {
      isBatch = true;
      try {
        work();
      } finally {
        isBatch = false;
        flush();
      }
    },
  };
}
