/** Narrows the answer to a call that fails in the same way again: first the usage of its op, then to stop and ask. */

import type { ErrorCode } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, Parameter, Tool } from "../../contract/registry.js";

/** What an answer says about a failure. */
export interface Narrowed {
  readonly message: string;
  readonly details: JsonObject;
  /** Whether a corrected call would be tried in vain. */
  readonly isFinal: boolean;
}

/** Codes of failures that another form of the call would avoid. */
const ABOUT_THE_CALL: ReadonlySet<ErrorCode> = new Set(["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT"]);
/** Things to ask that are named. */
const MAX_ASKED = 5;

/** The answer to a call that failed `times` times, word for word. */
export function narrowed(
  told: { readonly code: ErrorCode; readonly message: string; readonly details: JsonObject },
  times: number,
  tool: Tool | undefined,
): Narrowed {
  const { code, message } = told;
  if (times < 2) return { message, details: told.details, isFinal: false };
  const details = { ...told.details, repeated: times };
  if (!ABOUT_THE_CALL.has(code)) return { message, details, isFinal: false };
  if (times > 2) return { message: stop(times, details, tool), details, isFinal: true };
  return { message, details: { ...details, usage: tool ? parametersLine(tool) : CALL }, isFinal: false };
}

const CALL = 'a call is {"op": "<pack.entity.verb>", "args": {…}}; tool_help {"path": "root"} lists the ops.';

function stop(times: number, { field_errors }: JsonObject, tool: Tool | undefined): string {
  const errors = Array.isArray(field_errors) ? field_errors.filter(isObject) : [];
  const asked = errors.slice(0, MAX_ASKED).map(({ path, expected }) => `${path || "the arguments"} (${expected})`);
  const what = tool ? asked.join(", ") || `what ${tool.op} needs` : "what is to be done, and with what";
  return `Stop: this call failed ${times} times, word for word. Do not send it again. Ask the person for ${what}.`;
}

/** `onto.task.list(project_id?: id<project>, limit?: integer 1..50)` */
export const parametersLine = ({ op, parameters }: Pick<Tool, "op" | "parameters">): string =>
  `${op}(${parameters.map(usageOf).join(", ")})`;

const usageOf = ({ name, required, type }: Parameter): string => `${name}${required ? "" : "?"}: ${type}`;
