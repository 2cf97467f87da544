/** Keys on each store: which callers are accepted, how keys are made and end, and what is stored. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LiveKey } from "../../../runtime/access/key-store.js";
import { newKey } from "../../../runtime/access/key-text.js";
import type { Keys } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import { createJobs } from "../../../runtime/state/jobs.js";
import { AUDIT, retain } from "../../../runtime/state/retention.js";
import { queries } from "../../../runtime/state/schema.js";
import { type KeyPlace, STORES } from "./stores.js";

const DAY = 86_400_000;
const START = Date.parse("2026-11-22T12:00:00.000Z");
const PROJECT = `prj_${"a".repeat(16)}`;

/** A text with one character changed. */
const changedAt = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;

describe.each(STORES)("keys in $name", (store) => {
  describe.skipIf(store.skip)("", () => {
    let place: KeyPlace;
    let now: number;
    let keys: Keys;
    /** Another server on the same store. */
    let other: Keys;
    const clock = () => now;
    const live = async (text: string): Promise<LiveKey> => {
      const key = await keys.verify(text);
      if (!key) throw new Error("the key is not live");
      return key;
    };
    const states = async (): Promise<Readonly<Record<string, string>>> =>
      Object.fromEntries((await keys.list({ all: true })).map(({ name, state }) => [name, state]));
    beforeEach(async () => {
      place = await store.place();
      now = START;
      keys = place.open({ clock, projects: [PROJECT] });
      other = place.open({ clock, projects: [PROJECT] });
    });
    afterEach(() => place.remove());

    test("a key lets its grant in, on every server of the store, and no other text does", async () => {
      const { key, record } = await keys.create({ name: "w", scope: "write" }, "local");
      const expected = { keyId: record.key_id, grant: { level: "write", projects: "*" }, expiresAt: START + 90 * DAY };
      expect(await keys.verify(key)).toEqual(expected);
      expect(await other.verify(key)).toEqual(expected);
      expect(await other.still(record.key_id)).toEqual(expected);
      const strange = ["", "x", ` ${key}`, `${key}\n`, `${key}a`, key.toUpperCase(), newKey().text];
      for (const text of [...strange, ...Array.from({ length: 58 }, (_, at) => changedAt(key, at))])
        expect(await other.verify(text), text).toBeUndefined();
      expect(await other.still(newKey().keyId)).toBeUndefined();
    });

    test("any key is live: none at first, one after it was made, none after it expired or was revoked", async () => {
      expect(await other.anyLive()).toBe(false);
      await keys.create({ name: "a", scope: "read", lifeMs: 1000 }, "local");
      expect(await other.anyLive()).toBe(true);
      now += 1000;
      expect(await other.anyLive()).toBe(false);
      const { record } = await keys.create({ name: "b", scope: "read", lifeMs: null }, "local");
      expect(await other.anyLive()).toBe(true);
      await keys.revoke(record.key_id);
      expect(await other.anyLive()).toBe(false);
    });

    test("a key ends at its time to the millisecond, and stays listed", async () => {
      const { key } = await keys.create({ name: "short", scope: "read", lifeMs: 60_000 }, "local");
      now = START + 59_999;
      expect(await keys.verify(key)).toMatchObject({ expiresAt: START + 60_000 });
      now = START + 60_000;
      expect(await keys.verify(key)).toBeUndefined();
      expect(await keys.list()).toEqual([]);
      expect(await states()).toEqual({ short: "expired" });
    });

    test("a flood of refusals fills the audit up to a limit", async () => {
      for (let i = 0; i < 1500; i++) keys.audit({ op: "x", traceId: String(i) });
      await keys.close();
      const rows = await place.state.transaction("read", (tx) =>
        queries(tx).selectFrom("audit").select("trace_id").orderBy("seq").execute(),
      );
      expect(rows.map(({ trace_id }) => trace_id)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)));
    });

    test("a key that is refused over and over leaves room in the audit for what others do", async () => {
      for (let i = 0; i < 5000; i++)
        keys.audit({ keyId: "aaaaaaaaaa", op: "x", code: "NOT_FOUND", traceId: `refused ${i}` });
      keys.audit({ keyId: "bbbbbbbbbb", op: "oubliette.token.create", traceId: "admin" });
      keys.audit({ keyId: "cccccccccc", op: "x", code: "NOT_FOUND", traceId: "other" });
      now += 60_000;
      keys.audit({ keyId: "aaaaaaaaaa", op: "x", code: "NOT_FOUND", traceId: "a minute later" });
      await keys.close();
      const rows = await place.state.transaction("read", (tx) =>
        queries(tx).selectFrom("audit").select("trace_id").orderBy("seq").execute(),
      );
      const traces = rows.map(({ trace_id }) => trace_id);
      expect(traces.slice(-3)).toEqual(["admin", "other", "a minute later"]);
      expect(traces).toHaveLength(103);
    });

    test("a key without an end lives for ever", async () => {
      const { key, record } = await keys.create({ name: "long", scope: "read", lifeMs: null }, "local");
      now += 100_000 * DAY;
      expect(record.expires_at).toBeNull();
      expect(await keys.verify(key)).toMatchObject({ expiresAt: undefined });
    });

    test("the first admin key is made once: not while an admin key is live, of two at once one is", async () => {
      const both = await Promise.allSettled([keys.init(), other.init()]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      await expect(keys.init()).rejects.toMatchObject({ code: "CONFLICT" });
      now += 90 * DAY;
      expect((await keys.init()).record).toMatchObject({ scope: "admin", created_by: "local" });
    });

    test.each([
      [{ name: "", scope: "read" }, "name"],
      [{ name: "a\nb", scope: "read" }, "name"],
      [{ name: "n".repeat(81), scope: "read" }, "name"],
      [{ name: "n", scope: "root" }, "scope"],
      [{ name: "n", scope: "project:prj_bbbbbbbbbbbbbbbb" }, "scope"],
      [{ name: "n", scope: "read", lifeMs: 0 }, "expires_in_days"],
      [{ name: "n", scope: "read", lifeMs: 3651 * DAY }, "expires_in_days"],
      [{ name: "n", scope: "read", lifeMs: Number.NaN }, "expires_in_days"],
    ])("refuses to make %j", async (wanted, path) => {
      const errors = { field_errors: [{ path }] };
      await expect(keys.create(wanted, "local")).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: errors });
      expect(await keys.list({ all: true })).toEqual([]);
    });

    test("a scope may name a project that exists", async () => {
      const { key } = await keys.create({ name: "p", scope: `project:${PROJECT}:ro` }, "local");
      expect((await live(key)).grant).toEqual({ level: "read", projects: [PROJECT] });
    });

    test("a key makes none that may do more or lives longer than itself, and by default one that ends with it", async () => {
      const made = await keys.create({ name: "w", scope: "write", lifeMs: 10 * DAY }, "local");
      const maker = await live(made.key);
      now += DAY;
      const refusal = (path: string) => ({ code: "VALIDATION_ERROR", details: { field_errors: [{ path }] } });
      const wanted = { name: "c", scope: "read" };
      await expect(keys.create({ name: "c", scope: "admin" }, maker)).rejects.toMatchObject(refusal("scope"));
      await expect(keys.create({ ...wanted, lifeMs: null }, maker)).rejects.toMatchObject(refusal("no_expiry"));
      const late = { ...wanted, lifeMs: 9 * DAY + 1 };
      await expect(keys.create(late, maker)).rejects.toMatchObject(refusal("expires_in_days"));
      const { record } = await keys.create(wanted, maker);
      expect(record).toMatchObject({ created_by: maker.keyId, expires_at: made.record.expires_at });
      const project = await keys.create({ name: "p", scope: `project:${PROJECT}` }, maker);
      const narrow = await live(project.key);
      await expect(keys.create(wanted, narrow)).rejects.toMatchObject(refusal("scope"));
      expect((await keys.create({ name: "q", scope: `project:${PROJECT}:ro` }, narrow)).record.created_by).toBe(
        narrow.keyId,
      );
    });

    test("a key that was revoked or has expired a moment ago makes no other", async () => {
      const maker = await live((await keys.create({ name: "a", scope: "admin" }, "local")).key);
      const short = await live((await keys.create({ name: "s", scope: "admin", lifeMs: 1000 }, "local")).key);
      await other.revoke(maker.keyId);
      now += 1000;
      const wanted = { name: "c", scope: "read" };
      for (const one of [maker, short, { ...maker, keyId: newKey().keyId }])
        await expect(keys.create(wanted, one)).rejects.toMatchObject({
          code: "UNAUTHENTICATED",
          message: "invalid or expired API key",
        });
    });

    test("a key that was revoked a moment ago ends no other", async () => {
      const by = await live((await keys.create({ name: "a", scope: "admin" }, "local")).key);
      const [first, second] = [
        await keys.create({ name: "b", scope: "read" }, "local"),
        await keys.create({ name: "c", scope: "read" }, "local"),
      ];
      expect(await keys.revoke(first.record.key_id, { by })).toEqual([first.record.key_id]);
      await other.revoke(by.keyId);
      await expect(keys.revoke(second.record.key_id, { by })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
      expect(await states()).toMatchObject({ b: "revoked", c: "live" });
    });

    test("revoking a key takes those that it made with it, and those that they made, at once and on every server", async () => {
      const top = await keys.create({ name: "top", scope: "admin" }, "local");
      const middle = await keys.create({ name: "middle", scope: "admin" }, await live(top.key));
      const low = await keys.create({ name: "low", scope: "read" }, await live(middle.key));
      const aside = await keys.create({ name: "aside", scope: "read" }, "local");
      const ids = [top, middle, low].map(({ record }) => record.key_id);
      expect(await other.verify(low.key)).toBeDefined();
      expect(await keys.revoke(top.record.key_id)).toEqual(ids);
      for (const { key } of [top, middle, low]) expect(await other.verify(key)).toBeUndefined();
      expect(await other.verify(aside.key)).toBeDefined();
      expect(await keys.revoke(top.record.key_id)).toEqual([]);
      expect(await states()).toEqual({ top: "revoked", middle: "revoked", low: "revoked", aside: "live" });
      await expect(keys.revoke(newKey().keyId)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    test("without cascade a key goes alone; a later one goes through those that are revoked already", async () => {
      const top = await keys.create({ name: "top", scope: "admin" }, "local");
      const middle = await keys.create({ name: "middle", scope: "admin" }, await live(top.key));
      const low = await keys.create({ name: "low", scope: "read" }, await live(middle.key));
      expect(await keys.revoke(middle.record.key_id, { cascade: false })).toEqual([middle.record.key_id]);
      expect(await other.verify(low.key)).toBeDefined();
      expect(await keys.revoke(top.record.key_id)).toEqual([top.record.key_id, low.record.key_id]);
    });

    test("rotation: a new key with the same scope and life; the old one is live for the overlap", async () => {
      const old = await keys.create({ name: "ci", scope: "read", lifeMs: 30 * DAY }, "local");
      now += 10 * DAY;
      const next = await keys.rotate(old.record.key_id, 3_600_000);
      const end = new Date(now + 30 * DAY).toISOString();
      expect(next.record).toMatchObject({ name: "ci", scope: "read", created_by: "local", expires_at: end });
      expect(next.key).not.toBe(old.key);
      now += 3_599_999;
      expect([await other.verify(old.key), await other.verify(next.key)]).toMatchObject([{}, {}]);
      now += 1;
      expect(await other.verify(old.key)).toBeUndefined();
      expect(await other.verify(next.key)).toMatchObject({ keyId: next.record.key_id });
      await expect(keys.rotate(old.record.key_id)).rejects.toMatchObject({ code: "CONFLICT" });
      await expect(keys.rotate(newKey().keyId)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    test("rotation never makes the old key live longer, nor one that a key made; it stays below its maker", async () => {
      const top = await keys.create({ name: "top", scope: "admin" }, "local");
      const child = await keys.create({ name: "child", scope: "read", lifeMs: 1000 }, await live(top.key));
      const next = await keys.rotate(child.record.key_id);
      expect(next.record).toMatchObject({ created_by: top.record.key_id, expires_at: child.record.expires_at });
      await keys.revoke(top.record.key_id);
      expect(await other.verify(next.key)).toBeUndefined();
      const endless = await keys.create({ name: "e", scope: "read", lifeMs: null }, "local");
      expect((await keys.rotate(endless.record.key_id)).record.expires_at).toBeNull();
      now += DAY;
      expect(await other.verify(endless.key)).toBeUndefined();
    });

    test("the list shows neither digest nor secret, nor any part of it", async () => {
      const { key, record } = await keys.create({ name: "a", scope: "write" }, "local");
      const [shown] = await keys.list();
      expect(Object.keys(shown ?? {}).sort()).toEqual(
        [
          "family",
          "key_id",
          "name",
          "scope",
          "state",
          "created_at",
          "created_by",
          "expires_at",
          "revoked_at",
          "last_used_at",
        ].sort(),
      );
      const text = JSON.stringify(shown);
      expect(text).not.toContain(record.digest.slice(0, 8));
      for (let at = 15; at + 8 <= key.length; at++) expect(text).not.toContain(key.slice(at, at + 8));
    });

    test("when a key was used is written at most once a minute", async () => {
      const { key, record } = await keys.create({ name: "a", scope: "read" }, "local");
      const used = async () => (await keys.list()).find(({ key_id }) => key_id === record.key_id)?.last_used_at;
      expect(await used()).toBeNull();
      await keys.verify(changedAt(key, 20));
      expect(await used()).toBeNull();
      await keys.verify(key);
      expect(await used()).toBe(new Date(START).toISOString());
      now += 59_999;
      await keys.still(record.key_id);
      await other.verify(key);
      await other.list();
      expect(await used()).toBe(new Date(START).toISOString());
      now += 1;
      await keys.still(record.key_id);
      expect(await used()).toBe(new Date(now).toISOString());
    });

    test("the audit is written in the background, and deleted after the retention time of statistics", async () => {
      const rows = () =>
        place.state.transaction("read", (tx) => queries(tx).selectFrom("audit").selectAll().orderBy("seq").execute());
      keys.audit({ op: "oubliette.token.create", code: "NOT_FOUND", traceId: "tr_1", keyId: "abcdefghij" });
      keys.audit({ op: "ot.reload", traceId: "tr_2" });
      await keys.close();
      const at = new Date(START).toISOString();
      expect(await rows()).toMatchObject([
        { at, key_id: "abcdefghij", op: "oubliette.token.create", code: "NOT_FOUND", trace_id: "tr_1" },
        { at, key_id: "", op: "ot.reload", code: "", trace_id: "tr_2" },
      ]);
      now += 30 * DAY + 1;
      // As a server leaves it that was called an hour before.
      const known = { at: new Date(now - 3_600_000).toISOString() };
      await place.state.transaction("write", (tx) => queries(tx).updateTable("newest_row").set(known).execute());
      const [jobs, clock] = [createJobs({ log: silentLog }), () => now];
      const retention = retain({ jobs, of: "audit", clock, log: silentLog, keptMs: 30 * DAY, tables: AUDIT });
      const later = place.open({ clock, retention });
      later.audit({ op: "ot.reload", traceId: "tr_3" });
      await later.close();
      await expect.poll(rows).toMatchObject([{ trace_id: "tr_3" }]);
      await jobs.stop();
    });
  });
});
