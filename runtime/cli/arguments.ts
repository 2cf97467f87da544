/** Parses the arguments of `toolwright exec`: `--NAME VALUE` and `--args JSON` become one object. */

import { typesOf } from "../call/arguments/schema.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { objectOf } from "../contract/exact-number.js";
import { isRecord } from "../contract/json.js";
import { isSchema } from "../contract/json-schema.js";
import { readJson } from "../contract/read-json.js";
import type { Tool } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";

/**
 * Parses arguments by the op's schema: text stays text, everything else is read as JSON.
 *
 * @param tool - the op that is called; without it every value that parses is JSON
 * @throws UsageError for a word that is not a flag, a repeated name, or `--args` that is not a JSON object
 */
export function argumentsOf(
  tool: Tool | undefined,
  words: readonly string[],
  json: string | undefined,
): Readonly<Record<string, unknown>> {
  const given = new Map(Object.entries(parseObject(json)));
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const [, flag, inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (flag === undefined)
      throw new UsageError(`${word} is neither a flag nor its value: write --NAME VALUE, or --args JSON`);
    const next = words[i + 1];
    const takesNext = inline === undefined && next !== undefined && !next.startsWith("--");
    if (takesNext) i++;
    const name = argumentName(flag, tool);
    if (given.has(name))
      throw new UsageError(`${name} is given twice: give each argument once, as a flag or in --args`);
    given.set(name, parsedValue(inline ?? (takesNext ? next : undefined), name, tool));
  }
  return objectOf([...given]);
}

function parseObject(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  try {
    const value = readJson(json);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new UsageError(`--args is no JSON: ${messageOf(cause)}`);
  }
  throw new UsageError("--args must be a JSON object, as in --args '{\"limit\":5}'");
}

/** Converts a flag to an argument name: `--project-id` is `project_id` if the op has such an argument. */
function argumentName(flag: string, tool: Tool | undefined): string {
  const known = tool?.parameters.flatMap((one) => [one.original, one.name, ...one.aliases]) ?? [];
  const folded = flag.replaceAll("-", "_");
  return !known.includes(flag) && known.includes(folded) ? folded : flag;
}

/** @throws UsageError for a missing value, unless the argument is boolean */
function parsedValue(text: string | undefined, name: string, tool: Tool | undefined): unknown {
  const schema = schemaOf(name, tool);
  const types = isSchema(schema) ? typesOf(schema, tool?.parameters_schema) : [];
  if (text === undefined) {
    if (types.length === 0 || types.includes("boolean")) return true;
    throw new UsageError(`--${name} has no value: write --${name} VALUE`);
  }
  if (types.includes("string") && !(text === "null" && types.includes("null"))) return text;
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** Schema of an argument, by its name or an alias. */
function schemaOf(name: string, tool: Tool | undefined): unknown {
  if (!tool) return undefined;
  const { declared } = acceptedNames(tool.parameters_schema);
  const meant = tool.parameters.find((one) => one.name === name || one.aliases.includes(name));
  return declared.get(name) ?? declared.get(meant?.original ?? name);
}
