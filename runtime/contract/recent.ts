/** Keeps what was made last, so that what comes again is not made again. */

/**
 * Returns a function that makes a value for a key, or gives the one that it made before. It keeps the values of the keys
 * that were used last; `undefined` is not kept.
 *
 * @param size - number of values that it keeps
 * @example
 * const recent = recentOf<RegExp>(2);
 * recent("a+", () => new RegExp("a+"));
 */
export function recentOf<T extends object | undefined>(size: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    const value = kept.get(key) ?? make();
    kept.delete(key);
    if (value !== undefined) kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > size && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
