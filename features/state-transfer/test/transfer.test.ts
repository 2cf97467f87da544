/** Exports and imports of the state: every table, from each database to each, all or nothing. */

import { sql } from "kysely";
import { afterEach, describe, expect, it, test } from "vitest";
import { tables as onto } from "../../../definitions/onto/handlers.js";
import { tables as oubliette } from "../../../definitions/packs/oubliette.js";
import { type ColumnTypes, type Dialect, defineTables, type Tables } from "../../../runtime/contract/tables.js";
import { MIGRATIONS } from "../../../runtime/state/migrations.js";
import type { State } from "../../../runtime/state/open.js";
import { type ApiKeyRow, type Queries, queries } from "../../../runtime/state/schema.js";
import { sealingKey } from "../../../runtime/state/sealing-key.js";
import { DATABASES, type Place } from "../../../test/runtime/state/databases.js";
import { columnsOf, tablesOf } from "../../../test/runtime/state/raw.js";
import { insertRecorded } from "../../../test/support/recorded-rows.js";
import { exportState } from "../export.js";
import { importState } from "../import.js";
import { openReading } from "../transfer-format.js";

/** Columns of each kind, a table that refers to itself, and one without a primary key. */
const wide = defineTables({
  name: "wide",
  versions: [
    {
      version: 1,
      statements: ({ dialect, text, sequence }: ColumnTypes) => {
        const [bool, bytes, json, time] =
          dialect === "sqlite" ? ["integer", "blob", "text", "text"] : ["boolean", "bytea", "jsonb", "timestamptz"];
        return [
          `create table wide_values (seq ${sequence}, flag ${bool}, bytes ${bytes}, json ${json}, at ${time}, n double precision, t ${text})`,
          `create table wide_tree (id ${text} primary key, parent ${text} references wide_tree (id))`,
          `create table wide_plain (t ${text})`,
        ];
      },
    },
    { version: 2, statements: () => ["alter table wide_plain add column later integer not null default 7"] },
  ],
});
const PACKS = [onto, oubliette, wide];
/** More than are read and inserted at once. */
const ROWS = 120;

const kindOf: Readonly<Record<string, (i: number) => unknown>> = {
  integer: (i) => i,
  bigint: (i) => i,
  "double precision": (i) => i + 0.1,
};

