/** Merges layers of configuration. */

type Values = Readonly<Record<string, unknown>>;

/** Whether a value is a map of the configuration. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Merges one map over another: maps merge, lists and scalars replace. Keys keep the order of their first appearance.
 */
export function mergeMaps(base: Values, over: Values): Values {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = result.get(key);
    result.set(key, isRecord(before) && isRecord(value) ? mergeMaps(before, value) : value);
  }
  return Object.fromEntries(result);
}
