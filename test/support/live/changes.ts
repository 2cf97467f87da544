/** Changes that a server may make to its results: keys that are always there go, or get another name or type. */

import type { JsonObject, JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { pick, type Random } from "./arguments.js";

/** A change, with where and how. */
export interface Change {
  readonly kind: "gone" | "renamed" | "retyped";
  /** The names, and 0 for lists, that lead to the key; the key last. */
  readonly path: readonly string[];
  readonly result: JsonValue;
}

/** An object of a result that has keys which its learned type requires. */
interface Place {
  readonly object: Record<string, JsonValue>;
  readonly path: readonly string[];
  readonly required: readonly string[];
}

/** The result with one change; undefined if its learned type requires no key of it. */
export function changed(result: JsonValue, schema: JsonSchema, random: Random): Change | undefined {
  const copy = structuredClone(result) as JsonValue;
  const places = placesOf(copy, schema, []);
  if (places.length === 0) return undefined;
  const { object, path, required } = pick(places, random);
  const [key, kind] = [pick(required, random), pick(["gone", "renamed", "retyped"] as const, random)];
  const old = object[key] as JsonValue;
  if (kind === "retyped") object[key] = typeof old === "object" && old !== null ? "text" : { other: 1 };
  else delete object[key];
  if (kind === "renamed") object[`${key}New`] = old;
  return { kind, path: [...path, key], result: copy };
}

function placesOf(value: JsonValue, schema: JsonSchema, path: readonly string[]): readonly Place[] {
  const { items, properties, required } = schema;
  if (Array.isArray(value)) {
    const first = value[0];
    return items && first !== undefined ? placesOf(first, items as JsonSchema, [...path, "0"]) : [];
  }
  if (typeof value !== "object" || value === null) return [];
  const object = value as Record<string, JsonValue>;
  const below = Object.entries((properties ?? {}) as Readonly<Record<string, JsonObject>>);
  return [
    ...(Array.isArray(required) ? [{ object, path, required: required as readonly string[] }] : []),
    ...below.flatMap(([key, one]) =>
      object[key] === undefined ? [] : placesOf(object[key] as JsonValue, one, [...path, key]),
    ),
  ];
}
