/** Looks for values that the old schema accepts and the new one refuses. Deterministic, and bounded in number and size. */

import { type Check, checksOf } from "../../generator/core/checker.js";
import { unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import type { ValidationIssue } from "../../runtime/contract/validation.js";
import { rootNode } from "./node.js";
import { rootValues } from "./values.js";

/** Steps into a value: names, indexes, and `*` for any of them. */
export type ValueSteps = readonly string[];

/** A value that the old schema accepts and the new one refuses. */
export interface Counterexample {
  readonly value: JsonValue;
  /** Where the new schema refuses it. */
  readonly steps: ValueSteps;
  readonly issue: ValidationIssue;
}

/** What a search found. */
export interface Evidence {
  /** Values that the old schema accepts. */
  readonly tried: readonly JsonValue[];
  /** One for each place and keyword, the smallest that was found. */
  readonly counterexamples: readonly Counterexample[];
}

/** Places whose counterexamples are kept, and tries to make one of them smaller. */
const MAX_COUNTEREXAMPLES = 12;
const MAX_SHRINKS = 120;
/** Values and tries are fewer for schemas that are longer than those of real tools: each takes time in their length. */
const MIN_VALUES = 100;
const MIN_SHRINKS = 10;
const MAX_WORK = 40_000_000;
const NOTHING: Evidence = { tried: [], counterexamples: [] };

/**
 * Tries values of `before` on `after`.
 *
 * @param given values that authors give as examples; those that `before` accepts are tried too
 * @param lenient properties that `after` does not know are ignored
 */
export function searchEvidence(
  before: JsonSchema,
  after: JsonSchema,
  given: readonly JsonValue[],
  lenient = false,
): Evidence {
  const checks = checksOf(before, after);
  if (!checks) return NOTHING;
  const [old, now] = checks;
  const opened = lenient ? checksOf(before, openedSchema(after))?.[1] : now;
  const most = Math.ceil(MAX_WORK / (sizeOf(before) + sizeOf(after)));
  const values = rootValues(rootNode(before), rootNode(after), given).slice(0, Math.max(MIN_VALUES, most));
  const issuesOf = (value: JsonValue): readonly ValidationIssue[] => {
    const issues = now(value);
    return issues.length > 0 && opened !== now ? (opened?.(value) ?? []) : issues;
  };
  const tried = values.filter((one) => old(one).length === 0);
  const found = new Map<string, Counterexample & { readonly cost: number }>();
  for (const value of tried) {
    const issues = deepest(issuesOf(value));
    const cost = issues.length * MANY_ISSUES + sizeOf(value);
    for (const issue of issues) {
      const key = keyOf(issue);
      const known = found.get(key);
      if (!known && found.size >= MAX_COUNTEREXAMPLES) break;
      if (!known || cost < known.cost) found.set(key, { value, steps: stepsOf(issue), issue, cost });
    }
  }
  const tries = Math.min(MAX_SHRINKS, Math.max(MIN_SHRINKS, most));
  const counterexamples = [...found.values()].map(({ cost: _, ...one }) => shrunk(one, old, issuesOf, tries));
  return { tried, counterexamples };
}

/** What an issue weighs in characters: a value that is refused for one reason explains more than a shorter one. */
const MANY_ISSUES = 1_000_000;

const sizeOf = (value: JsonValue | JsonSchema): number => JSON.stringify(value).length;

/** Issues of alternatives say less than those of the union: of those inside it, only its own counts. */
const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if", "not", "contains"]);
const deepest = (issues: readonly ValidationIssue[]): readonly ValidationIssue[] => {
  const unions = issues.filter((one) => UNIONS.has(one.keyword)).map((one) => one.instancePath);
  const isInside = ({ keyword, instancePath }: ValidationIssue): boolean =>
    !UNIONS.has(keyword) && unions.some((one) => `${instancePath}/`.startsWith(`${one}/`));
  return issues.filter((one) => !isInside(one));
};

const keyOf = (issue: ValidationIssue): string =>
  `${issue.keyword} ${stepsOf(issue)
    .join("/")
    .replace(/(^|\/)\d+(?=\/|$)/g, "$1*")}`;

const NAMES = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"] as const;

/** The place of an issue; a property that lacks or is too much is a place itself. */
function stepsOf({ instancePath, params }: ValidationIssue): ValueSteps {
  const steps = instancePath.split("/").slice(1).map(unescapePointer);
  const name = NAMES.map((one) => params[one]).find((one) => typeof one === "string");
  return name === undefined ? steps : [...steps, String(name)];
}

/** The smallest counterexample of the same place that leaving out members gives. */
function shrunk(
  found: Counterexample,
  old: Check,
  issuesOf: (value: JsonValue) => readonly ValidationIssue[],
  most: number,
): Counterexample {
  let best = found;
  const key = keyOf(found.issue);
  let tries = most;
  for (let smaller = true; smaller; ) {
    smaller = false;
    for (const value of partsOf(best.value)) {
      if (tries-- <= 0) return best;
      if (old(value).length > 0) continue;
      const issue = deepest(issuesOf(value)).find((one) => keyOf(one) === key);
      if (!issue) continue;
      best = { value, steps: stepsOf(issue), issue };
      smaller = true;
      break;
    }
  }
  return best;
}

/** A value with one member or item less, outermost first. */
function* partsOf(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) yield* listParts(value);
  else if (isSchema(value)) yield* memberParts(Object.entries(value) as readonly Member[]);
}

