/** Finds the arguments of a call whose envelope is broken: under a wrong name, as text, or beside the op. */

import { closest } from "../contract/closest.js";
import { objectOf } from "../contract/exact-number.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { isObject, own } from "../json.js";
import { parseObject } from "./json-text.js";
import { propertiesOf } from "./schema.js";
import { MAX_UNKNOWN } from "./unknown-members.js";

/** Names under which arguments are sent instead of `args`. */
const INSTEAD = ["arguments", "params", "parameters", "input"];

/** The arguments that were meant; `fields` are those of the envelope. What is neither a field nor an argument is left out. */
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

/** Names of the arguments, and the other names that stand for one. */
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
