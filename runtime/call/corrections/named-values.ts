/** Reads arguments that are written as names with values in another notation than JSON or Python. */

import { objectOf } from "../../contract/exact-number.js";
import { isObject } from "../../contract/json.js";
import { boundedPattern } from "../../contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { propertiesOf } from "../arguments/schema.js";
import { effectField } from "./effect.js";

/** Longest text that is read, in characters. */
const MAX_TEXT_LENGTH = 10_000;

/**
 * The arguments in lines `name: value`, in flags `--name value`, in tags `<name>value</name>`, in a list of pairs, or in one text
 * that is the op's only required argument; undefined if one of the names is neither an argument of the op nor a flag.
 */
export function readNamed(tool: Tool, sent: JsonValue, declared: ReadonlySet<string>): JsonObject | undefined {
  const pairs = typeof sent === "string" ? pairsInText(sent) : Array.isArray(sent) ? pairsInList(sent) : undefined;
  if (!pairs || pairs.length === 0) return typeof sent === "string" ? onlyArgument(tool, sent) : undefined;
  const names = new Set(pairs.map(([name]) => name));
  const isClear = names.size === pairs.length && pairs.every(([name, value]) => isValueOf(name, value, declared));
  return isClear ? objectOf(pairs) : undefined;
}

type Pairs = readonly (readonly [name: string, value: JsonValue])[];

/** Whether a name is an argument, and its value not a text in which another one follows, or a word for no value. */
function isValueOf(name: string, value: JsonValue, declared: ReadonlySet<string>): boolean {
  if (!declared.has(name) && effectField(name) === undefined) return false;
  if (typeof value !== "string") return true;
  const named = [...value.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?=\s*[:=])/gu)];
  return !/^(?:null|none|nil|~|[|>][+-]?)?$/i.test(value) && !named.some(([one]) => declared.has(one));
}

function pairsInText(sent: string): Pairs | undefined {
  const text = sent.trim();
  if (text.length > MAX_TEXT_LENGTH || /^[[{("'`]/.test(text)) return undefined;
  if (text.startsWith("--"))
    return pairsIn(text, /--([\p{L}_][\p{L}\p{N}_]*)(?:=|\s+)((?:(?!\s--)[\s\S])+)(?:\s+|$)/gu);
  if (text.startsWith("<")) return pairsIn(text, /<([\p{L}_][\p{L}\p{N}_]*)>([^<&]*)<\/\1>\s*/gu);
  return pairsIn(`${text}\n`, /[ \t]*(?:- )?([\p{L}_][\p{L}\p{N}_]*)[ \t]*:[ \t]+([^\n]+)\n\s*/gu);
}

/** Names and values that make up the whole text. */
function pairsIn(text: string, form: RegExp): Pairs | undefined {
  const found = [...text.matchAll(form)];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  return length === text.length
    ? found.map(([, name = "", value = ""]) => [name, unquoted(value)] as const)
    : undefined;
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/s, "$2");

/** `[["limit", 5]]`, `[{"name": "limit", "value": 5}]`. */
function pairsInList(items: readonly JsonValue[]): Pairs | undefined {
  const pairs = items.flatMap((item): Pairs => {
    if (Array.isArray(item)) return item.length === 2 && typeof item[0] === "string" ? [[item[0], item[1]]] : [];
    if (!isObject(item) || Object.keys(item).length !== 2 || item["value"] === undefined) return [];
    const name = item["name"] ?? item["key"] ?? item["field"] ?? item["argument"];
    return typeof name === "string" ? [[name, item["value"]]] : [];
  });
  return pairs.length === items.length ? pairs : undefined;
}

/** A text in place of the arguments, if it can only be the one required argument: what is searched for, or an id. */
function onlyArgument({ action, parameters, parameters_schema: schema }: Tool, sent: string): JsonObject | undefined {
  const [only, other] = parameters.filter(({ required }) => required);
  const property = only && propertiesOf(schema).get(only.original);
  const text = sent.trim();
  if (!property || other || property["type"] !== "string" || !/^[^\s{[("'`<>=:-][^\n{}=<>]*$/.test(text))
    return undefined;
  const { pattern } = property;
  const isId = typeof pattern === "string" && boundedPattern(pattern, "u").test(text);
  const isSearched = action === "search" && pattern === undefined && property["enum"] === undefined;
  return isId || isSearched ? { [only.original]: text } : undefined;
}
