/** Prepared statements of a SQLite connection that are used again: to prepare one takes as long as to run a short one. */

import type { SqliteDatabase, SqliteStatement } from "kysely";

/** Statements that are kept, the latest used, and how long their text may be. */
const MOST_KEPT = 100;
const MOST_CHARACTERS = 4000;

/**
 * A connection that keeps its statements. SQLite prepares a kept one again by itself where tables have changed.
 *
 * @example
 * const dialect = new SqliteDialect({ database: keepingStatements(new Database(file)) });
 */
export function keepingStatements(database: SqliteDatabase): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = kept.get(sql);
    // Which was used last counts only when one has to go.
    if (known && kept.size < MOST_KEPT) return known;
    const statement = known ?? keptStatement(database, sql, () => kept.delete(sql));
    if (sql.length > MOST_CHARACTERS) return statement;
    kept.delete(sql);
    kept.set(sql, statement);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return statement;
  };
  return { prepare: prepared, close: () => database.close() };
}

/** A statement; one that fails may be left half-way and is not used again. */
function keptStatement(database: SqliteDatabase, sql: string, failed: () => void): SqliteStatement {
  const statement = database.prepare(sql);
  const telling = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      failed();
      throw error;
    }
  };
  return {
    reader: statement.reader,
    all: (parameters) => telling(() => statement.all(parameters)),
    run: (parameters) => telling(() => statement.run(parameters)),
    // Not the kept one, since who reads rows one by one may stop before the last.
    iterate: (parameters) => database.prepare(sql).iterate(parameters),
  };
}
