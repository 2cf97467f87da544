/** Values of texts as they are written: in YAML, `enum: [1.0, no, 2024]` beside `type: string` means texts. */

import { type Document, isMap, isScalar, isSeq, type Scalar, visit, type YAMLMap } from "yaml";
import type { Place, Report } from "../../../generator/core/diagnostic.js";
import { isExact } from "../../../runtime/contract/exact-number.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { reportApiFault } from "../diagnostics.js";

/** Keys whose value is one value of the schema. */
const SINGLE_VALUES = ["const", "default", "example"] as const;
/** Keys whose value is a list of values of the schema. */
const VALUE_LISTS = ["enum", "examples"] as const;
/** Keys below which there are values of the API, and no schemas. */
const VALUES: ReadonlySet<unknown> = new Set([...SINGLE_VALUES, ...VALUE_LISTS]);

/** Replaces plain numbers, truth values and nulls of schemas of texts by their source text. */
export function keepTextsAsWritten(document: Document): void {
  visit(document, {
    Pair: (_, { key, value }) => (isScalar(key) && VALUES.has(key.value) && !isMap(value) ? visit.SKIP : undefined),
    Map: (_, map) => {
      const own = typesOf(map);
      const schema = map.get("schema", true);
      const types = own.length > 0 || !isMap(schema) ? own : typesOf(schema);
      if (types.includes("string")) keepIn(map, types);
    },
  });
}

function typesOf(map: YAMLMap): readonly unknown[] {
  const type = map.get("type", true);
  if (isSeq(type)) return type.items.map((one) => (isScalar(one) ? one.value : undefined));
  return isScalar(type) ? [type.value, ...(map.get("nullable") === true ? ["null"] : [])] : [];
}

function keepIn(map: YAMLMap, types: readonly unknown[]): void {
  for (const key of SINGLE_VALUES) {
    const value = map.get(key, true);
    // A null default or example means that there is none.
    if (isScalar(value) && (value.value !== null || key === "const")) keep(value, types);
  }
  for (const key of VALUE_LISTS) {
    const list = map.get(key, true);
    for (const item of isSeq(list) ? list.items : []) if (isScalar(item)) keep(item, types);
  }
}

function keep(scalar: Scalar, types: readonly unknown[]): void {
  const { value, source, type } = scalar;
  if (type !== "PLAIN" || typeof value === "string" || source === undefined || source === "") return;
  if (!namesOf(value).some((name) => types.includes(name))) scalar.value = source;
}

/** The names of the types that a value has. */
function namesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

/**
 * As {@link keepTextsAsWritten}, for a value of JSON: replaces numbers that are rewritten when they are parsed, such as `1.0`.
 *
 * @param value - what `JSON.parse` gives; it is changed
 * @param exact - the same with {@link ExactNumber}s
 */
export function keepExactTexts(value: unknown, exact: unknown): void {
  const waiting: (readonly [unknown, unknown])[] = [[value, exact]];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const [plain, spelled] = at;
    if (Array.isArray(plain) && Array.isArray(spelled))
      for (const [i, one] of plain.entries()) waiting.push([one, spelled[i]]);
    if (!isRecord(plain) || !isRecord(spelled)) continue;
    const { schema, type = isRecord(schema) ? schema["type"] : undefined } = plain;
    const types = [type].flat();
    const isText = types.includes("string") && !types.includes("number") && !types.includes("integer");
    for (const [key, one] of Object.entries(plain)) {
      if (isText && VALUES.has(key)) (plain as Record<string, unknown>)[key] = spelledText(one, spelled[key]);
      waiting.push([one, spelled[key]]);
    }
  }
}

/** The text of an exact number, or a list with the texts of those in it. */
const spelledText = (plain: unknown, exact: unknown): unknown =>
  Array.isArray(plain) && Array.isArray(exact)
    ? plain.map((one, i) => (isExact(exact[i]) ? exact[i].text : one))
    : isExact(exact)
      ? exact.text
      : plain;

/**
 * A schema whose `enum` and `const` hold texts where its type is text. Reports the first value of another type: one that is no text
 * in JSON is read as one, and nobody could give any other.
 */
export function withTextValues(
  schema: Readonly<Record<string, unknown>>,
  placeOf: (...path: readonly string[]) => Place,
  report: Report,
): Readonly<Record<string, unknown>> {
  const { type, enum: listed, const: only } = schema;
  if (type === undefined || (!Array.isArray(listed) && only === undefined)) return schema;
  const types = [type].flat();
  const paths = Array.isArray(listed) ? listed.map((value, i) => [value, ["enum", String(i)]] as const) : [];
  const values = [...paths, ...(only === undefined ? [] : [[only, ["const"]] as const])];
  const clash = values.find(([value]) => !fits(value, types));
  if (!clash) return schema;
  const [value, path] = clash;
  const isText = types.includes("string") && typeof value !== "object";
  reportApiFault(report, "enum-type-clash", placeOf(...path), {
    value: JSON.stringify(value).slice(0, 80),
    types: types.join(" or "),
    ...(isText ? { read: JSON.stringify(String(value)) } : {}),
  });
  const read = (one: unknown): unknown => (fits(one, types) || !isText || typeof one === "object" ? one : String(one));
  return {
    ...schema,
    ...(Array.isArray(listed) ? { enum: listed.map(read) } : {}),
    ...(only === undefined ? {} : { const: read(only) }),
  };
}

/** Whether a value has one of some types. Null is not looked at: many descriptions list it for values that may be absent. */
const fits = (value: unknown, types: readonly unknown[]): boolean =>
  value === null || namesOf(value).some((name) => types.includes(name));
