/** The lifetime of a login, on both databases. */

import { afterEach, describe, expect, test } from "vitest";
import type { KeyCheck } from "../../../runtime/access/admission.js";
import { createLogins } from "../../../runtime/access/console-logins.js";
import type { LiveKey } from "../../../runtime/access/key-store.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "../state/databases.js";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const KEY_ID = "abcdefghij";

describe.each(DATABASES)("$name", ({ skip, place }) => {
  const ending: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  /** Logins with a clock that the test moves, and one key that lives until `expiresAt`. */
  async function opened(expiresAt?: number) {
    const where: Place = await place();
    ending.push(() => where.remove());
    const state: State = await where.open();
    ending.push(() => state.close());
    const clock = { now: START, isRevoked: false };
    const live = async (): Promise<LiveKey | undefined> =>
      clock.isRevoked || clock.now >= (expiresAt ?? Number.POSITIVE_INFINITY)
        ? undefined
        : { keyId: KEY_ID, grant: { level: "read", projects: "*" }, expiresAt };
    const audited: object[] = [];
    const keys = { still: live, audit: (entry: object) => audited.push(entry) } as unknown as KeyCheck;
    const logins = createLogins({ state: async () => state, keys, clock: () => clock.now });
    const rows = () => state.transaction("read", (tx) => queries(tx).selectFrom("logins").selectAll().execute());
    return { logins, clock, rows, audited };
  }

  test.skipIf(skip)("it lasts 12 hours, however long the key does", async () => {
    const { logins, clock } = await opened();
    const login = await logins.open(KEY_ID);
    expect(login?.end).toBe(START + 12 * HOUR);
    clock.now = START + 12 * HOUR - 1;
    expect((await logins.principal(login?.id ?? ""))?.id).toBe(KEY_ID);
    clock.now = START + 12 * HOUR;
    expect(await logins.principal(login?.id ?? "")).toBeUndefined();
  });

  test.skipIf(skip)("it never outlasts the key, nor its revocation", async () => {
    const { logins, clock } = await opened(START + HOUR);
    const login = await logins.open(KEY_ID);
    expect(login?.end).toBe(START + HOUR);
    clock.isRevoked = true;
    expect(await logins.principal(login?.id ?? "")).toBeUndefined();
    clock.isRevoked = false;
    clock.now = START + HOUR;
    expect(await logins.principal(login?.id ?? "")).toBeUndefined();
    expect(await logins.open(KEY_ID)).toBeUndefined();
  });

  test.skipIf(skip)("each login has an id of its own; those that are over are deleted with the next", async () => {
    const { logins, clock, rows } = await opened();
    const [one, two] = [await logins.open(KEY_ID), await logins.open(KEY_ID)];
    expect(one?.id).not.toBe(two?.id);
    await logins.close(one?.id ?? "");
    expect(await logins.principal(one?.id ?? "")).toBeUndefined();
    expect((await logins.principal(two?.id ?? ""))?.id).toBe(KEY_ID);
    clock.now = START + 13 * HOUR;
    await logins.open(KEY_ID);
    expect(await rows()).toHaveLength(1);
  });

  test.skipIf(skip)("a key has 20 at most, of which the earliest end first; each is written down", async () => {
    const { logins, clock, rows, audited } = await opened();
    const made = [];
    for (let at = 0; at < 23; at++) {
      clock.now += 1000;
      made.push(await logins.open(KEY_ID));
    }
    expect(await rows()).toHaveLength(20);
    expect(await logins.principal(made[2]?.id ?? "")).toBeUndefined();
    expect(await logins.principal(made[3]?.id ?? "")).toBeDefined();
    expect(audited).toHaveLength(23);
    expect(audited[0]).toMatchObject({ keyId: KEY_ID, op: "console.login" });
  });
});
