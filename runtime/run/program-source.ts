/** The code of a program, with the lines of its calls. */

import type { ProgramSource } from "./kept/stored-program.js";
import type { Program } from "./languages/language.js";

/** The code; it is read when a line is first asked for. */
export const programSource = (program: Program): Omit<ProgramSource, "command"> => ({
  source: program.source,
  language: program.language.name,
  lineOf: (op, nth) => program.calls()?.lineOf(op, nth),
});
