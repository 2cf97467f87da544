/** Compares two JSON Schemas by what they accept, place by place. The rules are in the table of `walk.ts`. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema, itemSchemas } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { compareContents } from "./contents.js";
import { comparePattern, compareProse, compareRange, compareRest, quoted } from "./facets.js";
import type { DetectedChange } from "./finding.js";
import { type BranchPair, type Matched, matchBranches } from "./match.js";
import { acceptedText, type BranchKind, compactSchemaText, resolve, type ShapeBranch, shapeBranches } from "./shape.js";
import {
  belowSpot,
  comparePairOnce,
  type Direction,
  propertySpot,
  recordEvent,
  rootSpot,
  type SchemaEvent,
  type Spot,
  startWalk,
  type Walk,
} from "./walk.js";

/** All changes between two root schemas. Never throws, even for invalid schemas. */
export function compareSchemas(direction: Direction, before: JsonSchema, after: JsonSchema): readonly DetectedChange[] {
  const walk = startWalk(direction, before, after);
  try {
    compareNodes(walk, before, after, rootSpot(direction));
    compareContents(walk, before, after, rootSpot(direction));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    recordEvent(walk, "type-changed", rootSpot(direction), { more: ": too large or too deep to compare" });
  }
  return walk.found;
}

function compareNodes(walk: Walk, before: unknown, after: unknown, spot: Spot): void {
  const old = isSchema(before) ? resolve(before, walk.before) : before;
  const now = isSchema(after) ? resolve(after, walk.after) : after;
  comparePairOnce(walk, old, now, () => {
    const [was, is] = [isSchema(old) ? old : {}, isSchema(now) ? now : {}];
    compareProse(walk, was, is, spot);
    compareRest(walk, was, is, spot);
    compareTypes(walk, before, after, spot);
  });
}

function compareTypes(walk: Walk, before: unknown, after: unknown, spot: Spot): void {
  const old = shapeBranches(before, walk.before);
  const now = shapeBranches(after, walk.after);
  const texts = { before: compactSchemaText(before, walk.before), after: compactSchemaText(after, walk.after) };
  const matched = matchBranches(old, now);
  for (const event of typeEvents(old, now, matched)) recordEvent(walk, event, spot, texts);
  const several = now.filter((one) => one.kind !== "null").length > 1;
  for (const pair of matched.pairs) comparePair(walk, pair, several ? belowSpot(spot, pair.after.pointer, "") : spot);
}

const isAny = (all: readonly ShapeBranch[]): boolean => all.some((one) => one.kind === "any");

/** Events of the whole type that follow from lost and gained alternatives. */
function typeEvents(
  old: readonly ShapeBranch[],
  now: readonly ShapeBranch[],
  { pairs, lost, gained }: Matched,
): readonly SchemaEvent[] {
  if (isAny(old) || isAny(now)) return isAny(old) === isAny(now) ? [] : [isAny(old) ? "type-narrowed" : "type-widened"];
  const apart = pairs.every((one) => one.before.kind === "null");
  if (lost.length > 0 && gained.length > 0 && apart) return ["type-changed"];
  return [
    ...(lost.length > 0 ? ["type-narrowed" as const] : []),
    ...(gained.length > 0 ? ["type-widened" as const] : []),
  ];
}

function comparePair(walk: Walk, { before, after }: BranchPair, spot: Spot): void {
  const isList = (one: ShapeBranch): boolean => one.kind === "literal";
  const texts = { before: textOf(before), after: textOf(after) };
  if (isList(before) && isList(after)) compareValues(walk, before, after, spot);
  else if (isList(before)) recordEvent(walk, "stopped-being-enum", spot, texts);
  else if (isList(after)) recordEvent(walk, "became-enum", spot, texts);
  else {
    if (before.kind === "integer" && after.kind === "number") recordEvent(walk, "type-widened", spot, texts);
    if (before.kind === "number" && after.kind === "integer") recordEvent(walk, "type-narrowed", spot, texts);
    BY_KIND[after.kind]?.(walk, before.schema, after.schema, spot);
  }
}

const textOf = (one: ShapeBranch): string => (one.kind === "literal" ? one.values.map(quoted).join(" | ") : one.kind);

function compareValues(walk: Walk, before: ShapeBranch, after: ShapeBranch, spot: Spot): void {
  const held = ({ values }: ShapeBranch) => new Map(values.map((one) => [canonicalJson(one), one]));
  const [old, now] = [held(before), held(after)];
  const lost = [...old].filter(([key]) => !now.has(key)).map(([, value]) => value);
  const gained = [...now].filter(([key]) => !old.has(key)).map(([, value]) => value);
  if (before.constant && after.constant && lost.length > 0) {
    recordEvent(walk, "const-changed", spot, { before: textOf(before), after: textOf(after) });
    return;
  }
  for (const value of lost) recordEvent(walk, "value-removed", spot, { before: quoted(value) });
  for (const value of gained) recordEvent(walk, "value-added", spot, { after: quoted(value) });
}

type CompareKind = (walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot) => void;

