/** The log: structured lines on stderr or in a file, scrubbed of secrets. stdout belongs to the protocol. */

import { writeSync } from "node:fs";
import { join, sep } from "node:path";
import type { Logger } from "../contract/handler.js";
import { HOME, makePrivate, pathFrom } from "../home.js";
import { scrub } from "./scrub.js";

/** Where log lines go and which. */
export interface LogOptions {
  /** `trace`, `debug`, `info`, `warn`, `error`, `silent`. */
  readonly level: string;
  /** A file to append to; stderr when absent. */
  readonly file?: string;
}

/** Characters of lines that are kept while they cannot be written; further lines are dropped. */
const MAX_UNWRITTEN = 1_000_000;
/** How often it is said on stderr that the log cannot be written. */
const SAID_MS = 60_000;

/** A logger that keeps nothing, for tests and one-shot commands. */
export const silentLog: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/**
 * Opens the log. pino is imported here, since the gateway's data paths work without it.
 *
 * @param root - what the path of the file starts from
 */
export async function openLog(options: LogOptions, root: string): Promise<Logger> {
  const { pino } = await import("pino");
  const { file } = options;
  const dest = file === undefined ? 2 : pathFrom(root, file);
  const isOurs = typeof dest === "string" && dest.startsWith(join(root, HOME, sep));
  const mode = isOurs ? { mode: 0o600 } : {};
  const destination = pino.destination({
    ...{ dest, sync: true, mkdir: file !== undefined, maxLength: MAX_UNWRITTEN, ...mode },
  });
  neverThrowing(destination, file);
  // An earlier version made it for others, too; elsewhere its mode is what its owner wants.
  if (isOurs) makePrivate(dest);
  const log = pino(
    { level: options.level, base: { pid: process.pid }, hooks: { streamWrite: (line) => scrub(line) } },
    destination,
  );
  return {
    debug: (message, fields) => log.debug(fields ?? {}, message),
    info: (message, fields) => log.info(fields ?? {}, message),
    warn: (message, fields) => log.warn(fields ?? {}, message),
    error: (message, fields) => log.error(fields ?? {}, message),
  };
}

/** What pino writes to, as far as it is needed here. */
interface Destination {
  removeAllListeners(event: "error"): unknown;
  on(event: "error", listener: (error: Error & { readonly code?: string }) => void): unknown;
}

/**
 * Has a log that cannot be written, as on a full disk, lose lines instead of throwing: it is called from listeners and from the handling of
 * errors, where a throw would end the process. Lines are written again once that is possible.
 */
function neverThrowing(destination: Destination, file: string | undefined): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  // pino's own listener takes itself off with the first error, so that the second one would be thrown.
  destination.removeAllListeners("error");
  destination.on("error", ({ code, message }) => {
    const now = performance.now();
    if (file === undefined || now - saidAt < SAID_MS) return;
    saidAt = now;
    try {
      writeSync(2, `toolwright: the log ${file} cannot be written (${code ?? message}); lines are lost\n`);
    } catch {
      // Nobody is there to be told.
    }
  });
}
