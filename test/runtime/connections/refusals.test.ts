/** Servers that refuse every token: how often tokens are replaced. */

import { expect, test } from "vitest";
import { createRefusals } from "../../../runtime/connections/refusals.js";
import {
  connectionsOver,
  machineSettings,
  settingsFor,
  signedIn,
  stateFor,
  TOOLS_CLIENT,
} from "../../support/servers/connections.js";
import { startOidc } from "../../support/servers/oidc.js";

const USE = { name: "github" };

test.each([
  ["a shared connection", settingsFor],
  ["client credentials", machineSettings],
])("%s: a server that refuses every token has one token replaced until the wait is over", async (_, settingsOf) => {
  const oidc = await startOidc({ clients: [TOOLS_CLIENT] });
  const settings = settingsOf(oidc.issuer);
  let now = Date.now();
  const { token, refused, store } = connectionsOver(await stateFor(), settings, undefined, () => now);
  if (settings.mode === "shared") {
    const { tokens, client } = await signedIn(oidc, settings);
    await store("github", tokens, { client });
  } else await token(USE);
  oidc.seen.length = 0;
  const refuse = async (times: number): Promise<number> => {
    for (let i = 0; i < times; i++) refused(USE, await token(USE));
    await token(USE);
    return oidc.seen.filter((one) => one === "POST /token").length;
  };
  expect(await refuse(8)).toBe(1);
  now += 30_000;
  expect(await refuse(8)).toBe(2);
});

test("the wait doubles up to an hour, and begins anew after as long without refusals", () => {
  let now = 0;
  const { isReplaced, taken } = createRefusals(() => now);
  const minutes = [0.5, 1, 2, 4, 8, 16, 32, 60, 60];
  for (const wait of minutes) {
    expect(isReplaced("github")).toBe(true);
    now += wait * 60_000 - 1;
    expect(isReplaced("github")).toBe(false);
    now += 1;
  }
  now += 3_600_000;
  expect(isReplaced("github")).toBe(true);
  now += 30_000;
  expect(isReplaced("github")).toBe(true);
  expect(isReplaced("shop")).toBe(true);
  expect(isReplaced("github")).toBe(false);
  taken("github");
  expect(isReplaced("github")).toBe(true);
});
