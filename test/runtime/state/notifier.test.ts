/** Messages between servers that share a database: after the commit, whole, once, and without a connection that listens. */

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { metricsText } from "../../../runtime/metrics/metrics.js";
import type { Topic } from "../../../runtime/state/notifier.js";
import { type OpenStateOptions, openState, type State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
afterEach(async () => {
  for (const clean of cleaning.splice(0).reverse()) await clean();
});

async function opened(url: string, options: Partial<OpenStateOptions> = {}): Promise<State> {
  const state = await openState({ url, root: temporaryFolder(later), ...options });
  later(() => state.close());
  return state;
}

/** What a state has heard on a topic. */
function heardBy({ notifier }: State, topic: Topic = "keys"): string[] {
  const heard: string[] = [];
  notifier.on(topic, (payload) => void heard.push(payload));
  return heard;
}

/** The connections of this process that listen, as metrics say. */
const listenersUp = (): string | undefined => /^toolwright_listener_up (\d+)$/m.exec(metricsText())?.[1];

const send = (state: State, payload: string, receiver?: string) =>
  state.transaction("write", (tx) => state.send(tx, { topic: "keys", payload, receiver }));

/** Waits until notifications are pushed. */
const pushed = (state: State) => expect.poll(() => state.notifier.isPushed()).toBe(true);

test("SQLite: a message arrives after the commit, in this process, and not after a rollback", async () => {
  const state = await opened("");
  const [heard, others] = [heardBy(state), heardBy(state, "configuration")];
  expect(state.notifier.isPushed()).toBe(true);
  await state.transaction("write", async (tx) => {
    await state.send(tx, { topic: "keys", payload: "one" });
    expect(heard).toEqual([]);
  });
  expect([heard, others]).toEqual([["one"], []]);
  const failing = state.transaction("write", async (tx) => {
    await state.send(tx, { topic: "keys", payload: "two" });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await send(state, "three", "another server");
  await send(state, "four", state.notifier.id);
  expect(heard).toEqual(["one", "four"]);
});

describe.skipIf(NO_DATABASE !== "")(`PostgreSQL${NO_DATABASE}`, () => {
  test("a metric says whether messages are pushed", async () => {
    const state = await opened((await startSharedDatabase(later)).href);
    heardBy(state);
    await pushed(state);
    expect(listenersUp()).toBe("1");
    await state.close();
    await expect.poll(listenersUp).toBe("0");
  });

  test("a message arrives at all servers after the commit, however long it is", async () => {
    const { href } = await startSharedDatabase(later);
    const [one, other] = [await opened(href), await opened(href)];
    await send(one, "before anybody listened");
    const [own, far] = [heardBy(one), heardBy(other)];
    await Promise.all([pushed(one), pushed(other)]);
    const long = "ü".repeat(20_000);
    await one.transaction("write", async (tx) => {
      await one.send(tx, { topic: "keys", payload: "short" });
      await one.send(tx, { topic: "keys", payload: long });
      await new Promise((done) => setTimeout(done, 50));
      expect([own, far]).toEqual([[], []]);
    });
    await expect.poll(() => [own.length, far.length]).toEqual([2, 2]);
    expect([...far].sort()).toEqual(["short", long]);
    await expect(
      one.transaction("write", async (tx) => {
        await one.send(tx, { topic: "keys", payload: "rolled back" });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await send(one, "for one", other.notifier.id);
    await expect.poll(() => far.at(-1)).toBe("for one");
    expect(own).toHaveLength(2);
  });

  test("what was sent while the listening connection was away arrives once, after a gap", async () => {
    const { href } = await startSharedDatabase(later);
    const listenUrl = new URL(href);
    const application = `listener-${randomUUID()}`;
    listenUrl.searchParams.set("application_name", application);
    const [one, other] = [await opened(href), await opened(href, { listenUrl: listenUrl.href })];
    const heard = heardBy(other);
    let gaps = 0;
    other.notifier.onGap(() => gaps++);
    await pushed(other);
    await send(one, "first");
    await expect.poll(() => heard).toEqual(["first"]);
    const before = gaps;
    for (const odd of ["", "{", "null", '{"id":1}', '{"id":"x","topic":"none","payload":"y"}', '{"id":"x y"}'])
      await one.shared?.once((db) =>
        sql`select pg_notify(concat('toolwright_', md5(current_schema())), ${odd})`.execute(db),
      );
    await send(one, "after odd ones");
    await expect.poll(() => heard).toEqual(["first", "after odd ones"]);
    expect(gaps).toBe(before);
    const admin = new pg.Client(href);
    await admin.connect();
    later(() => admin.end());
    const cut = () =>
      admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [application]);
    expect((await cut()).rowCount).toBe(1);
    await send(one, "second");
    await expect.poll(() => heard).toEqual(["first", "after odd ones", "second"]);
    await pushed(other);
    expect(gaps).toBeGreaterThan(before);
    await send(one, "third");
    await expect.poll(() => heard).toEqual(["first", "after odd ones", "second", "third"]);
  });

  test("where the connection does not deliver, it warns once and polls each second", async () => {
    const { href } = await startSharedDatabase(later);
    const deaf = new URL(href);
    deaf.pathname = "/template1";
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const [one, other] = [await opened(href), await opened(href, { listenUrl: deaf.href, warn })];
    const heard = heardBy(other);
    await expect.poll(() => warnings.length).toBe(1);
    expect(warnings[0]).toMatch(/do not arrive.+state\.listen_url/);
    expect(other.notifier.isPushed()).toBe(false);
    const sent = performance.now();
    await send(one, "polled");
    await expect.poll(() => heard, { interval: 10 }).toEqual(["polled"]);
    expect(performance.now() - sent).toBeLessThan(1500);
    expect(await other.shared?.delivers()).toBe(false);
    expect(await one.shared?.delivers()).toBe(true);
    expect(warnings).toHaveLength(1);
  });
});
