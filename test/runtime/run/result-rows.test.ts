/** Large results in a database that servers share. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutputSettings } from "../../../runtime/config/run-settings.js";
import { pythonCall } from "../../../runtime/contract/python-types.js";
import { rowResults } from "../../../runtime/run/result-rows.js";
import {
  type FinalText,
  fileResults,
  type NewResult,
  type ResultStore,
  replyOf as replyFrom,
} from "../../../runtime/run/results.js";
import { StateFailure } from "../../../runtime/state/failure.js";
import type { State } from "../../../runtime/state/open.js";
import { type Queries, queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "../state/databases.js";

const OUTPUT: OutputSettings = { maxInlineSize: 50_000, previewLines: 10, previewBytes: 2000, resultTtl: 3600 };
const MB = 1024 * 1024;

const replyOf = (results: ResultStore, final: Omit<FinalText, "call">, output: OutputSettings) =>
  replyFrom(results, { ...final, call: pythonCall }, output);

const stored = async (results: ResultStore, final: Partial<FinalText> = {}): Promise<string> => {
  const reply = await replyOf(results, { text: "x".repeat(60_000), tool: "demo.big", ...final }, OUTPUT);
  if (reply.kind !== "stored") throw new Error(reply.text);
  return reply.meta.handle;
};

/** A result that a run has not made. */
const resultOf = (content: string, size_bytes = Buffer.byteLength(content)): NewResult => {
  const handle = randomBytes(6).toString("hex");
  return { content, handle, size_bytes, total_lines: 1, tool: "demo.big" };
};

/** A store without a database: `state` fails, or is not to be asked. */
const unreachable = (error: Error): ResultStore =>
  rowResults({
    state: () => Promise.reject(error),
    resultTtl: 3600,
    files: fileResults("/nowhere", 3600, () => new Date()),
  });

test("a reply whose database is away says so, and shows what fits", async () => {
  const reply = await replyOf(
    unreachable(new StateFailure("disk_full")),
    { text: "é".repeat(60_000), tool: "run" },
    OUTPUT,
  );
  expect(reply.kind).toBe("inline");
  expect(reply.text).toMatch(
    /^é{20000,25000}\.\.\.\n\(The rest is lost: the result could not be stored, UNAVAILABLE: The state database cannot store anything: disk full\. Free space on its disk, then try again\.\)$/,
  );
});

test("a result of more than 64 MB is not stored", async () => {
  const keep = unreachable(new Error("asked")).keep(resultOf("", 64 * MB + 1));
  await expect(keep).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
    message: "It has 67108865 bytes, and at most 67108864 are kept. Return a part of it.",
  });
});

