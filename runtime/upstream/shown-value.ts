/** Data of foreign failures, bounded and without secrets. */

import { isExact } from "../contract/exact-number.js";
import type { JsonValue } from "../contract/registry.js";
import type { UpstreamServer } from "./servers.js";
import { foreignText } from "./upstream-error.js";

/** Bounds of the data of one failure: levels, members of one object or list, characters of one text, characters of all. */
const BOUNDS = { depth: 8, members: 100, text: 4_000, all: 16_000 } as const;

/** Stands for what exceeds a bound. */
const CUT = "…";

/**
 * A copy of the data of a failure as it may be shown: texts as {@link foreignText} makes them, and what exceeds a bound as `…`.
 *
 * @returns `undefined` if there is no data
 */
export function shownFailureData(value: unknown, server: UpstreamServer): JsonValue | undefined {
  return value === undefined || value === null ? undefined : copyOf(value, 0, { server, left: BOUNDS.all });
}

/** What is left of the characters of one value. */
interface Budget {
  readonly server: UpstreamServer;
  left: number;
}

/** Characters that a number, a literal or a bracket counts as. */
const PLAIN = 8;

function copyOf(value: unknown, depth: number, budget: Budget): JsonValue {
  if (typeof value === "string") return shownText(value, budget);
  budget.left -= PLAIN;
  if (budget.left < 0) return CUT;
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (isExact(value)) return value.text.length > BOUNDS.text ? CUT : (value as unknown as JsonValue);
  if (depth === BOUNDS.depth) return CUT;
  const within = (one: unknown): JsonValue => copyOf(one, depth + 1, budget);
  if (Array.isArray(value)) return bounded(value, CUT).map(within);
  const members = bounded(Object.entries(value), [CUT, CUT] as const);
  return Object.fromEntries(members.map(([name, member]) => [shownText(name, budget), within(member)]));
}

function shownText(text: string, budget: Budget): string {
  const plain = foreignText(text.slice(0, 2 * BOUNDS.text), budget.server, BOUNDS.text);
  budget.left -= plain.length;
  return budget.left < 0 ? CUT : plain;
}

const bounded = <T>(items: readonly T[], rest: T): readonly T[] =>
  items.length > BOUNDS.members ? [...items.slice(0, BOUNDS.members), rest] : items;