/** Comparison inside each kind. */
const BY_KIND: Readonly<Partial<Record<BranchKind, CompareKind>>> = {
  integer: compareRange,
  number: compareRange,
  string: (walk, before, after, spot) => {
    compareRange(walk, before, after, spot);
    comparePattern(walk, before, after, spot);
  },
  array: (walk, before, after, spot) => {
    compareRange(walk, before, after, spot);
    compareItems(walk, before, after, spot);
  },
  object: (walk, before, after, spot) => {
    compareRange(walk, before, after, spot);
    compareProperties(walk, before, after, spot);
    compareUnknown(walk, before, after, spot);
  },
};

function compareItems(walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot): void {
  const [old, now] = [itemSchemas(before), itemSchemas(after)];
  const fixed = Math.max(old.tuple.length, now.tuple.length);
  for (let i = 0; i < fixed; i++)
    compareNodes(
      walk,
      old.tuple[i] ?? old.rest ?? true,
      now.tuple[i] ?? now.rest ?? true,
      belowSpot(spot, `/prefixItems/${i}`, `[${i}]`),
    );
  compareNodes(walk, old.rest ?? true, now.rest ?? true, belowSpot(spot, "/items", "[]"));
}

interface Members {
  readonly schemas: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
}

/** Properties that an object declares or requires. A required but undeclared property has the schema of `additionalProperties`. */
function membersOf({ properties, required, additionalProperties = true }: JsonSchema): Members {
  const names = Array.isArray(required) ? required.filter((one): one is string => typeof one === "string") : [];
  const declared = isSchema(properties) ? Object.entries(properties) : [];
  return {
    schemas: new Map([...names.map((name) => [name, additionalProperties] as const), ...declared]),
    required: new Set(names),
  };
}

function compareProperties(walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot): void {
  const [old, now] = [membersOf(before), membersOf(after)];
  const lost = [...old.schemas.keys()].filter((name) => !now.schemas.has(name));
  const gained = [...now.schemas.keys()].filter((name) => !old.schemas.has(name));
  const renamed = walk.direction === "input" ? renames(walk, old, now, lost, gained) : new Map<string, string>();
  const targets = new Set(renamed.values());
  for (const name of lost.filter((one) => !renamed.has(one))) {
    const type = compactSchemaText(old.schemas.get(name), walk.before);
    recordEvent(walk, "property-removed", propertySpot(spot, name), { before: type, ...ignoredFrom(walk, after) });
  }
  for (const name of gained.filter((one) => !targets.has(one))) {
    const event = now.required.has(name) ? "property-required-added" : "property-optional-added";
    recordEvent(walk, event, propertySpot(spot, name), { after: compactSchemaText(now.schemas.get(name), walk.after) });
  }
  for (const [from, to] of renamed)
    recordEvent(walk, "property-renamed", propertySpot(spot, to), { before: from, after: to });
  const kept = [...old.schemas.keys()].filter((name) => now.schemas.has(name)).map((name) => [name, name] as const);
  for (const [from, to] of [...kept, ...renamed]) {
    const place = propertySpot(spot, to);
    const [was, is] = [old.required.has(from), now.required.has(to)];
    if (was !== is) recordEvent(walk, is ? "became-required" : "became-optional", place);
    compareNodes(walk, old.schemas.get(from), now.schemas.get(to), place);
  }
}

/** Lowers the level where undeclared properties are accepted: callers that still send a removed one see no error. */
function ignoredFrom({ direction }: Walk, after: JsonSchema): Partial<DetectedChange> {
  if (direction === "result" || after["additionalProperties"] === false) return {};
  return { level: "warning", more: ": given, it is ignored without a word" };
}

/** Renames: one removed and one added property that accept the same, each without a second candidate. */
function renames(
  walk: Walk,
  old: Members,
  now: Members,
  lost: readonly string[],
  gained: readonly string[],
): ReadonlyMap<string, string> {
  if (lost.length === 0 || gained.length === 0) return new Map();
  const byText = (names: readonly string[], { schemas }: Members, side: Walk["before"]): Map<string, string[]> => {
    const groups = new Map<string, string[]>();
    for (const name of names) {
      const schema = schemas.get(name);
      const text = acceptedText(isSchema(schema) ? resolve(schema, side) : schema);
      groups.set(text, [...(groups.get(text) ?? []), name]);
    }
    return groups;
  };
  const after = byText(gained, now, walk.after);
  const found = [...byText(lost, old, walk.before)].flatMap(([text, from]): readonly (readonly [string, string])[] => {
    const to = after.get(text) ?? [];
    const [a, b] = [from[0], to[0]];
    return from.length === 1 && to.length === 1 && a !== undefined && b !== undefined ? [[a, b]] : [];
  });
  return new Map(found);
}

/** Compares `additionalProperties`. */
function compareUnknown(walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot): void {
  const { additionalProperties: old = true } = before;
  const { additionalProperties: now = true } = after;
  if (old !== false && now !== false) compareNodes(walk, old, now, belowSpot(spot, "/additionalProperties", ".*"));
  else if (old !== now) recordEvent(walk, now === false ? "unknown-refused" : "unknown-accepted", spot);
}
