/**
 * Judges a value by a schema without compiling it: for values that a proof lists and for the choice of values. Returns undefined
 * for what it cannot decide. Evidence is judged by the real validators.
 */

import { isMultipleOf } from "../../generator/core/multiples.js";
import { patternFault } from "../../generator/core/pattern.js";
import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { boundedPattern } from "../../runtime/contract/pattern/bounded-pattern.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { formats } from "../../runtime/contract/validation.js";
import { type EvaluatesAlone, evaluates, type Verdict } from "./evaluated.js";
import {
  type RootedSchema,
  referencedSchema,
  rootedSchema,
  type SchemaNode,
  schemasByName,
  textItems,
} from "./node.js";

/** Work left of a judgement: recursive alternatives could take exponential time. */
interface Budget {
  readonly steps: { left: number };
  /** References that are open at this place of the value. */
  readonly open: readonly unknown[];
}

const MAX_STEPS = 20_000;

/**
 * Whether a schema accepts a value.
 *
 * @param steps work that is left; after it, nothing is decided
 */
export const accepts = (node: RootedSchema, value: JsonValue, steps = { left: MAX_STEPS }): Verdict =>
  judge(node, value, { steps, open: [] });

/** All true: true; one false: false; else undecided. */
function all(verdicts: Iterable<Verdict>): Verdict {
  let result: Verdict = true;
  for (const one of verdicts) {
    if (one === false) return false;
    if (one === undefined) result = undefined;
  }
  return result;
}

/** Whether as many verdicts are true as wanted. */
function counted(verdicts: readonly Verdict[], least: number, most: number): Verdict {
  const sure = verdicts.filter((one) => one === true).length;
  const maybe = verdicts.filter((one) => one === undefined).length;
  if (sure > most || sure + maybe < least) return false;
  return sure >= least && sure + maybe <= most ? true : undefined;
}

const negated = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict);

function judge(node: RootedSchema, value: JsonValue, budget: Budget): Verdict {
  if (node.schema === true || node.schema === undefined) return true;
  if (node.schema === false) return false;
  if (!isSchema(node.schema) || budget.steps.left-- <= 0) return undefined;
  const own = node as SchemaNode;
  return all(verdictsOf(own, value, budget));
}

function* verdictsOf(node: SchemaNode, value: JsonValue, budget: Budget): Generator<Verdict> {
  for (const keyword of Object.keys(node.schema)) {
    const rule = Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined;
    const judged = (WITH.get(keyword) ?? []).some((one) => node.schema[one] !== undefined);
    if (rule && !judged) yield rule(node.schema[keyword], value, node, budget);
  }
}

type Rule = (held: unknown, value: JsonValue, node: SchemaNode, budget: Budget) => Verdict;

/** The JSON type of a value; a whole number is an integer. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

const isText = (value: JsonValue): value is string => typeof value === "string";
const isNumber = (value: JsonValue): value is number => typeof value === "number";
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
const isMap = (value: JsonValue): value is Readonly<Record<string, JsonValue>> => isSchema(value);
const lengthOf = (text: string): number => text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);

const numeric =
  (test: (value: number, held: number) => boolean): Rule =>
  (held, value) =>
    !isNumber(value) || (typeof held === "number" ? test(value, held) : undefined);
const sized =
  (sizeOf: (value: JsonValue) => number | undefined, test: (size: number, held: number) => boolean): Rule =>
  (held, value) => {
    const size = sizeOf(value);
    return size === undefined || (typeof held === "number" ? test(size, held) : undefined);
  };
const textSize = (value: JsonValue) => (isText(value) ? lengthOf(value) : undefined);
const listSize = (value: JsonValue) => (isList(value) ? value.length : undefined);
const mapSize = (value: JsonValue) => (isMap(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, held: number): boolean => size >= held;
const atMost = (size: number, held: number): boolean => size <= held;
const members =
  (test: (held: readonly RootedSchema[], value: JsonValue, budget: Budget) => Verdict): Rule =>
  (held, value, node, budget) =>
    Array.isArray(held)
      ? test(
          held.map((one) => rootedSchema(node, one)),
          value,
          budget,
        )
      : undefined;

/** Whether a text matches a pattern; undefined for a pattern that validators leave out or read otherwise. */
export function patternVerdict(pattern: string, text: string): Verdict {
  const fault = patternFault(pattern);
  if (fault !== undefined && fault !== "legacy") return undefined;
  return boundedPattern(pattern, fault === "legacy" ? "" : "u").test(text);
}

