/** Objects with few and with all properties, each property at each of its values, and properties that only patterns describe. */

import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { accepts, memberNodes } from "./accepts.js";
import { alwaysPresentNames, declaresProperty, type Facts, factsOf, isOpen, listedIn, memberFacts } from "./facts.js";
import type { ValuePlace, ValuesOf } from "./node.js";
import { type RootedSchema, rootedSchema, schemasByName, textItems } from "./node.js";
import { textValues } from "./scalar-values.js";
import { separatingText } from "./text-sets.js";
import { matchingTexts } from "./texts.js";
import { differingSchemas, newViews, viewsOf } from "./views.js";

type Members = Readonly<Record<string, JsonValue>>;

/** Most names whose every subset is tried, most pairs, and most names at all. */
const MAX_SUBSET_NAMES = 5;
const MAX_PAIRS = 60;
const MAX_NAMES = 120;

/** Keywords that tie properties to each other: then it counts which of them are there. */
const TIES = [
  "not",
  "if",
  "anyOf",
  "oneOf",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "minProperties",
  "maxProperties",
  "propertyNames",
  "unevaluatedProperties",
] as const;

/** Objects that the facts may accept. */
export function objectValues(facts: Facts, views: Facts, place: ValuePlace, valuesOf: ValuesOf): readonly JsonValue[] {
  const required = alwaysPresentNames(facts);
  const later = newViews(viewsOf(place.facts), place.later);
  const values = new Map<string, readonly JsonValue[]>();
  for (const name of namesFor(facts, views, place)) {
    const known = memberFacts(facts, name);
    const news = differingSchemas(
      known,
      later.flatMap((one) => memberNodes(one, name)),
    );
    const made = valuesOf({ ...place, facts: known, later: news, depth: place.depth + 1, given: [] });
    if (made.length > 0) values.set(name, keptFirst(made, news, place));
  }
  const of = (names: readonly string[]): Members =>
    objectOf(names.flatMap((name) => (values.has(name) ? [[name, values.get(name)?.[0] as JsonValue] as const] : [])));
  const declared = [...values.keys()].filter(
    (name) => required.has(name) || facts.some((one) => declaresProperty(one, name)),
  );
  const optional = [...values.keys()].filter((name) => !required.has(name));
  const [minimal, full] = [of([...required]), of(declared)];
  const isTied = views.some(({ schema }) => TIES.some((one) => schema[one] !== undefined));
  const varied = [...values].flatMap(([name, all]) =>
    all.flatMap((one) => [
      withMember(minimal, name, one),
      ...(isTied && all.length > SAME ? [withMember(full, name, one)] : []),
    ]),
  );
  if (!isTied) return [minimal, full, ...varied];
  const present = subsets(optional).map((some) => of([...required, ...some]));
  const lacking = optional.map((name) => of(declared.filter((one) => one !== name)));
  return [
    ...crowded(facts, views, minimal, values),
    minimal,
    full,
    ...present,
    ...lacking,
    ...varied,
    ...combined(values, required, minimal),
  ];
}

/** Values with one first that the new side takes, so that an object shows one change at a time. */
function keptFirst(
  values: readonly JsonValue[],
  news: readonly RootedSchema[],
  { judging }: ValuePlace,
): readonly JsonValue[] {
  const at = values.findIndex((value) => news.every((one) => accepts(one, value, judging) !== false));
  return at <= 0 ? values : [values[at] as JsonValue, ...values.toSpliced(at, 1)];
}

/** Objects with as many properties as a bound admits, and one more or less, where names are free. */
function crowded(
  facts: Facts,
  views: Facts,
  minimal: Members,
  values: ReadonlyMap<string, readonly JsonValue[]>,
): readonly Members[] {
  const value = values.get("extra")?.[0] ?? values.get("undeclared")?.[0];
  if (value === undefined) return [];
  const bounds = [...facts, ...views].flatMap(({ schema }) => [schema["minProperties"], schema["maxProperties"]]);
  const own = Object.keys(minimal).length;
  return bounds
    .filter((one): one is number => typeof one === "number" && one <= MAX_CROWD)
    .flatMap((one) => [one - 1, one, one + 1].filter((count) => count >= own))
    .map((count) =>
      objectOf([
        ...Object.entries(minimal),
        ...Array.from(
          { length: count - own },
          (_, i) => [`extra${"abcdefghij"[i % 10]}${"x".repeat(i / 10)}`, value] as const,
        ),
      ]),
    );
}

const MAX_CROWD = 100;

/** A property with no more values than this is the same on both sides. */
const SAME = 3;

