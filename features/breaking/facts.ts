/** What is known of a value: schemas that all accept it, with references followed and `allOf` spread out. */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { accepts, itemNode, memberNodes, patternVerdict } from "./accepts.js";
import {
  type RootedSchema,
  referencedSchema,
  rootedSchema,
  type SchemaNode,
  schemasByName,
  textItems,
} from "./node.js";
import { lengthPatterns } from "./text-sets.js";
import { viewsOf } from "./views.js";

/** Schemas that all accept the value. Empty: anything. */
export type Facts = readonly SchemaNode[];

/** Types of JSON values; `number` is here one that is not whole. */
export const VALUE_TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;

/** One of {@link VALUE_TYPES}. */
export type Type = (typeof VALUE_TYPES)[number];

/** Most schemas that hold at one place. */
const MAX_FACTS = 200;

/** The facts that follow from schemas, or undefined if one of them accepts nothing. A reference that leads nowhere gives no fact. */
export function factsOf(nodes: readonly RootedSchema[]): Facts | undefined {
  const facts = new Set<SchemaNode>();
  const met = new Set<unknown>();
  const open = [...nodes];
  for (let at = 0; at < open.length && facts.size < MAX_FACTS; at++) {
    const node = open[at] as RootedSchema;
    if (node.schema === false) return undefined;
    if (!isSchema(node.schema) || met.has(node.schema)) continue;
    met.add(node.schema);
    facts.add(node as SchemaNode);
    if (node.spread) continue;
    const { $ref, allOf } = node.schema;
    const target = referencedSchema(node, $ref);
    if (target) open.push(target);
    for (const one of listOrEmpty(allOf)) open.push(rootedSchema(node, one));
  }
  return withDependents([...facts]);
}

/** Schemas that depend on a property that is always there hold as well. */
function withDependents(facts: Facts): Facts | undefined {
  const names = alwaysPresentNames(facts);
  const held = facts.flatMap((one) =>
    (["dependentSchemas", "dependencies"] as const).flatMap((keyword) =>
      Object.entries(schemasByName(one.schema[keyword])).flatMap(([name, inner]) =>
        names.has(name) && !Array.isArray(inner) ? [rootedSchema(one, inner)] : [],
      ),
    ),
  );
  const known = new Set<unknown>(facts.map((one) => one.schema));
  const fresh = held.filter((one) => !known.has(one.schema));
  if (fresh.some((one) => one.schema === false)) return undefined;
  return fresh.filter(({ schema }) => isSchema(schema)).length === 0 ? facts : factsOf([...facts, ...fresh]);
}

/** Types that a value may have. */
export function typesIn(facts: Facts): readonly Type[] {
  const isWhole = facts.some(({ schema: { multipleOf } }) => Number.isInteger(multipleOf));
  const types = VALUE_TYPES.filter((type) => facts.every(({ schema }) => takesType(schema, type)));
  return isWhole ? types.filter((type) => type !== "number") : types;
}

/** Whether the keyword `type` of a schema takes a type. */
export function takesType({ type, nullable }: SchemaNode["schema"], one: Type): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = [type].flat();
  return (
    types.includes(one) || (one === "integer" && types.includes("number")) || (one === "null" && nullable === true)
  );
}

/** Every value that the facts leave, if they list them; those that a fact refuses for sure are left out. */
export function possibleValues(facts: Facts, judging: { left: number }): readonly JsonValue[] | undefined {
  const listed = facts.map(({ schema }) => listedIn(schema)).filter((one) => one !== undefined);
  const types = typesIn(facts);
  const few = types.every((one) => one === "null" || one === "boolean") ? ([null, true, false] as const) : undefined;
  const [first = few ?? smallRange(facts, types)] = listed.sort((a, b) => a.length - b.length);
  return first?.filter((value) => facts.every((one) => accepts(one, value, judging) !== false));
}

/** Most whole numbers that are listed. */
const MAX_RANGE = 100;

function smallRange(facts: Facts, types: readonly Type[]): readonly number[] | undefined {
  if (types.length !== 1 || types[0] !== "integer") return undefined;
  const { low, high } = boundsOf(facts, "integer");
  return high - low < MAX_RANGE ? Array.from({ length: Math.max(0, high - low + 1) }, (_, i) => low + i) : undefined;
}

/** The values that `const` or `enum` lists. */
export function listedIn(schema: SchemaNode["schema"]): readonly JsonValue[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? (schema["enum"] as readonly JsonValue[]) : undefined;
}

