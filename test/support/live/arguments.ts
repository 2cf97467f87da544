/** Arguments of varied calls: made from the schema of a tool, with values that its parameters are known to accept. */

import type { JsonObject, JsonValue } from "../../../runtime/contract/registry.js";

/** A seeded source of numbers from 0 up to 1. */
export type Random = () => number;

/** The arguments of call number `at` of a tool; undefined for a tool that is left out. */
export type ArgumentsOf = (tool: string, schema: JsonObject, at: number, random: Random) => JsonObject | undefined;

/** Values by `tool.parameter`, or by `parameter` for any tool. */
export type GoodValues = Readonly<Record<string, readonly JsonValue[] | ((random: Random) => JsonValue)>>;

/** How often a parameter that is not required gets a value. */
const OPTIONAL_RATE = 0.8;

const WORDS = ["tide", "harbour", "north wind", "Über", "a b c", "lamp", "42", "x"] as const;

/** One of a list. */
export const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

/** A text that hardly repeats. */
export const phrase = (random: Random): string => `${pick(WORDS, random)} ${Math.floor(random() * 10_000)}`;

/** Arguments from the schema of a tool. */
export const madeArguments =
  (good: GoodValues): ArgumentsOf =>
  (tool, schema, _at, random) => {
    const required = new Set((schema["required"] ?? []) as readonly string[]);
    const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>);
    const args: Record<string, JsonValue> = {};
    for (const [name, one] of properties) {
      if (!required.has(name) && random() >= OPTIONAL_RATE) continue;
      const values = good[`${tool}.${name}`] ?? good[name];
      if (values === undefined) args[name] = madeValue(one, random);
      else if (typeof values === "function") args[name] = values(random);
      else if (values.length > 0) args[name] = pick(values, random);
    }
    return args;
  };

/** A value that a schema allows. */
function madeValue(schema: JsonObject, random: Random): JsonValue {
  const { type, minimum = 1, maximum = 1000, items, anyOf, properties, default: fallback } = schema;
  const values = schema["enum"];
  if (Array.isArray(values)) return pick(values, random) as JsonValue;
  if (Array.isArray(anyOf)) return madeValue(pick(anyOf, random) as JsonObject, random);
  if (type === "boolean") return random() < 0.5;
  if (type === "number" || type === "integer") {
    const [least, most] = [Number(minimum), Math.min(Number(maximum), Number(minimum) + 1000)];
    return least + Math.floor(random() * (most - least + 1));
  }
  if (type === "array")
    return Array.from({ length: 1 + Math.floor(random() * 4) }, () => madeValue((items ?? {}) as JsonObject, random));
  if (type === "object") {
    const members = Object.entries((properties ?? {}) as Readonly<Record<string, JsonObject>>);
    return Object.fromEntries(members.map(([name, one]) => [name, madeValue(one, random)]));
  }
  return typeof fallback === "string" ? fallback : phrase(random);
}
