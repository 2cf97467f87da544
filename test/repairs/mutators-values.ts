/** Mistakes in the names and values of arguments. */

import type { JsonObject, JsonValue } from "toolwright/codegen";
import type { Tool } from "../../runtime/contract/registry.js";
import { type Call, isObject, type Mutator, pick, plain, propertiesOf, takesType, typesOf } from "./model.js";
import { python } from "./mutators-envelope.js";

/** One top-level argument with its schema. */
interface Place {
  readonly name: string;
  readonly value: JsonValue;
  readonly rule: JsonObject;
  readonly types: readonly string[];
  readonly isRequired: boolean;
  /** Whether the schema takes values of a type of JSON. */
  takes(type: string): boolean;
}

const typeOf = (given: JsonValue): string =>
  Array.isArray(given) ? "array" : given === null ? "null" : typeof given === "object" ? "object" : typeof given;

function places({ args }: Call, tool: Tool): readonly Place[] {
  const root = isObject(tool.parameters_schema) ? tool.parameters_schema : {};
  const required = Array.isArray(root["required"]) ? root["required"] : [];
  return propertiesOf(root).flatMap(([name, schema]) => {
    const value = args[name];
    const rule = plain(schema, root);
    const takes = (type: string): boolean => takesType(schema, root, type);
    if (value === undefined) return [];
    return [{ name, value, rule, types: typesOf(rule), isRequired: required.includes(name), takes }];
  });
}

type Change = (place: Place, random: () => number) => JsonValue | undefined;

/** Changes the value of one argument for which the change gives another value. One of a type that is allowed there is no mistake. */
const withValue =
  (change: Change): Mutator["mutate"] =>
  (call, tool, random) => {
    const changed = places(call, tool).flatMap((place) => {
      const value = change(place, random);
      if (value === undefined || value === place.value) return [];
      const isAllowed = typeOf(value) !== typeOf(place.value) && place.takes(typeOf(value));
      return isAllowed ? [] : [[place.name, value] as const];
    });
    const one = pick(changed, random);
    return one && ({ ...call, args: { ...call.args, [one[0]]: one[1] } } as unknown as JsonObject);
  };

/** Renames one argument; never to the name of another one. */
const withName =
  (rename: (name: string) => string | undefined): Mutator["mutate"] =>
  (call, tool, random) => {
    const declared = new Set(propertiesOf(tool.parameters_schema).map(([name]) => name));
    const renamed = Object.keys(call.args).flatMap((name) => {
      const other = rename(name);
      return other === undefined || other === name || declared.has(other) ? [] : [[name, other] as const];
    });
    const one = pick(renamed, random);
    if (!one) return undefined;
    const entries = Object.entries(call.args).map(([name, value]) => [name === one[0] ? one[1] : name, value] as const);
    return { ...call, args: Object.fromEntries(entries) } as unknown as JsonObject;
  };

const value = (name: string, change: Change): Mutator => ({ name, mutate: withValue(change) });
const lossyValue = (name: string, change: Change): Mutator => ({ name, isLossy: true, mutate: withValue(change) });
const name = (title: string, rename: (name: string) => string | undefined): Mutator => ({
  name: title,
  mutate: withName(rename),
});

const isText = (place: Place): place is Place & { readonly value: string } => typeof place.value === "string";
const isId = ({ rule, name: of }: Place): boolean => rule["x-id"] !== undefined || /(^|_)id$|Id$/.test(of);
const isFree = ({ rule }: Place): boolean => rule["enum"] === undefined && rule["const"] === undefined;
const isTime = ({ value: given }: Place): boolean => typeof given === "string" && /^\d{4}-\d\d-\d\d(T|$)/.test(given);
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** `2026-03-05T14:30:00Z` → `March 5, 2026 14:30`. */
function spelledDate(text: string): string {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d))?/.exec(text) ?? [];
  return `${MONTHS[Number(month) - 1]} ${Number(day)}, ${year}${time === undefined ? "" : ` ${time}`}`;
}

const camel = (of: string): string => of.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const snake = (of: string): string => of.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const otherNumber = (of: string): string | undefined =>
  of.length < 4 ? undefined : of.endsWith("s") ? of.slice(0, -1) : `${of}s`;

