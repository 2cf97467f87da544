/**
 * Makes values that a schema accepts: edges first, each constraint of either schema met and broken by some of them, always the same ones.
 * Which values are valid is judged without compiling; the evidence judges them again.
 */

import { canonicalJson, type JsonValue } from "toolwright/codegen";
import { accepts } from "./accepts.js";
import { type Facts, factsOf, listedIn, typesIn } from "./facts.js";
import { arrayValues } from "./list-values.js";
import { type Node, textOf } from "./node.js";
import { objectValues } from "./object-values.js";
import { firstSplit } from "./proof.js";
import { numberValues, textValues } from "./scalar-values.js";
import { viewsOf } from "./views.js";

/** A place for which values are made. */
export interface Place {
  /** Schemas that the values must satisfy: those of the old side. */
  readonly facts: readonly Node[];
  /** Schemas of the new side, whose edges count as well. */
  readonly later: readonly Node[];
  readonly depth: number;
  readonly budget: { left: number };
  /** Values that authors give for this place. */
  readonly given?: readonly JsonValue[];
}

/** Makes values of a place inside another. */
export type ValuesOf = (place: Place) => readonly JsonValue[];

/** Values of one place, at the root and below; depth of nested values; steps in all. */
const MAX_ROOT_VALUES = 700;
const MAX_VALUES = 28;
const MAX_SAME_VALUES = 4;
const MAX_DEPTH = 7;
const MAX_CASES = 16;
const MAX_STEPS = 30_000;

/** Values that the old schemas accept, as far as it can be judged. */
export function rootValues(old: Node, later: Node, given: readonly JsonValue[]): readonly JsonValue[] {
  return valuesOf({ facts: [old], later: [later], depth: 0, budget: { left: MAX_STEPS }, given });
}

const valuesOf: ValuesOf = (place) => {
  if (place.depth > MAX_DEPTH || place.budget.left <= 0) return [];
  const isSame = place.depth > 0 && textsOf(place.facts) === textsOf(place.later);
  const most = place.depth === 0 ? MAX_ROOT_VALUES : isSame ? MAX_SAME_VALUES : MAX_VALUES;
  const views = isSame ? [] : [...viewsOf(place.facts), ...viewsOf(place.later)];
  const raw = casesOf(place.facts).flatMap((facts) => caseValues(facts, place, views));
  const valid: JsonValue[] = [];
  const met = new Set<string>();
  for (const value of [...raw, ...(place.given ?? [])]) {
    const key = canonicalJson(value);
    if (met.has(key) || place.budget.left-- <= 0) continue;
    met.add(key);
    if (place.facts.every((one) => accepts(one, value) !== false)) valid.push(value);
  }
  return chosen(valid, views, most);
};

const textsOf = (nodes: readonly Node[]): string => nodes.map((one) => textOf(one.schema)).join();

/** The facts of every combination of alternatives, up to a number. */
function casesOf(nodes: readonly Node[]): readonly Facts[] {
  const done: Facts[] = [];
  const open: (readonly Node[])[] = [nodes];
  for (let at = 0; at < open.length && done.length < MAX_CASES; at++) {
    const facts = factsOf(open[at] ?? []);
    if (!facts) continue;
    const split = open.length < MAX_CASES * 4 ? firstSplit(facts) : undefined;
    if (split) open.push(...split);
    else done.push(facts);
  }
  return done;
}

function caseValues(facts: Facts, place: Place, views: Facts): readonly JsonValue[] {
  const listed = facts.flatMap(({ schema }) => listedIn(schema) ?? []);
  if (facts.some(({ schema }) => listedIn(schema) !== undefined)) return listed;
  return typesIn(facts).flatMap((type): readonly JsonValue[] => {
    if (type === "null") return [null];
    if (type === "boolean") return [true, false];
    if (type === "integer" || type === "number") return numberValues([...facts, ...views], type);
    if (type === "string") return textValues(facts, views);
    if (type === "array") return arrayValues(facts, views, place, valuesOf);
    return objectValues(facts, views, place, valuesOf);
  });
}

/** A selection: the first value, then for each view some that it refuses and one that it takes, then the others in order. */
function chosen(values: readonly JsonValue[], views: Facts, most: number): readonly JsonValue[] {
  if (values.length <= most) return values;
  const kept = new Set<JsonValue>(values.slice(0, 1));
  const shares = views.slice(0, most).map((view) => {
    const verdicts = values.map((one) => accepts(view, one));
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
