/** Child program of the type checker: checks code in turn. */

import { openChannel } from "../../../engine/child-channel.js";
import type { CheckedCode, CodeDiagnostic, CodeToCheck } from "./type-checker.js";

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

/** The package is optional: an installation may lack it, or its program for this system. */
const monty = await import("@pydantic/monty").catch(() => undefined);
/** The code goes in front of an empty program: the checker reads all of Python. */
const empty = monty && new monty.Monty("");

/** Findings in the code; those in the stubs before it are dropped. Undefined without the package. */
function checkCode({ code, stubs }: CodeToCheck): readonly CodeDiagnostic[] | undefined {
  if (!monty) return undefined;
  const before = stubs.split("\n").length;
  const last = code.split("\n").length;
  try {
    empty?.typeCheck(`${stubs}\n${code}`);
    return [];
  } catch (error) {
    if (!(error instanceof monty.MontyTypingError)) return [];
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

const channel = openChannel((message) => {
  const asked = message as CodeToCheck;
  channel.send({ id: asked.id, found: checkCode(asked) } satisfies CheckedCode);
});
