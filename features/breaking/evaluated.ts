/**
 * Which properties and items of a value a schema evaluates: `unevaluatedProperties` and `unevaluatedItems` are about the rest
 * (JSON Schema 2020-12, core, section 11). Schemas inside `not` evaluate nothing.
 */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { type RootedSchema, referencedSchema, rootedSchema, type SchemaNode, schemasByName } from "./node.js";

/** True, false, or undefined if it is not decided. */
export type Verdict = boolean | undefined;

/** Judges a value by a schema. */
export type ValueJudge = (node: RootedSchema, value: JsonValue) => Verdict;

/**
 * Whether keywords of one schema evaluate a member: those beside the schemas inside it that are about the same value.
 *
 * @param isInner a schema inside the given one, whose `unevaluated…` keywords count
 */
export type EvaluatesAlone = (node: SchemaNode, isInner: boolean) => Verdict;

/** One true: true; all false: false; else undecided. */
function some(verdicts: Iterable<Verdict>): Verdict {
  let result: Verdict = false;
  for (const one of verdicts) {
    if (one === true) return true;
    if (one === undefined) result = undefined;
  }
  return result;
}

/** What holds if a condition holds. */
const where = (condition: Verdict, then: () => Verdict): Verdict => {
  if (condition === false) return false;
  const verdict = then();
  return condition === true ? verdict : verdict === false ? false : undefined;
};

/**
 * Whether a schema evaluates a member of a value that it accepts.
 *
 * @param open schemas on the way here
 */
export function evaluates(
  node: SchemaNode,
  value: JsonValue,
  alone: EvaluatesAlone,
  judge: ValueJudge,
  open: readonly unknown[] = [],
): Verdict {
  const { schema } = node;
  const below = (one: unknown): Verdict => {
    const inner = rootedSchema(node, one);
    if (!isSchema(inner.schema)) return false;
    if (open.includes(inner.schema)) return undefined;
    return evaluates(inner as SchemaNode, value, alone, judge, [...open, inner.schema]);
  };
  function* verdicts(): Generator<Verdict> {
    yield alone(node, open.length > 0);
    const target = referencedSchema(node, schema["$ref"]);
    if (schema["$ref"] !== undefined) yield target ? below(target.schema) : undefined;
    if (schema["$dynamicRef"] !== undefined || schema["$recursiveRef"] !== undefined) yield undefined;
    for (const one of listOrEmpty(schema["allOf"])) yield below(one);
    for (const keyword of ["anyOf", "oneOf"])
      for (const one of listOrEmpty(schema[keyword]))
        yield where(judge(rootedSchema(node, one), value), () => below(one));
    for (const [name, one] of Object.entries(schemasByName(schema["dependentSchemas"])))
      if (isSchema(value) && Object.hasOwn(value, name)) yield below(one);
    if (schema["if"] === undefined) return;
    const test = judge(rootedSchema(node, schema["if"]), value);
    yield where(test, () => some([below(schema["if"]), below(schema["then"])]));
    yield where(test === undefined ? undefined : !test, () => below(schema["else"]));
  }
  return some(verdicts());
}
