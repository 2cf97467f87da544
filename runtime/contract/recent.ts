/** Keeps what was made last, so that what comes again is not made again. */

/**
 * Returns a function that makes a value for a key, or gives the one that it made before. It keeps the values of the keys
 * that were used last; `undefined` is not kept.
 *
 * @param size - number of values that it keeps, or their weight together
 * @param weightOf - what a value counts; a value that counts more than `size` is not kept
 * @example
 * const recent = recentOf<RegExp>(2);
 * recent("a+", () => new RegExp("a+"));
 */
export function recentOf<T extends object | undefined>(
  size: number,
  weightOf: (value: NonNullable<T>) => number = () => 1,
): (key: string, make: () => T) => T {
  const kept = new Map<string, NonNullable<T>>();
  let held = 0;
  const removeOldest = (): void => {
    const [[key, value] = []] = kept;
    if (key === undefined || value === undefined) return;
    kept.delete(key);
    held -= weightOf(value);
  };
  return (key, make) => {
    const known = kept.get(key);
    const value = known ?? make();
    if (value === undefined || weightOf(value) > size) return value;
    kept.delete(key);
    kept.set(key, value);
    if (!known) held += weightOf(value);
    while (held > size) removeOldest();
    return value;
  };
}
