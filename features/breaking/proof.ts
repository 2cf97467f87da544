/**
 * Proves that one schema accepts whatever another accepts. A proof is certain; without one, nothing is decided.
 *
 * The goal is taken apart keyword by keyword, and each is derived from the facts: the schemas that hold for the value. Alternatives among
 * the facts are distinguished where needed. Recursive schemas are proven by induction over the depth of the value.
 */

import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { accepts } from "./accepts.js";
import {
  alwaysPresentNames,
  boundsOf,
  type Facts,
  factsOf,
  greatestLimit,
  isOpen,
  itemFacts,
  leastLimit,
  memberFacts,
  possibleValues,
  type Type,
  textPatterns,
  typesIn,
} from "./facts.js";
import {
  equalityText,
  isSameText,
  isSchemaNode,
  type RootedSchema,
  referencedSchema,
  rootedSchema,
  rootNode,
  type SchemaNode,
  schemasByName,
  spreadNodes,
} from "./node.js";
import { possibleNames } from "./possible-names.js";
import { PROOF_RULES, type Proof } from "./proof-rules.js";
import { separatingText } from "./text-sets.js";

const MAX_STEPS = 8000;
const MAX_JUDGING = 60_000;
const MAX_SPLITS = 4;
const MAX_DEPTH = 40;

/**
 * Whether every value that `before` accepts is accepted by `after`.
 *
 * @param lenient properties that `after` does not know count as accepted
 */
export function isContained(before: JsonSchema, after: JsonSchema, lenient = false): boolean {
  const [a, b] = [rootNode(before), rootNode(after)];
  if (equalityText(a.root) === equalityText(b.root)) return true;
  const proof: Proof = {
    steps: { left: MAX_STEPS },
    judging: { left: MAX_JUDGING },
    splits: 0,
    depth: 0,
    open: new Map(),
    ids: new Map(),
    lenient,
    conventional: true,
    proves,
    refutes,
  };
  try {
    return proves([a], b, proof);
  } catch (cause) {
    if (cause instanceof RangeError) return false; // Nested beyond the stack.
    throw cause;
  }
}

function proves(given: readonly RootedSchema[], goal: RootedSchema, proof: Proof): boolean {
  if (goal.schema === true || goal.schema === undefined) return true;
  if (proof.steps.left-- <= 0 || proof.depth > MAX_DEPTH) return false;
  if (given.some((one) => isSameText(one, goal))) return true;
  const facts = factsOf(given);
  if (!facts) return true;
  spend(facts, proof);
  if (!isSchemaNode(goal)) return goal.schema === false && refutes(facts, proof);
  if (facts.some((one) => isSameText(one, goal))) return true;
  const key = keyOf(facts, goal, proof);
  const began = proof.open.get(key);
  if (began !== undefined) return began < proof.depth;
  const within = { ...proof, open: new Map(proof.open).set(key, proof.depth) };
  const values = possibleValues(facts, proof.judging);
  if (values) return values.every((one) => accepts(goal, one, proof.judging) === true);
  if (provesDirectly(facts, goal, within)) return true;
  return proof.undivided !== proof.depth && (provesByCases(facts, goal, within) || refutes(facts, within));
}

/** A step costs more where more is known: every fact is looked at, and a union once for each alternative. */
function spend(facts: Facts, { steps }: Proof): void {
  for (const { schema } of facts) steps.left -= 1 + sizeOf(schema["anyOf"]) + sizeOf(schema["oneOf"]);
}

const sizeOf = (held: unknown): number => (Array.isArray(held) ? held.length : 0);

function keyOf(facts: Facts, goal: SchemaNode, { ids }: Proof): string {
  const id = (one: object): number => {
    const known = ids.get(one) ?? ids.size;
    ids.set(one, known);
    return known;
  };
  const idsOf = (nodes: readonly RootedSchema[]): string =>
    [...new Set(nodes.map(({ schema }) => (isSchema(schema) ? id(schema) : String(schema))))].sort().join();
  return `${idsOf(facts)} ${idsOf(facts.flatMap((one) => one.beside ?? []))} ${id(goal.schema)}`;
}

/** Every keyword of the goal, for every type that the value may have. */
function provesDirectly(facts: Facts, goal: SchemaNode, proof: Proof): boolean {
  const target = referencedSchema(goal, goal.schema["$ref"]);
  if (goal.schema["$ref"] !== undefined && (!target || !proof.proves(facts, target, proof))) return false;
  return typesIn(facts).every((type) => {
    const typed = [...facts, rootedSchema(goal, { type: type === "integer" ? "integer" : type }) as SchemaNode];
    return Object.keys(goal.schema).every((keyword) => {
      const rule = Object.hasOwn(PROOF_RULES, keyword) ? PROOF_RULES[keyword] : undefined;
      return !rule || rule({ facts: typed, type, goal, held: goal.schema[keyword], proof });
    });
  });
}

/** Distinguishes the alternatives of one union or condition among the facts. */
function provesByCases(facts: Facts, goal: SchemaNode, proof: Proof): boolean {
  if (proof.splits >= MAX_SPLITS) return false;
  const split = firstSplit(facts);
  if (!split) return false;
  const next = { ...proof, splits: proof.splits + 1 };
  return split.every((one) => proves(one, goal, next));
}

