/** State of the comparison of two schemas: direction, current place, findings, and limits on its size. */

import { escapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { BreakingRule } from "./breaking-rules.js";
import type { DetectedChange } from "./finding.js";
import { type ComparedSide, sideOf } from "./shape.js";

/** Whether the schema describes what callers write (input) or read (result). */
export type Direction = "input" | "result";

/** A place in both schemas. */
export interface Spot {
  /** JSON Pointer into the schema, references left out. */
  readonly pointer: string;
  /** The same for people: `filter.tags[]`. */
  readonly at: string;
}

/** Rule of each event by direction: a change that breaks callers in the input may be harmless in the result, and vice versa. */
const EVENTS = {
  "property-required-added": { input: "arg-required-added", result: "result-property-added" },
  "property-optional-added": { input: "arg-optional-added", result: "result-property-added" },
  "property-removed": { input: "arg-removed", result: "result-property-removed" },
  "property-renamed": { input: "arg-renamed", result: undefined },
  "became-required": { input: "arg-became-required", result: "result-property-became-required" },
  "became-optional": { input: "arg-became-optional", result: "result-property-became-optional" },
  "type-changed": { input: "arg-type-changed", result: "result-type-changed" },
  "type-narrowed": { input: "arg-type-narrowed", result: "result-type-narrowed" },
  "type-widened": { input: "arg-type-widened", result: "result-type-widened" },
  "value-removed": { input: "arg-enum-value-removed", result: "result-enum-value-removed" },
  "value-added": { input: "arg-enum-value-added", result: "result-enum-value-added" },
  "became-enum": { input: "arg-became-enum", result: "result-type-narrowed" },
  "stopped-being-enum": { input: "arg-stopped-being-enum", result: "result-type-widened" },
  "range-narrowed": { input: "arg-range-narrowed", result: undefined },
  "range-widened": { input: "arg-range-widened", result: undefined },
  "pattern-added": { input: "arg-pattern-added", result: undefined },
  "pattern-changed": { input: "arg-pattern-changed", result: undefined },
  "pattern-removed": { input: "arg-pattern-removed", result: undefined },
  "format-added": { input: "arg-format-added", result: undefined },
  "format-changed": { input: "arg-format-changed", result: "result-format-changed" },
  "format-removed": { input: "arg-format-removed", result: undefined },
  "encoding-changed": { input: "arg-encoding-changed", result: "result-encoding-changed" },
  "discriminator-changed": { input: "arg-discriminator-changed", result: "result-discriminator-changed" },
  "became-read-only": { input: "arg-became-read-only", result: undefined },
  "became-write-only": { input: undefined, result: "result-property-became-write-only" },
  "default-added": { input: "arg-default-added", result: undefined },
  "default-changed": { input: "arg-default-changed", result: undefined },
  "default-removed": { input: "arg-default-removed", result: undefined },
  "const-changed": { input: "arg-const-changed", result: "result-type-changed" },
  "unknown-refused": { input: "arg-unknown-refused", result: undefined },
  "unknown-accepted": { input: "arg-unknown-accepted", result: undefined },
  "description-changed": { input: "arg-description-changed", result: undefined },
  "description-removed": { input: "arg-description-removed", result: undefined },
  "deprecated-added": { input: "deprecated-added", result: "deprecated-added" },
  "deprecated-removed": { input: "deprecated-removed", result: "deprecated-removed" },
} as const satisfies Readonly<Record<string, Readonly<Record<Direction, BreakingRule | undefined>>>>;

/** What can happen to a schema. */
export type SchemaEvent = keyof typeof EVENTS;

/** The comparison of one input, or of one result. */
export interface Walk {
  readonly direction: Direction;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly found: DetectedChange[];
  /** How often each pair of schemas was compared; negative if nothing was found in it. */
  readonly met: Map<string, number>;
  /** Pairs that are being compared, outermost first. */
  readonly open: Set<string>;
  readonly ids: Map<JsonSchema, number>;
}

/** Begins the comparison of two root schemas. */
export const startWalk = (direction: Direction, before: JsonSchema, after: JsonSchema): Walk => ({
  direction,
  before: sideOf(before),
  after: sideOf(after),
  found: [],
  met: new Map(),
  open: new Set(),
  ids: new Map(),
});

/** Where a comparison begins. */
export const rootSpot = (direction: Direction): Spot => ({ pointer: "", at: `the ${direction}` });

/** The place of a property; an argument is called by its name alone. */
export function propertySpot(spot: Spot, name: string): Spot {
  const shown = /^[\w$-]+$/.test(name) ? name : JSON.stringify(name);
  const at = spot.at === "the input" ? shown : `${spot.at === "the result" ? "result" : spot.at}.${shown}`;
  return { pointer: `${spot.pointer}/properties/${escapePointer(name)}`, at };
}

/** A place below another. */
export const belowSpot = (spot: Spot, pointer: string, at: string): Spot => ({
  pointer: spot.pointer + pointer,
  at: spot.at + at,
});

/** Records an event, if it has a rule in this direction. */
export function recordEvent(
  walk: Walk,
  event: SchemaEvent,
  spot: Spot,
  facts: Omit<DetectedChange, "rule" | "pointer"> = {},
): void {
  const rule = EVENTS[event][walk.direction];
  if (rule !== undefined) walk.found.push({ rule, ...spot, ...facts });
}

/** In how many other places a pair with findings is compared again. */
const MAX_PLACES = 64;
/** Most pairs that are compared in one schema, and the depth; only hostile schemas exceed them. */
const MAX_PAIRS = 20_000;
const MAX_DEPTH = 64;

/**
 * Compares a pair of subschemas, unless the comparison is in progress or is known to find nothing.
 *
 * @throws RangeError if the schema exceeds the limits on size or depth
 */
export function comparePairOnce(walk: Walk, before: unknown, after: unknown, compare: () => void): void {
  if (!isSchema(before) && !isSchema(after)) {
    compare();
    return;
  }
  const pair = `${idOf(walk, before)} ${idOf(walk, after)}`;
  const times = walk.met.get(pair) ?? 0;
  if (walk.open.has(pair) || times < 0 || times >= MAX_PLACES) return;
  if (walk.met.size >= MAX_PAIRS || walk.open.size >= MAX_DEPTH) throw new RangeError("too large to compare");
  const count = walk.found.length;
  walk.open.add(pair);
  compare();
  walk.open.delete(pair);
  walk.met.set(pair, walk.found.length === count ? -1 : times + 1);
}

/** Id of a schema by identity; other values by their text. */
function idOf({ ids }: Walk, schema: unknown): string {
  if (!isSchema(schema)) return String(schema);
  const known = ids.get(schema) ?? ids.size;
  ids.set(schema, known);
  return `#${known}`;
}
