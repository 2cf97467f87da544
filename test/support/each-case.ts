/** Tests and groups of a table, of which `npm test` runs the rows that stand for their class, and `npm run test:full` all. */

import { describe, type TestOptions, test } from "vitest";
import { RUNS_SLOW } from "./random.js";

/** What a test gets of its row. */
type Cells<Row> = Row extends readonly unknown[] ? [...Row] : [Row];
type Register<Row> = (title: string, options: TestOptions, body: (...cells: Cells<Row>) => unknown) => void;

/** The rows of the default run, then the others. */
function divided<Row>(table: readonly Row[], names: readonly string[]): readonly [Row[], Row[]] {
  const nameOf = (row: Row): string => String(Array.isArray(row) ? row[0] : row);
  for (const name of names)
    if (!table.some((row) => nameOf(row) === name)) throw new Error(`the table has no row "${name}"`);
  const isDefault = (row: Row): boolean => names.includes(nameOf(row));
  return [table.filter(isDefault), table.filter((row) => !isDefault(row))];
}

/**
 * Names of rows that run with `SLOW=1` only, in CI, for the names of {@link eachCase} and {@link eachGroup}.
 *
 * @example
 * eachCase(LIMITS, "a loop", ...slowRows("memory at once"))("%s ends", {}, async (_name, limits, code) => …);
 */
export const slowRows = (...names: readonly string[]): readonly string[] => (RUNS_SLOW ? names : []);

/**
 * `test.each`, with the tag `full` on the rows that the default run leaves out.
 *
 * @param table - rows whose first cell, or which themselves, are their names
 * @param names - rows of the default run: at least one of each class that the table has
 * @throws Error if no row has one of the names
 * @example
 * eachCase(LIMITS, "a loop", "memory at once")("%s ends", {}, async (_name, limits, code) => …);
 */
export function eachCase<const Row>(table: readonly Row[], ...names: readonly string[]): Register<Row> {
  const [some, others] = divided(table, names);
  return (title, options, body) => {
    test.each(some)(title, options, body as never);
    test.each(others)(title, { ...options, tags: ["full"] }, body as never);
  };
}

/** `describe.each` in the same way: see {@link eachCase}. */
export function eachGroup<const Row>(table: readonly Row[], ...names: readonly string[]): Register<Row> {
  const [some, others] = divided(table, names);
  return (title, options, body) => {
    describe.each(some)(title, options, body as never);
    describe.each(others)(title, { ...options, tags: ["full"] }, body as never);
  };
}