/** The cases of the first fact that has some, or undefined. */
export function firstSplit(facts: Facts): readonly (readonly RootedSchema[])[] | undefined {
  for (const fact of facts) {
    const { anyOf, oneOf, if: test, ...rest } = fact.schema;
    const others = spreadNodes(facts.filter((one) => one !== fact));
    const left = (schema: JsonSchema, apart: readonly unknown[]): RootedSchema => ({
      ...rootedSchema(fact, withoutUnevaluated(fact, schema)),
      spread: true,
      beside: [...(fact.beside ?? []), ...apart.map((one) => rootedSchema(fact, one))],
    });
    const union = Array.isArray(anyOf) ? anyOf : oneOf;
    if (Array.isArray(union)) {
      const kept = Array.isArray(anyOf)
        ? { ...rest, ...definedOf({ oneOf, if: test }) }
        : { ...rest, ...definedOf({ if: test }) };
      return union.map((one) => [...others, left(kept, union), rootedSchema(fact, one)]);
    }
    if (test !== undefined) {
      const { then = true, else: otherwise = true, ...plain } = rest;
      return [
        [...others, left(plain, [test, then, otherwise]), rootedSchema(fact, test), rootedSchema(fact, then)],
        [
          ...others,
          left(plain, [test, then, otherwise]),
          rootedSchema(fact, { not: test }),
          rootedSchema(fact, otherwise),
        ],
      ];
    }
  }
  return undefined;
}

/**
 * What is left of a schema whose alternatives are told apart: they evaluate properties too, so that `unevaluatedProperties` means less than
 * it says in the rest alone. The names that they evaluate become properties.
 */
function withoutUnevaluated(fact: SchemaNode, { unevaluatedProperties, ...rest }: JsonSchema): JsonSchema {
  const names = unevaluatedProperties === false && isOpen(fact) ? possibleNames([fact]) : undefined;
  if (!names) return rest as JsonSchema;
  const evaluated = Object.fromEntries([...names].map((name) => [name, true]));
  const properties = { ...evaluated, ...schemasByName(rest["properties"]) };
  return { ...rest, properties, additionalProperties: false } as JsonSchema;
}

const definedOf = (record: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(record).filter(([, one]) => one !== undefined));

/** Whether no value satisfies all the facts. */
function refutes(given: readonly RootedSchema[], proof: Proof): boolean {
  if (proof.steps.left-- <= 0 || proof.depth > MAX_DEPTH) return false;
  const facts = factsOf(given);
  if (!facts) return true;
  spend(facts, proof);
  const values = possibleValues(facts, proof.judging);
  if (values) return values.length === 0;
  if (typesIn(facts).every((type) => refutesType(facts, type, proof))) return true;
  if (facts.some((fact) => refutesNot(facts, fact, proof))) return true;
  const split = proof.splits < MAX_SPLITS ? firstSplit(facts) : undefined;
  return split?.every((one) => refutes(one, { ...proof, splits: proof.splits + 1 })) ?? false;
}

/** `not` refutes the facts if the others prove what it forbids. */
function refutesNot(facts: Facts, fact: SchemaNode, proof: Proof): boolean {
  const { not, ...rest } = fact.schema;
  if (not === undefined || proof.splits >= MAX_SPLITS) return false;
  const others = spreadNodes([...facts.filter((one) => one !== fact), rootedSchema(fact, rest)]);
  return proves(others, rootedSchema(fact, not), { ...proof, splits: proof.splits + 1, conventional: false });
}

function refutesType(facts: Facts, type: Type, proof: Proof): boolean {
  if (type === "integer" || type === "number") {
    const { low, high, lowOpen, highOpen } = boundsOf(facts, type);
    return low > high || (low === high && (lowOpen || highOpen));
  }
  if (type === "string") return refutesText(facts, proof);
  if (type === "array") return refutesArray(facts, proof);
  return type === "object" && refutesObject(facts, proof);
}

function refutesText(facts: Facts, { judging }: Proof): boolean {
  if (greatestLimit(facts, "minLength", 0) > leastLimit(facts, "maxLength")) return true;
  const patterns = textPatterns(facts);
  return patterns.length > 1 && separatingText(patterns, judging) === "none";
}

function refutesArray(facts: Facts, proof: Proof): boolean {
  const fewest = greatestLimit(facts, "minItems", 0);
  if (fewest > leastLimit(facts, "maxItems")) return true;
  const below = { ...proof, depth: proof.depth + 1 };
  const first = Math.min(fewest, 8);
  return Array.from({ length: first }, (_, i) => i).some((i) => refutes(itemFacts(facts, i), below));
}

function refutesObject(facts: Facts, proof: Proof): boolean {
  const names = alwaysPresentNames(facts);
  if (
    names.size > leastLimit(facts, "maxProperties") ||
    greatestLimit(facts, "minProperties", 0) > leastLimit(facts, "maxProperties")
  )
    return true;
  const below = { ...proof, depth: proof.depth + 1 };
  return [...names].some((name) => refutes(memberFacts(facts, name), below));
}
