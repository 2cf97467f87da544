/** One line from a client, as far as it can be judged before its method is known. Rules: `access.md` 4, codes. */

import { nestsDeeper } from "../contract/json-schema.js";
import type { JsonObject } from "../contract/registry.js";
import { isObject, own } from "../json.js";
import { decodeLine, RPC, type RpcError } from "./protocol.js";

/** An id as JSON text, so that it goes back as it came. */
export type WireId = string;

/** The id of an answer to what had none that could be read. */
export const NO_ID: WireId = "null";

/** What a line is: a request, a notification, something that is answered with a fault, or something that is not answered. */
export type Message =
  | { readonly kind: "request"; readonly id: WireId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "fault"; readonly id: WireId; readonly error: RpcError }
  | { readonly kind: "nothing" };

/** Levels that a message may nest: those of arguments, and what is around them. */
const DEEPEST = 80;

/** Reads a line. */
export function readMessage(line: Uint8Array): Message {
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fault = (code: number, message: string, id: WireId = NO_ID): Message => ({
  kind: "fault",
  id,
  error: { code, message },
});

/** What has no id gets no answer, whatever is wrong with it. */
function readNotification(value: JsonObject): Message {
  const method = own(value, "method");
  if (own(value, "jsonrpc") !== "2.0" || typeof method !== "string" || nestsDeeper(value, DEEPEST))
    return { kind: "nothing" };
  return { kind: "notification", method, params: own(value, "params") };
}

function readRequest(value: JsonObject, text: string): Message {
  const given = own(value, "id");
  if (typeof given !== "string" && typeof given !== "number")
    return fault(RPC.request, "An id is a string or a number.");
  const id = wireId(given, text);
  const method = own(value, "method");
  if (own(value, "jsonrpc") !== "2.0") return fault(RPC.request, 'jsonrpc must be "2.0".', id);
  if (typeof method !== "string") return fault(RPC.request, "method must be a string.", id);
  if (nestsDeeper(value, DEEPEST)) return fault(RPC.request, `The message nests deeper than ${DEEPEST} levels.`, id);
  return { kind: "request", id, method, params: own(value, "params") };
}

const NUMBER_ID = /"id"\s*:\s*(-?\d[\d.eE+-]*)/g;

/** Ids that count nanoseconds are beyond what a number here can hold, so their digits are looked up in the line. */
function wireId(id: string | number, text: string): WireId {
  if (typeof id === "string" || Number.isSafeInteger(id)) return JSON.stringify(id);
  for (const [, digits = ""] of text.matchAll(NUMBER_ID)) if (Number(digits) === id) return digits;
  return JSON.stringify(id);
}