/** Names of properties that are always there. */
export function alwaysPresentNames(facts: Facts): ReadonlySet<string> {
  const names = new Set(facts.flatMap(({ schema }) => textItems(schema["required"])));
  for (const name of names)
    for (const { schema } of facts)
      for (const keyword of ["dependentRequired", "dependencies"] as const) {
        const held = schemasByName(schema[keyword]);
        if (Object.hasOwn(held, name)) for (const other of textItems(held[name])) names.add(other);
      }
  return names;
}

/** A schema that says nothing, for what stands beside the facts of a part of the value. */
const NOTHING: SchemaNode["schema"] = {};

/** What holds for a part of the value, with what alternatives that need not hold say of the same part. */
export function partFacts(
  facts: Facts,
  partOf: (fact: SchemaNode) => readonly RootedSchema[],
): readonly RootedSchema[] {
  const held = facts.flatMap(partOf);
  const beside = viewsOf(facts.flatMap((one) => one.beside ?? []))
    .flatMap(partOf)
    .filter(({ schema }) => isSchema(schema));
  const [first] = beside;
  return first ? [...held, { schema: NOTHING, root: first.root, beside }] : held;
}

/** The schemas that hold for a property. */
export const memberFacts = (facts: Facts, name: string): readonly RootedSchema[] =>
  partFacts(facts, (one) => memberNodes(one, name));

/** The schemas that hold for the item at an index. */
export const itemFacts = (facts: Facts, index: number): readonly RootedSchema[] =>
  partFacts(facts, (one) => [itemNode(one, index)]);

/** Whether a schema declares a property by its name or a pattern. */
export const declaresProperty = ({ schema }: SchemaNode, name: string): boolean =>
  Object.hasOwn(schemasByName(schema["properties"]), name) ||
  Object.keys(schemasByName(schema["patternProperties"])).some((pattern) => patternVerdict(pattern, name) !== false);

/** Whether a schema declares a property, demands it, or lets something depend on it. */
export const mentionsProperty = (node: SchemaNode, name: string): boolean =>
  declaresProperty(node, name) ||
  textItems(node.schema["required"]).includes(name) ||
  (["dependentRequired", "dependentSchemas", "dependencies"] as const).some((keyword) =>
    Object.entries(schemasByName(node.schema[keyword])).some(
      ([own, others]) => own === name || textItems(others).includes(name),
    ),
  );

/** Whether a schema says nothing of properties that it does not declare. */
export const isOpen = ({ schema: { additionalProperties: held } }: SchemaNode): boolean =>
  held === undefined || held === true || (isSchema(held) && Object.keys(held).length === 0);

/** Names that facts declare or demand. */
export const namesIn = (facts: Facts): ReadonlySet<string> =>
  new Set([
    ...facts.flatMap(({ schema }) => Object.keys(schemasByName(schema["properties"]))),
    ...alwaysPresentNames(facts),
  ]);

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
}

const numbers = (facts: Facts, keyword: string): readonly number[] =>
  facts.map(({ schema }) => schema[keyword]).filter((one): one is number => typeof one === "number");

/** The greatest value of a keyword. */
export const greatestLimit = (facts: Facts, keyword: string, otherwise: number): number =>
  Math.max(otherwise, ...numbers(facts, keyword));

/** The least value of a keyword. */
export const leastLimit = (facts: Facts, keyword: string): number =>
  Math.min(Number.POSITIVE_INFINITY, ...numbers(facts, keyword));

/** Patterns that a text matches, its lengths as a pattern among them. */
export const textPatterns = (facts: Facts): readonly string[] => {
  const patterns = facts.map(({ schema }) => schema["pattern"]).filter((one): one is string => typeof one === "string");
  return [
    ...new Set([...patterns, ...lengthPatterns(greatestLimit(facts, "minLength", 0), leastLimit(facts, "maxLength"))]),
  ];
};

/** The range of numbers; ends of whole numbers are included. */
export function boundsOf(facts: Facts, type: Type): Bounds {
  const [low, over] = [greatestLimit(facts, "minimum", -Infinity), greatestLimit(facts, "exclusiveMinimum", -Infinity)];
  const [high, under] = [leastLimit(facts, "maximum"), leastLimit(facts, "exclusiveMaximum")];
  if (type === "integer")
    return {
      low: Math.max(Math.ceil(low), Math.floor(over) + 1),
      high: Math.min(Math.floor(high), Math.ceil(under) - 1),
      lowOpen: false,
      highOpen: false,
    };
  return {
    low: Math.max(low, over),
    high: Math.min(high, under),
    lowOpen: over >= low,
    highOpen: under <= high,
  };
}

/** Steps that a number is a multiple of. */
export const stepsOf = (facts: Facts, type: Type): readonly number[] => [
  ...numbers(facts, "multipleOf"),
  ...(type === "integer" ? [1] : []),
];
