/** Binds arguments of a call by position, by name and by a prefix of a name. */

import { nearestArgument } from "../call/corrections/argument-names.js";
import { effectField } from "../call/corrections/effect.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { objectOf } from "../contract/exact-number.js";
import type { JsonObject, Parameter, Tool } from "../contract/registry.js";
import { withoutSeparators } from "../contract/typo.js";
import { jsonOfValue } from "./json-values.js";
import type { ArgumentFault, BoundArguments, GivenArgument, HostCall } from "./languages/language.js";

/** Finds the parameter of every argument; or says which one is surplus, repeated, unknown or missing. */
export function bindArguments(
  { parameters, parameters_schema: schema }: Tool,
  { positional, named }: Pick<HostCall, "positional" | "named">,
): BoundArguments | ArgumentFault {
  const { accepts } = acceptedNames(schema);
  const bound = new Map<Parameter, GivenArgument>();
  const most = parameters.length;
  if (positional.length > most) return { kind: "surplus", most, given: positional.length };
  positional.forEach((value, at) => {
    const parameter = parameters[at];
    if (parameter) bound.set(parameter, { value });
  });
  for (const [key, value] of named) {
    const parameter = parameterFor(parameters, key, accepts) ?? (accepts(key) ? unlisted(key) : undefined);
    if (!parameter) return { kind: "unexpected", key, meant: meant(parameters, key) };
    const { name } = parameter;
    const before = bound.get(parameter);
    if (before) return { kind: "twice", name, before: before.key, key };
    bound.set(parameter, { value, key });
  }
  const missing = parameters.find((one) => one.required && one.default === undefined && !bound.has(one));
  return missing ? { kind: "missing", name: missing.name } : bound;
}

/** Warnings of names that are another name of their argument; a shortened name is the usual way here. */
export const renamedArguments = (bound: BoundArguments): readonly string[] =>
  [...bound].flatMap(([{ name, original }, { key = name }]) =>
    key === original || name.startsWith(key) ? [] : [`arg_renamed: ${key} was read as ${name}`],
  );

/** An argument that an op accepts and does not list. */
const unlisted = (name: string): Parameter => ({ name, original: name, required: false, aliases: [], type: "any" });

/** The parameter that a mistyped name probably means. */
function meant(parameters: readonly Parameter[], key: string): string | undefined {
  const near = nearestArgument(
    key,
    parameters.map(({ name }) => name),
  );
  // `dry_run` may be the flag of the call or the argument `dryRun` of the op.
  const isFlag = near !== undefined && effectField(key) !== undefined && effectField(near) !== undefined;
  return isFlag ? undefined : near;
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
export const argumentsAsJson = (bound: BoundArguments): JsonObject =>
  objectOf([...bound].map(([{ name, original }, { value }]) => [original, jsonOfValue(value, `argument '${name}'`)]));
