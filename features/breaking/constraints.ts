/** Decides rules across arguments by values: each rule as a schema, in the sense in which calls are checked. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { Constraint, JsonObject, JsonSchema, JsonValue, Tool } from "../../runtime/contract/registry.js";
import { counterexampleText } from "./decide.js";
import { searchEvidence } from "./evidence.js";
import type { DetectedChange } from "./finding.js";
import { isContained } from "./proof.js";

/** An argument that is present and not blank. */
const given = (name: string): JsonSchema => ({
  required: [name],
  properties: { [name]: { not: { type: "string", pattern: "^\\s*$" } } },
});

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

/** A schema whose parts are schemas. */
const composed = (schema: Readonly<Record<string, unknown>>): JsonSchema => schema as unknown as JsonSchema;

/** A schema that accepts the arguments that satisfy a constraint. */
function schemaOf(constraint: Constraint): JsonSchema {
  switch (constraint.kind) {
    case "at_least_one_change":
      return { anyOf: constraint.of.map((name) => ({ required: [name] })) };
    case "one_of":
      return composed({ anyOf: constraint.branches.map((branch) => alone(branch, constraint.branches)) });
    case "requires": {
      const { argument, equals, needs } = constraint;
      const test = equals === undefined ? {} : { properties: { [argument]: { const: equals } } };
      const met = needs.map((name) => ({
        allOf: [given(name), { properties: { [name]: { not: { const: false } } } }],
      }));
      return composed({ if: { required: [argument], ...test }, [THEN]: { allOf: met } });
    }
  }
}

/** One branch, complete, and nothing of the others. */
function alone(branch: readonly string[], branches: readonly (readonly string[])[]): JsonSchema {
  const others = branches.flat().filter((name) => !branch.includes(name));
  const whole = branch.map(given);
  return composed({ allOf: others.length === 0 ? whole : [...whole, { not: { anyOf: others.map(given) } }] });
}

/** Names that a constraint is about. */
function namesOf(constraint: Constraint): readonly string[] {
  if (constraint.kind === "requires") return [constraint.argument, ...constraint.needs];
  return constraint.kind === "one_of" ? constraint.branches.flat() : constraint.of;
}

/** A schema that declares every argument of the constraints. */
function declaring(schema: JsonSchema, constraints: readonly Constraint[]): JsonSchema {
  const { properties } = schema;
  const names = constraints.flatMap(namesOf).map((name) => [name, {}] as const);
  return composed({
    ...schema,
    properties: { ...Object.fromEntries(names), ...(isSchema(properties) ? properties : {}) },
  });
}

const constrained = (schema: JsonSchema, constraints: readonly Constraint[]): JsonSchema => {
  const { allOf } = schema;
  return {
    ...schema,
    allOf: [...(Array.isArray(allOf) ? allOf : []), ...constraints.map(schemaOf)] as readonly JsonValue[],
  };
};

/** Most values of one argument in a combination, and most combinations. */
const MAX_OPTIONS = 3;
const MAX_COMBINATIONS = 600;

/** Calls with the arguments of constraints given and left out in every way, the first constraints first. */
function combinations(taken: readonly JsonValue[], constraints: readonly Constraint[]): readonly JsonValue[] {
  const calls = (taken as readonly unknown[])
    .filter((one): one is JsonObject => isSchema(one))
    .sort((a, b) => Object.keys(a).length - Object.keys(b).length);
  const [base] = calls;
  if (!base) return [];
  const names = [...new Set(constraints.flatMap(namesOf))];
  let found: readonly JsonObject[] = [base];
  for (const name of names) {
    const isLeftOut = calls.some((one) => !Object.hasOwn(one, name));
    const options = optionsOf(name, calls, constraints);
    found = found
      .flatMap((one): readonly JsonObject[] => {
        const { [name]: _, ...without } = one;
        return [...(isLeftOut ? [without] : []), ...options.map((value) => ({ ...without, [name]: value }))];
      })
      .slice(0, MAX_COMBINATIONS);
  }
  return found;
}

/** Values of an argument: those that constraints compare with, then those that count as given, then others. */
function optionsOf(
  name: string,
  calls: readonly JsonObject[],
  constraints: readonly Constraint[],
): readonly JsonValue[] {
  const compared = constraints.flatMap((one) =>
    one.kind === "requires" && one.argument === name && one.equals !== undefined ? [one.equals] : [],
  );
  const seen = calls.flatMap((one) => (Object.hasOwn(one, name) ? [one[name] as JsonValue] : []));
  const [given, others] = [seen.filter(countsAsGiven), seen.filter((one) => !countsAsGiven(one))];
  const all = [...compared, ...given.slice(0, 1), ...others, ...given.slice(1)];
  return [...new Map(all.map((one) => [canonicalJson(one), one])).values()].slice(0, MAX_OPTIONS);
}

const countsAsGiven = (value: JsonValue): boolean =>
  value !== false && (typeof value !== "string" || value.trim() !== "");

/** Findings about constraints, decided: a new one that follows from what held before hurts no caller. */
export function decidedConstraints(
  before: Tool,
  after: Tool,
  found: readonly DetectedChange[],
): readonly DetectedChange[] {
  if (!found.some((one) => one.rule === "constraint-added")) return found;
  const schema = declaring(before.parameters_schema, [...before.constraints, ...after.constraints]);
  const [old, now] = [constrained(schema, before.constraints), constrained(schema, after.constraints)];
  const revised = (change: Partial<DetectedChange>): readonly DetectedChange[] =>
    found.map((one) => (one.rule === "constraint-added" ? { ...one, ...change } : one));
  if (isContained(old, now)) return revised({ level: "info", reason: "it follows from what had to hold before" });
  const examples = before.examples.map((one) => one.args);
  const { tried: taken } = searchEvidence(schema, schema, examples);
  const calls = combinations(taken, [...after.constraints, ...before.constraints]);
  const { tried, counterexamples } = searchEvidence(old, now, [...examples, ...calls]);
  const [first] = counterexamples;
  if (first) return revised({ counterexample: counterexampleText(first) });
  if (tried.length === 0) return found;
  return revised({ level: "warning", reason: `undecided: none of ${tried.length} values that were tried is refused` });
}
