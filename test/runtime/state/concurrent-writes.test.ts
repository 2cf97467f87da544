/**
 * Writes at the same time, from several servers over one database: they wait only for what they lock, and what depends
 * on an order keeps it.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { inTransactionOf } from "../../../runtime/access/admission.js";
import { createLogins } from "../../../runtime/access/console-logins.js";
import { type Keys, openKeys } from "../../../runtime/access/keys.js";
import { keyPrincipal } from "../../../runtime/access/principal.js";
import type { Bound, JsonObject, Transaction } from "../../../runtime/codegen.js";
import { silentLog } from "../../../runtime/config/log.js";
import type { Tables } from "../../../runtime/contract/tables.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { fixture, okOf } from "../gateway/fixture.js";
import { DATABASES, type Place } from "./databases.js";

const CREATE = { project_id: "proj_1", title: "A" };

/** Calls at once. */
const COUNTS = 10;
/** Most logins of a key. */
const LOGINS = 20;

const SLOW = 120_000;

const insertSecret = (tx: Transaction, name: string) =>
  queries(tx).insertInto("server_secrets").values({ name, value: "" }).execute();

/** A promise that is resolved by hand. */
function deferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A transaction that stays open until it is told to end. */
function held(state: State, work: (tx: Transaction) => Promise<unknown>, order?: `pack ${string}`) {
  const [begun, end] = [deferred(), deferred()];
  const ended = state.transaction(
    "write",
    async (tx) => {
      await work(tx);
      begun.resolve();
      await end.promise;
    },
    order,
  );
  return { begun: Promise.race([begun.promise, ended]), ended, end: end.resolve };
}

const keysOn = (place: Place, state: State): Keys => {
  const given = { root: place.root, url: "postgres://rows", state: async () => state, log: silentLog };
  return openKeys({ ...given, projectExists: async () => true });
};

/** A pack with one table of counts: the handler reads, then writes what it has read and one. */
const counting = () => {
  const tables: Tables = {
    name: "counting",
    versions: [
      {
        version: 1,
        statements: ({ text }) => [`create table counting_counts (id ${text} primary key, n integer not null)`],
      },
    ],
  };
  type Counts = Kysely<{ counting_counts: { id: string; n: number } }>;
  const run = async (_: JsonObject, { tx }: { tx?: Transaction }) => {
    const db = tx as unknown as Counts;
    const row = await db.selectFrom("counting_counts").select("n").executeTakeFirst();
    await sleep(5);
    const n = (row?.n ?? 0) + 1;
    await db
      .insertInto("counting_counts")
      .values({ id: "a", n })
      .onConflict((at) => at.column("id").doUpdateSet({ n }))
      .execute();
    return { n };
  };
  return { transactional: true, tables, run } as unknown as Bound<never, unknown>;
};

