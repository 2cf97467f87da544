/** Finds equal JSON values in time that grows with their size, and counts the work: `uniqueItems`, and long lists in `enum`. */

import { canonicalNumber, isExact } from "./exact-number.js";
import type { JsonObject } from "./registry.js";
import { spend } from "./work-budget.js";

/** Units of work to look up one value, to read a member of an object, and to read a character of a text. */
const VALUE_WORK = 2;
const MEMBER_WORK = 3;
const CHARACTER_WORK = 0.05;

/** Takes the units that a step of the work costs. */
type Charge = (units: number) => void;

/** A text that two values share only if they are equal as JSON Schema has it: the order of members does not count. */
function keyOf(value: unknown, charge: Charge): string {
  charge(VALUE_WORK);
  if (typeof value === "string") return lengthened(value, charge);
  if (typeof value !== "object" || value === null) return String(value);
  if (isExact(value)) return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, charge)).join(",")}]`;
  const names = Object.keys(value).sort();
  charge(names.length * MEMBER_WORK);
  const members = names.map((name) => lengthened(name, charge) + keyOf((value as JsonObject)[name], charge));
  return `{${members.join(",")}}`;
}

/** A text with its length before it: what it holds cannot be taken for what follows it. */
function lengthened(text: string, charge: Charge): string {
  charge(text.length * CHARACTER_WORK);
  return `${text.length}"${text}`;
}

/** Whether two values are equal. */
export const isSame = (a: unknown, b: unknown): boolean => keyOf(a, spend) === keyOf(b, spend);

/**
 * The last two items that are equal, the later one first, or `[0, 0]`; as Ajv finds them, in linear time.
 *
 * @example
 * const [later, earlier] = equalItems([{ a: 1 }, 2, { a: 1 }]); // 2 and 0
 */
export function equalItems(items: readonly unknown[]): readonly [number, number] {
  const at = new Map<string, number>();
  let found: readonly [number, number] = [0, 0];
  for (const [i, item] of items.entries()) {
    const key = keyOf(item, spend);
    const before = at.get(key);
    if (before !== undefined) found = [i, before];
    at.set(key, i);
  }
  return found;
}

/** The keys of listed values, cached: schemas are frozen. Making them is no work of the call that happens to be the first. */
const KEYS = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/**
 * Whether a value is equal to one of a list of a schema: it is looked up, not compared with each.
 *
 * @example
 * isOneOf({ b: 2, a: 1 }, [{ a: 1, b: 2 }]); // true
 */
export function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  const keys = KEYS.get(allowed) ?? new Set(allowed.map((one) => keyOf(one, () => {})));
  KEYS.set(allowed, keys);
  return keys.has(keyOf(value, spend));
}
