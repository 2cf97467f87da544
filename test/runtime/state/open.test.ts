/** The state database, embedded and PostgreSQL: opened, migrated, and its failures. */

import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transaction } from "../../../runtime/contract/handler.js";
import { isUsageError } from "../../../runtime/contract/usage-error.js";
import { withinStateMs } from "../../../runtime/state/deadline.js";
import { migrate } from "../../../runtime/state/migrate.js";
import { MIGRATIONS, type Migration } from "../../../runtime/state/migrations.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "./databases.js";
import { raw } from "./raw.js";

/** Time for many writes of one order, one after the other. */
const PATIENCE_MS = 60_000;
const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

/** A row of the ledger with a key. */
const entry = (key: string) => ({
  caller: "local",
  op: "onto.task.create",
  key,
  args_hash: "0",
  status: "pending" as const,
  envelope: null,
  owner: "test",
  lease_until: "2026-01-01T00:00:00.000Z",
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
});

const insert = (tx: Transaction, key: string) => queries(tx).insertInto("ledger").values(entry(key)).execute();

/** Inserts a row that is numbered by what it has read, so that two at once have the same key. */
async function insertNumbered(tx: Transaction): Promise<void> {
  const rows = await queries(tx).selectFrom("ledger").select("key").execute();
  await new Promise((resolve) => setTimeout(resolve, 1));
  await insert(tx, String(rows.length).padStart(4, "0"));
}

const chained = (first: () => void, second: () => void) => (): void => {
  first();
  second();
};

const keys = (state: State): Promise<readonly string[]> =>
  state.transaction("read", async (tx) => {
    const rows = await queries(tx).selectFrom("ledger").select("key").orderBy("key").execute();
    return rows.map(({ key }) => key);
  });

