/** Logins of users at the console: taken once, ended by other grants, and named; on both databases. */

import { afterEach, describe, expect, test } from "vitest";
import type { KeyCheck } from "../../../runtime/access/admission.js";
import { createLogins } from "../../../runtime/access/console-logins.js";
import { userPrincipal } from "../../../runtime/access/principal.js";
import type { UserLogins } from "../../../runtime/config/sign-in-settings.js";
import type { Grant } from "../../../runtime/contract/handler.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { DATABASES, type Place } from "../../../test/runtime/state/databases.js";
import { type OauthSettings, oauthSettingsOf } from "../oauth-settings.js";
import { loggedInUser, signedInUser } from "../user-logins.js";
import { userNames } from "../user-names.js";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const KEY_ID = "abcdefghij";
const GRANT: Grant = { level: "write", projects: "*" };

/** A user whose token ends at a time. */
const alice = (until: number, answer = "a", name?: string) =>
  signedInUser(
    { principal: userPrincipal({ id: "https://id|alice", grant: GRANT, until }), issuer: "https://id", answer, name },
    oauth(),
  );

const oauth = (login: object = {}, level: Grant["level"] = "write", resource = "https://a/mcp") =>
  oauthSettingsOf(
    {
      resource,
      issuers: [
        { issuer: "https://id", login: { client_id: "c", ...login }, grants: [{ when: { groups: "eng" }, level }] },
      ],
    },
    () => "",
  ) as OauthSettings;

/** Sign-in with these settings. */
const inForce = (...given: Parameters<typeof oauth>): UserLogins => ({
  loggedIn: (login) => loggedInUser(login, oauth(...given)),
});

describe.each(DATABASES)("with $name", ({ skip, place }) => {
  const ending: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  /** Logins of two instances, with a clock that the test moves. */
  async function opened() {
    const where: Place = await place();
    ending.push(() => where.remove());
    const state: State = await where.open();
    ending.push(() => state.close());
    const clock = { now: START };
    const audited: object[] = [];
    const keys = { audit: (entry: object) => audited.push(entry) } as unknown as KeyCheck;
    const make = () => createLogins({ state: async () => state, keys, clock: () => clock.now });
    const rows = () => state.transaction("read", (tx) => queries(tx).selectFrom("logins").selectAll().execute());
    const names = (ids: readonly string[]) => userNames(state, ids);
    return { logins: make(), other: make(), clock, rows, audited, names };
  }

  test.skipIf(skip)("a user's login ends with the token, and every instance knows it", async () => {
    const { logins, other, clock, audited } = await opened();
    const login = await logins.openUser(alice(START + HOUR));
    expect(login?.end).toBe(START + HOUR);
    const seen = await other.principal(login?.id ?? "", inForce());
    expect(seen).toMatchObject({ kind: "user", id: "https://id|alice", grant: GRANT, until: START + HOUR });
    expect(audited).toMatchObject([{ keyId: "https://id|alice", op: "console.login" }]);
    clock.now = START + HOUR;
    expect(await other.principal(login?.id ?? "", inForce())).toBeUndefined();
    expect((await logins.openUser(alice(START + 24 * HOUR, "b")))?.end).toBe(START + 13 * HOUR);
    expect(await logins.openUser(alice(START + HOUR, "c"))).toBeUndefined();
  });

  test.skipIf(skip)("the name of a user is that of the latest login, for every instance; keys have none", async () => {
    const { logins, names } = await opened();
    const id = "https://id|alice";
    const login = (answer: string, name?: string) => logins.openUser(alice(START + HOUR, answer, name));
    await login("a");
    expect(await names([id])).toEqual({});
    await login("b", "Alice");
    await login("c", "Alice Liddell");
    await login("c", "an answer that was taken");
    expect(await names([id, "https://id|bob", KEY_ID, "local", ""])).toEqual({ [id]: "Alice Liddell" });
    await login("d");
    expect(await names([id])).toEqual({ [id]: "Alice Liddell" });
  });

  test.skipIf(skip)("an answer of a provider is taken once, by whichever instance", async () => {
    const { logins, other, rows } = await opened();
    const taken = await Promise.all([logins, other, logins].map((one) => one.openUser(alice(START + HOUR))));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
  });

  test.skipIf(skip)(
    "other grants, another audience and no provider end a user's login; another secret does not",
    async () => {
      const { logins } = await opened();
      const id = (await logins.openUser(alice(START + HOUR)))?.id ?? "";
      expect(await logins.principal(id, inForce({ client_secret: "new" }))).toBeDefined();
      for (const changed of [
        inForce({}, "read"),
        inForce({}, "write", "https://b/mcp"),
        inForce({ client_id: "x" }),
        undefined,
      ])
        expect(await logins.principal(id, changed)).toBeUndefined();
      expect(await logins.principal(id, inForce())).toBeDefined();
    },
  );
});