describe.each(DATABASES)("writes at the same time on $name", ({ skip, place: newPlace, name }) => {
  describe.skipIf(skip)("", () => {
    let [place, state, other] = [] as unknown as [Place, State, State];
    beforeEach(async () => {
      place = await newPlace();
      [state, other] = [await place.open(), await place.open()];
    });
    afterEach(async () => {
      await Promise.all([state.close(), other.close()]);
      await place.remove();
    });

    /** Two servers with the same handler of `onto.task.create`. */
    const servers = (bound: Bound<never, unknown>, now = Date.now()) =>
      [state, other].map((one) =>
        fixture({
          handlers: { "onto.task.create": bound },
          options: { openState: async () => one, clock: () => now },
          settings: { callTimeoutMs: 30_000 },
        }),
      );

    it.skipIf(name === "SQLite")("wait for no transaction but those of their order, and for locked rows", async () => {
      const one = held(state, (tx) => insertSecret(tx, "a"), "pack one");
      await one.begun;
      await other.transaction("write", (tx) => insertSecret(tx, "b"));
      await other.transaction("write", (tx) => insertSecret(tx, "c"), "pack two");
      const done: string[] = [];
      const waiting = [
        other.transaction("write", (tx) => insertSecret(tx, "d"), "pack one").then(() => done.push("order")),
        other.transaction("write", (tx) => queries(tx).deleteFrom("server_secrets").where("name", "=", "a").execute()),
        other.transaction("write", (tx) => insertSecret(tx, "a")).catch(() => done.push("key")),
      ];
      // As long as several writes that wait for nothing.
      for (const free of ["e", "f", "g"]) await other.transaction("write", (tx) => insertSecret(tx, free));
      expect(done).toEqual([]);
      one.end();
      await Promise.all([one.ended, ...waiting]);
      expect(done).toContain("order");
    });

    it.skipIf(name === "SQLite")(
      "are held up by a process that is stopped only where it has locked, for 15 s at most",
      {
        timeout: SLOW,
      },
      async () => {
        const script = fileURLToPath(new URL("./stuck-writer.ts", import.meta.url));
        const flags = ["--import", "tsx", "-C", "toolwright-source", script, place.root, place.url];
        const writer = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
        onTestFinished(() => void writer.kill("SIGKILL"));
        await once(writer.stdout, "data");
        writer.kill("SIGSTOP");
        const stopped = performance.now();
        const store = (name: string) =>
          state
            .transaction("write", (tx) => insertSecret(tx, name))
            .then(
              () => "stored",
              () => "failed",
            );
        const waiting = store("stuck");
        expect(await Promise.race([waiting, sleep(100, "waits")])).toBe("waits");
        for (const free of ["a", "b", "c"]) expect(await store(free)).toBe("stored");
        await other.transaction("write", (tx) => insertSecret(tx, "d"), "pack one");
        if ((await waiting) === "failed") await expect.poll(() => store("stuck")).toBe("stored");
        expect(performance.now() - stopped).toBeLessThan(15_000);
      },
    );

    it("count one after another in a handler that locks no rows", async () => {
      const both = servers(counting());
      const all = Array.from({ length: COUNTS }, (_, i) => both[i % 2]?.exec("onto.task.create", CREATE));
      const counts = (await Promise.all(all)).map((answer) => answer && (okOf(answer).result as { n: number }).n);
      expect(counts.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: COUNTS }, (_, i) => i + 1));
    });

    it("carry out one of several calls with an idempotency key, also where a lease has expired", async () => {
      const now = Date.parse("2026-01-01T00:00:00Z");
      let runs = 0;
      const run = async () => {
        runs++;
        await sleep(100);
        return { made: runs };
      };
      const bound = { transactional: true, tables: { name: "any", versions: [FIRST], concurrent: true }, run };
      const both = servers(bound as unknown as Bound<never, unknown>, now);
      const call = (key: string) =>
        Promise.all(both.map((server) => server.exec("onto.task.create", CREATE, { idempotency_key: key })));
      const first = await call("new");
      expect(runs).toBe(1);
      expect(first.map((answer) => okOf(answer).meta.replayed === true).sort()).toEqual([false, true]);
      // As a server leaves it that died between the claim and the effect.
      const abandoned = { status: "pending" as const, envelope: null, lease_until: "2025-01-01", owner: "dead" };
      await state.transaction("write", (tx) => queries(tx).updateTable("ledger").set(abandoned).execute());
      const again = await call("new");
      expect(runs).toBe(2);
      expect(again.map((answer) => okOf(answer).meta.replayed === true).sort()).toEqual([false, true]);
    });

    it("change keys one after another", async () => {
      const servers = [keysOn(place, state), keysOn(place, other)];
      onTestFinished(() => Promise.all(servers.map((keys) => keys.close())).then(() => undefined));
      const made = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => servers[i % 2]?.init()));
      expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const { record } = await (servers[0] as Keys).create({ name: "r", scope: "read" }, "local");
      const rotated = await Promise.allSettled(
        Array.from({ length: 6 }, (_, i) => servers[i % 2]?.rotate(record.key_id, 0)),
      );
      expect(rotated.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    it.skipIf(name === "SQLite")("commit nothing after their key was revoked", async () => {
      // The COMMIT takes half a second.
      await state.transaction("write", async (tx) => {
        const slow =
          "create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return null; end'";
        await sql.raw(slow).execute(queries(tx));
        await sql`create constraint trigger slow after insert on server_secrets deferrable initially deferred for each row execute function slow()`.execute(
          queries(tx),
        );
      });
      const keys = keysOn(place, state);
      const { key, record } = await keys.create({ name: "w", scope: "write" }, "local");
      const live = await keys.verify(key);
      if (!live) throw new Error("the key is not live");
      const checked = deferred();
      const watched = { still: (...asked: Parameters<Keys["still"]>) => keys.still(...asked).finally(checked.resolve) };
      const principal = keyPrincipal(live);
      const writing = inTransactionOf({ state, keys: watched, principal }, "write", (tx) => insertSecret(tx, "mine"));
      await checked.promise;
      const revoking = keysOn(place, other).revoke(record.key_id);
      expect(await Promise.race([revoking.then(() => "revoked"), sleep(250, "waits for the COMMIT")])).toBe(
        "waits for the COMMIT",
      );
      await Promise.all([writing, revoking]);
    });

    it("leave a key 20 logins at most", async () => {
      const keys = keysOn(place, state);
      const { record } = await keys.create({ name: "c", scope: "read" }, "local");
      const logins = [state, other].map((one) => createLogins({ state: async () => one, keys, clock: Date.now }));
      const earlier = Array.from({ length: LOGINS - 1 }, (_, i) => {
        return { digest: String(i), key_id: record.key_id, expires_at: `9998-01-${10 + i}` };
      });
      await state.transaction("write", (tx) => queries(tx).insertInto("logins").values(earlier).execute());
      await Promise.all(Array.from({ length: 4 }, (_, i) => logins[i % 2]?.open(record.key_id)));
      const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("logins").selectAll().execute());
      expect(rows).toHaveLength(LOGINS);
    });
  });
});

const FIRST = { version: 1, statements: () => ["create table any_rows (id integer primary key)"] };
