/** Servers whose clocks differ: what expires does so by the clock of the database they share. */

import { afterEach, expect, test, vi } from "vitest";
import { openKeys } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import { createDatabaseClock } from "../../../runtime/state/database-clock.js";
import { lazyState } from "../../../runtime/state/open.js";
import { DATABASES, type Place } from "./databases.js";

const HOUR = 3_600_000;
const shared = DATABASES.find(({ name }) => name !== "SQLite");
const skip = shared?.skip ?? true;

const cleaning: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of cleaning.splice(0).reverse()) await one();
});

async function made(): Promise<Place> {
  const place = await (shared as NonNullable<typeof shared>).place();
  cleaning.push(place.remove);
  return place;
}

/** The keys of a server of this database. */
function keysOf({ root, url, open }: Place) {
  const state = lazyState(open);
  const given = { root, url, state: state.get, clock: state.now, log: silentLog };
  const keys = openKeys({ ...given, projectExists: async () => true, countsUses: false });
  cleaning.push(state.close, keys.close);
  return keys;
}

/** Moves the clock of this process, until the test ends. */
function moveClock(ms: number): void {
  const real = Date.now.bind(Date);
  const moved = vi.spyOn(Date, "now").mockImplementation(() => real() + ms);
  cleaning.push(() => moved.mockRestore());
}

test.skipIf(skip)("the time of the database is known to a few milliseconds, whatever the own clock says", async () => {
  const state = await (await made()).open();
  cleaning.push(state.close);
  const once = state.shared?.once as Parameters<typeof createDatabaseClock>[0];
  for (const ms of [0, HOUR, -HOUR]) {
    const clock = createDatabaseClock(once, () => Date.now() + ms);
    expect(Math.abs((await clock.measure()) - ms)).toBeLessThan(1000);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
  }
});

test.skipIf(skip).each([-HOUR, HOUR])(
  "a server whose clock differs by %i ms keeps to the life of a key",
  async (ms) => {
    const place = await made();
    const maker = keysOf(place);
    const { key } = await maker.create({ name: "half an hour", scope: "read", lifeMs: HOUR / 2 }, "local");
    const short = await maker.create({ name: "short", scope: "read", lifeMs: 1500 }, "local");
    moveClock(ms);
    const other = keysOf(place);
    expect((await other.verify(key))?.keyId).toBeDefined();
    await expect.poll(() => other.verify(short.key)).toBeUndefined();
    expect((await other.verify(key))?.keyId).toBeDefined();
    // A key that the other server makes lives as long.
    const own = await other.create({ name: "other", scope: "read", lifeMs: HOUR / 2 }, "local");
    const lifeMs = Date.parse(own.record.expires_at ?? "") - (Date.now() - ms);
    expect(Math.abs(lifeMs - HOUR / 2)).toBeLessThan(10_000);
  },
);
