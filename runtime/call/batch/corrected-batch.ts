/** Corrects a request of `tool_batch`: its entries under another name, as text, or as one call. */

import { isObject, own } from "../../contract/json.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { MAX_BATCH_ENTRIES } from "../../contract/request-fields.js";
import { readFlag } from "../corrections/effect.js";
import { readLenient } from "../corrections/lenient-json.js";

/** Names under which the entries are sent. */
const FIELDS = ["ops", "calls", "operations", "requests", "entries", "batch", "commands", "items", "tool_calls", "op"];
const MODES = ["sequential", "parallel"];

/** The batch that was meant; undefined if that is not certain. What its entries do is up to them. */
export function correctedBatch(sent: JsonObject): JsonObject | undefined {
  const isCall = typeof sent["op"] === "string" && readLenient(sent["op"]) === undefined;
  const given = FIELDS.filter((field) => Object.hasOwn(sent, field) && !(isCall && field === "op"));
  const field = given.find((name) => entriesOf(own(sent, name)) !== undefined);
  const { mode: sentMode, stop_on_error: sentStop, ...others } = sent;
  const mode = typeof sentMode === "string" ? sentMode.trim().toLowerCase() : (sentMode ?? undefined);
  const stop_on_error = readFlag(sentStop) ?? sentStop ?? undefined;
  if (field === undefined) return isCall ? batchOf([sent], {}) : undefined;
  const unknown = Object.keys(others).filter((name) => name !== field);
  if (unknown.length > 0) return undefined;
  const ops = entriesOf(own(sent, field));
  const isKnown = mode === undefined || MODES.includes(String(mode));
  if (!ops || !isKnown || !["undefined", "boolean"].includes(typeof stop_on_error)) return undefined;
  return batchOf(ops, {
    ...(mode === undefined ? {} : { mode }),
    ...(stop_on_error === undefined ? {} : { stop_on_error }),
  });
}

function entriesOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  const read = typeof value === "string" ? readLenient(value) : value;
  if (Array.isArray(read)) return (read as readonly JsonValue[]).map(entryOf);
  const named = isObject(read) ? Object.entries(read) : [];
  if (named.length > 0 && named.every(([name, args]) => isPath(name) && isObject(args)))
    return named.map(([op, args]) => ({ op, args }) as JsonObject);
  if (typeof value === "string" && read === undefined) return isPath(value) ? [entryOf(value)] : undefined;
  if (!isObject(read)) return undefined;
  const inner = Object.values(read);
  const areEntries =
    inner.length > 0 && inner.every((one) => isObject(one) && OP_NAMES.some((name) => Object.hasOwn(one, name)));
  return areEntries ? inner : [read];
}

const OP_NAMES = ["op", "path", "name", "tool"];

/** Whether a text can be the path of an op. */
const isPath = (text: string): boolean => /^[\p{L}\p{N}_]+(?:[.:/-][\p{L}\p{N}_]+)+$/u.test(text.trim());

/** An op alone is a call without arguments. */
function entryOf(entry: JsonValue): JsonValue {
  if (typeof entry === "string" && isPath(entry)) return { op: entry.trim(), args: {} };
  const [op, args, more] = Array.isArray(entry) ? (entry as readonly JsonValue[]) : [];
  return typeof op === "string" && isPath(op) && isObject(args) && more === undefined ? { op, args } : entry;
}

const batchOf = (ops: readonly JsonValue[], rest: JsonObject): JsonObject | undefined =>
  ops.length > 0 && ops.length <= MAX_BATCH_ENTRIES && ops.every(isObject) ? { ops, ...rest } : undefined;
