/** `POST /api/run`: runs code, or only checks its types, and reports faults by line. */

import { isObject } from "../../contract/json.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { RanOn } from "../../run/run-answer.js";
import type { ApiCall } from "./api.js";

/** A type error. */
export interface Diagnostic {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** The answer. */
export interface RunReply {
  readonly text: string;
  readonly is_error: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The engine that ran the code; absent if it did not run. */
  readonly engine?: RanOn;
}

/** Runs the code of a request, or only checks its types. */
export async function answerRun(
  gateway: Pick<Gateway, "run" | "check">,
  { body, principal, hooks }: ApiCall,
): Promise<RunReply> {
  const { check, ...request } = isObject(body) ? body : {};
  const { command } = request;
  const checked = typeof command === "string" ? await gateway.check(command, principal) : undefined;
  const diagnostics =
    checked?.kind === "checked" ? checked.findings.map(({ line, message }) => ({ line, message })) : [];
  if (check === true && checked) {
    const fault = checked.kind === "fault" ? checked.text : "";
    return { text: fault, is_error: fault !== "", diagnostics };
  }
  const { text, isError, ranOn } = await gateway.run(request, principal, hooks);
  return { text, is_error: isError, diagnostics, ...(ranOn ? { engine: ranOn } : {}) };
}