const VALUES: readonly Mutator[] = [
  value("number as text", ({ value: given }) => (typeof given === "number" ? String(given) : undefined)),
  value("flag as text", ({ value: given }) => (typeof given === "boolean" ? String(given) : undefined)),
  value("flag as Python text", ({ value: given }) =>
    typeof given === "boolean" ? (given ? "True" : "False") : undefined,
  ),
  value("one item in place of a list", ({ value: given }) =>
    Array.isArray(given) && given.length === 1 && typeof given[0] === "string" ? given[0] : undefined,
  ),
  value("an object in place of a list", ({ value: given }) =>
    Array.isArray(given) && given.length === 1 && isObject(given[0]) ? given[0] : undefined,
  ),
  value("list as comma text", ({ value: given }) =>
    Array.isArray(given) && given.length > 1 && given.every((one) => typeof one === "string" && !/[\s,]/.test(one))
      ? given.join(", ")
      : undefined,
  ),
  value("list as JSON text", ({ value: given }) => (Array.isArray(given) ? JSON.stringify(given) : undefined)),
  value("object as JSON text", ({ value: given }) => (isObject(given) ? JSON.stringify(given) : undefined)),
  value("object as Python text", ({ value: given }) => (isObject(given) ? python(given) : undefined)),
  value("object in a list", ({ value: given }) => (isObject(given) ? [given] : undefined)),
  value("a list around a text", (place) => (isText(place) ? [place.value] : undefined)),
  value("id in an object", (place) =>
    isText(place) && isId(place) && isFree(place) ? { id: place.value } : undefined,
  ),
  value("id in angle brackets", (place) =>
    isText(place) && place.rule["x-id"] !== undefined ? `<${place.value}>` : undefined,
  ),
  value("id in a URL", (place) =>
    isText(place) && place.rule["x-id"] !== undefined ? `https://app.example.com/items/${place.value}` : undefined,
  ),
  value("spaces around an id", (place) =>
    isText(place) && place.rule["x-id"] !== undefined ? ` ${place.value} ` : undefined,
  ),
  value("date in words", (place) => (isText(place) && isTime(place) ? spelledDate(place.value) : undefined)),
  value("time with a space", (place) =>
    isText(place) && isTime(place) && place.value.includes("T")
      ? place.value.replace("T", " ").replace(":00Z", "")
      : undefined,
  ),
  value("enum in other letters", (place) =>
    isText(place) && !isFree(place) ? place.value.toUpperCase().replaceAll("_", " ") : undefined,
  ),
  value("enum mistyped", (place) =>
    isText(place) && !isFree(place) && /^[a-z_]{6,}$/.test(place.value)
      ? `${place.value.slice(0, 3)}${place.value.slice(4)}`
      : undefined,
  ),
  value("enum in quotes", (place) => (isText(place) && !isFree(place) ? `"${place.value}"` : undefined)),
];

const NAMES: readonly Mutator[] = [
  name("name in camelCase", camel),
  name("name in snake_case", snake),
  name("name in kebab-case", (of) => snake(of).replaceAll("_", "-")),
  name("name in capitals", (of) => of.toUpperCase()),
  name("name in the other number", otherNumber),
  name("name mistyped", (of) => (of.length < 6 ? undefined : of.slice(0, 2) + of.slice(3))),
];

const NULLS: Mutator = {
  name: "null for what may be left out",
  mutate(call, tool, random) {
    const root = isObject(tool.parameters_schema) ? tool.parameters_schema : {};
    const required = Array.isArray(root["required"]) ? root["required"] : [];
    const absent = propertiesOf(root).filter(([one, schema]) => {
      const isNullable = JSON.stringify(schema).includes('"null"') || typesOf(plain(schema, root)).length === 0;
      return call.args[one] === undefined && !required.includes(one) && !isNullable;
    });
    const one = pick(absent, random);
    return one && ({ ...call, args: { ...call.args, [one[0]]: null } } as unknown as JsonObject);
  },
};

/** Another value of the enum of a text. */
const another = ({ value: given, rule }: Place): JsonValue | undefined =>
  Array.isArray(rule["enum"]) ? rule["enum"].find((one) => one !== given && typeof one === "string") : undefined;

const LOSSY: readonly Mutator[] = [
  lossyValue("a sign before an enum value", (place) =>
    isText(place) && !isFree(place) ? `!${place.value}` : undefined,
  ),
  lossyValue("two enum values", (place) => {
    const other = another(place);
    return isText(place) && other !== undefined ? `${place.value} or ${other}` : undefined;
  }),
  lossyValue("the argument's name for an enum value", (place) =>
    isText(place) && !isFree(place) ? `$${place.name}` : undefined,
  ),
  lossyValue("items joined by and", ({ value: given }) =>
    Array.isArray(given) && given.length > 1 && given.every((one) => typeof one === "string")
      ? given.join(" and ")
      : undefined,
  ),
  lossyValue("an unknown enum word", (place) => (isText(place) && !isFree(place) ? "whatever" : undefined)),
  lossyValue("a number out of range", ({ value: given, rule }) =>
    typeof given === "number" && typeof rule["maximum"] === "number" ? rule["maximum"] + 1000 : undefined,
  ),
  lossyValue("a word for a number", ({ value: given }) => (typeof given === "number" ? "high" : undefined)),
  lossyValue("a word for a date", (place) =>
    isTime(place) && place.rule["format"] !== undefined ? "soon" : undefined,
  ),
  lossyValue("a placeholder", (place) =>
    typeof place.value === "string" && place.isRequired ? `<${place.name}>` : undefined,
  ),
  {
    name: "a required argument missing",
    isLossy: true,
    mutate(call, tool, random) {
      const one = pick(
        places(call, tool).filter(({ isRequired }) => isRequired),
        random,
      );
      if (!one) return undefined;
      const { [one.name]: _, ...args } = call.args;
      return { ...call, args } as unknown as JsonObject;
    },
  },
  {
    name: "an argument under a name without meaning",
    isLossy: true,
    mutate(call, _, random) {
      const one = pick(Object.keys(call.args), random);
      if (one === undefined) return undefined;
      const { [one]: held, ...args } = call.args;
      return { ...call, args: { ...args, zzqx: held ?? null } } as unknown as JsonObject;
    },
  },
];

export const VALUE_MUTATORS: readonly Mutator[] = [...VALUES, ...NAMES, NULLS, ...LOSSY];