test("a handle of another form is unknown; the database is not asked", async () => {
  const results = unreachable(new StateFailure("unreachable"));
  for (const handle of ["nope", "../../../etc/pw", "0123456789AB", ""])
    expect(await results.read(handle)).toEqual({ kind: "unknown" });
  await expect(results.read("0123456789ab")).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

const { name, skip, place: placeOf } = DATABASES[1] as (typeof DATABASES)[number];

describe.skipIf(skip)(`large results in ${name}`, () => {
  let place: Place;
  let states: readonly State[];
  const root = mkdtempSync(join(tmpdir(), "result-rows-"));
  const files = fileResults(root, 3600, () => new Date());
  beforeAll(async () => {
    place = await placeOf();
    states = [await place.open(), await place.open()];
  });
  afterAll(async () => {
    for (const state of states) await state.close();
    await place.remove();
    rmSync(root, { recursive: true });
  });

  const storeOf = (server: number, resultTtl = 3600): ResultStore =>
    rowResults({ state: async () => states[server] as State, resultTtl, files });
  const inDatabase = <T>(work: (db: Queries) => Promise<T>): Promise<T> =>
    (states[0] as State).transaction("write", (tx) => work(queries(tx)));
  const aged = (handle: string, seconds: number) =>
    inDatabase((db) =>
      sql`update results set created_at = created_at - make_interval(secs => ${seconds}), expires_at = expires_at - make_interval(secs => ${seconds}) where handle = ${handle}`.execute(
        db,
      ),
    );
  const count = (table: "results" | "result_chunks", handle: string): Promise<number> =>
    inDatabase(
      async (db) => (await db.selectFrom(table).select("handle").where("handle", "=", handle).execute()).length,
    );

  test("are stored on one server and read on another, in chunks of 1 MB", async () => {
    const text = `first\n${"é😀\n".repeat(400_000)}last`;
    const reply = await replyOf(storeOf(0), { text, tool: "demo.big", caller: "abcdefghij" }, OUTPUT);
    if (reply.kind !== "stored") throw new Error(reply.text);
    const { meta } = reply;
    expect(JSON.parse(reply.text)).toMatchObject({ handle: meta.handle, total_lines: 400_002 });
    expect(await storeOf(1).read(meta.handle, "abcdefghij")).toEqual({ kind: "found", meta, text });
    expect(meta).toMatchObject({ tool: "demo.big", caller: "abcdefghij", size_bytes: Buffer.byteLength(text) });
    expect(meta).not.toHaveProperty("sanitized");
    expect(Math.abs(Date.now() - Date.parse(meta.created_at))).toBeLessThan(60_000);
    expect(await count("result_chunks", meta.handle)).toBe(Math.ceil(Buffer.byteLength(text) / MB));
  });

  test("a text of more chunks than one query reads", async () => {
    const text = `${"0123456789abcdef".repeat((8 * MB) / 16)}!`;
    const { handle } = await storeOf(0).keep(resultOf(text));
    expect(await storeOf(1).read(handle)).toMatchObject({ kind: "found", text });
  });

  test("are those of their caller, and of the owner of the machine", async () => {
    const handle = await stored(storeOf(0), { caller: "abcdefghij", boundary: { id: "9f31c0a4d27e", sources: [] } });
    for (const reader of ["abcdefghij", "local", undefined])
      expect(await storeOf(1).read(handle, reader)).toMatchObject({ kind: "found", meta: { sanitized: true } });
    expect(await storeOf(1).read(handle, "other")).toEqual({ kind: "unknown" });
    expect(await storeOf(1).read(await stored(storeOf(0)), "abcdefghij")).toEqual({ kind: "unknown" });
  });

  test("expire by the clock of the database, and are deleted when another one is stored", async () => {
    const [old, young] = [await stored(storeOf(0)), await stored(storeOf(0))];
    await aged(old, 3601);
    await aged(young, 3500);
    expect(await storeOf(1).read(old)).toEqual({ kind: "expired" });
    expect(await storeOf(1).read(young)).toMatchObject({ kind: "found" });
    expect(await storeOf(1).read(old, "other")).toEqual({ kind: "unknown" });
    await stored(storeOf(1));
    expect([await count("results", old), await count("result_chunks", old)]).toEqual([0, 0]);
    expect([await count("results", young), await count("result_chunks", young)]).toEqual([1, 1]);
  });

  test("are kept for good where result_ttl is 0", async () => {
    const handle = await stored(storeOf(0, 0));
    await aged(handle, 1e9);
    expect(await storeOf(1).read(handle)).toMatchObject({ kind: "found" });
  });

  test("the oldest results of a caller expire beyond 256 MB; those of others stay", async () => {
    const caller = "quotaquota";
    const [first, second, other] = [
      await stored(storeOf(0), { caller }),
      await stored(storeOf(0), { caller }),
      await stored(storeOf(0), { caller: "other" }),
    ];
    await aged(first, 60);
    await inDatabase((db) =>
      db
        .updateTable("results")
        .set({ size_bytes: 256 * MB - 120_001 })
        .where("handle", "=", second)
        .execute(),
    );
    await stored(storeOf(1), { caller });
    expect(await storeOf(0).read(first, caller)).toMatchObject({ kind: "found" });
    await stored(storeOf(1), { caller });
    expect(await storeOf(0).read(first, caller)).toEqual({ kind: "expired" });
    expect(await storeOf(0).read(second, caller)).toMatchObject({ kind: "found" });
    expect(await storeOf(0).read(other, "other")).toMatchObject({ kind: "found" });
  });

  test("so do those beyond 2,000, and the latest stay", async () => {
    const caller = "manymanyma";
    const first = await stored(storeOf(0), { caller });
    await aged(first, 60);
    await inDatabase((db) =>
      sql`insert into results (handle, caller, op, created_at, expires_at, total_lines, size_bytes, is_sanitized)
        select lpad(to_hex(n), 12, '0'), ${caller}, 'run', now() - interval '1 second', expires_at, 1, 1, false
        from results, generate_series(1, 1999) n where handle = ${first}`.execute(db),
    );
    const latest = await stored(storeOf(1), { caller });
    expect(await storeOf(0).read(first, caller)).toEqual({ kind: "expired" });
    expect(await storeOf(0).read(latest, caller)).toMatchObject({ kind: "found" });
  });

  test("of servers that store at the same time all are kept", async () => {
    const old = await Promise.all(Array.from({ length: 4 }, () => stored(storeOf(0), { caller: "many" })));
    for (const handle of old) await aged(handle, 4000);
    const handles = await Promise.all(Array.from({ length: 12 }, (_, i) => stored(storeOf(i % 2), { caller: "many" })));
    for (const handle of handles) expect(await storeOf(0).read(handle, "many")).toMatchObject({ kind: "found" });
  });

  test("that a machine has as files are found there until they expire", async () => {
    const handle = await stored(files);
    expect(await storeOf(0).read(handle)).toMatchObject({ kind: "found" });
    expect(await storeOf(0).read(handle, "abcdefghij")).toEqual({ kind: "unknown" });
  });
});
