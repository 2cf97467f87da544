/**
 * Instances of a schema for conformance tests: valid values, and seeded mutations of them, most of which are invalid.
 */

import type { JsonSchema, JsonValue } from "toolwright/codegen";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { sample, skeleton } from "../../runtime/contract/sample.js";

type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

/** Values that break types, bounds and formats. A fresh copy each, since a mutation may be mutated again. */
const ODD: readonly (() => JsonValue)[] = [
  () => null,
  () => true,
  () => "",
  () => "<placeholder>",
  () => "x".repeat(3000),
  () => "\u{1f600}\u0000",
  () => "2026-01-15",
  () => 0,
  () => -1,
  () => 0.5,
  () => 1e300,
  () => [],
  () => ["a", "a"],
  () => [1, null, {}],
  () => ({}),
  () => ({ a: 1 }),
  () => JSON.parse('{"__proto__":{"a":1},"constructor":1}'),
];

const EXTRA = ["extra", "__proto__", "constructor", "", "a b"] as const;

/** A copy with one own property more or other, `__proto__` included. */
function withEntry(value: object, key: string, one: JsonValue): JsonValue {
  const entries = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries([...entries, [key, one]]) as JsonValue;
}

/** One change of a value, at a random depth. */
function mutated(value: JsonValue, random: Random): JsonValue {
  if (typeof value !== "object" || value === null || random() < 0.15) return pick(ODD, random)();
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.3)
      return [...value, value.length > 0 ? pick(value, random) : pick(ODD, random)()];
    const at = Math.floor(random() * value.length);
    return value.map((one: JsonValue, i) => (i === at ? mutated(one, random) : one));
  }
  const keys = Object.keys(value);
  const way = random();
  if (keys.length === 0 || way < 0.15) return withEntry(value, pick(EXTRA, random), pick(ODD, random)());
  const key = pick(keys, random);
  if (way < 0.35) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return withEntry(value, key, mutated((value as Record<string, JsonValue>)[key] as JsonValue, random));
}

/** Every declared property with an example. */
function filled(schema: JsonSchema): JsonValue {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one, name, schema)]));
}

/** The examples of a schema, then `count` mutations of them. */
export function instancesOf(schema: JsonSchema, count: number, random: Random): readonly JsonValue[] {
  const good = [sample(schema, "args", schema), skeleton(schema, "args", schema), filled(schema)];
  const rest = Array.from({ length: count }, () => {
    const once = mutated(pick(good, random), random);
    return random() < 0.3 ? mutated(once, random) : once;
  });
  return [...good, ...ODD.map((make) => make()), ...rest];
}
