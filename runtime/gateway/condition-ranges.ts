/** Ranges of numbers in the condition of an approval rule that no number is in, or none that the ops take. */

import { isObject } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";

/** The least and the largest number that a schema takes. */
interface Range {
  readonly least: number;
  readonly most: number;
}

const ANY: Range = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
/** Keywords with which a range does not say all: a schema that has one counts as one of any number. */
const COMBINING = ["$ref", "allOf", "anyOf", "oneOf"];

function rangeOf(schema: JsonValue | undefined): Range {
  if (!isObject(schema) || COMBINING.some((one) => one in schema)) return ANY;
  const numbers = (...keywords: readonly string[]): readonly number[] =>
    keywords.map((one) => schema[one]).filter((one): one is number => typeof one === "number");
  return {
    least: Math.max(ANY.least, ...numbers("minimum", "exclusiveMinimum")),
    most: Math.min(ANY.most, ...numbers("maximum", "exclusiveMaximum")),
  };
}

/** The warnings about the range of one argument. */
export function rangeWarnings(name: string, condition: JsonObject, tools: readonly Tool[]): readonly string[] {
  const { least, most } = rangeOf(condition);
  const wants = `wants ${JSON.stringify(name)} to be`;
  if (least > most) return [`${wants} at least ${least} and at most ${most}, which no number is`];
  const taken = tools.flatMap(({ parameters_schema: { properties } }) =>
    isObject(properties) && name in properties ? [rangeOf(properties[name])] : [],
  );
  if (taken.length === 0) return [];
  const largest = Math.max(...taken.map((one) => one.most));
  if (least > largest) return [`${wants} at least ${least}, and its ops take at most ${largest}`];
  const smallest = Math.min(...taken.map((one) => one.least));
  return most < smallest ? [`${wants} at most ${most}, and its ops take at least ${smallest}`] : [];
}