type Member = readonly [name: string, value: JsonValue];

function* listParts(list: readonly JsonValue[]): Generator<JsonValue> {
  for (const i of list.keys()) yield list.filter((_, at) => at !== i);
  for (const [i, one] of list.entries()) for (const part of partsOf(one)) yield list.with(i, part);
}

function* memberParts(entries: readonly Member[]): Generator<JsonValue> {
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([one]) => one !== name));
  for (const [name, one] of entries)
    for (const part of partsOf(one))
      yield Object.fromEntries(entries.map(([other, held]) => [other, other === name ? part : held]));
}

/** A schema that takes properties that it does not know. */
function openedSchema(schema: JsonSchema): JsonSchema {
  const opened = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(opened);
    if (!isSchema(value)) return value;
    const entries = Object.entries(value).filter(([key, held]) => !(CLOSING.has(key) && held === false));
    return Object.fromEntries(entries.map(([key, held]) => [key, DATA.has(key) ? held : opened(held)]));
  };
  return opened(schema) as JsonSchema;
}

const CLOSING: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);

/** Whether one of the values has something at a place. */
export const hasValueAt = (values: readonly JsonValue[], steps: ValueSteps): boolean =>
  values.some((one) => holds(one, steps));

function holds(value: JsonValue, [step, ...rest]: ValueSteps): boolean {
  if (step === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  if (step === "*") return Object.values(value).some((one) => holds(one, rest));
  return Object.hasOwn(value, step) && holds((value as Readonly<Record<string, JsonValue>>)[step] as JsonValue, rest);
}

/** The steps that a JSON Pointer into a schema leads to in a value. */
export function stepsTo(pointer: string): ValueSteps {
  const parts = pointer.split("/").slice(1).map(unescapePointer);
  const steps: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? "";
    if (part === "properties" || part === "prefixItems") steps.push(parts[++i] ?? "");
    else if (part === "items" || part === "additionalProperties") steps.push("*");
    else i++; // A union, and the number of the alternative.
  }
  return steps;
}

/** How far two places agree: -1 if they part; a place agrees with the places inside it. */
export function placeAgreement(a: ValueSteps, b: ValueSteps): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i] && a[i] !== "*" && b[i] !== "*") return -1;
  return shared * 2 + (a.length === b.length ? 1 : 0);
}
