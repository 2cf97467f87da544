/** Work in progress ends when its key ends. */

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveKey } from "../../../runtime/access/key-store.js";
import { createWatches } from "../../../runtime/access/key-watch.js";
import { filePlace, type KeyPlace, STORES } from "./stores.js";

describe.each(STORES)("work under way, keys in $name", (store) => {
  describe.skipIf(store.skip)("", () => {
    let place: KeyPlace;
    beforeEach(async () => {
      place = await store.place();
    });
    afterEach(() => place.remove());
    const aborted = (signal: AbortSignal) =>
      new Promise<unknown>((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
    const reason = { code: "UNAUTHENTICATED", message: "invalid or expired API key" };

    test("ends when another server revokes the key; not that of other keys, nor what was released", {
      tags: "full",
    }, async () => {
      const [keys, other] = [place.open(), place.open()];
      const a = await keys.create({ name: "a", scope: "read" }, "local");
      const b = await keys.create({ name: "b", scope: "read" }, "local");
      const watched = [a, a, b, a].map(({ record }) => keys.watch(record.key_id));
      const [first, second, foreign, released] = watched.map(({ signal }) => signal);
      watched[3]?.release();
      const ends = Promise.all([first, second].map((signal) => signal && aborted(signal)));
      await other.revoke(a.record.key_id);
      expect(await ends).toMatchObject([reason, reason]);
      expect([foreign?.aborted, released?.aborted]).toEqual([false, false]);
    });

    test("ends when the key expires, also one that was never read before", { tags: "full" }, async () => {
      const keys = place.open();
      const { key, record } = await keys.create({ name: "a", scope: "read", lifeMs: 3000 }, "local");
      const unseen = keys.watch(record.key_id);
      await keys.verify(key);
      const seen = keys.watch(record.key_id);
      expect(await Promise.all([aborted(unseen.signal), aborted(seen.signal)])).toMatchObject([reason, reason]);
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(record.expires_at ?? ""));
    });
  });
});

test("work that begins while the store is looked at ends on time, and there is one look at a time", async () => {
  let looks = 0;
  let answer = (_: readonly LiveKey[]) => {};
  const live = () => {
    looks++;
    return new Promise<readonly LiveKey[]>((resolve) => (answer = resolve));
  };
  const key = { keyId: "aaaaaaaaaa", grant: { level: "read", projects: "*" }, expiresAt: undefined } as const;
  vi.useFakeTimers();
  try {
    const watches = createWatches({ live, clock: Date.now, reason: () => new Error("over") });
    watches.watch(key.keyId, undefined);
    await vi.advanceTimersByTimeAsync(1000);
    const { signal } = watches.watch("bbbbbbbbbb", Date.now() + 300);
    const late = watches.watch(key.keyId, undefined);
    answer([key]);
    late.release();
    expect(looks).toBe(1);
    await vi.advanceTimersByTimeAsync(300);
    expect(looks).toBe(2);
    answer([key]);
    await vi.advanceTimersByTimeAsync(1);
    expect([signal.aborted, late.signal.aborted]).toEqual([true, false]);
    for (let i = 0; i < 10; i++) {
      await vi.advanceTimersByTimeAsync(1000);
      answer([key]);
    }
    expect(looks).toBe(12);
    watches.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(looks).toBe(12);
  } finally {
    vi.useRealTimers();
  }
});

test("an outage ends no work: what the store says afterwards does", { tags: "full" }, async () => {
  const place = await filePlace();
  const keys = place.open();
  const { record } = await keys.create({ name: "a", scope: "read" }, "local");
  const { signal } = keys.watch(record.key_id);
  const path = join(place.root, ".onetool", "keys");
  await chmod(path, 0o644);
  await sleep(2500);
  expect(signal.aborted).toBe(false);
  await chmod(path, 0o600);
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await place.open().revoke(record.key_id);
  await ended;
  await place.remove();
});

test("a look that throws is followed by another one, and ends no process", async () => {
  let looks = 0;
  const live = (): Promise<readonly LiveKey[]> => {
    looks++;
    if (looks <= 2) throw new Error("the store is broken");
    return Promise.resolve([]);
  };
  vi.useFakeTimers();
  try {
    const watches = createWatches({ live, clock: Date.now, reason: () => new Error("over") });
    const { signal } = watches.watch("aaaaaaaaaa", undefined);
    await vi.advanceTimersByTimeAsync(2500);
    expect([looks, signal.aborted]).toEqual([2, false]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([looks, signal.aborted]).toEqual([3, true]);
    watches.close();
  } finally {
    vi.useRealTimers();
  }
});
