/** `POST /api/run`: runs code, previews it, or only checks its types, and reports faults by line. */

import { isObject } from "../../contract/json.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { Plan } from "../../run/preview/plan.js";
import type { RanOn } from "../../run/run-answer.js";
import type { ApiCall } from "./api.js";

/** A type error. */
export interface TypeFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** The answer. */
export interface RunReply {
  readonly text: string;
  readonly is_error: boolean;
  /** The id of the run, if it waits for a person. */
  readonly paused?: string;
  readonly diagnostics: readonly TypeFault[];
  /** The engine that ran the code; absent if it did not run. */
  readonly engine?: RanOn;
  /** Of a preview: what the program would write. */
  readonly plan?: Plan;
}

/** Runs the code of a request, previews it, or only checks its types. */
export async function answerRunRequest(
  gateway: Pick<Gateway, "run" | "check">,
  { body, principal, hooks }: ApiCall,
): Promise<RunReply> {
  const { check, preview, ...request } = isObject(body) ? body : {};
  const { command, language } = request;
  const asked = typeof language === "string" ? { language } : {};
  const checked = typeof command === "string" ? await gateway.check(command, principal, asked) : undefined;
  const diagnostics =
    checked?.kind === "checked" ? checked.findings.map(({ line, message }) => ({ line, message })) : [];
  if (check === true && checked) {
    const fault = checked.kind === "fault" ? checked.text : "";
    return { text: fault, is_error: fault !== "", diagnostics };
  }
  // Offered to people whatever `expose.run_preview` offers to agents.
  const options = preview === true ? { ...hooks, isPreview: true as const } : hooks;
  const { text, isError, ranOn, plan, paused } = await gateway.run(request, principal, options);
  const more = { ...(ranOn ? { engine: ranOn } : {}), ...(plan ? { plan } : {}) };
  return { text, is_error: isError, diagnostics, ...(paused === undefined ? {} : { paused }), ...more };
}
