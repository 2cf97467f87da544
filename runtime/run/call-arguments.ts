/** Binds arguments of a call by position, by name and by a prefix of a name. */

import { nearestArgument } from "../call/corrections/argument-names.js";
import { effectField } from "../call/corrections/effect.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { objectOf } from "../contract/exact-number.js";
import type { JsonObject, JsonValue, Parameter, Tool } from "../contract/registry.js";
import { boundedSignature } from "../contract/signature-text.js";
import { withoutSeparators } from "../contract/typo.js";
import { type BuiltinException, HostError, type Value } from "./engine/engine.js";
import { jsonOfValue } from "./json-values.js";

/** The value of a parameter, and how the caller named it. */
interface Given {
  readonly value: Value;
  readonly as: string;
  /** The keyword. */
  readonly key?: string;
}

/** Arguments by parameter. */
export type BoundArguments = ReadonlyMap<Parameter, Given>;

/** An exception about the arguments of an op, followed by its signature with bounds. */
export const argumentError = (type: BuiltinException, tool: Tool, text: string): HostError =>
  new HostError(type, `${tool.op}() ${text}. Signature: ${boundedSignature(tool)}`);

/**
 * Finds the parameter of every argument.
 *
 * @throws HostError TypeError for surplus, repeated, unknown and missing arguments
 */
export function bindArguments(
  tool: Tool,
  args: readonly Value[],
  kwargs: readonly (readonly [string, Value])[],
): BoundArguments {
  const { parameters } = tool;
  const { accepts } = acceptedNames(tool.parameters_schema);
  const bound = new Map<Parameter, Given>();
  if (args.length > parameters.length) throw tooMany(tool, args.length);
  args.forEach((value, at) => {
    const parameter = parameters[at];
    if (parameter) bound.set(parameter, { value, as: "by position" });
  });
  for (const [key, value] of kwargs) {
    const parameter = parameterFor(parameters, key, accepts) ?? (accepts(key) ? unlisted(key) : undefined);
    if (!parameter)
      throw argumentError("TypeError", tool, `got an unexpected keyword argument '${key}'${meant(parameters, key)}`);
    const before = bound.get(parameter);
    if (before) throw argumentError("TypeError", tool, `got '${parameter.name}' twice: ${before.as} and as '${key}'`);
    bound.set(parameter, { value, as: `as '${key}'`, key });
  }
  const missing = parameters.find((one) => one.required && one.default === undefined && !bound.has(one));
  if (missing) throw argumentError("TypeError", tool, `missing required argument '${missing.name}'`);
  return bound;
}

/** Warnings of keywords that are another name of their argument; a shortened name is Python's own way here. */
export const renamedArguments = (bound: BoundArguments): readonly string[] =>
  [...bound].flatMap(([{ name, original }, { key = name }]) =>
    key === original || name.startsWith(key) ? [] : [`arg_renamed: ${key} was read as ${name}`],
  );

/** An argument that an op accepts and does not list. */
const unlisted = (name: string): Parameter => ({ name, original: name, required: false, aliases: [], type: "any" });

/** The parameter that a mistyped keyword probably means, as Python suggests names. */
function meant(parameters: readonly Parameter[], key: string): string {
  const near = nearestArgument(
    key,
    parameters.map(({ name }) => name),
  );
  // `dry_run` may be the flag of the call or the argument `dryRun` of the op.
  const isFlag = near !== undefined && effectField(key) !== undefined && effectField(near) !== undefined;
  return near === undefined || isFlag ? "" : ` (did you mean '${near}'?)`;
}

function tooMany(tool: Tool, count: number): HostError {
  const most = tool.parameters.length;
  const text = `takes at most ${most} ${most === 1 ? "argument" : "arguments"} but ${count} ${count === 1 ? "was" : "were"} given`;
  return argumentError("TypeError", tool, text);
}

/**
 * The parameter that a call means: the exact name first, then the only one of these letters (`projectId`), then the first parameter in
 * signature order with this prefix.
 *
 * @param accepts whether the op takes an argument of this very name, which is no prefix then
 */
export function parameterFor<T extends Pick<Parameter, "name" | "original" | "aliases">>(
  parameters: readonly T[],
  key: string,
  accepts: (name: string) => boolean = () => false,
): T | undefined {
  return (
    parameters.find(({ name }) => name === key) ??
    parameters.find(({ original }) => original === key) ??
    parameters.find(({ aliases }) => aliases.includes(key)) ??
    (key === "" || accepts(key)
      ? undefined
      : (respelled(parameters, key) ?? parameters.find(({ name }) => name.startsWith(key))))
  );
}

function respelled<T extends Pick<Parameter, "name">>(parameters: readonly T[], key: string): T | undefined {
  const letters = withoutSeparators(key);
  const found = effectField(key) ? [] : parameters.filter(({ name }) => withoutSeparators(name) === letters);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The arguments as JSON for the op.
 *
 * @throws HostError for values that JSON cannot hold
 */
export function argumentsAsJson(tool: Tool, bound: BoundArguments): JsonObject {
  const entries = [...bound].map(([{ name, original }, { value }]) => [original, sent(tool, name, value)] as const);
  return objectOf(entries);
}

function sent(tool: Tool, name: string, value: Value): JsonValue {
  try {
    return jsonOfValue(value, `argument '${name}'`);
  } catch (error) {
    throw error instanceof HostError ? argumentError(error.pyType, tool, error.message) : error;
  }
}
