/** Type check of code against stubs, by the checker that comes with Monty. */

import { Monty, MontyTypingError } from "@pydantic/monty";
import type { CodeDiagnostic } from "./engine.js";

interface Found {
  readonly code: string;
  readonly message: string;
  readonly location: { readonly row: number; readonly column: number };
}

/** A module-level `return` is one, and is right in a run. */
const IGNORED: ReadonlySet<string> = new Set(["invalid-syntax"]);

/** Findings in the code; the stubs stand before it and theirs are dropped. Code that Monty cannot parse has none. */
export function checkCode(code: string, stubs: string): readonly CodeDiagnostic[] {
  const before = stubs.split("\n").length;
  try {
    new Monty(code).typeCheck(stubs);
    return [];
  } catch (error) {
    if (!(error instanceof MontyTypingError)) return [];
    return error
      .displayDiagnostics("jsonlines")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Found)
      .filter((one) => one.location.row > before && !IGNORED.has(one.code))
      .map((one) => ({ line: one.location.row - before, column: one.location.column, message: one.message }));
  }
}
