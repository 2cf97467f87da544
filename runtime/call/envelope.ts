/** Reads the envelope of a call: op, arguments, `dry_run`, `idempotency_key`. */

import { attention, fieldErrorDetails } from "../contract/error-body.js";
import type { FieldError } from "../contract/handler.js";
import type { JsonObject } from "../contract/registry.js";
import {
  anyField,
  asRequest,
  checkFields,
  type FieldRules,
  flagField,
  notAnObject,
  textField,
} from "../contract/request-fields.js";
import { type Call, type ReadCall, refuse } from "./call.js";
import { isKey } from "./corrections/effect.js";
import { namedOps } from "./request-names.js";

const FIELDS: FieldRules = new Map([
  ["op", { ...textField, required: true as const }],
  ["args", anyField],
  ["idempotency_key", { expected: "1 to 200 printable characters", form: true as const, accepts: isKey }],
  ["dry_run", flagField],
]);

/**
 * Reads the envelope.
 *
 * @throws CallError VALIDATION_ERROR with all findings about its fields
 */
export function readEnvelope(call: Call): ReadCall {
  const fields = asRequest(call.request);
  const errors = fields ? faultsOf(call, fields) : [notAnObject(call.request, "")];
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

/** What is wrong with the fields; several ops are one finding. */
function faultsOf({ view }: Call, fields: JsonObject): readonly FieldError[] {
  const errors = checkFields(fields, FIELDS);
  const named = errors.length === 0 ? new Map<string, string>() : namedOps(view, fields);
  if (new Set(named.values()).size < 2) return errors;
  const said = [...named].map(([name, op]) => `${op} (${name})`).join(" and ");
  const message = `one call has one op, and this has ${said}: send a call for each`;
  const several = { path: "op", keyword: "one_of", message, expected: "one op", received: `${named.size} ops` };
  return [several, ...errors.filter(({ path }) => path !== "op" && !named.has(path))];
}
