/** The rows of a table that stand for their class in `npm test`, and the others, whose tests have the tag `full`. */

/**
 * Splits a table of cases by the names of its rows.
 *
 * @param names - rows of the default run: at least one of each class that the table has
 * @throws Error if no row has one of the names
 * @example
 * const [some, others] = representatives(TABLE, "a loop", "memory at once");
 * test.each(some)("%s ends", check);
 * test.each(others)("%s ends", { tags: "full" }, check);
 */
export function representatives<Row extends readonly [name: string, ...unknown[]]>(
  table: readonly Row[],
  ...names: readonly string[]
): readonly [some: readonly Row[], others: readonly Row[]] {
  for (const name of names) if (!table.some(([one]) => one === name)) throw new Error(`the table has no row "${name}"`);
  return [table.filter(([name]) => names.includes(name)), table.filter(([name]) => !names.includes(name))];
}
