/** Recovers the arguments of a call with a broken envelope: under a wrong name, as text, or beside the op. */

import { closest } from "../../contract/closest.js";
import { objectOf } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { MAX_UNKNOWN } from "../../contract/request-fields.js";
import { parseObject } from "./json-text.js";
import { propertiesOf } from "./schema.js";

/** Other names under which callers send `args`. */
const INSTEAD = ["arguments", "params", "parameters", "input"];

/**
 * The intended arguments; `fields` are those of the envelope. Anything that is neither a field nor an argument is left
 * out.
 */
export function gatherArguments(tool: Tool, sent: JsonObject, fields: ReadonlyMap<string, unknown>): JsonObject {
  const names = Object.keys(sent).filter((name) => !fields.has(name));
  const declared = declaredNames(tool);
  const stray = names.filter((name) => !declared.has(name)).slice(0, MAX_UNKNOWN);
  const considered = new Set([...names.filter((name) => declared.has(name)), ...stray]);
  const holders = ["args", ...stray.filter((name) => INSTEAD.includes(name) || closest(name, ["args"]) !== undefined)];
  const held = holders.map((name) => asObject(own(sent, name)) ?? {});
  const isMeant = (name: string): boolean =>
    declared.has(name) ||
    (!holders.includes(name) && closest(name, fields.keys()) === undefined && closest(name, declared) !== undefined);
  const beside = objectOf(Object.entries(sent).filter(([name]) => considered.has(name) && isMeant(name)));
  return objectOf([beside, ...held.reverse()].flatMap((part) => Object.entries(part)));
}

/** Names and aliases of the arguments. */
function declaredNames(tool: Tool): ReadonlySet<string> {
  const endpoints = tool.parameters_schema["x-endpoints"];
  return new Set([
    ...propertiesOf(tool.parameters_schema).keys(),
    ...tool.parameters.flatMap(({ name, aliases }) => [name, ...aliases]),
    ...(isObject(endpoints) ? Object.keys(endpoints) : []),
  ]);
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value !== "string") return isObject(value) ? value : undefined;
  const parsed = parseObject(value);
  return parsed.kind === "object" ? parsed.value : undefined;
}