/** Each value of a property that differs, beside each other property: conditions often concern two. */
function combined(
  values: ReadonlyMap<string, readonly JsonValue[]>,
  required: ReadonlySet<string>,
  minimal: Members,
): readonly Members[] {
  const others = [...values.keys()].filter((name) => !required.has(name)).slice(0, MAX_OTHERS);
  const found = [...values].flatMap(([name, all]) =>
    others.flatMap((other) => {
      if (other === name) return [];
      const base = withMember(minimal, other, values.get(other)?.[0] as JsonValue);
      return all.slice(0, all.length > SAME ? MAX_COMBINED : 2).map((one) => withMember(base, name, one));
    }),
  );
  return [...found.slice(0, MAX_COMBINATIONS), ...paired(values, minimal)];
}

/** Every pair of values of the properties that have few: an enum in one often depends on an enum in another. */
function paired(values: ReadonlyMap<string, readonly JsonValue[]>, minimal: Members): readonly Members[] {
  const few = [...values].filter(([, all]) => all.length > 1 && all.length <= MAX_FEW).slice(0, MAX_OTHERS);
  const found = few.flatMap(([name, all], i) =>
    few
      .slice(i + 1)
      .flatMap(([other, others]) =>
        all.flatMap((one) => others.map((held) => withMember(withMember(minimal, name, one), other, held))),
      ),
  );
  return found.slice(0, MAX_COMBINATIONS);
}

const MAX_FEW = 6;

const MAX_OTHERS = 8;
const MAX_COMBINED = 12;
const MAX_COMBINATIONS = 250;

const objectOf = (entries: readonly (readonly [string, JsonValue])[]): Members => Object.fromEntries(entries);
const withMember = (base: Members, name: string, value: JsonValue): Members =>
  objectOf([...Object.entries(base).filter(([one]) => one !== name), [name, value]]);

/** Few names: every subset; else each alone and pairs. */
function subsets(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length <= MAX_SUBSET_NAMES)
    return Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => (bits >> i) % 2 === 1));
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b]));
  return [...names.map((one) => [one]), ...pairs.slice(0, MAX_PAIRS)];
}

/** Names that callers send: declared, demanded, described by a pattern, and one that nothing describes. */
function namesFor(facts: Facts, views: Facts, place: ValuePlace): readonly string[] {
  const own = viewsOf(place.facts);
  const declared = own.flatMap(({ schema }) => [
    ...Object.keys(schemasByName(schema["properties"])),
    ...textItems(schema["required"]),
    ...DEPENDENT.flatMap((keyword) =>
      Object.entries(schemasByName(schema[keyword])).flatMap(([name, others]) => [name, ...textItems(others)]),
    ),
  ]);
  const patterns = patternsIn(facts).flatMap((one) => matchingTexts(one, []).slice(0, 3));
  const described = facts.some((one) => !isOpen(one) && isSchema(one.schema["additionalProperties"]));
  const later = described ? views.flatMap(({ schema }) => Object.keys(schemasByName(schema["properties"]))) : [];
  const others = described ? ["extra", "Extra 1", "x_2", ...later] : ["undeclared"];
  const shared = sharedNames(patternsIn(facts), patternsIn(views), place);
  return [...new Set([...declared, ...patterns, ...shared, ...restrictedNames(facts, views, place), ...others])].slice(
    0,
    MAX_NAMES,
  );
}

const DEPENDENT = ["dependentRequired", "dependentSchemas", "dependencies"] as const;

const patternsIn = (nodes: Facts): readonly string[] =>
  nodes.flatMap(({ schema }) => Object.keys(schemasByName(schema["patternProperties"])));

/** Names that match a pattern of the old side and another one. */
function sharedNames(old: readonly string[], others: readonly string[], { judging }: ValuePlace): readonly string[] {
  const pairs = old.flatMap((one) => others.filter((other) => other !== one).map((other) => [one, other]));
  return pairs.slice(0, MAX_SHARED).flatMap((pair) => {
    const found = separatingText(pair, judging);
    return typeof found === "object" ? [found.text] : [];
  });
}

const MAX_SHARED = 12;

/** Names that `propertyNames` takes: two of them, and for each schema of either side one that it refuses. */
function restrictedNames(facts: Facts, views: Facts, { judging }: ValuePlace): readonly string[] {
  const held = (nodes: Facts): readonly RootedSchema[] =>
    nodes.map((one) => rootedSchema(one, one.schema["propertyNames"]));
  const known = factsOf(held(facts)) ?? [];
  const asked = viewsOf(held(views));
  if (known.length + asked.length === 0) return [];
  const listed = known.flatMap(({ schema }) => listedIn(schema) ?? []).filter((one) => typeof one === "string");
  const names = [...listed, ...textValues(known, asked, judging)].filter((one) =>
    known.every((fact) => accepts(fact, one, judging) !== false),
  );
  const refused = asked.flatMap((view) => names.find((one) => accepts(view, one, judging) === false) ?? []);
  return [...names.slice(0, 2), ...refused.slice(0, MAX_REFUSED)];
}

const MAX_REFUSED = 6;
