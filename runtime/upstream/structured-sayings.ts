/** Compares texts with the structured value that they stand beside: most say the same, and cost no tokens then. */

import { canonicalJson } from "../contract/canonical.js";
import { isExact, writeJson } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { blockAsData, DATA_URL } from "./content-block.js";

/** A text in a fence of Markdown. */
const FENCED = /^```[\w+-]*\n([\s\S]*)\n```$/;

/**
 * What a structured value says: the value, its members, and the items of lists among them if there are several blocks. One text
 * that is an item may say which one, or how many there are.
 *
 * @returns whether a text or a value says nothing else: as JSON in any formatting, as a scalar that is printed, or as some of its members
 * @example
 * sayingsOf({ n: 2, tags: ["a", "b"] }, true)('{ "n": 2 }'); // true, and so for "2" and "a"
 */
export function sayingsOf(structured: JsonValue, areSeveral: boolean): (said: JsonValue) => boolean {
  let known: { readonly values: ReadonlySet<string>; readonly texts: ReadonlySet<string> } | undefined;
  const sayings = () => {
    known ??= collect(structured, areSeveral);
    return known;
  };
  let within: Within | undefined;
  const held = () => {
    within ??= blocksWithin(structured);
    return within;
  };
  const isSaid = (value: JsonValue): boolean =>
    sayings().values.has(canonicalJson(value)) || isPartOf(value, structured) || isHeld(value, held());
  return (said) => {
    if (typeof said !== "string") return isSaid(said);
    const text = said.trim();
    if (text === "" || text === writeJson(structured) || sayings().texts.has(text) || held().texts.has(text))
      return true;
    const value = valueIn(FENCED.exec(text)?.[1] ?? text);
    return value !== undefined && isSaid(value);
  };
}

function collect(structured: JsonValue, areSeveral: boolean) {
  const values = new Set<string>();
  const texts = new Set<string>();
  const add = (value: JsonValue): void => {
    values.add(canonicalJson(value));
    for (const text of printed(value)) texts.add(text);
  };
  const members = isObject(structured) ? Object.values(structured) : [];
  for (const value of [structured, ...members] as readonly JsonValue[]) {
    add(value);
    if (Array.isArray(value) && (areSeveral || value.length === 1)) for (const item of value as JsonValue[]) add(item);
  }
  return { values, texts };
}

/** How a scalar is printed: as in JSON, and as in Python. */
function printed(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value.trim()];
  if (value === null) return ["null", "None"];
  if (typeof value === "boolean") return value ? ["true", "True"] : ["false", "False"];
  return typeof value === "number" || isExact(value) ? [String(value)] : [];
}

/** Whether every member of an object is one of the structured value. */
const isPartOf = (value: JsonValue, structured: JsonValue): boolean =>
  isObject(value) &&
  isObject(structured) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(
    ([key, one]) => Object.hasOwn(structured, key) && canonicalJson(one) === canonicalJson(structured[key]),
  );

/** What a structured value holds at any depth: the texts of text blocks, other blocks as data, and texts that may be bytes. */
interface Within {
  readonly texts: Set<string>;
  readonly values: Set<string>;
  readonly bytes: Set<string>;
}

function blocksWithin(structured: JsonValue): Within {
  const within: Within = { texts: new Set(), values: new Set(), bytes: new Set() };
  const visit = (value: JsonValue): void => {
    if (typeof value === "string") within.bytes.add(value.replace(DATA_URL, ""));
    else if (isObject(value) && addBlock(value, within)) return;
    else if (typeof value === "object" && value !== null && !isExact(value)) Object.values(value).forEach(visit);
  };
  visit(structured);
  return within;
}

/** Adds an object if it is a block in the form of the protocol; says whether it is. */
function addBlock(object: JsonObject, { texts, values, bytes }: Within): boolean {
  const { type, text } = object;
  if (type === "text" && typeof text === "string") return texts.add(text.trim()).size > 0;
  const value = blockAsData(object);
  if (value === object || !isObject(value)) return false;
  values.add(canonicalJson(value));
  if (typeof value["bytes"] === "string") bytes.add(value["bytes"]);
  return true;
}

/** Whether a block is one that the structured value holds, or its bytes are a text there. */
const isHeld = (value: JsonValue, { values, bytes }: Within): boolean =>
  values.has(canonicalJson(value)) ||
  (isObject(value) && typeof value["bytes"] === "string" && value["bytes"] !== "" && bytes.has(value["bytes"]));

function valueIn(text: string): JsonValue | undefined {
  if (!/^[[{"\d-]/.test(text)) return undefined;
  try {
    return readJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}
