/** Converts the answer of a GraphQL API to the result of an op, and its errors to a code of the envelope. */

import { type Context, type ErrorCode, fail } from "../../runtime/contract/handler.js";
import type { GraphqlCall } from "../../runtime/contract/http-call.js";
import { isObject, own } from "../../runtime/contract/json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { clip } from "../../runtime/contract/scrub.js";
import { failUnavailable } from "../../runtime/http-client/client.js";

/** Codes of servers (`extensions.code`) to codes of the envelope; any other error is UNAVAILABLE. */
const CODES: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  ["BAD_USER_INPUT", "VALIDATION_ERROR"],
  ["GRAPHQL_VALIDATION_FAILED", "VALIDATION_ERROR"],
  ["BAD_REQUEST", "VALIDATION_ERROR"],
  ["NOT_FOUND", "NOT_FOUND"],
  ["CONFLICT", "CONFLICT"],
  ["RATE_LIMITED", "RATE_LIMITED"],
]);

/** Errors and characters of each that a message holds. */
const MAX_ERRORS = 5;
const MAX_ERROR_LENGTH = 500;

/**
 * The value of the field. Errors beside a value are warnings.
 *
 * @throws ToolFailure for errors without a value, and for anything but an answer of GraphQL
 */
export function graphqlResult(call: GraphqlCall, answer: JsonValue, { host }: URL, ctx: Context): JsonValue {
  const errors = isObject(answer) ? own(answer, "errors") : undefined;
  const data = isObject(answer) ? own(answer, "data") : undefined;
  const value = isObject(data) ? own(data, call.field) : undefined;
  const found = Array.isArray(errors) ? errors.filter(isObject) : [];
  if (found.length === 0)
    return value === undefined ? failUnavailable(host, `answers without the field ${call.field}`) : value;
  const said = found.slice(0, MAX_ERRORS).map(messageIn).join("; ");
  if (value === undefined || value === null) return refuse(call, found, said, host, data !== undefined);
  ctx.warn(`partial: ${said}`);
  return value;
}

function messageIn(error: JsonObject): string {
  const path = own(error, "path");
  const at = Array.isArray(path) && path.length > 1 ? ` at ${path.join(".")}` : "";
  return `${clip(String(own(error, "message") ?? "an error"), MAX_ERROR_LENGTH)}${at}`;
}

/** @param began whether the server began to carry out the operation */
function refuse(call: GraphqlCall, errors: readonly JsonObject[], said: string, host: string, began: boolean): never {
  const [extensions] = errors.map((one) => own(one, "extensions"));
  const code =
    CODES.get(isObject(extensions) ? own(extensions, "code") : undefined) ??
    (began ? "UNAVAILABLE" : "VALIDATION_ERROR");
  const uncertain = began && call.operation === "mutation" && code === "UNAVAILABLE";
  return fail(code, `${host} answers the ${call.operation} ${call.field} with an error: ${said}`, {
    server: host,
    answer: said,
    ...(uncertain ? { outcome: "unknown" } : {}),
  });
}
