/** Tables of packs: created on first use, upgraded by version, on every database. */

import { readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tables as onto } from "../../../definitions/onto/handlers.js";
import { tables as oubliette } from "../../../definitions/packs/oubliette.js";
import type { Transaction } from "../../../runtime/contract/handler.js";
import { type Dialect, defineTables, type Tables } from "../../../runtime/contract/tables.js";
import { migrate } from "../../../runtime/state/migrate.js";
import type { State } from "../../../runtime/state/open.js";
import { DATABASES, type Place } from "./databases.js";
import { columnsOf, raw, tablesOf } from "./raw.js";

/** The tables of the runtime, which a database has. */
const ownTables = (url: string): readonly string[] => [
  ...[
    "api_keys",
    "approvals",
    "audit",
    "connection_attempts",
    "connections",
    "help_words",
    "jobs",
    ...(url === "" ? [] : ["key_rates"]),
    "key_uses",
    "learned",
  ],
  ...["ledger", "login_answers", "logins", "migrations", "newest_row"],
  ...["outcomes", "pack_versions"],
  ...(url === "" ? [] : ["result_chunks", "results"]),
  ...["run_calls", "run_deliveries", "run_inner", "run_plans", "runs", "server_drift"],
  ...(url === "" ? [] : ["server_messages", "server_questions", "server_replicas"]),
  ...["server_secrets", "stat_calls", "stat_clients", "stat_counters", "stat_hours", "user_names"],
];

const [FIRST, SECOND] = [
  { version: 1, statements: () => ["create table notes_entries (id integer primary key, body text not null)"] },
  {
    version: 2,
    statements: () => [
      "alter table notes_entries add column stars integer not null default 0",
      "update notes_entries set stars = 1 where body = 'first'",
    ],
  },
];
const notes = (...versions: Tables["versions"]): Tables => ({ name: "notes", versions });

const db = (tx: Transaction) => tx as unknown as Kysely<{ notes_entries: { id: number; body: string; stars: number } }>;

/** What a database held before packs had tables of their own. */
const FORMER: Readonly<Record<Dialect, readonly { version: number; name: string; statements: readonly string[] }[]>> =
  JSON.parse(readFileSync(new URL("version-8.json", import.meta.url), "utf8"));

/** A database as the versions up to 8 made it, with rows of both packs. */
async function formerPlace(place: Place, latest: number): Promise<void> {
  const { db, dialect } = raw(place);
  const steps = FORMER[dialect].filter(({ version }) => version <= latest);
  const known = steps.map(({ version, name, statements }) => ({ version, name, statements: () => statements }));
  await db.transaction().execute((tx) => migrate(tx as Kysely<never>, dialect, known));
  const common = "'{}', 1, 'local', '2026-01-01', '2026-01-01'";
  const columns = "props, version, created_by, created_at, updated_at";
  const rows = [
    `insert into projects (id, name, description, type_key, state_key, tree, tree_version, ${columns}) values ('proj_1', 'P', '', 't', 's', '[]', 0, ${common})`,
    `insert into tasks (id, project_id, title, description, type_key, state_key, priority, ${columns}) values ('task_1', 'proj_1', 'T', '', 't', 's', 1, ${common})`,
    "insert into changes (entity_kind, entity_id, op, actor, trace_id, at) values ('task', 'task_1', 'create', 'local', 'tr', '2026-01-01')",
    ...(latest < 6 ? [] : ["insert into oubliette_projects values ('prj_1', 'P', '', '2026-01-01', '2026-01-01')"]),
  ];
  for (const row of rows) await sql.raw(row).execute(db);
  await db.destroy();
}

