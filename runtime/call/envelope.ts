/** Reads the envelope of a call: op, arguments, `dry_run`, `idempotency_key`. */

import { attention, type CorrectedCall, fieldErrorDetails } from "../contract/error-body.js";
import type { FieldError } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { JsonObject } from "../contract/registry.js";
import {
  anything,
  asRequest,
  checkFields,
  type FieldRules,
  flag,
  notAnObject,
  text,
} from "../contract/request-fields.js";
import { gatherArguments } from "./arguments/gather.js";
import { type Call, type ReadCall, refuse } from "./call.js";
import { correctArguments } from "./prepare.js";
import { copyOf, findOp } from "./resolve.js";

const FIELDS: FieldRules = new Map([
  ["op", { ...text, required: true as const }],
  ["args", anything],
  ["idempotency_key", { expected: "1 to 200 printable characters", form: true as const, accepts: isKey }],
  ["dry_run", flag],
]);

function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[^\p{C}]{1,200}$/u.test(value) && value.trim() !== "";
}

/**
 * Reads the envelope.
 *
 * @throws CallFailure VALIDATION_ERROR with all findings about its fields
 */
export async function readEnvelope(call: Call): Promise<ReadCall> {
  const fields = asRequest(call.request);
  if (!fields) return refuseEnvelope(call, {}, [notAnObject(call.request, "")]);
  const errors = checkFields(fields, FIELDS);
  if (errors.length > 0) return refuseEnvelope(call, fields, errors);
  const { op, args, dry_run, idempotency_key } = fields;
  const envelope = {
    op: String(op),
    args,
    dryRun: typeof dry_run === "boolean" ? dry_run : undefined,
    key: typeof idempotency_key === "string" ? idempotency_key : undefined,
  };
  return { ...call, envelope };
}

/** Refuses a broken envelope with a corrected call: of the requested op, or of one that needs no arguments. */
async function refuseEnvelope(call: Call, fields: JsonObject, errors: readonly FieldError[]): Promise<never> {
  const easy = call.view.listed.find(
    (tool) => tool.kind === "read" && tool.parameters.every(({ required }) => !required),
  );
  const corrected = (await correctEnvelope(call, fields)) ?? (easy && copyOf(easy, {}));
  return refuse({ ...call, corrected }, "VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
}

/** A corrected call from the fields of a broken envelope; undefined if the op is unknown. */
export async function correctEnvelope(call: Call, fields: JsonObject): Promise<CorrectedCall | undefined> {
  const { op } = fields;
  const tool = typeof op === "string" ? findOp(call.view, op)?.tool : undefined;
  if (!tool) return undefined;
  const args = gatherArguments(tool, fields, FIELDS);
  const resolved = call.options.references?.(args) ?? { args, errors: [] };
  if (resolved.errors.length > 0 || !isObject(resolved.args)) return copyOf(tool, args);
  return correctArguments(call.services, tool, resolved.args);
}
