/** Objects with few and with all properties, each property at each of its values, and properties that only patterns describe. */

import { isSchema, type JsonValue } from "toolwright/codegen";
import { memberNodes } from "./accepts.js";
import { declares, type Facts, isOpen, memberFacts, requiredNames } from "./facts.js";
import { mapOf, namesOf } from "./node.js";
import { textsOf } from "./texts.js";
import type { Place, ValuesOf } from "./values.js";
import { viewsOf } from "./views.js";

type Members = Readonly<Record<string, JsonValue>>;

/** Most names whose every subset is tried, most pairs, and most names at all. */
const MAX_SUBSET_NAMES = 5;
const MAX_PAIRS = 60;
const MAX_NAMES = 120;

/** Objects that the facts may accept. */
export function objectValues(facts: Facts, views: Facts, place: Place, valuesOf: ValuesOf): readonly JsonValue[] {
  const required = requiredNames(facts);
  const values = new Map<string, readonly JsonValue[]>();
  for (const name of namesFor(facts, views, place)) {
    const made = valuesOf({
      facts: memberFacts(facts, name),
      later: viewsOf(place.later).flatMap((one) => memberNodes(one, name)),
      depth: place.depth + 1,
      budget: place.budget,
    });
    if (made.length > 0) values.set(name, made);
  }
  const of = (names: readonly string[]): Members =>
    objectOf(names.flatMap((name) => (values.has(name) ? [[name, values.get(name)?.[0] as JsonValue] as const] : [])));
  const names = [...values.keys()];
  const declared = names.filter((name) => required.has(name) || facts.some((one) => declares(one, name)));
  const optional = names.filter((name) => !required.has(name));
  const [minimal, full] = [of([...required]), of(declared)];
  const present = subsets(optional).map((some) => of([...required, ...some]));
  const lacking = optional.map((name) => of(declared.filter((one) => one !== name)));
  const varied = [...values].flatMap(([name, all]) =>
    all.flatMap((one) => [withMember(minimal, name, one), withMember(full, name, one)]),
  );
  return [minimal, full, ...present, ...lacking, ...varied, ...combined(values, required, minimal)];
}

/** Combinations of two varied properties: conditions often concern two. */
function combined(
  values: ReadonlyMap<string, readonly JsonValue[]>,
  required: ReadonlySet<string>,
  minimal: Members,
): readonly Members[] {
  const several = [...values].filter(([, all]) => all.length > 1 && all.length <= 12);
  const found: Members[] = [];
  for (const [a, first] of several)
    for (const [b] of values)
      for (const one of first.slice(0, 6)) {
        if (a === b || required.has(b) || found.length >= MAX_PAIRS) continue;
        found.push(withMember(withMember(minimal, a, one), b, values.get(b)?.[0] as JsonValue));
      }
  return found;
}

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
function namesFor(facts: Facts, views: Facts, place: Place): readonly string[] {
  const own = viewsOf(place.facts);
  const declared = own.flatMap(({ schema }) => [
    ...Object.keys(mapOf(schema["properties"])),
    ...namesOf(schema["required"]),
    ...Object.entries(mapOf(schema["dependentRequired"])).flatMap(([name, others]) => [name, ...namesOf(others)]),
  ]);
  const patterns = facts.flatMap(({ schema }) =>
    Object.keys(mapOf(schema["patternProperties"])).flatMap((one) => textsOf(one, []).slice(0, 3)),
  );
  const described = facts.some((one) => !isOpen(one) && isSchema(one.schema["additionalProperties"]));
  const later = described ? views.flatMap(({ schema }) => Object.keys(mapOf(schema["properties"]))) : [];
  const others = described ? ["extra", "Extra 1", "x_2", ...later] : ["undeclared"];
  const named = facts.flatMap(({ schema }) => {
    const held = schema["propertyNames"];
    return isSchema(held) && typeof held["pattern"] === "string" ? textsOf(held["pattern"], []).slice(0, 2) : [];
  });
  return [...new Set([...declared, ...patterns, ...named, ...others])].slice(0, MAX_NAMES);
}
