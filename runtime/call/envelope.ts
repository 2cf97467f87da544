/** Reads the envelope of a call: op, arguments, `dry_run`, `idempotency_key`. */

import { attention, fieldErrorDetails } from "../contract/error-body.js";
import {
  anything,
  asRequest,
  checkFields,
  type FieldRules,
  flag,
  notAnObject,
  text,
} from "../contract/request-fields.js";
import { type Call, type ReadCall, refuse } from "./call.js";
import { isKey } from "./corrections/effect.js";

const FIELDS: FieldRules = new Map([
  ["op", { ...text, required: true as const }],
  ["args", anything],
  ["idempotency_key", { expected: "1 to 200 printable characters", form: true as const, accepts: isKey }],
  ["dry_run", flag],
]);

/**
 * Reads the envelope.
 *
 * @throws CallFailure VALIDATION_ERROR with all findings about its fields
 */
export function readEnvelope(call: Call): ReadCall {
  const fields = asRequest(call.request);
  const errors = fields ? checkFields(fields, FIELDS) : [notAnObject(call.request, "")];
  if (!fields || errors.length > 0)
    return refuse(call, "VALIDATION_ERROR", attention(errors), fieldErrorDetails(errors));
  const { op, args, dry_run, idempotency_key } = fields;
  const envelope = {
    op: String(op),
    args,
    dryRun: typeof dry_run === "boolean" ? dry_run : undefined,
    key: typeof idempotency_key === "string" ? idempotency_key : undefined,
  };
  return { ...call, envelope };
}
