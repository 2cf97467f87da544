/** The cache of key records: when a record is read again, and that none outlives a change. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { cachedStore } from "../../../runtime/access/key-cache.js";
import type { KeyRecord, KeyStore } from "../../../runtime/access/key-store.js";
import { openKeys } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import type { Transaction } from "../../../runtime/contract/handler.js";
import { createHub } from "../../../runtime/state/notifier.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const record = (key_id: string): KeyRecord => ({
  ...{ key_id, name: key_id, scope: "read", grant: { level: "read", projects: "*" }, digest: "d" },
  ...{ created_at: "2026-01-01T00:00:00.000Z", created_by: "local", expires_at: null, revoked_at: null },
});

/** A cache over a store that counts what is read, with a clock and a notifier that are set by hand. */
function world() {
  const reads: string[][] = [];
  let answer = async (keyIds: readonly string[]): Promise<readonly KeyRecord[]> => keyIds.map(record);
  const store: KeyStore = {
    read(keyIds) {
      reads.push([...keyIds]);
      return answer(keyIds);
    },
    all: () => [],
    anyMade: () => true,
    anyLive: () => true,
    change: async (edit) => edit([]).value,
  };
  let [now, isPushed, changes] = [0, true, 0];
  const hub = createHub();
  const cache = cachedStore(
    store,
    () => changes++,
    () => now,
  );
  const stop = cache.follow({ notifier: { ...hub, isPushed: () => isPushed } });
  return {
    ...{ cache, hub, reads, stop },
    pass(ms: number) {
      now += ms;
    },
    push(pushed: boolean) {
      isPushed = pushed;
    },
    answerWith(next: typeof answer) {
      answer = next;
    },
    changes: () => changes,
  };
}

test("a record is read once while changes are pushed, and again after ten seconds", async () => {
  const { cache, reads, pass } = world();
  for (let i = 0; i < 3; i++) expect(await cache.read(["a"])).toEqual([record("a")]);
  pass(9900);
  await cache.read(["a"]);
  expect(reads).toEqual([["a"]]);
  pass(200);
  await cache.read(["a"]);
  expect(reads).toEqual([["a"], ["a"]]);
});

test("it is read again within a second where changes are not pushed, at once too when that begins", async () => {
  const { cache, reads, pass, push } = world();
  await cache.read(["a"]);
  pass(950);
  push(false);
  await cache.read(["a"]);
  pass(800);
  await cache.read(["a"]);
  expect(reads).toHaveLength(2);
  pass(150);
  await cache.read(["a"]);
  expect(reads).toHaveLength(3);
});

test("a change of a key drops it, a gap drops all, and who watches keys is told", async () => {
  const { cache, hub, reads, changes } = world();
  await cache.read(["a"]);
  await cache.read(["b"]);
  hub.deliver({ topic: "keys", payload: "a c" });
  await cache.read(["b"]);
  expect(reads).toHaveLength(2);
  await cache.read(["a", "b"]);
  expect(reads).toHaveLength(3);
  hub.gap();
  await cache.read(["a"]);
  expect(reads).toHaveLength(4);
  await cache.change(() => ({ put: [], value: 1 }));
  await cache.read(["a"]);
  expect(reads).toHaveLength(5);
  expect(changes()).toBe(3);
});

test("what was read before a change and arrives after it is not kept", async () => {
  const { cache, hub, reads, answerWith } = world();
  let arrive = (_: readonly KeyRecord[]): void => undefined;
  answerWith(() => new Promise((resolve) => (arrive = resolve)));
  const reading = cache.read(["a"]);
  hub.deliver({ topic: "keys", payload: "a" });
  arrive([record("a")]);
  await reading;
  void cache.read(["a"]);
  expect(reads).toHaveLength(2);
});

test("transactions, unknown keys and a cache that follows nothing ask the store each time", async () => {
  const { cache, reads, answerWith, stop } = world();
  const tx = {} as Transaction;
  await cache.read(["a"]);
  for (let i = 0; i < 2; i++) await cache.read(["a"], tx);
  expect(reads).toHaveLength(3);
  answerWith(async () => []);
  for (let i = 0; i < 2; i++) expect(await cache.read(["unknown"])).toEqual([]);
  expect(reads).toHaveLength(5);
  stop();
  await cache.read(["a"]);
  expect(reads).toHaveLength(6);
});

describe.skipIf(NO_DATABASE !== "")(`two servers on one PostgreSQL${NO_DATABASE}`, () => {
  test("a check of a key reads nothing, until another server revokes it; work with it ends then", async () => {
    const { href: url } = await startSharedDatabase(onTestFinished);
    const root = temporaryFolder();
    const opened = async () => {
      const state = await openState({ url, root });
      onTestFinished(() => state.close());
      let transactions = 0;
      const counted: State = {
        ...state,
        transaction(...given) {
          transactions++;
          return state.transaction(...given);
        },
      };
      const parts = { root, url, state: async () => counted, projectExists: async () => true, log: silentLog };
      const keys = openKeys({ ...parts, caches: true, countsUses: false });
      onTestFinished(() => keys.close());
      await expect.poll(() => state.notifier.isPushed()).toBe(true);
      return { keys, transactions: () => transactions };
    };
    const [one, other] = [await opened(), await opened()];
    const { key, record: made } = await one.keys.create({ name: "a", scope: "read" }, "local");
    const reads = async (): Promise<number> => {
      const before = other.transactions();
      await other.keys.verify(key);
      return other.transactions() - before;
    };
    // The message about the new key may come after the first check.
    await expect.poll(reads).toBe(0);
    await sleep(50);
    await reads();
    const before = other.transactions();
    for (let call = 0; call < 10; call++) {
      expect((await other.keys.verify(key))?.keyId).toBe(made.key_id);
      expect(await other.keys.still(made.key_id)).toBeDefined();
    }
    expect(other.transactions()).toBe(before);
    const { signal } = other.keys.watch(made.key_id);
    await one.keys.revoke(made.key_id);
    const began = performance.now();
    expect(await one.keys.verify(key)).toBeUndefined();
    await expect.poll(() => signal.aborted, { interval: 1 }).toBe(true);
    expect(performance.now() - began).toBeLessThan(500);
    expect(await other.keys.verify(key)).toBeUndefined();
  });
});