describe.each(DATABASES)("tables of packs on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let place: Place;
    let state: State;
    const versions = async (): Promise<readonly string[]> => {
      const { db } = raw(place);
      const { rows } = await sql<{ pack: string; version: number }>`select pack, version from pack_versions`.execute(
        db,
      );
      await db.destroy();
      return rows.map(({ pack, version }) => `${pack} ${version}`).sort();
    };
    const rowsOf = async (statement: string): Promise<readonly unknown[]> => {
      const { db } = raw(place);
      const { rows } = await sql.raw(statement).execute(db);
      await db.destroy();
      return rows;
    };
    beforeEach(async () => {
      place = await database.place();
    });
    afterEach(async () => {
      await state.close();
      await place.remove();
    });

    it("does not create tables of a pack that is not used", async () => {
      state = await place.open();
      expect(await tablesOf(place)).toEqual(ownTables(place.url));
    });

    it("creates the tables once, and keeps their rows when a version is added", async () => {
      state = await place.open();
      await Promise.all([1, 2, 3].map(() => state.ensure(notes(FIRST))));
      await state.transaction("write", async (tx) => {
        for (const [id, body] of [
          [1, "first"],
          [2, "second"],
        ] as const)
          await sql`insert into notes_entries values (${id}, ${body})`.execute(db(tx));
      });
      await state.ensure(notes(FIRST, SECOND));
      const found = await state.transaction("read", (tx) =>
        db(tx).selectFrom("notes_entries").selectAll().orderBy("id").execute(),
      );
      expect(found).toEqual([
        { id: 1, body: "first", stars: 1 },
        { id: 2, body: "second", stars: 0 },
      ]);
      expect(await versions()).toEqual(["notes 1", "notes 2"]);
    });

    it("creates the tables once while several servers use them for the first time", async () => {
      const states = await Promise.all(Array.from({ length: 4 }, () => place.open()));
      await Promise.all(states.map((each) => each.ensure(notes(FIRST, SECOND))));
      await Promise.all(states.map((each) => each.close()));
      state = await place.open();
      expect(await versions()).toEqual(["notes 1", "notes 2"]);
    });

    it("refuses tables that a newer version of the pack wrote", async () => {
      state = await place.open();
      await state.ensure(notes(FIRST, SECOND));
      const later = await place.open();
      await expect(later.ensure(notes(FIRST))).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: expect.stringContaining("tables of notes in the state database have version 2, this project knows 1"),
      });
      await later.close();
    });

    it("leaves a version undone whose statement fails, names the statement, and tries again", async () => {
      state = await place.open();
      const bad = { version: 2, statements: () => ["create table notes_half (id integer)", "create nonsense"] };
      await expect(state.ensure(notes(FIRST, bad))).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: expect.stringMatching(/tables of notes cannot be brought to version 2: .*nonsense.*create nonsense\)/),
      });
      expect(await tablesOf(place)).toEqual(ownTables(place.url));
      await state.ensure(notes(FIRST, SECOND));
      expect(await versions()).toEqual(["notes 1", "notes 2"]);
    });

    it("says what is missing when a statement names a table that does not exist", async () => {
      state = await place.open();
      const bad = { version: 1, statements: () => ["alter table notes_gone add column a integer"] };
      await expect(state.ensure(notes(bad))).rejects.toThrow(/version 1: .*notes_gone.*\(in: alter table/);
    });

    it("refuses a table with a name that is not of the pack", async () => {
      state = await place.open();
      const foreign = { version: 1, statements: () => ["create table entries (id integer)"] };
      await expect(state.ensure(notes(foreign))).rejects.toThrow("contain entries: call it notes_entries");
      expect(await tablesOf(place)).toEqual(ownTables(place.url));
    });

    it("says that a table may not be declared, if a query names one that does not exist", async () => {
      state = await place.open();
      const query = state.transaction("read", (tx) => db(tx).selectFrom("notes_entries").selectAll().execute());
      await expect(query).rejects.toMatchObject({
        code: "UNAVAILABLE",
        details: { reason: "emptied" },
        message: expect.stringContaining("declare the table in the `tables` of the pack"),
      });
    });

    it("refuses to be called inside a transaction", async () => {
      state = await place.open();
      const inside = state.transaction("read", () => state.ensure(notes(FIRST)));
      await expect(inside).rejects.toThrow("inside another one");
    });

    it.each([3, 8])("takes over a database of version %i with what it holds", { tags: "slow" }, async (latest) => {
      await formerPlace(place, latest);
      state = await place.open();
      expect(await versions()).toEqual(latest < 6 ? ["onto 1"] : ["onto 1", "oubliette 1"]);
      expect(await tablesOf(place)).toContain("tasks");
      await state.ensure(onto);
      await state.ensure(oubliette);
      expect(await versions()).toEqual(["onto 1", "onto 2", "oubliette 1"]);
      expect(await rowsOf("select project_id, title from onto_tasks")).toEqual([{ project_id: "proj_1", title: "T" }]);
      expect(await rowsOf("select entity_id from onto_changes")).toEqual([{ entity_id: "task_1" }]);
      expect(await rowsOf("select id from oubliette_projects")).toEqual(latest < 6 ? [] : [{ id: "prj_1" }]);
      const orphan = rowsOf(
        "insert into onto_tree_history (project_id, tree_version, tree, change, at) values ('proj_2', 1, '[]', '', '')",
      );
      await expect(orphan).rejects.toThrow(/foreign key constraint/i);
      const fresh = await database.place();
      const other = await fresh.open();
      await other.ensure(onto);
      await other.ensure(oubliette);
      await other.close();
      expect(await columnsOf(place)).toEqual(await columnsOf(fresh));
      await fresh.remove();
    });
  });
});

describe("defineTables", () => {
  it.each([
    ["Notes", [FIRST], 'tables "Notes": the name must have 1 to 30 characters'],
    ["stat_more", [FIRST], 'names that begin with "stat" are reserved'],
    ["notes", [], "there is no version"],
    ["notes", [SECOND], "version 2 stands where version 1 belongs"],
  ] as const)("refuses %s with %j", (name, versions, message) => {
    expect(() => defineTables({ name, versions: versions as Tables["versions"] })).toThrow(message);
  });
});
