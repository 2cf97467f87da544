/** Pairs the alternatives of two schemas for their comparison. */

import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { acceptedText, kindOfValue, type ShapeBranch } from "./shape.js";

/** Two alternatives that belong together. */
export interface BranchPair {
  readonly before: ShapeBranch;
  readonly after: ShapeBranch;
}

/** The pairs, and the alternatives without a counterpart. */
export interface Matched {
  readonly pairs: readonly BranchPair[];
  readonly lost: readonly ShapeBranch[];
  readonly gained: readonly ShapeBranch[];
}

type KeyOf = (branch: ShapeBranch) => string | undefined;

/** Keys by which alternatives are paired, the most reliable first; undefined matches nothing. */
const KEYS: readonly KeyOf[] = [
  (one) => `${one.kind} ${acceptedText(one.schema)}`,
  (one) => {
    const text = discriminatorOf(one);
    return text === "" ? undefined : `${one.kind} ${text}`;
  },
  (one) => (typeof one.schema["title"] === "string" ? `${one.kind} ${one.schema["title"]}` : undefined),
  (one) => one.kind,
];

/** Matches alternatives: the same kind first, then an integer with a number, listed values with their type. */
export function matchBranches(before: readonly ShapeBranch[], after: readonly ShapeBranch[]): Matched {
  const left = new Set(before);
  const right = new Set(after);
  const pairs: BranchPair[] = [];
  const matchBy = (fits: (a: ShapeBranch, b: ShapeBranch) => boolean): void => {
    for (const a of left) {
      const b = [...right].find((one) => fits(a, one));
      if (!b) continue;
      left.delete(a);
      right.delete(b);
      pairs.push({ before: a, after: b });
    }
  };
  for (const keyOf of left.size > 1 || right.size > 1 ? KEYS : KEYS.slice(-1)) {
    const keys = new Map([...left, ...right].map((one) => [one, keyOf(one)]));
    matchBy((a, b) => keys.get(a) !== undefined && keys.get(a) === keys.get(b));
  }
  matchBy((a, b) => isNumeric(a) && isNumeric(b));
  matchBy((a, b) => listsOf(a, b) || listsOf(b, a));
  return { pairs, lost: [...left], gained: [...right] };
}

const isNumeric = ({ kind }: ShapeBranch): boolean => kind === "integer" || kind === "number";

/** Whether the values of `listed` are all of the type of `base`. */
const listsOf = (listed: ShapeBranch, base: ShapeBranch): boolean =>
  listed.kind === "literal" && listed.values.every((value) => isOf(value, base));

const isOf = (value: JsonValue, { kind }: ShapeBranch): boolean =>
  kindOfValue(value) === kind || (kind === "integer" && Number.isInteger(value));

/** `kind="task"`: the properties with a single value, which distinguish alternatives of objects. */
function discriminatorOf({ schema }: ShapeBranch): string {
  const { properties } = schema;
  if (!isSchema(properties)) return "";
  const fixed = Object.entries(properties).flatMap(([name, one]) => {
    if (!isSchema(one)) return [];
    const { const: value, enum: values } = one;
    const only = value ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
    return only === undefined ? [] : [`${JSON.stringify(name)}=${JSON.stringify(only)}`];
  });
  return fixed.sort().join(",");
}
