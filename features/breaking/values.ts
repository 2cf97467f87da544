/**
 * Makes values that a schema accepts: edges first, each constraint of either schema met and broken by some of them, always the same ones.
 * Which values are valid is judged without compiling; the evidence judges them again.
 */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { accepts } from "./accepts.js";
import { alwaysPresentNames, type Facts, factsOf, listedIn, typesIn } from "./facts.js";
import { arrayValues } from "./list-values.js";
import type { ValuePlace, ValuesOf } from "./node.js";
import { type RootedSchema, referencedSchema, rootedSchema, schemasByName } from "./node.js";
import { objectValues } from "./object-values.js";
import { firstSplit } from "./proof.js";
import { numberValues, textValues } from "./scalar-values.js";
import { newViews, viewsOf } from "./views.js";

/** Values of one place, at the root and below; depth of nested values; steps in all. */
const MAX_ROOT_VALUES = 700;
const MAX_VALUES = 28;
const MAX_DEEP_VALUES = 18;
const MAX_SAME_VALUES = 3;
const MAX_DEPTH = 7;
const MAX_CASES = 16;
/** What a repeated schema adds to the depth. */
const DEEPER = 3;
const MAX_STEPS = 10_000;
const MAX_JUDGING = 400_000;

/** Values that the old schemas accept, as far as it can be judged. */
export function rootValues(old: RootedSchema, later: RootedSchema, given: readonly JsonValue[]): readonly JsonValue[] {
  return valuesOf({
    facts: [old],
    later: [later],
    depth: 0,
    budget: { left: MAX_STEPS },
    judging: { left: MAX_JUDGING },
    given,
    above: [],
  });
}

const valuesOf: ValuesOf = (given) => {
  const schemas = given.facts.map((one) => one.schema);
  const place = { ...given, depth: given.depth + deeper(given, schemas), above: [...given.above, ...schemas] };
  if (place.depth > MAX_DEPTH || place.budget.left <= 0) return [];
  const isRoot = place.depth === 0;
  const isSame = place.later.length === 0;
  const old = isSame ? [] : viewsOf(place.facts);
  const views = isSame ? [] : [...old, ...newViews(old, place.later)];
  const raw = casesOf(place.facts).flatMap((facts) => caseValues(facts, place, views));
  const most = isRoot ? MAX_ROOT_VALUES : isSame ? MAX_SAME_VALUES : place.depth > 1 ? MAX_DEEP_VALUES : MAX_VALUES;
  // At the root the validators themselves judge which values are valid.
  if (isRoot) return [...(place.given ?? []), ...raw].slice(0, most);
  return chosen(validIn(raw, place, isSame ? most : Number.POSITIVE_INFINITY), views, most, place.judging);
};

/** What a schema inside itself adds to the depth: the first time never so much that there are no values at all. */
function deeper({ facts, depth, above }: ValuePlace, schemas: readonly unknown[]): number {
  const times = schemas.map((one) => {
    const own = isSchema(one) ? (referencedSchema(facts[0] as RootedSchema, one["$ref"])?.schema ?? one) : undefined;
    return own === undefined ? 0 : above.filter((other) => other === own).length;
  });
  const most = Math.max(0, ...times);
  return most === 0 ? 0 : most === 1 ? Math.max(0, Math.min(DEEPER, MAX_DEPTH - depth)) : DEEPER;
}

/** The different values that the facts accept, up to a number. */
function validIn(
  values: readonly JsonValue[],
  { facts, budget, judging }: ValuePlace,
  most: number,
): readonly JsonValue[] {
  const valid: JsonValue[] = [];
  const met = new Set<string>();
  for (const value of values) {
    if (valid.length >= most || budget.left-- <= 0) break;
    const key = canonicalJson(value);
    if (!met.has(key) && facts.every((one) => accepts(one, value, judging) !== false)) valid.push(value);
    met.add(key);
  }
  return valid;
}

/** The facts of every combination of alternatives, up to a number. */
function casesOf(nodes: readonly RootedSchema[]): readonly Facts[] {
  const done: Facts[] = [];
  const open: (readonly RootedSchema[])[] = [nodes];
  for (let at = 0; at < open.length && done.length < MAX_CASES; at++) {
    const facts = factsOf(open[at] ?? []);
    if (!facts) continue;
    const split = open.length < MAX_CASES * 4 ? firstSplit(facts) : undefined;
    if (split) open.push(...split);
    else done.push(facts, ...dependentCases(facts));
  }
  return done;
}

/** The facts where a property is given on which a schema depends. */
const dependentCases = (facts: Facts): readonly Facts[] =>
  facts.flatMap((one) =>
    Object.keys(schemasByName(one.schema["dependentSchemas"] ?? one.schema["dependencies"])).flatMap((name) => {
      const given = factsOf([...facts, rootedSchema(one, { required: [name] })]);
      return given && !alwaysPresentNames(facts).has(name) ? [given] : [];
    }),
  );

function caseValues(facts: Facts, place: ValuePlace, views: Facts): readonly JsonValue[] {
  const listed = facts.flatMap(({ schema }) => listedIn(schema) ?? []);
  if (facts.some(({ schema }) => listedIn(schema) !== undefined)) return listed;
  return typesIn(facts).flatMap((type): readonly JsonValue[] => {
    if (type === "null") return [null];
    if (type === "boolean") return [true, false];
    if (type === "integer" || type === "number") return numberValues([...facts, ...views], type);
    if (type === "string") return textValues(facts, views, place.judging);
    const speaks = [...facts, ...views].some(({ schema }) => SHAPES[type].some((one) => schema[one] !== undefined));
    if (!speaks) return PLAIN[type];
    return type === "array" ? arrayValues(facts, views, place, valuesOf) : objectValues(facts, views, place, valuesOf);
  });
}

/** Keywords that describe lists and objects; without any, a few plain values do. */
const SHAPES = {
  array: ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems"],
  object: [
    ...[
      "properties",
      "patternProperties",
      "additionalProperties",
      "unevaluatedProperties",
      "required",
      "propertyNames",
    ],
    ...["minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies"],
  ],
} as const;
const PLAIN: Readonly<Record<keyof typeof SHAPES, readonly JsonValue[]>> = {
  array: [[], ["x"], [1, "x"]],
  object: [{}, { a: 1 }],
};

/** A selection: the first value, then for each view some that it refuses and one that it takes, then the others in order. */
function chosen(
  values: readonly JsonValue[],
  views: Facts,
  most: number,
  judging: { left: number },
): readonly JsonValue[] {
  if (values.length <= most) return values;
  const kept = new Set<JsonValue>(values.slice(0, 1));
  const shares = views.slice(0, most).map((view) => {
    const verdicts = values.map((one) => accepts(view, one, judging));
    return {
      refused: values.filter((_, i) => verdicts[i] === false),
      taken: values.filter((_, i) => verdicts[i] === true),
    };
  });
  for (const index of [0, 1, 2])
    for (const { refused, taken } of shares) {
      const one = refused[index];
      if (one !== undefined) kept.add(one);
      const other = taken[index];
      if (index === 0 && other !== undefined) kept.add(other);
    }
  for (const one of values) if (kept.size < most) kept.add(one);
  return [...kept].slice(0, most);
}
