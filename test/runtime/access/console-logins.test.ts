/** The lifetime of a login by key and of one by a user, on both databases. */

import { afterEach, describe, expect, test } from "vitest";
import type { KeyCheck } from "../../../runtime/access/admission.js";
import { createLogins, type SignedInUser } from "../../../runtime/access/console-logins.js";
import type { LiveKey } from "../../../runtime/access/key-store.js";
import { userPrincipal } from "../../../runtime/access/principal.js";
import type { UserLogins } from "../../../runtime/config/sign-in-settings.js";
import type { Grant } from "../../../runtime/contract/handler.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "../state/databases.js";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const KEY_ID = "abcdefghij";
const GRANT: Grant = { level: "write", projects: "*" };

/** A user whose permission ends at a time, and what is stored with the login. */
const alice = (until: number, take: SignedInUser["take"] = async () => true): SignedInUser => ({
  ...{ id: "alice", until, granted: "all", take },
});

describe.each(DATABASES)("with $name", ({ skip, place }) => {
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
    const other = createLogins({ state: async () => state, keys, clock: () => clock.now });
    return { logins, other, clock, rows, audited };
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

  test.skipIf(skip)(
    "a user's login ends with the permission, and is what the sign-in in force makes of it",
    async () => {
      const { logins, other, clock, audited } = await opened();
      const login = await logins.openUser(alice(START + HOUR));
      expect(login?.end).toBe(START + HOUR);
      const users: UserLogins = {
        loggedIn: ({ id, granted, until }) =>
          granted === "all" ? userPrincipal({ id, grant: GRANT, until }) : undefined,
      };
      const seen = await other.principal(login?.id ?? "", users);
      expect(seen).toMatchObject({ kind: "user", id: "alice", grant: GRANT, until: START + HOUR });
      expect(await other.principal(login?.id ?? "")).toBeUndefined();
      expect(audited).toMatchObject([{ keyId: "alice", op: "console.login" }]);
      clock.now = START + HOUR;
      expect(await other.principal(login?.id ?? "", users)).toBeUndefined();
      expect((await logins.openUser(alice(START + 24 * HOUR)))?.end).toBe(START + 13 * HOUR);
      expect(await logins.openUser(alice(START + HOUR))).toBeUndefined();
    },
  );

  test.skipIf(skip)("a sign-in that was taken before gives no login, and ends none", async () => {
    const { logins, rows } = await opened();
    await logins.openUser(alice(START + HOUR));
    expect(await logins.openUser(alice(START + HOUR, async () => false))).toBeUndefined();
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