/** Whether a value has a format; formats that no validator knows hold always. */
export function hasFormat(name: unknown, value: JsonValue): Verdict {
  if (typeof name !== "string" || !Object.hasOwn(formats, name)) return true;
  const known = formats[name];
  const test =
    isSchema(known) && !(known instanceof RegExp) ? (known as Readonly<Record<string, unknown>>)["validate"] : known;
  const kind =
    isSchema(known) && !(known instanceof RegExp) && (known as Readonly<Record<string, unknown>>)["type"] === "number"
      ? "number"
      : "string";
  if (typeof value !== kind || test === true) return true;
  if (test instanceof RegExp) return test.test(String(value));
  return typeof test === "function" ? Boolean(test(value)) : undefined;
}

/** The schemas that `properties`, `patternProperties` and `additionalProperties` of one schema have for a name. */
export function memberNodes(node: SchemaNode, name: string): readonly RootedSchema[] {
  const { properties, patternProperties, additionalProperties } = node.schema;
  const own = schemasByName(properties);
  const found = [
    ...(Object.hasOwn(own, name) ? [own[name]] : []),
    ...Object.entries(schemasByName(patternProperties)).flatMap(([pattern, one]) =>
      patternVerdict(pattern, name) === true ? [one] : [],
    ),
  ];
  return (found.length > 0 || additionalProperties === undefined ? found : [additionalProperties]).map((one) =>
    rootedSchema(node, one),
  );
}

/** The schema that one schema has for the item at an index. */
export function itemNode({ schema, root }: SchemaNode, index: number): RootedSchema {
  const { tuple, rest } = tupleAndRest(schema);
  return { schema: index < tuple.length ? tuple[index] : rest, root };
}

/** Schemas of the first items and of the others, in both spellings. */
export function tupleAndRest({ items, prefixItems, additionalItems }: SchemaNode["schema"]): {
  readonly tuple: readonly unknown[];
  readonly rest: unknown;
} {
  if (Array.isArray(prefixItems)) return { tuple: prefixItems, rest: items ?? true };
  return Array.isArray(items) ? { tuple: items, rest: additionalItems ?? true } : { tuple: [], rest: items ?? true };
}

const propertyRule: Rule = (_, value, node, budget) => {
  if (!isMap(value)) return true;
  const below = { ...budget, open: [] };
  return all(
    Object.entries(value).flatMap(([name, one]) => memberNodes(node, name).map((member) => judge(member, one, below))),
  );
};

const itemRule: Rule = (_, value, node, budget) =>
  !isList(value) || all(value.map((one, i) => judge(itemNode(node, i), one, { ...budget, open: [] })));

const containsRule: Rule = (held, value, node, budget) => {
  if (!isList(value)) return true;
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = node.schema;
  if (typeof minContains !== "number" || typeof maxContains !== "number") return undefined;
  const verdicts = value.map((one) => judge(rootedSchema(node, held), one, { ...budget, open: [] }));
  return counted(verdicts, minContains, maxContains);
};

const ifRule: Rule = (held, value, node, budget) => {
  const { then = true, else: otherwise = true } = node.schema;
  const test = judge(rootedSchema(node, held), value, budget);
  const of = (schema: unknown): Verdict => judge(rootedSchema(node, schema), value, budget);
  if (test !== undefined) return of(test ? then : otherwise);
  const [a, b] = [of(then), of(otherwise)];
  return a === b ? a : undefined;
};

const dependents: Rule = (held, value, node, budget) => {
  if (!isMap(value)) return true;
  return all(
    Object.entries(schemasByName(held)).flatMap(([name, one]): readonly Verdict[] => {
      if (!Object.hasOwn(value, name)) return [];
      return Array.isArray(one)
        ? textItems(one).map((other) => Object.hasOwn(value, other))
        : [judge(rootedSchema(node, one), value, budget)];
    }),
  );
};

const refRule: Rule = (held, value, node, budget) => {
  const target = referencedSchema(node, held);
  if (!target || budget.open.includes(target.schema)) return undefined;
  const below = { ...budget, open: [...budget.open, target.schema] };
  return judge(target, value, below);
};

const listed = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** The values of an enum as text; cached, since long ones are asked for each of their values. */
function keysOf(values: readonly unknown[]): ReadonlySet<string> {
  const known = listed.get(values) ?? new Set(values.map((one) => canonicalJson(one as JsonValue)));
  listed.set(values, known);
  return known;
}

const evaluatesProperty =
  (name: string): EvaluatesAlone =>
  ({ schema }, isInner) => {
    if (schema["additionalProperties"] !== undefined) return true;
    if (isInner && schema["unevaluatedProperties"] !== undefined) return true;
    if (Object.hasOwn(schemasByName(schema["properties"]), name)) return true;
    const verdicts = Object.keys(schemasByName(schema["patternProperties"])).map((pattern) =>
      patternVerdict(pattern, name),
    );
    return verdicts.includes(true) || (verdicts.includes(undefined) ? undefined : false);
  };

