/**
 * Finds the value that means the same as a given one and fits the schema: `"20"` for an integer, one item for a list,
 * JSON as text, a date as people write it, an id inside an object, `<…>` or a URL.
 */

import { canonicalJson } from "../../contract/canonical.js";
import { isExact } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import { alternatives, dereference, itemSchemas } from "../../contract/json-schema.js";
import { boundedPattern } from "../../contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { mistyped, withoutPlural, wordsIn } from "../../contract/typo.js";
import { spend } from "../../contract/work-budget.js";
import { admits, propertiesOf, typesOf } from "../arguments/schema.js";
import { nearestArgument } from "./argument-names.js";
import { isMidnight, readDate, readInstant, type WrittenDate } from "./dates.js";
import { effectField, readFlag } from "./effect.js";
import { readLenient } from "./lenient-json.js";

/** Alternatives of a schema that are tried, and items of a list that are read. */
const MAX_OPTIONS = 16;
const MAX_ITEMS = 200;
/** Longest text in which a number, an id or a list is looked for, in characters. */
const MAX_TEXT_LENGTH = 2_000;
/** Segments of an address in which an id is looked for. */
const MAX_SEGMENTS = 32;
/** Levels of lists that are read. */
const MAX_DEPTH = 3;
/** Units of work to try one alternative. */
const OPTION_WORK = 5;
/** Units of work to compare the spelling of a text with an allowed one. */
const SPELLING_WORK = 10;

/** Where a value stands. */
interface Place {
  readonly root: JsonSchema;
  /** The name of the argument or of the member. */
  readonly name: string;
  readonly depth: number;
}

type Read = (value: JsonValue, schema: JsonSchema, place: Place) => readonly (JsonValue | undefined)[];

