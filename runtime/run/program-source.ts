/** The code of a program, with the lines of its calls. */

import type { ProgramSource } from "./kept/stored-program.js";
import { type CallingCode, callingCode } from "./languages/python/answer-uses.js";
import type { Names } from "./names.js";

/** The code; it is read when a line is first asked for. */
export function programSource(source: string, names: Names): Omit<ProgramSource, "command"> {
  let read: { readonly code: CallingCode | undefined } | undefined;
  return {
    source,
    lineOf(op, nth) {
      read ??= { code: callingCode(source, names) };
      return read.code?.lineOf(op, nth);
    },
  };
}
