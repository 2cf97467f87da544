/** Parses one line from a client and checks it as far as possible without knowing the method. */

import { isObject, own } from "../../runtime/contract/json.js";
import { boundText, idAtEdge, isId, MESSAGE_BOUNDS, passedBound } from "../../runtime/contract/json-survey.js";
import { parseMessage } from "../../runtime/contract/read-json.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import { decodeLine, RPC, type RpcError } from "./protocol.js";

/** An id as JSON text, so that it is returned exactly as received. */
export type WireId = string;

/** The id of an answer to a message without a readable id. */
export const NO_ID: WireId = "null";

/** A parsed line: a request, a notification, a fault to answer with, or nothing to answer. */
export type ParsedLine =
  | { readonly kind: "request"; readonly id: WireId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "fault"; readonly id: WireId; readonly error: RpcError }
  | { readonly kind: "nothing" };

/** Reads a line. */
export function parseLine(line: Uint8Array): ParsedLine {
  const passed = passedBound(line, MESSAGE_BOUNDS);
  if (passed) return fault(RPC.request, `The message ${boundText(passed, MESSAGE_BOUNDS)}.`, idAtEdge(line));
  const text = decodeLine(line);
  if (text === undefined) return fault(RPC.parse, "The line is not UTF-8.");
  const value = parsed(text);
  if (value === undefined) return fault(RPC.parse, "The line is not JSON.");
  if (Array.isArray(value)) return fault(RPC.request, "Batches are not supported: send one object a line.");
  if (!isObject(value)) return fault(RPC.request, "A message is an object.");
  return Object.hasOwn(value, "id") ? readRequest(value, text) : readNotification(value);
}

function parsed(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}

const fault = (code: number, message: string, id: WireId = NO_ID): ParsedLine => ({
  kind: "fault",
  id,
  error: { code, message },
});

/** A message without an id gets no answer, even if it is invalid. */
function readNotification(value: JsonObject): ParsedLine {
  const method = own(value, "method");
  if (own(value, "jsonrpc") !== "2.0" || typeof method !== "string") return { kind: "nothing" };
  return { kind: "notification", method, params: own(value, "params") };
}

function readRequest(value: JsonObject, text: string): ParsedLine {
  const given = own(value, "id");
  if (!isId(given)) return fault(RPC.request, "An id is a string or a number that is finite.");
  const id = wireId(given, text);
  const method = own(value, "method");
  if (own(value, "jsonrpc") !== "2.0") return fault(RPC.request, 'jsonrpc must be "2.0".', id);
  if (typeof method !== "string") return fault(RPC.request, "method must be a string.", id);
  return { kind: "request", id, method, params: own(value, "params") };
}

const NUMBER_ID = /"id"\s*:\s*(-?\d[\d.eE+-]*)/g;
/** Longest id whose digits are returned as received. */
const MAX_ID_DIGITS = 64;

/** Ids beyond the safe integers, such as nanosecond counts, are looked up in the line. */
function wireId(id: string | number, text: string): WireId {
  if (typeof id === "string" || Number.isSafeInteger(id)) return JSON.stringify(id);
  for (const [, digits = ""] of text.matchAll(NUMBER_ID))
    if (digits.length <= MAX_ID_DIGITS && Number(digits) === id) return digits;
  return JSON.stringify(id);
}
