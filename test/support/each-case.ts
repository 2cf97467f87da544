/** Tests of a table, of which `npm test` runs the rows that stand for their class, and `npm run test:full` all. */

import { type TestOptions, test } from "vitest";

/** What a test gets of its row. */
type Cells<Row> = Row extends readonly unknown[] ? [...Row] : [Row];

/**
 * `test.each`, with the tag `full` on the rows that the default run leaves out.
 *
 * @param table - rows whose first cell, or which themselves, are their names
 * @param names - rows of the default run: at least one of each class that the table has
 * @throws Error if no row has one of the names
 * @example
 * eachCase(LIMITS, "a loop", "memory at once")("%s ends", {}, async (_name, limits, code) => …);
 */
export function eachCase<const Row>(table: readonly Row[], ...names: readonly string[]) {
  const nameOf = (row: Row): string => String(Array.isArray(row) ? row[0] : row);
  for (const name of names)
    if (!table.some((row) => nameOf(row) === name)) throw new Error(`the table has no row "${name}"`);
  const isDefault = (row: Row): boolean => names.includes(nameOf(row));
  return (title: string, options: TestOptions, check: (...cells: Cells<Row>) => unknown): void => {
    test.each(table.filter(isDefault))(title, options, check as never);
    test.each(table.filter((row) => !isDefault(row)))(title, { ...options, tags: ["full"] }, check as never);
  };
}
