/**
 * Corrects arguments by findings about them. A given value stays, is replaced by one that means the same, or becomes
 * a placeholder, which is refused when it comes back; it is never dropped or replaced by another choice.
 */

import { received } from "../../contract/error-body.js";
import { isExact, objectOf } from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { placeholder } from "../../contract/placeholder.js";
import type { Constraint, JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { branchOfNames, matchingBranch } from "../arguments/branch.js";
import { isGiven, unmetNeeds } from "../arguments/constraints.js";
import { UNKNOWN_NAMES } from "../arguments/field-errors.js";
import type { Undecided } from "../arguments/notes.js";
import { admits, joinPath, memberSchema, propertiesOf, requiredOf, typesOf } from "../arguments/schema.js";
import { isIdName, mayMean, missingId, nearestArgument } from "./argument-names.js";
import { equivalent, listsValues, mistypedValue } from "./equivalents.js";
import { argumentSkeleton, hinted, missingValue } from "./skeleton.js";

/** Arguments that a placeholder for an unknown one lists. */
const MAX_LISTED = 6;

/** What is wrong with arguments. */
export interface ArgumentFaults {
  readonly errors: readonly FieldError[];
  readonly undecided: readonly Undecided[];
}

interface Mending {
  readonly tool: Tool;
  readonly root: JsonSchema;
  readonly errors: ReadonlyMap<string, FieldError>;
  readonly undecided: ReadonlyMap<string, Undecided>;
  /** Set where the members of an object would be lost. */
  isLost: boolean;
}

/** The arguments with each fault mended or replaced by a placeholder; undefined if the members of an object would be lost. */
export function mendArguments(
  tool: Tool,
  args: JsonObject,
  { errors, undecided }: ArgumentFaults,
): JsonObject | undefined {
  const root = tool.parameters_schema;
  const mending: Mending = {
    tool,
    root,
    errors: new Map(errors.map((error) => [error.path, error])),
    undecided: new Map(undecided.map((one) => [one.path, one])),
    isLost: false,
  };
  const mended = mend(args, root, "", mending);
  if (mending.isLost) return undefined;
  const kept = isObject(mended) ? mended : {};
  return errors.length === 0 ? kept : tool.constraints.reduce((at, rule) => satisfy(rule, at, root), kept);
}

function mend(value: JsonValue, schema: JsonSchema, path: string, mending: Mending): JsonValue {
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  const rule = matchingBranch(schema, value, mending.root);
  if (Array.isArray(value))
    return value.map((item: JsonValue, i) => mendMember(item, memberSchema(rule, i), joinPath(path, i), mending));
  const given = renamed(value as JsonObject, rule, path, mending);
  const missing = missingMembers(value as JsonObject, rule, path, mending).filter(
    (name) => !given.some(([real]) => real === name),
  );
  return objectOf([
    ...given,
    ...missing.map((name) => [name, missingValue(memberSchema(rule, name), name, mending.root)] as const),
  ]);
}

/** The members under the names that they mean, mended. */
function renamed(value: JsonObject, rule: JsonSchema, path: string, mending: Mending): readonly Member[] {
  const taken = new Set(Object.keys(value));
  const missing = missingMembers(value, rule, path, mending);
  const unknown = Object.keys(value).filter((name) =>
    UNKNOWN_NAMES.has(mending.errors.get(joinPath(path, name))?.keyword ?? ""),
  );
  return Object.entries(value).flatMap(([name, member]): readonly Member[] => {
    const at = joinPath(path, name);
    const keyword = mending.errors.get(at)?.keyword ?? "";
    const isUnknown = UNKNOWN_NAMES.has(keyword);
    const free = candidatesFor(name, rule, isUnknown, missing).filter((one) => !taken.has(one));
    const lacking = isUnknown ? missing.filter((one) => !taken.has(one)) : [];
    const real =
      nearestArgument(name, free) ??
      nearestArgument(name, lacking) ??
      missingId(name, lacking) ??
      onlyLacking([name, member], lacking, unknown, rule, mending);
    if (real !== undefined) {
      taken.add(real);
      const schema = memberSchema(rule, real);
      return [[real, schema ? mend(member, schema, joinPath(path, real), mending) : member]];
    }
    if (!isUnknown) return [[name, mendMember(member, memberSchema(rule, name), at, mending)]];
    const others = isIdName(name) ? free.filter((one) => mayMean(name, one, mending.tool)) : free;
    return isEmpty(member) ? [] : [[name, noArgument(name, member, others)]];
  });
}

/** The only member that is missing, for the value of the only unknown one, if it takes that and the names do not contradict each other. */
function onlyLacking(
  [name, value]: Member,
  lacking: readonly string[],
  unknown: readonly string[],
  rule: JsonSchema,
  { tool, root }: Mending,
): string | undefined {
  const [only, ...others] = lacking;
  if (only === undefined || others.length > 0 || unknown.length > 1 || !mayMean(name, only, tool)) return undefined;
  const schema = memberSchema(rule, only);
  return schema && !isEmpty(value) && admits(schema, value, root) ? only : undefined;
}

type Member = readonly [name: string, value: JsonValue];

/** The names that an unknown one can mean. An open object takes any; only what is missing tells that one is misspelt. */
function candidatesFor(
  name: string,
  rule: JsonSchema,
  isUnknown: boolean,
  missing: readonly string[],
): readonly string[] {
  const properties = propertiesOf(rule);
  if (isUnknown) return [...properties.keys()];
  return properties.has(name) ? [] : missing;
}

/** Whether a value says nothing, so that nothing is lost without it. */
const isEmpty = (value: JsonValue): boolean =>
  value === null || value === "" || (typeof value === "object" && !isExact(value) && Object.keys(value).length === 0);

const NO_ARGUMENT = "no such argument for";

/** Whether a value stands for an argument that the op does not take. */
export const isNoArgument = (name: string, value: JsonValue): boolean =>
  typeof value === "string" && value.startsWith(placeholder(name, NO_ARGUMENT).slice(0, -1));

/** A placeholder for an unknown argument, with its value; one of an earlier pass, which knew more free arguments, stays. */
function noArgument(name: string, value: JsonValue, free: readonly string[]): string {
  if (isNoArgument(name, value)) return value as string;
  const others = free.slice(0, MAX_LISTED).join(", ");
  const remedy = `${others === "" ? "" : `use ${others}, or `}leave it out`;
  return placeholder(name, `${NO_ARGUMENT} ${received(value, name)}; ${remedy}`);
}

function missingMembers(value: JsonObject, rule: JsonSchema, path: string, { errors }: Mending): readonly string[] {
  const names = [...new Set([...propertiesOf(rule).keys(), ...requiredOf(rule)])];
  const absent = names.filter((name) => !Object.hasOwn(value, name));
  return absent.filter((name) => errors.get(joinPath(path, name))?.keyword === "required");
}

function mendMember(value: JsonValue, schema: JsonSchema | undefined, path: string, mending: Mending): JsonValue {
  const { errors, undecided, root } = mending;
  const open = undecided.get(path);
  if (open) return placeholder(nameOf(path), open.values.map((one) => received(one)).join(" or "));
  const error = errors.get(path);
  if (error === undefined) return schema ? mend(value, schema, path, mending) : value;
  if (error.keyword === "required") return argumentSkeleton(schema, nameOf(path), root);
  const same = schema && equivalent(value, schema, root, nameOf(path));
  const isListed = schema !== undefined && listsValues(schema, root);
  return (
    same ?? (isListed ? undefined : typoOf(value, error, nameOf(path))) ?? instead(value, schema, path, mending, error)
  );
}

/** The allowed value that a text can be a mistyped form of, if only the finding knows the allowed ones. */
function typoOf(value: JsonValue, { keyword, did_you_mean }: FieldError, name: string): string | undefined {
  if (keyword !== "enum" || typeof value !== "string" || did_you_mean === undefined) return undefined;
  return mistypedValue(value, [did_you_mean], name);
}

/** What stands for a value that cannot be mapped. */
function instead(
  value: JsonValue,
  schema: JsonSchema | undefined,
  path: string,
  mending: Mending,
  { keyword, expected }: FieldError,
): JsonValue {
  const name = nameOf(path);
  if (keyword === "requires") return placeholder(name, expected);
  if (!schema) return placeholder(name, expected.replaceAll(/ ?\| ?/g, " or "));
  if (keyword === "minItems" && Array.isArray(value)) return lengthened(value, schema, path, mending);
  if (isObject(value) && !isExact(value) && !isEmpty(value) && admits(schema, value, mending.root))
    return completed(value, schema, mending);
  return hinted(schema, name, mending.root);
}

/** An object that fits no alternative, with what the only alternative that declares its members requires beside them. */
function completed(value: JsonObject, schema: JsonSchema, mending: Mending): JsonValue {
  const branch = branchOfNames(schema, value, mending.root);
  const missing = branch ? requiredOf(branch).filter((name) => !Object.hasOwn(value, name)) : [];
  mending.isLost ||= missing.length === 0;
  if (!branch) return value;
  const added = missing.map((name) => [name, missingValue(memberSchema(branch, name), name, mending.root)] as const);
  return objectOf([...Object.entries(value), ...added]);
}

function lengthened(value: readonly JsonValue[], schema: JsonSchema, path: string, mending: Mending): JsonValue {
  const kept = mend(value, schema, path, mending);
  const whole = argumentSkeleton(schema, nameOf(path), mending.root);
  return Array.isArray(kept) && Array.isArray(whole) ? [...kept, ...whole.slice(kept.length)] : whole;
}

/** `nodes[0].id` → `id`. */
const nameOf = (path: string): string => /([\p{L}\p{N}_$-]+)(?:\[\d+\])*$/u.exec(path)?.[1] ?? "value";

function satisfy(constraint: Constraint, args: JsonObject, root: JsonSchema): JsonObject {
  switch (constraint.kind) {
    case "at_least_one_change": {
      const changes = constraint.of.some((name) => Object.hasOwn(args, name));
      return changes ? args : fill(args, constraint.of.slice(0, 1), root);
    }
    case "requires":
      return fill(
        args,
        unmetNeeds(constraint, args).filter((name) => !Object.hasOwn(args, name)),
        root,
        true,
      );
    case "one_of":
      return oneBranch(constraint.branches, args, root);
  }
}

/** Keeps the branch that has most of the given members; the caller must leave out the members of others. */
function oneBranch(branches: readonly (readonly string[])[], args: JsonObject, root: JsonSchema): JsonObject {
  const given = (branch: readonly string[]): number => branch.filter((name) => isGiven(args, name)).length;
  const chosen = branches.reduce((best, branch) => (given(branch) > given(best) ? branch : best));
  const others = new Set(branches.flat().filter((name) => !chosen.includes(name) && isGiven(args, name)));
  const kept = Object.entries(args).map(
    ([name, value]) => [name, others.has(name) ? apart(name, chosen) : value] as const,
  );
  return fill(
    objectOf(kept),
    chosen.filter((name) => !isGiven(args, name)),
    root,
  );
}

const apart = (name: string, chosen: readonly string[]): string =>
  placeholder(name, `leave it out, or leave out ${chosen.join(" and ")}`);

/** Adds placeholders; a flag that another argument needs can only be on. */
function fill(args: JsonObject, names: readonly string[], root: JsonSchema, isNeeded = false): JsonObject {
  const filled = names.map((name) => {
    const schema = memberSchema(root, name);
    const isFlag = isNeeded && schema !== undefined && typesOf(schema, root).join() === "boolean";
    return [name, isFlag ? true : argumentSkeleton(schema, name, root)] as const;
  });
  return objectOf([...Object.entries(args).filter(([name]) => !names.includes(name)), ...filled]);
}

/** The arguments in the order of the signature. */
export function inSignatureOrder(args: JsonObject, tool: Tool): JsonObject {
  const position = new Map(tool.parameters.map((parameter, index) => [parameter.original, index]));
  const at = (name: string): number => position.get(name) ?? tool.parameters.length;
  return objectOf(Object.entries(args).sort(([a], [b]) => at(a) - at(b)));
}
