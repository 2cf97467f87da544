/**
 * The log: structured lines on stderr or in a file, with secrets removed; on a terminal, lines that people read. stdout
 * is reserved for the protocol.
 */

import { writeSync } from "node:fs";
import { join, sep } from "node:path";
import type { destination } from "pino";
import type { Logger } from "../contract/handler.js";
import { forTerminal } from "../contract/message-text.js";
import { withOwnCommand } from "../contract/own-command.js";
import { scrub } from "../contract/scrub.js";
import { withoutCommands } from "../contract/terminal.js";
import { batchedWriter, bufferedLogger, loggerOf, type WriteLine } from "./buffered-log.js";
import { makePrivate, pathFrom, STATE_DIRECTORY } from "./state-directory.js";

/** Level and destination of the log. */
export interface LogOptions {
  /** `trace`, `debug`, `info`, `warn`, `error`, `silent`. */
  readonly level: string;
  /** A file to append to; stderr when absent. */
  readonly file?: string;
}

/** Characters of unwritten lines that are buffered; further lines are dropped. */
const MAX_UNWRITTEN = 1_000_000;
/** Pause between two reports on stderr that the log cannot be written. */
const SAID_MS = 60_000;

/** A logger that discards everything, for tests and one-shot commands. */
export const silentLog: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/**
 * Opens the log. pino is imported here, because the gateway's data paths work without it.
 *
 * @param root - the folder from which the path of the file is resolved
 * @param write - receives the lines in place of stderr or the file
 */
export async function openLog(options: LogOptions, root: string, write?: (line: string) => void): Promise<Logger> {
  const { default: pino } = await import("pino");
  const isRead = !write && options.file === undefined && process.stderr.isTTY === true;
  const shown = isRead ? await readableLine() : (line: string) => line;
  const destination = write ? { write } : openDestination(options, root, pino.destination);
  // A line in a file is there as soon as the answer to its call. Only lines for stderr come later.
  const batched = write || options.file !== undefined ? undefined : batchedWriter(destination);
  let at: number | undefined;
  const log = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: () => `,"time":${at ?? Date.now()}`,
      hooks: { streamWrite: (line) => shown(withoutCommands(forTerminal(scrub(line)))) },
    },
    batched ?? destination,
  );
  const writeLine: WriteLine = (level, message, fields, time) => {
    at = time;
    log[level](fields ?? {}, withOwnCommand(message));
    at = undefined;
  };
  return batched
    ? bufferedLogger(writeLine, batched.batch, (level) => log.isLevelEnabled(level))
    : loggerOf(writeLine, writeLine);
}

/** An escape of JSON. */
const ESCAPE = /\\(u[0-9a-f]{4}|.)/gi;
/** The escapes of what a terminal obeys or nobody sees: not those of tabs, line ends, quotes and backslashes. */
const OBEYED = /^[ubfr]/;

/** Turns a line of JSON into one for a terminal: time, level, message, fields. Escapes stay escapes, so that foreign text in it cannot move the cursor. */
async function readableLine(): Promise<(line: string) => string> {
  // A bundler gives what a CommonJS module exports as its default only.
  const { default: exported } = await import("pino-pretty");
  const pretty = (exported as unknown as typeof import("pino-pretty")).prettyFactory({
    ...{ colorize: process.env["NO_COLOR"] === undefined, translateTime: "SYS:HH:MM:ss", ignore: "pid,hostname" },
    singleLine: true,
  });
  return (line) =>
    pretty(line.replace(ESCAPE, (whole, mark: string) => (OBEYED.test(mark) ? `\\${whole}` : whole))) ?? line;
}

/** Opens stderr or the file. */
function openDestination({ file }: LogOptions, root: string, open: typeof destination) {
  const dest = file === undefined ? 2 : pathFrom(root, file);
  const isOurs = typeof dest === "string" && dest.startsWith(join(root, STATE_DIRECTORY, sep));
  const mode = isOurs ? { mode: 0o600 } : {};
  const opened = open({
    ...{ dest, sync: true, mkdir: file !== undefined, maxLength: MAX_UNWRITTEN, ...mode },
  });
  neverThrowing(opened, file);
  // An earlier version created it with wider permissions. A file elsewhere keeps the mode that its owner gave it.
  if (isOurs) makePrivate(dest);
  return opened;
}

/** The part of pino's destination that is used here. */
interface Destination {
  removeAllListeners(event: "error"): unknown;
  on(event: "error", listener: (error: Error & { readonly code?: string }) => void): unknown;
}

/**
 * Makes a log that cannot be written, as on a full disk, lose lines instead of throwing: it is called from listeners
 * and from error handling, where an exception would end the process. Writing resumes as soon as it is possible.
 */
function neverThrowing(destination: Destination, file: string | undefined): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  // pino's own listener removes itself with the first error, so that the second one would be thrown.
  destination.removeAllListeners("error");
  destination.on("error", ({ code, message }) => {
    const now = performance.now();
    if (file === undefined || now - saidAt < SAID_MS) return;
    saidAt = now;
    try {
      writeSync(2, `toolwright: the log ${file} cannot be written (${code ?? message}); lines are lost\n`);
    } catch {
      // stderr is closed, too: there is nowhere to report it.
    }
  });
}
