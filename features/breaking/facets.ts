/** Compares the keywords of a schema other than the type: bounds, patterns, formats, defaults, prose, and the rest as text. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import { shapeUnion } from "./shape.js";
import { recordEvent, type Spot, type Walk } from "./walk.js";

type Compare = (walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot) => void;

/** A value as messages show it: simple texts without quotes. */
export const quoted = (value: JsonValue | undefined): string =>
  typeof value === "string" && /^[\w./:+-]+$/.test(value) ? value : (JSON.stringify(value) ?? "");

interface Bound {
  readonly name: string;
  /** The limit; higher is tighter. -Infinity without a limit. */
  readonly tightness: (schema: JsonSchema) => number;
  readonly text: (schema: JsonSchema) => string;
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

/** Tells an exclusive bound from an inclusive one; smaller than any step between two bounds in practice. */
const EDGE = 1e-9;

/** One end of a range of numbers; draft-04 writes an exclusive one as a flag. */
function numberEnd(inclusive: "minimum" | "maximum", exclusive: "exclusiveMinimum" | "exclusiveMaximum", sign: 1 | -1) {
  return (schema: JsonSchema): number => {
    const edge = (value: number): number => {
      if (!Number.isFinite(value)) return value;
      return schema["type"] === "integer" ? Math.floor(value) + 1 : value + EDGE * Math.max(1, Math.abs(value));
    };
    const plain = sign * numberOf(schema[inclusive], -sign * Infinity);
    const open = sign * numberOf(schema[exclusive], -sign * Infinity);
    const ends = [schema[exclusive] === true ? edge(plain) : plain, edge(open)];
    return Math.max(...ends);
  };
}

const textOf =
  (...keywords: readonly string[]) =>
  (schema: JsonSchema): string =>
    keywords.flatMap((one) => (schema[one] === undefined ? [] : [`${one} ${quoted(schema[one])}`])).join(", ");

const atLeast = (name: string): Bound => ({
  name,
  tightness: (schema) => numberOf(schema[name], 0),
  text: textOf(name),
});
const atMost = (name: string): Bound => ({
  name,
  tightness: (schema) => -numberOf(schema[name], Infinity),
  text: textOf(name),
});

const BOUNDS: readonly Bound[] = [
  {
    name: "minimum",
    tightness: numberEnd("minimum", "exclusiveMinimum", 1),
    text: textOf("minimum", "exclusiveMinimum"),
  },
  {
    name: "maximum",
    tightness: numberEnd("maximum", "exclusiveMaximum", -1),
    text: textOf("maximum", "exclusiveMaximum"),
  },
  ...["minLength", "minItems", "minProperties"].map(atLeast),
  ...["maxLength", "maxItems", "maxProperties"].map(atMost),
  {
    name: "uniqueItems",
    tightness: (schema) => (schema["uniqueItems"] === true ? 1 : 0),
    text: textOf("uniqueItems"),
  },
];

/** Compares bounds, lengths, counts and steps. */
export const compareRange: Compare = (walk, before, after, spot) => {
  for (const { tightness, text } of BOUNDS) {
    const [old, now] = [tightness(before), tightness(after)];
    if (old !== now)
      recordEvent(walk, now > old ? "range-narrowed" : "range-widened", spot, {
        before: text(before),
        after: text(after),
      });
  }
  compareStep(walk, before, after, spot);
};

/** `multipleOf`: a multiple of the old step is tighter, a divisor looser, anything else both. */
const compareStep: Compare = (walk, before, after, spot) => {
  const [old, now] = [numberOf(before["multipleOf"], 0), numberOf(after["multipleOf"], 0)];
  if (old === now) return;
  const texts = { before: textOf("multipleOf")(before), after: textOf("multipleOf")(after) };
  const divides = (step: number, value: number): boolean =>
    step === 0 || (value !== 0 && Number.isInteger(value / step));
  if (!divides(now, old)) recordEvent(walk, "range-narrowed", spot, texts);
  if (!divides(old, now)) recordEvent(walk, "range-widened", spot, texts);
};

/** Compares `pattern` and `format`; whether one pattern contains another is not decided. */
export const comparePattern: Compare = (walk, before, after, spot) => {
  for (const keyword of ["pattern", "format"] as const) compareKeyword(walk, keyword, before, after, spot);
};

/** Whether two values of a keyword are equal. An absent keyword is not equal to null. */
const isSame = (old: JsonValue | undefined, now: JsonValue | undefined): boolean =>
  old === now || (old !== undefined && now !== undefined && canonicalJson(old) === canonicalJson(now));

/** Reports that a keyword was added, changed or removed, with its values. */
function compareKeyword(
  walk: Walk,
  keyword: "pattern" | "format" | "default",
  before: JsonSchema,
  after: JsonSchema,
  spot: Spot,
): void {
  const [old, now] = [before[keyword], after[keyword]];
  if (isSame(old, now)) return;
  const how = old === undefined ? "added" : now === undefined ? "removed" : "changed";
  recordEvent(walk, `${keyword}-${how}`, spot, { before: quoted(old), after: quoted(now) });
}

/** Compares discriminators that schemas hold; those of API descriptions are values of the alternatives. */
const compareDiscriminator: Compare = (walk, before, after, spot) => {
  const [old, now] = [before, after].map(({ discriminator }) => (isSchema(discriminator) ? discriminator : undefined));
  if (isSame(old, now)) return;
  const mapped = (one: JsonSchema | undefined) => Object.entries(isSchema(one?.["mapping"]) ? one["mapping"] : {});
  const isMore =
    old?.["propertyName"] === now?.["propertyName"] &&
    mapped(old).every(([value, target]) => mapped(now).some(([other, its]) => other === value && its === target));
  const level = isMore ? (walk.direction === "input" ? "info" : "warning") : old && now ? "error" : "warning";
  recordEvent(walk, "discriminator-changed", spot, { before: quoted(old), after: quoted(now), level });
};

/** Compares whether a property is written or read only. */
const compareUse: Compare = (walk, before, after, spot) => {
  for (const [flag, event] of USES) if (before[flag] !== true && after[flag] === true) recordEvent(walk, event, spot);
};

const USES = [
  ["readOnly", "became-read-only"],
  ["writeOnly", "became-write-only"],
] as const;

const textIn = (value: unknown): string => (typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "");

/** Compares what validators do not judge: default, discriminator, description, deprecation, and whether it is read or written only. */
export const compareProse: Compare = (walk, before, after, spot) => {
  compareKeyword(walk, "default", before, after, spot);
  compareDiscriminator(walk, before, after, spot);
  compareUse(walk, before, after, spot);
  const [old, now] = [textIn(before["description"]), textIn(after["description"])];
  if (old !== now)
    recordEvent(walk, now === "" ? "description-removed" : "description-changed", spot, { before: old, after: now });
  const [was, is] = [before["deprecated"] === true, after["deprecated"] === true];
  if (was !== is) recordEvent(walk, is ? "deprecated-added" : "deprecated-removed", spot);
};

/** Keywords that only restrict. Whether one value contains another is not decided. */
const REFUSING = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "contains",
  "minContains",
  "maxContains",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
] as const;
/** Keywords that restrict or permit, depending on the keywords beside them. */
const UNDECIDED = ["patternProperties", "$ref", "$dynamicRef", "$recursiveRef"] as const;

/** Compares all other keywords as text. */
export const compareRest: Compare = (walk, before, after, spot) => {
  const unions = (["anyOf", "oneOf"] as const).filter((one) =>
    [before, after].every((schema) => !isChoice(schema, one)),
  );
  for (const keyword of [...REFUSING, ...unions, ...UNDECIDED]) {
    const [old, now] = [before[keyword], after[keyword]];
    if (isSame(old, now)) continue;
    const decided = !UNDECIDED.some((one) => one === keyword);
    const event = !decided || (old !== undefined && now !== undefined) ? "type-changed" : undefined;
    recordEvent(walk, event ?? (old === undefined ? "type-narrowed" : "type-widened"), spot, {
      before: `${keyword} ${quoted(old) || "absent"}`,
      after: `${keyword} ${quoted(now) || "absent"}`,
    });
  }
};

/** Whether the keyword is the union of the schema, which is compared branch by branch. */
const isChoice = (schema: JsonSchema, keyword: "anyOf" | "oneOf"): boolean => shapeUnion(schema)?.keyword === keyword;