const evaluatesItem =
  (index: number, judgeItem: (schema: RootedSchema) => Verdict): EvaluatesAlone =>
  (node, isInner) => {
    const { schema } = node;
    if (isInner && schema["unevaluatedItems"] !== undefined) return true;
    const isFixed = index < tupleAndRest(schema).tuple.length;
    const others = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
    if (isFixed || others !== undefined) return true;
    return schema["contains"] === undefined ? false : judgeItem(rootedSchema(node, schema["contains"]));
  };

/** The verdict on each member that nothing else evaluates. */
const restRule =
  (membersOf: (value: JsonValue) => readonly (readonly [string | number, JsonValue])[]): Rule =>
  (held, value, node, budget) => {
    const below = { ...budget, open: [] };
    const verdicts = membersOf(value).map(([key, one]): Verdict => {
      const alone =
        typeof key === "string" ? evaluatesProperty(key) : evaluatesItem(key, (schema) => judge(schema, one, below));
      const evaluated = evaluates(node, value, alone, (schema, whole) => judge(schema, whole, budget));
      if (evaluated === true) return true;
      const verdict = judge(rootedSchema(node, held), one, below);
      return evaluated === false || verdict === true ? verdict : undefined;
    });
    return all(verdicts);
  };

const undecided: Rule = () => undefined;

/** Keywords whose rule also judges this one, if they are there. */
const WITH: ReadonlyMap<string, readonly string[]> = new Map([
  ["patternProperties", ["properties"]],
  ["additionalProperties", ["properties", "patternProperties"]],
  ["prefixItems", ["items"]],
]);

/** Rules by keyword. A rule of several keywords is listed under each of them. */
const RULES: Readonly<Record<string, Rule>> = {
  $ref: refRule,
  $dynamicRef: undecided,
  $recursiveRef: undecided,
  type: (held, value, node) => {
    const type = jsonTypeName(value);
    const types = [held].flat();
    if (types.includes(type) || (type === "integer" && types.includes("number"))) return true;
    return value === null && node.schema["nullable"] === true;
  },
  enum: (held, value) => Array.isArray(held) && keysOf(held).has(canonicalJson(value)),
  const: (held, value) => canonicalJson(held) === canonicalJson(value),
  minimum: numeric((value, held) => value >= held),
  maximum: numeric((value, held) => value <= held),
  exclusiveMinimum: numeric((value, held) => value > held),
  exclusiveMaximum: numeric((value, held) => value < held),
  multipleOf: numeric(isMultipleOf),
  minLength: sized(textSize, atLeast),
  maxLength: sized(textSize, atMost),
  pattern: (held, value) => !isText(value) || (typeof held === "string" ? patternVerdict(held, value) : undefined),
  format: hasFormat,
  minItems: sized(listSize, atLeast),
  maxItems: sized(listSize, atMost),
  uniqueItems: (held, value) =>
    held !== true || !isList(value) || new Set(value.map((one) => canonicalJson(one))).size === value.length,
  items: itemRule,
  prefixItems: itemRule,
  contains: containsRule,
  unevaluatedItems: restRule((value) => (isList(value) ? [...value.entries()] : [])),
  minProperties: sized(mapSize, atLeast),
  maxProperties: sized(mapSize, atMost),
  required: (held, value) => !isMap(value) || textItems(held).every((name) => Object.hasOwn(value, name)),
  properties: propertyRule,
  patternProperties: propertyRule,
  additionalProperties: propertyRule,
  propertyNames: (held, value, node, budget) =>
    !isMap(value) ||
    all(Object.keys(value).map((name) => judge(rootedSchema(node, held), name, { ...budget, open: [] }))),
  unevaluatedProperties: restRule((value) => (isMap(value) ? Object.entries(value) : [])),
  dependentRequired: dependents,
  dependentSchemas: dependents,
  dependencies: dependents,
  allOf: members((held, value, budget) => all(held.map((one) => judge(one, value, budget)))),
  anyOf: members((held, value, budget) =>
    counted(
      held.map((one) => judge(one, value, budget)),
      1,
      Number.POSITIVE_INFINITY,
    ),
  ),
  oneOf: members((held, value, budget) =>
    counted(
      held.map((one) => judge(one, value, budget)),
      1,
      1,
    ),
  ),
  not: (held, value, node, budget) => negated(judge(rootedSchema(node, held), value, budget)),
  if: ifRule,
};
