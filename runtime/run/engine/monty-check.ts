/** Type-checks code against stubs, with the checker of Monty. */

import { Monty, MontyTypingError } from "@pydantic/monty";
import type { CodeDiagnostic } from "./engine.js";

interface Found {
  readonly code: string;
  readonly message: string;
  readonly location: { readonly row: number; readonly column: number };
}

/**
 * Most diagnostics that are read, including those of the stubs, and longest message: types quote the code, which may
 * be long.
 */
const MAX_DIAGNOSTICS = 1000;
const MAX_MESSAGE_LENGTH = 2000;

/** Statements that are valid at module level in a run. */
const ALLOWED = /^`(?:return|await)` /;

/** The code goes in front of an empty program: the checker reads all of Python, the interpreter's own parser less. */
const EMPTY = new Monty("");

/** Findings in the code; those in the stubs before it are dropped. */
export function checkCode(code: string, stubs: string): readonly CodeDiagnostic[] {
  const before = stubs.split("\n").length;
  const last = code.split("\n").length;
  try {
    EMPTY.typeCheck(`${stubs}\n${code}`);
    return [];
  } catch (error) {
    if (!(error instanceof MontyTypingError)) return [];
    return error
      .displayDiagnostics("jsonlines")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .slice(0, MAX_DIAGNOSTICS)
      .map((line) => JSON.parse(line) as Found)
      .filter((one) => one.location.row > before && !ALLOWED.test(one.message))
      .map(({ code: rule, message, location: { row, column } }) => {
        return { rule, line: Math.min(row - before, last), column, message: message.slice(0, MAX_MESSAGE_LENGTH) };
      });
  }
}
