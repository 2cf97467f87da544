/** Programs in Python: code that was read, with what can be asked of it. */

import type { Names } from "../../names.js";
import type { Program, ProgramCalls } from "../language.js";
import { callingCode } from "./answer-uses.js";
import { passesOn } from "./assumed-uses.js";
import { codeHashOf, type RewrittenCode } from "./rewrite.js";
import { PYTHON_TEXTS } from "./texts.js";

/** A program in Python. */
export interface PythonProgram extends Program {
  readonly rewritten: RewrittenCode;
}

const LANGUAGE = { name: "python", texts: PYTHON_TEXTS };

/** Makes the program of code that was read with these names. */
export function pythonProgram(rewritten: RewrittenCode, names: Names): PythonProgram {
  const { code, source, ambiguous, hint, facts } = rewritten;
  let read: { readonly calls: ProgramCalls | undefined } | undefined;
  return {
    kind: "program",
    language: LANGUAGE,
    ...{ rewritten, code, source, ambiguous, hint },
    lastCall: facts.lastCall,
    codeHash: () => codeHashOf(rewritten),
    forwards: (ops, isOp) => passesOn(code, ops, isOp),
    calls() {
      read ??= { calls: callingCode(source, names) };
      return read.calls;
    },
  };
}
