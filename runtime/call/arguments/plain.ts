/** Arguments as plain objects: views that keep the order of keys, as the results of upstream servers have them, become copies. */

import { types } from "node:util";
import { isExact } from "../../contract/exact-number.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";

/**
 * The arguments with plain objects and lists at every level, which `structuredClone` and `postMessage` take. Keys that look like array
 * indices come first, as in every JavaScript object.
 */
export const plainArguments = (args: JsonObject): JsonObject => (holdsView(args) ? (copied(args) as JsonObject) : args);

function holdsView(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return types.isProxy(value) || Object.values(value).some(holdsView);
}

function copied(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copied(member as JsonValue)]));
}
