/** The log: structured lines on stderr or in a file, scrubbed of secrets. stdout belongs to the protocol. */

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
  const destination = pino.destination({ dest, sync: true, mkdir: file !== undefined, ...mode });
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
