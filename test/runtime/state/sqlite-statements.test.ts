/** Kept statements of SQLite answer as new ones do: where tables have changed, after a failure, and beyond the bound. */

import { join } from "node:path";
import Database from "libsql";
import { describe, expect, test, vi } from "vitest";
import { keepingStatements } from "../../../runtime/state/sqlite-statements.js";
import { temporaryFolder } from "../../support/project.js";

function opened() {
  const file = join(temporaryFolder(), "state.db");
  const database = new Database(file);
  database.exec("create table t(id integer primary key, name text)");
  const prepare = vi.spyOn(database, "prepare");
  const { prepare: kept } = keepingStatements(database);
  return { database, other: new Database(file), prepare, all: (sql: string) => kept(sql).all([]), kept };
}

describe("keepingStatements", () => {
  test("a statement is prepared once, whatever its parameters", () => {
    const { kept, all, prepare } = opened();
    for (const name of ["a", "b"]) kept("insert into t(name) values (?)").run([name]);
    expect(all("select name from t")).toEqual([{ name: "a" }, { name: "b" }]);
    expect(kept("select name from t where id = ?").all([2])).toEqual([{ name: "b" }]);
    expect(kept("select name from t where id = ?").all([9])).toEqual([]);
    expect(prepare).toHaveBeenCalledTimes(3);
  });

  test("it sees columns and tables that this or another connection has changed", () => {
    const { kept, all, other } = opened();
    kept("insert into t(name) values (?)").run(["a"]);
    expect(all("select * from t")).toEqual([{ id: 1, name: "a" }]);
    other.exec("alter table t add column more text default 'x'");
    expect(all("select * from t")).toEqual([{ id: 1, name: "a", more: "x" }]);
    other.exec("drop table t");
    expect(() => all("select * from t")).toThrow("no such table");
    other.exec("create table t(other text)");
    expect(all("select * from t")).toEqual([]);
  });

  test("one that failed is prepared anew, and leaves no transaction that cannot end", () => {
    const { database, kept, prepare } = opened();
    const insert = () => kept("insert into t(id) values (1)").run([]);
    insert();
    database.exec("begin immediate");
    expect(insert).toThrow("UNIQUE");
    database.exec("commit");
    expect(insert).toThrow("UNIQUE");
    expect(prepare).toHaveBeenCalledTimes(2);
  });

  test("rows that are read one by one come from a statement of their own", () => {
    const { kept, all } = opened();
    for (const name of ["a", "b"]) kept("insert into t(name) values (?)").run([name]);
    const rows = kept("select name from t").iterate([])[Symbol.iterator]();
    expect(rows.next().value).toMatchObject({ name: "a" });
    expect(all("select name from t")).toHaveLength(2);
    expect(rows.next().value).toMatchObject({ name: "b" });
  });

  test("the latest hundred are kept, and none with a long text", () => {
    const { all, prepare } = opened();
    for (let i = 0; i < 101; i++) all(`select ${i}`);
    all("select 100");
    expect(prepare).toHaveBeenCalledTimes(101);
    all("select 0");
    expect(prepare).toHaveBeenCalledTimes(102);
    const long = `select '${"x".repeat(4000)}'`;
    all(long);
    all(long);
    expect(prepare).toHaveBeenCalledTimes(104);
  });
});
