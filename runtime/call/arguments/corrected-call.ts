/** Builds a corrected call from a failed one: a skeleton to edit. */

import type { CorrectedCall } from "../../contract/error-body.js";
import { isExact, objectOf } from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { Constraint, JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { skeleton } from "../../contract/sample.js";
import { TooMuchWork, withBudget } from "../../contract/work-budget.js";
import { speaking } from "./branch.js";
import { isGiven, unmetNeeds } from "./constraints.js";
import { joinPath, mayHave, memberSchema, propertiesOf, requiredOf } from "./schema.js";

/** Longest text that is sent back; the caller has the original. */
const MAX_TEXT_LENGTH = 1000;

type ErrorsByPath = ReadonlyMap<string, FieldError>;

/** Keywords of findings about a name: `did_you_mean` is a name for these, else a value. */
const UNKNOWN: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Marks a member that is left out. */
const DROPPED = Symbol("dropped");

/**
 * Keeps valid arguments, renames by `did_you_mean`, drops unknown names without it, and fills missing ones with
 * placeholders. An empty call that needs arguments gets the op's example.
 */
export function correctedCall(
  tool: Tool,
  args: JsonObject,
  errors: readonly FieldError[],
  example: JsonObject | undefined,
): CorrectedCall {
  if (example && errors.length > 0 && Object.keys(args).length === 0) return { op: tool.op, args: example };
  const root = tool.parameters_schema;
  const byPath = new Map(errors.map((error) => [error.path, error]));
  const mended = withinBudget(() => mend(args, root, root, "", byPath));
  if (mended === undefined) return { op: tool.op, args: example ?? {} };
  const kept = isObject(mended) ? mended : {};
  const satisfied = errors.length === 0 ? kept : tool.constraints.reduce((at, rule) => satisfy(rule, at, root), kept);
  return { op: tool.op, args: inSignatureOrder(satisfied, tool) };
}

/** What is mended; undefined where that would be too much work. */
function withinBudget<T>(run: () => T): T | undefined {
  try {
    return withBudget(run);
  } catch (cause) {
    if (cause instanceof TooMuchWork) return undefined;
    throw cause;
  }
}

function mend(value: JsonValue, schema: JsonSchema, root: JsonSchema, path: string, errors: ErrorsByPath): JsonValue {
  if (typeof value === "string" && value.length > MAX_TEXT_LENGTH) return `<${nameOf(path)}>`;
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  const rule = speaking(schema, value, root);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue, i) =>
      mendMember(item, memberSchema(rule, i), root, joinPath(path, i), errors),
    );
    return items.filter((item) => item !== DROPPED);
  }
  const given = Object.entries(value as JsonObject).flatMap(([name, member]) => {
    const at = joinPath(path, name);
    const error = errors.get(at);
    const real = error && UNKNOWN.has(error.keyword) ? error.did_you_mean : name;
    if (real === undefined || !mayHave(rule, real)) return [];
    const renamed = real === name ? at : joinPath(path, real);
    const mended = mendMember(member, memberSchema(rule, real), root, renamed, errors);
    return mended === DROPPED ? [] : [[real, mended] as const];
  });
  const missing = missingMembers(value as JsonObject, rule, path, errors);
  return objectOf([
    ...given,
    ...missing.map((name) => [name, skeleton(memberSchema(rule, name), name, root)] as const),
  ]);
}

function missingMembers(value: JsonObject, rule: JsonSchema, path: string, errors: ErrorsByPath): readonly string[] {
  const names = [...new Set([...propertiesOf(rule).keys(), ...requiredOf(rule)])];
  const absent = names.filter((name) => !Object.hasOwn(value, name));
  return absent.filter((name) => errors.get(joinPath(path, name))?.keyword === "required");
}

function mendMember(
  value: JsonValue,
  schema: JsonSchema | undefined,
  root: JsonSchema,
  path: string,
  errors: ErrorsByPath,
): JsonValue | typeof DROPPED {
  const error = errors.get(path);
  if (error === undefined) return schema ? mend(value, schema, root, path, errors) : value;
  if (error.keyword === "one_of") return DROPPED;
  if (error.keyword === "unknown_reference") return error.did_you_mean ?? "<temp_id>";
  if (error.did_you_mean !== undefined && !UNKNOWN.has(error.keyword)) return error.did_you_mean;
  const instead = skeleton(schema, nameOf(path), root);
  if (error.keyword === "requires") return switchedOn(instead);
  if (error.keyword !== "minItems" || !schema || !Array.isArray(value) || !Array.isArray(instead)) return instead;
  const kept = mend(value, schema, root, path, errors);
  return Array.isArray(kept) ? [...kept, ...instead.slice(kept.length)] : instead;
}

/** A flag that another argument needs must be on. */
const switchedOn = (value: JsonValue): JsonValue => (value === false ? true : value);

/** `nodes[0].id` → `id`. */
const nameOf = (path: string): string => /([\p{L}\p{N}_$-]+)(?:\[\d+\])*$/u.exec(path)?.[1] ?? "value";

function satisfy(constraint: Constraint, args: JsonObject, root: JsonSchema): JsonObject {
  switch (constraint.kind) {
    case "at_least_one_change": {
      const changes = constraint.of.some((name) => Object.hasOwn(args, name));
      return changes ? args : fill(args, constraint.of.slice(0, 1), root);
    }
    case "requires":
      return fill(args, unmetNeeds(constraint, args), root, switchedOn);
    case "one_of": {
      const given = (branch: readonly string[]): number => branch.filter((name) => isGiven(args, name)).length;
      const chosen = constraint.branches.reduce((best, branch) => (given(branch) > given(best) ? branch : best));
      const others = new Set(constraint.branches.flat().filter((name) => !chosen.includes(name)));
      const kept = objectOf(Object.entries(args).filter(([name]) => !others.has(name)));
      return fill(
        kept,
        chosen.filter((name) => !isGiven(kept, name)),
        root,
      );
    }
  }
}

function fill(
  args: JsonObject,
  names: readonly string[],
  root: JsonSchema,
  mend = (value: JsonValue) => value,
): JsonObject {
  const filled = names.map((name) => [name, mend(skeleton(memberSchema(root, name), name, root))] as const);
  return objectOf([...Object.entries(args), ...filled]);
}

function inSignatureOrder(args: JsonObject, tool: Tool): JsonObject {
  const position = new Map(tool.parameters.map((parameter, index) => [parameter.original, index]));
  const at = (name: string): number => position.get(name) ?? tool.parameters.length;
  return objectOf(Object.entries(args).sort(([a], [b]) => at(a) - at(b)));
}