/** The equivalent of a value that does not fit; undefined if no equivalent fits. */
export function equivalent(
  value: JsonValue,
  schema: JsonSchema,
  root: JsonSchema,
  name: string,
  depth = 0,
): JsonValue | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const options = optionsOf(schema, root, 0).slice(0, MAX_OPTIONS);
  const time = asTime(value, options);
  if (time !== undefined && time !== value) return time;
  for (const option of options) {
    spend(OPTION_WORK);
    for (const type of typesOf(option, root)) {
      const candidates = READS[type]?.(value, option, { root, name, depth }) ?? [];
      const found = candidates.find((one) => one !== undefined && fits(one, option, root) && !isSame(one, value));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether a schema lists the values of a text, so that a near one that {@link equivalent} does not take is one of several. */
export const listsValues = (schema: JsonSchema, root: JsonSchema): boolean =>
  optionsOf(schema, root, 0).some((option) => Array.isArray(option["enum"]));

const isSame = (a: JsonValue, b: JsonValue): boolean => a === b || canonicalJson(a) === canonicalJson(b);

/** The alternatives of a schema without further alternatives, with what stands beside them. */
function optionsOf(schema: JsonSchema, root: JsonSchema, depth: number): readonly JsonSchema[] {
  const said = dereference(schema, root);
  const options = depth < MAX_DEPTH ? alternatives(said) : [];
  if (options.length === 0) return [said];
  const { anyOf: _, oneOf: __, ...beside } = said;
  return options
    .slice(0, MAX_OPTIONS)
    .flatMap((option) => optionsOf({ ...beside, ...dereference(option, root) }, root, depth + 1));
}

/** Whether a value passes the keywords that decide between readings; the validator checks all of them afterwards. */
function fits(value: JsonValue, schema: JsonSchema, root: JsonSchema): boolean {
  const { enum: values, pattern, minimum, maximum } = schema;
  if (!admits(schema, value, root)) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (schema["const"] !== undefined && schema["const"] !== value) return false;
  if (typeof value === "number")
    return !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum);
  return typeof value !== "string" || typeof pattern !== "string" || boundedPattern(pattern, "u").test(value);
}

const READS: Readonly<Record<string, Read>> = {
  integer: (value) => [asNumber(value, /^[+-]?\d+(?:\.0)?$/)],
  number: (value) => [asNumber(value, /^[+-]?(?:\d+|\d+\.\d+)$/)],
  boolean: (value) => [asFlag(onlyItem(value))],
  string: asText,
  array: (value, schema, place) => [asList(value, schema, place)],
  object: (value) => [asObject(value)],
  null: (value) => [typeof value === "string" && /^(?:null|none|nil)$/i.test(value.trim()) ? null : undefined],
};

const onlyItem = (value: JsonValue): JsonValue =>
  Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value;

/** A text without the spaces and the quotes around it. */
const bareText = (text: string): string => text.trim().replace(/^(["'`])(.*)\1$/, "$2");

/** The number that a text is. `5.00` is no integer: it is an amount in another unit. */
function asNumber(value: JsonValue, form: RegExp): number | undefined {
  const one = onlyItem(value);
  if (typeof one === "number") return one;
  const text = typeof one === "string" && one.length <= 40 ? bareText(one) : "";
  if (!form.test(text)) return undefined;
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

const asFlag = (value: JsonValue | undefined): boolean | undefined =>
  value === undefined ? undefined : readFlag(typeof value === "string" ? bareText(value) : value);

function asObject(value: JsonValue): JsonObject | undefined {
  const read = typeof value === "string" ? readLenient(value) : value;
  const one = onlyItem((read ?? null) as JsonValue);
  return isObject(one) && !isExact(one) ? one : undefined;
}

function asList(value: JsonValue, schema: JsonSchema, place: Place): JsonValue | undefined {
  const items = itemsIn(value, schema, place);
  if (!items || items.length > MAX_ITEMS) return undefined;
  const { tuple, rest } = itemSchemas(schema);
  const made = items.map((item, at) => {
    const rule = (tuple[at] ?? rest) as JsonSchema | undefined;
    if (!isObject(rule)) return item;
    const option = optionsOf(rule, place.root, 0).some((one) => fits(item, one, place.root));
    return option ? item : equivalent(item, rule, place.root, place.name.replace(/s$/, ""), place.depth + 1);
  });
  return made.every((item) => item !== undefined) ? (made as readonly JsonValue[]) : undefined;
}

/** Whether items may be `true` or `false`; for others, such a value says whether there is a list, not what is in it. */
function takesFlags(schema: JsonSchema, root: JsonSchema): boolean {
  const { rest } = itemSchemas(schema);
  return isObject(rest) && typesOf(rest as JsonSchema, root).includes("boolean");
}

function itemsIn(value: JsonValue, schema: JsonSchema, place: Place): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null || (typeof value === "boolean" && !takesFlags(schema, place.root))) return undefined;
  return typeof value === "string" ? itemsOfText(value, schema, place) : [value];
}

function itemsOfText(value: string, schema: JsonSchema, place: Place): readonly JsonValue[] | undefined {
  const text = value.trim();
  if (/^(?:[[({"]|```)/.test(text)) {
    const read = readLenient(text);
    if (read !== undefined) return Array.isArray(read) ? read : [read as JsonObject];
    if (/^[[({]/.test(text)) return undefined;
  }
  return text === "" || text.length > MAX_TEXT_LENGTH ? undefined : partsOf(value, schema, place);
}

/** What may stand between two items, or be a part of one. */
const SEVERAL = /[;|\n]|\s(?:and|or|&|\+)\s|^1[.)]\s/i;

/** Words for which items, and texts that say what is not meant: neither is an item. */
const NO_ITEM = /^(?:all|any|both|each|every|everything|no|none|nothing|null|nil|empty|undefined|n\/a|\*)$|^[-!~^]/i;

/** The parts of `a, b`, or one text; undefined if it can be either. */
function partsOf(value: string, schema: JsonSchema, { root }: Place): readonly string[] | undefined {
  const text = value.trim();
  const rule = itemSchemas(schema).rest;
  const said = isObject(rule) ? dereference(rule as JsonSchema, root) : {};
  const isClosed = ["enum", "pattern", "x-id"].some((keyword) => said[keyword] !== undefined);
  if (!isClosed && NO_ITEM.test(text) && !Number.isFinite(Number(text))) return undefined;
  if (!text.includes(",")) return SEVERAL.test(text) ? undefined : [value];
  const parts = text.split(",").map((part) => part.trim());
  const areWords = parts.every((part) => part !== "" && !/\s/.test(part));
  return parts.includes("") || !(isClosed || areWords) ? undefined : parts;
}

function asText(value: JsonValue, schema: JsonSchema, { name, root }: Place): readonly (JsonValue | undefined)[] {
  const one = onlyItem(value);
  if (typeof one === "number" || typeof one === "boolean") return [String(one)];
  if (isExact(one)) return [(one as unknown as { readonly text: string }).text];
  if (isObject(one)) return [idIn(one, name, schema["x-id"] !== undefined || ID_NAME.test(name), root)];
  if (typeof one !== "string") return [];
  return one === value ? textsIn(one, schema, name) : [one, ...textsIn(one, schema, name)];
}

const ID_NAME = /(?:^|_)(?:id|key)$|(?:Id|Key)$/;

/** Names of a member that say nothing about its value. Any other may be another thing: `{"name": …}` is no id. */
const NEUTRAL: ReadonlySet<string> = new Set("value text string date time datetime date_time".split(" "));

/**
 * The text of an object: its member of the argument's own name, its `id` for an id, or its only member if that is neutral. An
 * object with another member that is an argument of the op, or a flag of the call, is more than an id.
 */
function idIn(value: JsonObject, name: string, isId: boolean, root: JsonSchema): JsonValue | undefined {
  const names = Object.keys(value);
  const isMore = (one: string): boolean =>
    one !== name && one !== "id" && (propertiesOf(root).has(one) || effectField(one) !== undefined);
  if (names.some(isMore)) return undefined;
  const namesakes = names.filter((one) => nearestArgument(one, [name]) !== undefined);
  const only = names.length === 1 && NEUTRAL.has(wordsIn(names[0] ?? "").join("_")) ? names[0] : undefined;
  const of = (one: string | undefined): JsonValue | undefined => (one === undefined ? undefined : own(value, one));
  const found =
    own(value, name) ?? (isId ? own(value, "id") : undefined) ?? of(namesakes.length === 1 ? namesakes[0] : only);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : undefined;
}

const fold = (text: string): string =>
  bareText(text)
    .replaceAll(/([\p{Ll}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");

/** Texts that a text may stand for, where the schema says enough to tell. */
function textsIn(text: string, schema: JsonSchema, name: string): readonly (JsonValue | undefined)[] {
  if (text.length > MAX_TEXT_LENGTH) return [];
  const values = Array.isArray(schema["enum"]) ? schema["enum"].filter((one) => typeof one === "string") : [];
  if (values.length > 0)
    return [spelled(text, values) ?? inOtherNumber(text, values, name) ?? mistypedValue(text, values, name)];
  if (typeof schema["pattern"] !== "string" && schema["x-id"] === undefined && schema["format"] !== "uuid") return [];
  const bare = bareText(text);
  const angled = /^<([^<>]*)>$/.exec(bare)?.[1];
  return [bare, bare.replace(/^#/, ""), angled, ...inUrl(bare, schema)];
}

const UUID = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/** The only segment of an address that has the form of the id; without a form, any segment may be something else. */
function inUrl(text: string, { pattern, format }: JsonSchema): readonly string[] {
  const form = typeof pattern === "string" ? pattern : format === "uuid" ? UUID : undefined;
  if (form === undefined || !/^https?:\/\//i.test(text)) return [];
  const segments = new Set(
    text
      .replace(/[?#].*$/, "")
      .split("/")
      .slice(3, MAX_SEGMENTS),
  );
  const fitting = [...segments].filter((segment) => boundedPattern(form, "u").test(segment));
  return fitting.length === 1 ? fitting : [];
}

/**
 * The only allowed value that a text can be a mistyped form of. A sign may turn its meaning around (`!active`, `-created`) or
 * make it a placeholder (`$mode`), and so may the name of the argument.
 */
export function mistypedValue(text: string, values: readonly string[], name: string): string | undefined {
  const bare = bareText(text);
  const isWord = /^[\p{L}\p{N}][\p{L}\p{N}\s_.-]*$/u.test(bare) && fold(bare) !== fold(name);
  return isWord ? mistyped(bare, values) : undefined;
}

/** The only value of these letters. */
function spelled(text: string, spellings: readonly string[], values = spellings): string | undefined {
  spend(values.length * SPELLING_WORK);
  const folded = fold(text);
  const found = values.filter((_, at) => fold(spellings[at] ?? "") === folded);
  return found.length === 1 ? found[0] : undefined;
}

/** The only value that is the singular or plural of a text, unless that is the argument's name. */
const inOtherNumber = (text: string, values: readonly string[], name: string): string | undefined =>
  fold(text) === fold(name) ? undefined : spelled(withoutPlural(text.trim()), values.map(withoutPlural), values);

/** A date or a time in the format that the schema asks for; a date alone is midnight, as ISO 8601 has it. */
function asTime(value: JsonValue, options: readonly JsonSchema[]): string | undefined {
  const formats = new Set(options.map(({ format }) => format));
  const [takesDate, takesTime] = [formats.has("date"), formats.has("date-time")];
  if (!takesDate && !takesTime) return undefined;
  const one = onlyItem(value);
  const written: WrittenDate | undefined =
    typeof one === "string" ? readDate(one) : typeof one === "number" ? readInstant(one) : undefined;
  if (!written) return undefined;
  const { date, time } = written;
  if (time === undefined) return takesDate ? date : `${date}T00:00:00Z`;
  if (takesTime) return `${date}T${time}`;
  return isMidnight(time) ? date : undefined;
}
