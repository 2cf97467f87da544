/** Says why a command ended, and with which exit code. */

import { CommanderError } from "commander";
import { err, paint } from "../../runtime/contract/terminal.js";
import { codeOf, stackOf } from "../../runtime/contract/thrown.js";
import { FILE_LIMIT_REMEDY, isUsageError } from "../../runtime/contract/usage-error.js";

/** System error codes for too many open files, of this process or in total. */
const TOO_MANY_FILES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/** Exit code for an error: 0 help and version, 2 usage error, 70 internal error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && TOO_MANY_FILES.has(codeOf(error))) {
    err(`${paint("red", "error")} ${error.message}: ${FILE_LIMIT_REMEDY}\n`);
    return 2;
  }
  if (isUsageError(error)) {
    err(`${paint("red", "error")} ${error.message}\n`);
    return 2;
  }
  err(
    `${paint("red", "internal error")} ${stackOf(error)}\nThis is a fault of toolwright itself. Please report it with the lines above.\n`,
  );
  return 70;
}

/** Ends the process whose standard output cannot be written. A reader that closes the pipe early, such as head, is not an error. */
export function endWithoutOutput({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE") process.exit();
  const why = code === "ENOSPC" ? "the disk is full" : message;
  err(`${paint("red", "error")} standard output cannot be written: ${why}\n`);
  process.exit(2);
}