describe.each(DATABASES)("state on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let place: Place;
    let state: State;
    beforeEach(async () => {
      place = await database.place();
      state = await place.open();
    });
    afterEach(async () => {
      await state.close();
      await place.remove();
    });

    it("commits what succeeds and rolls back what throws", async () => {
      const made = state.transaction("write", async (tx) => {
        await insert(tx, "a");
        return 7;
      });
      expect(await made).toBe(7);
      const failing = state.transaction("write", async (tx) => {
        await insert(tx, "b");
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await keys(state)).toEqual(["a"]);
    });

    it("refuses writes in a read transaction, and writes again afterwards", async () => {
      await expect(state.transaction("read", (tx) => insert(tx, "a"))).rejects.toThrow(/read.?only/i);
      await state.transaction("write", (tx) => insert(tx, "b"));
      expect(await keys(state)).toEqual(["b"]);
    });

    it("reads with a deadline of its own, what is committed, and nothing after the end", async () => {
      const soon = () => performance.now() + 5000;
      await state.transaction("write", (tx) => insert(tx, "a"));
      let kept: Transaction | undefined;
      const count = await state.read(async (tx) => {
        kept = tx;
        await new Promise((resolve) => setImmediate(resolve));
        return (await queries(tx).selectFrom("ledger").selectAll().execute()).length;
      }, soon());
      expect(count).toBe(1);
      await expect(sql`select 1`.execute(queries(kept as Transaction))).rejects.toThrow();
      await expect(state.read((tx) => insert(tx, "b"), soon())).rejects.toThrow(/read.?only/i);
      await expect(state.read(async () => Promise.reject(new Error("no")), soon())).rejects.toThrow("no");
      await expect(state.transaction("write", () => state.read(async () => 1, soon()))).rejects.toThrow(
        "inside another",
      );
      expect(await keys(state)).toEqual(["a"]);
    });

    it("a read that gets no turn before its deadline fails, and those after it go on", async () => {
      let release = (): void => undefined;
      const held = Array.from({ length: 10 }, () =>
        state.read(
          () => new Promise<void>((resolve) => (release = chained(release, resolve))),
          performance.now() + 9000,
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      const late = state.read(async () => 1, performance.now() + 100).catch((error: unknown) => error);
      const later = state.read(async () => 2, performance.now() + 9000);
      expect(await late).toMatchObject({ code: "UNAVAILABLE" });
      const opening = setInterval(() => release(), 5);
      await Promise.all(held);
      clearInterval(opening);
      expect(await later).toBe(2);
      expect(await state.read(async () => 3, performance.now() + 1000)).toBe(3);
    });

    it("queues many writers of one order in one process", { tags: "full" }, async () => {
      const counted = () =>
        Array.from({ length: 200 }, (_, i) => {
          const isRead = i % 3 === 0;
          const work = async (tx: Transaction): Promise<void> => {
            const { count } = await queries(tx)
              .selectFrom("ledger")
              .select(({ fn }) => fn.countAll<number>().as("count"))
              .executeTakeFirstOrThrow();
            await new Promise((resolve) => setImmediate(resolve));
            if (!isRead) await insert(tx, String(count).padStart(4, "0"));
          };
          return isRead ? state.transaction("read", work) : state.transaction("write", work, "pack test");
        });
      // The last of 133 writes waits for all others, which a slow machine does not do within the time of a call.
      await withinStateMs(PATIENCE_MS, () => Promise.all(counted()));
      expect((await keys(state)).length).toBe(133);
    });

    it("queues writers of one order on several connections, as several processes have", { tags: "full" }, async () => {
      const others = await Promise.all([place.open(), place.open()]);
      const states = [state, ...others];
      const write = (_: unknown, i: number) =>
        (states[i % 3] as State).transaction("write", (tx) => insertNumbered(tx), "pack test");
      await withinStateMs(PATIENCE_MS, () => Promise.all(Array.from({ length: 90 }, write)));
      expect((await keys(state)).length).toBe(90);
      await Promise.all(others.map((other) => other.close()));
    });

    it("is shared by processes", { tags: "full", timeout: 60_000 }, async () => {
      const script = fileURLToPath(new URL("./writer.ts", import.meta.url));
      const flags = ["--import", "tsx", "-C", "toolwright-source", script, place.root, place.url, "25"];
      await Promise.all(Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, flags)));
      expect((await keys(state)).length).toBe(75);
    });

    it("gives up with UNAVAILABLE when a lock is held for more than 5 s", {
      tags: "full",
      timeout: 20_000,
    }, async () => {
      const other = await place.open();
      let release = () => {};
      const held = other.transaction("write", () => new Promise<void>((resolve) => (release = resolve)), "pack test");
      await new Promise((resolve) => setTimeout(resolve, 50));
      const began = Date.now();
      const failed = state.transaction("write", (tx) => insert(tx, "a"), "pack test").catch((error: unknown) => error);
      // Readers do not wait for a writer.
      expect(await keys(state)).toEqual([]);
      expect(Date.now() - began).toBeLessThan(2000);
      expect(await failed).toMatchObject({ code: "UNAVAILABLE", details: { retry_after_ms: 1000 } });
      expect(Date.now() - began).toBeGreaterThanOrEqual(4900);
      release();
      await held;
      await state.transaction("write", (tx) => insert(tx, "b"));
      await other.close();
    });

    it("refuses a transaction inside another one, and queries after the end", async () => {
      const nested = state.transaction("write", () => state.transaction("read", async () => 1));
      await expect(nested).rejects.toThrow("inside another one");
      let kept: Transaction | undefined;
      await state.transaction("write", async (tx) => {
        kept = tx;
      });
      await expect(insert(kept as Transaction, "late")).rejects.toThrow("has ended");
      await expect(sql`select 1`.execute(queries(kept as Transaction))).rejects.toThrow("has ended");
    });

    it("migrates once, and keeps what is there", async () => {
      await state.transaction("write", (tx) => insert(tx, "a"));
      const again = await place.open();
      expect(await keys(again)).toEqual(["a"]);
      await again.close();
      const { db, dialect } = raw(place);
      const applied = await sql<{ version: number }>`select version from migrations order by version`.execute(db);
      expect(applied.rows.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version));
      const step = (version: number): Migration => ({
        version,
        name: `step ${version}`,
        statements: () => [`create table step_${version} (a integer)`],
      });
      const known = [...MIGRATIONS, step(NEWEST + 1), step(NEWEST + 2)];
      const run = (steps: readonly Migration[]) =>
        db.transaction().execute((tx) => migrate(tx as Kysely<never>, dialect, steps));
      expect(await run(known)).toEqual([NEWEST + 1, NEWEST + 2]);
      expect(await run(known)).toEqual([]);
      await db.destroy();
    });

    it("refuses a newer database and one with a gap", async () => {
      const { db, dialect } = raw(place);
      const mark = (version: number) =>
        sql`insert into migrations (version, name, applied_at) values (${version}, 'later', 'now')`.execute(db);
      await mark(99);
      const refused = await openState({ url: place.url, root: place.root }).catch((error: unknown) => error);
      expect(isUsageError(refused)).toBe(true);
      expect(String(refused)).toContain(`has version 99, this toolwright knows ${NEWEST}`);
      const step = (version: number): Migration => ({ version, name: "", statements: () => [] });
      const steps = [...MIGRATIONS, step(NEWEST + 1), step(99)];
      const gap = db.transaction().execute((tx) => migrate(tx as Kysely<never>, dialect, steps));
      await expect(gap).rejects.toThrow("without the ones before it");
      await db.destroy();
    });

    it("leaves a failed migration undone", async () => {
      const { db, dialect } = raw(place);
      const bad: Migration = {
        version: NEWEST + 1,
        name: "bad",
        statements: () => ["create table half (a integer)", "create nonsense"],
      };
      const run = db.transaction().execute((tx) => migrate(tx as Kysely<never>, dialect, [...MIGRATIONS, bad]));
      await expect(run).rejects.toThrow();
      await expect(sql`select * from half`.execute(db)).rejects.toThrow();
      await db.destroy();
    });

    it("opens while others open for the first time", { tags: "full" }, async () => {
      const fresh = await database.place();
      const states = await Promise.all(Array.from({ length: 4 }, () => fresh.open()));
      await Promise.all(states.map((each) => each.close()));
      await fresh.remove();
    });
  });
});

describe("openState", () => {
  it("makes a private folder that git ignores", async () => {
    const [sqlite] = DATABASES;
    const place = await sqlite?.place();
    const state = await place?.open();
    const folder = join(place?.root ?? "", ".onetool");
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
    await state?.close();
    await expect(state?.transaction("read", async () => 1)).rejects.toThrow("closed");
    await place?.remove();
  });

  it("names what it takes when the URL is of another kind", async () => {
    const refused = await openState({ url: "mysql://u:secret@h/d", root: "." }).catch((error: unknown) => error);
    expect(isUsageError(refused)).toBe(true);
    expect(String(refused)).not.toContain("secret");
  });

  it("says so when the file is no database", async () => {
    const place = await DATABASES[0]?.place();
    const root = place?.root ?? "";
    await mkdir(join(root, ".onetool"));
    await writeFile(join(root, ".onetool", "state.db"), "no database ".repeat(500));
    const refused = await openState({ url: "", root }).catch((error: unknown) => error);
    expect(isUsageError(refused)).toBe(true);
    await place?.remove();
  });

  it("answers UNAVAILABLE when PostgreSQL is not there", async () => {
    const url = "postgres://nobody@127.0.0.1:1/nothing";
    await expect(openState({ url, root: "." })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