/** The columns of the tables, with their type and what they refer to, as SQLite tells. */
async function filled(state: State): Promise<void> {
  for (const pack of PACKS) await state.ensure(pack);
  await state.transaction("write", async (tx) => {
    const db = queries(tx);
    await sql`pragma defer_foreign_keys = on`.execute(db);
    const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'
      and name not like 'sqlite_%' and name not in ('migrations', 'pack_versions') order by name`.execute(db);
    for (const { name } of tables.rows) if (!name.startsWith("wide_")) await fill(db, name);
    const odd = 'quo"te\n\u2028 é 日 😀 \\ {"a":1}';
    await sql`insert into wide_values (flag, bytes, json, at, n, t) values
      (1, ${Buffer.from([0, 255, 10])}, '{"a": [1]}', '2026-01-01T00:00:00.000Z', 1.7976931348623157e308, ${odd}),
      (0, null, 'null', null, 0.1, ''), (null, ${Buffer.alloc(0)}, '"x"', '1999-12-31T23:59:59.123Z', -5e-324, null)`.execute(
      db,
    );
    // The child comes first in the order of the key.
    await sql`insert into wide_tree values ('a', 'b'), ('b', 'c'), ('c', null)`.execute(db);
    await sql`insert into wide_plain values ('x', 1), ('x', 2)`.execute(db);
  });
}

async function fill(db: Queries, table: string): Promise<void> {
  const { rows: columns } = await sql<{ name: string; type: string; notnull: number }>`select name, lower(type) as type,
    "notnull" from pragma_table_info(${table})`.execute(db);
  const { rows: references } = await sql<{ from: string; to: string }>`select "from", "table" as "to"
    from pragma_foreign_key_list(${table})`.execute(db);
  const value = (i: number, { name, type, notnull }: (typeof columns)[number]): unknown => {
    const to = references.find((one) => one.from === name)?.to;
    if (to !== undefined) return `${to} ${i}`;
    if (name === "status") return table === "ledger" ? "pending" : "open";
    if (notnull === 0 && i % 3 === 0 && !name.endsWith("id") && name !== "seq") return null;
    return kindOf[type]?.(i) ?? `${table} ${i}`;
  };
  const rows = Array.from({ length: ROWS }, (_, i) =>
    Object.fromEntries(columns.map((column) => [column.name, value(i + 1, column)])),
  );
  await db
    .insertInto(table as "ledger")
    .values(rows as never)
    .execute();
}

const dialectOf = ({ url }: Place): Dialect => (url === "" ? "sqlite" : "postgres");
const nothing = (): void => undefined;
const options = (state: State, place: Place) => ({ state, dialect: dialectOf(place), progress: nothing });

async function exported(state: State, place: Place, more: { readonly warnings?: string[]; keys?: ApiKeyRow[] } = {}) {
  const parts: string[] = [];
  const write = async (text: string): Promise<void> => void parts.push(text);
  const warn = (message: string): void => void more.warnings?.push(message);
  const now = new Date("2026-01-01T00:00:00.000Z");
  await exportState({ ...options(state, place), version: "1.2.3", now, keys: more.keys, write, warn });
  return parts.join("");
}

/** In chunks that end anywhere. */
async function* chunksOf(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const imported = (
  text: string,
  state: State,
  place: Place,
  more: { readonly packs?: readonly Tables[]; storeKeys?: (keys: readonly ApiKeyRow[]) => Promise<void> } = {},
) =>
  importState({
    ...options(state, place),
    chunks: chunksOf(text),
    tablesOf: async (pack) => (more.packs ?? PACKS).find(({ name }) => name === pack),
    ...(more.storeKeys ? { storeKeys: more.storeKeys } : {}),
  });

const cleaning: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

async function opened(database: (typeof DATABASES)[number] | undefined) {
  if (!database) throw new Error("no database");
  const place = await database.place();
  const state = await place.open();
  cleaning.push(place.remove, state.close);
  return { place, state };
}
const [SQLITE, POSTGRES] = DATABASES;

/** The lines of a file that are spelled the same in both databases: all but booleans, JSON and times. */
const common = (text: string): readonly string[] =>
  text
    .split("\n")
    .slice(1, -2)
    .filter((line) => !/^\[[123],(?:0|1|null|true|false),(?:\{|null)/.test(line));

describe.each(DATABASES)("to $name", (target) => {
  describe.skipIf(target.skip)("", () => {
    it("every table arrives as it was, and goes back the same", { timeout: 120_000 }, async () => {
      const from = await opened(SQLITE);
      await filled(from.state);
      const key = await sealingKey(from.state);
      const text = await exported(from.state, from.place);
      const { header } = await openReading(chunksOf(text));
      const all = (await tablesOf(from.place)).filter((one) => one !== "migrations" && !one.startsWith("sqlite_"));
      expect(header.tables.map(({ name }) => name)).toEqual(all);
      const to = await opened(target);
      // A server has looked at the new database before.
      await sealingKey(to.state);
      const done = await imported(text, to.state, to.place);
      for (const { name } of header.tables) expect(done.tables[name], name).toBeGreaterThan(1);
      expect(await sealingKey(to.state)).toBe(key);
      const back = await exported(to.state, to.place);
      const again = await opened(SQLITE);
      await imported(back, again.state, again.place);
      const last = await exported(again.state, again.place);
      if (target === SQLITE) expect(back).toBe(text);
      expect(common(back)).toEqual(common(text));
      expect(common(last)).toEqual(common(text));
      expect(common(text).length).toBe(text.split("\n").length - 6);
      const values = await again.state.transaction("read", (tx) =>
        sql`select * from wide_values order by seq`.execute(queries(tx)),
      );
      const at = target === SQLITE ? "2026-01-01T00:00:00.000Z" : "2026-01-01 00:00:00+00";
      expect(values.rows).toMatchObject([
        { flag: 1, json: '{"a": [1]}', at, n: 1.7976931348623157e308, t: expect.stringContaining("\u2028 é 日 😀 \\") },
        { flag: 0, bytes: null, json: "null", at: null, n: 0.1, t: "" },
        { flag: null, json: '"x"', at: expect.stringContaining("23:59:59.123"), n: -5e-324, t: null },
      ]);
      const bytes = values.rows.map((row) => (row as { bytes: Uint8Array | null }).bytes);
      expect(bytes.map((one) => one && [...new Uint8Array(one)])).toEqual([[0, 255, 10], null, []]);
    });

    it("sequences go on, and references hold again", async () => {
      const from = await opened(SQLITE);
      await from.state.ensure(wide);
      await from.state.transaction("write", (tx) =>
        sql`insert into wide_values (seq, t) values (41, 'x')`.execute(queries(tx)),
      );
      const to = await opened(target);
      await imported(await exported(from.state, from.place), to.state, to.place);
      const add = (text: string) =>
        to.state.transaction("write", (tx) => sql.raw<{ seq: number }>(text).execute(queries(tx)));
      expect((await add("insert into wide_values (t) values ('y') returning seq")).rows).toEqual([{ seq: 42 }]);
      await expect(add("insert into wide_tree values ('a', 'nobody')")).rejects.toThrow();
      expect(await columnsOf(to.place)).toEqual(await schemaOf(target));
    });

    const schemaOf = async (database: (typeof DATABASES)[number]) => {
      const fresh = await opened(database);
      await fresh.state.ensure(wide);
      return columnsOf(fresh.place);
    };

    it("a file of an earlier version is brought up to date", async () => {
      const from = await opened(SQLITE);
      await from.state.ensure(defineTables({ ...wide, versions: wide.versions.slice(0, 1) }));
      await from.state.transaction("write", (tx) => sql`insert into wide_plain values ('x')`.execute(queries(tx)));
      const text = (await exported(from.state, from.place)).split("\n");
      const header = JSON.parse(text[0] ?? "");
      const audit = header.tables.find(({ name }: { name: string }) => name === "audit");
      audit.columns = audit.columns.filter((name: string) => name !== "address");
      const lines = [
        { ...header, migration: 10, tables: [audit, { name: "wide_plain", columns: ["t"] }] },
        { table: "audit" },
        [5, "2026-01-01", "k", "op", "", "tr"],
        { table: "wide_plain" },
        ["x"],
      ];
      const to = await opened(target);
      await imported(await sealed(lines), to.state, to.place);
      const [versions, rows] = await to.state.transaction("read", async (tx) => [
        await sql<{ version: number }>`select max(version) as version from migrations`.execute(queries(tx)),
        await sql`select seq, address from audit`.execute(queries(tx)),
      ]);
      expect(versions?.rows).toEqual([{ version: MIGRATIONS.at(-1)?.version }]);
      expect(rows?.rows).toEqual([{ seq: 5, address: "" }]);
    });

    it("a database with rows is refused, and stays as it is", async () => {
      const from = await opened(SQLITE);
      const text = await exported(from.state, from.place);
      const to = await opened(target);
      await to.state.transaction("write", (tx) =>
        insertRecorded(tx, "stat_counters", [{ hour: "h", name: "n", value: 1 }]),
      );
      const key = await sealingKey(to.state);
      await expect(imported(text, to.state, to.place)).rejects.toThrow(
        /not empty: stat_counters has rows\. Name an empty one/,
      );
      expect(await sealingKey(to.state)).toBe(key);
    });

    it("nothing is imported from a file with a fault", async () => {
      const from = await opened(SQLITE);
      await from.state.ensure(wide);
      await from.state.transaction("write", (tx) => sql`insert into wide_plain values ('x', 1)`.execute(queries(tx)));
      const text = await exported(from.state, from.place);
      const to = await opened(target);
      const refused = (change: string, packs?: readonly Tables[]) =>
        imported(change, to.state, to.place, packs ? { packs } : {}).then(
          () => "imported",
          (error: Error) => error.message,
        );
      const orphan = await sealed([...linesOf(text), { table: "wide_tree" }, ["a", "nobody"]]);
      expect(await refused(orphan)).not.toBe("imported");
      expect(await refused(text.replace('"x"', '"y"'))).toMatch(/lines before it were changed/);
      expect(await refused(text.slice(0, -5))).toMatch(/cut off/);
      expect(await refused(text.slice(0, text.lastIndexOf('{"end"')))).toMatch(/cut off/);
      expect(await refused(`${text}{}\n`)).toMatch(/comes after the end/);
      expect(await refused("")).toMatch(/no file of toolwright state export/);
      expect(await refused(text.replace('"toolwright_state":1', '"toolwright_state":2'))).toMatch(/newer toolwright/);
      expect(await refused(text.replace(/"migration":\d+/, '"migration":999'))).toMatch(
        /install toolwright 1\.2\.3 or newer/,
      );
      expect(await refused(text, [])).toMatch(/tables of wide, and no pack/);
      const older = { ...wide, versions: wide.versions.slice(0, 1) };
      expect(await refused(text, [older])).toMatch(/version 2 in the file, this project knows 1/);
      expect(await refused(await sealed([...linesOf(text), { table: "nowhere" }, [1]]))).toMatch(/does not name/);
      expect(await refused(await sealed([...linesOf(text), { table: "wide_tree" }, [1]]))).toMatch(/as many values/);
      await imported(text, to.state, to.place);
    });
  });
});

/** The lines of a file without its end. */
const linesOf = (text: string): unknown[] =>
  text
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line));

/** A file with these lines, and the end that belongs to them. */
async function sealed(lines: readonly unknown[]): Promise<string> {
  const { createHash } = await import("node:crypto");
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const rows = lines.filter(Array.isArray).length;
  return `${text}${JSON.stringify({ end: true, rows, sha256: createHash("sha256").update(text).digest("hex") })}\n`;
}

test("what cannot be moved exactly is refused or named", async () => {
  const { state, place } = await opened(SQLITE);
  await state.ensure(wide);
  const run = (text: string) => state.transaction("write", (tx) => sql.raw(text).execute(queries(tx)));
  await run("create table notes_of_mine (a text)");
  await run("insert into wide_values (n) values (1e300)");
  const warnings: string[] = [];
  await exported(state, place, { warnings });
  expect(warnings).toEqual(["notes_of_mine is left out: it is no table of toolwright or of a pack"]);
  await run("insert into wide_plain values ('x', 9007199254740993)");
  await expect(exported(state, place)).rejects.toThrow(/wide_plain\.later holds an integer beyond 2\^53/);
});

test("keys that are in a file beside the database go into it, and come out of it", async () => {
  const from = await opened(SQLITE);
  const row = {
    key_id: "k",
    name: "n",
    scope: "read",
    access: "{}",
    digest: "d",
    created_at: "c",
    created_by: "local",
  };
  const key: ApiKeyRow = { ...row, expires_at: null, revoked_at: null, family: "f" };
  const text = await exported(from.state, from.place, { keys: [key] });
  const to = await opened(POSTGRES?.skip ? SQLITE : POSTGRES);
  await imported(text, to.state, to.place);
  const stored = await to.state.transaction("read", (tx) => queries(tx).selectFrom("api_keys").selectAll().execute());
  expect(stored).toEqual([key]);
  const back = await opened(SQLITE);
  const kept: ApiKeyRow[] = [];
  const storeKeys = async (keys: readonly ApiKeyRow[]): Promise<void> => void kept.push(...keys);
  await imported(await exported(to.state, to.place), back.state, back.place, { storeKeys });
  expect(kept).toEqual([key]);
});
