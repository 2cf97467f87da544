/** Checks plain data against a shape, a small subset of JSON Schema, and reports each fault with its place and the nearest key. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { closest, editDistance } from "../../runtime/contract/closest.js";
import { isRecord, type Values } from "../../runtime/contract/json.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import type { Place, Report } from "./diagnostic.js";
import { messageValue } from "./message-value.js";
import { type Path, yamlPathText } from "./yaml-file.js";

/** Context of a check: places of values, and the report. */
export interface ShapeCheck {
  readonly place: (...path: Path) => Place;
  readonly report: Report;
}

/** Checks a value and everything in it. */
export function checkShape(value: unknown, shape: Shape, path: Path, checking: ShapeCheck): void {
  const { place, report } = checking;
  const expected = mismatch(value, shape);
  const named = yamlPathText(path) || "the file";
  if (expected !== undefined)
    report.add("config-invalid", place(...path), { path: named, expected, received: messageValue(value) });
  else if (Array.isArray(value) && shape.items) {
    for (const [i, item] of value.entries()) checkShape(item, shape.items, [...path, i], checking);
  } else if (isRecord(value) && (shape.properties || shape.additionalProperties))
    checkMembers(value, shape, path, checking);
}

function checkMembers(value: Values, shape: Shape, path: Path, checking: ShapeCheck): void {
  const { properties = {}, additionalProperties: rest } = shape;
  checkRequired(value, shape, path, checking);
  for (const [key, member] of Object.entries(value)) {
    const below = (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? rest;
    if (below) checkShape(member, below, [...path, key], checking);
    else reportUnknown(key, Object.keys(properties), path, checking);
  }
}

/** Checks that all required keys are present. */
export function checkRequired(
  value: Values,
  { required = [] }: Shape,
  path: Path,
  { place, report }: ShapeCheck,
): void {
  for (const name of required.filter((one) => !Object.hasOwn(value, one))) {
    const missing = yamlPathText([...path, name]);
    report.add("config-invalid", place(...path), { path: missing, expected: "set", received: "nothing" });
  }
}

/** Most names that are listed; of more, those that are nearest. */
const MAX_LISTED = 40;
const MAX_NEAREST = 5;

/** The names that are known, or where they are listed and which are nearest. */
function knownText(key: string, known: readonly string[], path: Path): string {
  if (known.length <= MAX_LISTED) return known.join(", ");
  const folded = key.toLowerCase();
  const near = known
    .map((name) => ({ name, distance: editDistance(folded, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.name, b.name))
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name);
  const page = path.length === 0 ? "docs/reference/configuration.md" : "docs/reference";
  return `${known.length} names, listed in ${page} of the package; nearest: ${near.join(", ")}`;
}

/** Reports a key that is not known, with the nearest one and the list. */
export function reportUnknown(key: string, known: readonly string[], path: Path, { place, report }: ShapeCheck): void {
  report.add("config-unknown-key", place(...path, key), {
    key: yamlPathText([...path, key]),
    nearest: closest(key, known),
    known: knownText(key, known, path),
  });
}

/** What was expected, if the value does not fit; undefined if it does. */
function mismatch(value: unknown, shape: Shape): string | undefined {
  if (shape.enum) return shape.enum.includes(value as string) ? undefined : `one of ${shape.enum.join(", ")}`;
  const types = shape.type === undefined ? [] : [shape.type].flat();
  const fits = types.length === 0 || types.some((type) => hasType(value, type));
  if (!fits || !isWithin(value, shape)) return types.map((type) => nameOfType(type, shape)).join(" or ");
  if (shape.format === "date" && !isDay(value)) return "a day like 2026-11-01";
  return undefined;
}

function isWithin(value: unknown, shape: Shape): boolean {
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, pattern = "" } = shape;
  if (typeof value === "number") return value >= minimum && value <= maximum;
  return typeof value !== "string" || (value.length >= minLength && new RegExp(pattern).test(value));
}

/** Whether a value is a day of the calendar, `YYYY-MM-DD`. */
export const isDay = (value: unknown): value is string =>
  typeof value === "string" &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;

const WORDS: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a list",
  string: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  null: "null",
};

function nameOfType(type: string, { minimum, maximum, minLength = 0, pattern }: Shape): string {
  const word = WORDS[type] ?? type;
  if (type === "string" && pattern !== undefined) return pattern.replace(/^\W+|\W+$/g, "").replaceAll("|", " or ");
  if (type === "string" && minLength > 0) return `${word} that is not empty`;
  if (type !== "integer" && type !== "number") return word;
  if (minimum !== undefined && maximum !== undefined) return `${word} from ${minimum} to ${maximum}`;
  return minimum === undefined ? word : `${word} >= ${minimum}`;
}

function hasType(value: unknown, type: string): boolean {
  if (type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return Number.isFinite(value);
  if (type === "null") return value === null;
  return typeof value === type;
}
