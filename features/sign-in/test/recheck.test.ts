/** Running work of introspected tokens: it ends when the provider says so, and asks no more than the cache allows. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { watchOf, whileLive } from "../../../runtime/access/admission.js";
import type { Principal } from "../../../runtime/contract/handler.js";
import { RESOURCE, startIssuer } from "../../../test/support/servers/issuer.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import { tokenCheck } from "../token-check.js";

const none = (): never => {
  throw new Error("no key is asked for");
};
const KEYS = { verify: none, still: none, anyMade: none, anyLive: none, watch: none, audit: none };

/** A provider that is asked about a token of alice, and a clock that decides when its answers are old. */
async function world(cache: string) {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "x", cache };
  const grants = [{ when: { groups: "eng" }, level: "read" as const }];
  const issuers = [{ issuer: provider.issuer, tokens: "introspection" as const, introspection, grants }];
  const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "");
  if (!settings) throw new Error("no settings");
  // In the past, so that running work is checked as often as it may be.
  const clock = { now: Date.now() - 3_600_000 };
  const check = tokenCheck(settings, () => clock.now);
  provider.state.active = { active: true, ...provider.claims() };
  const verdict = await check("opaque");
  if (verdict.kind !== "accepted") throw new Error(verdict.kind);
  return { provider, clock, principal: verdict.principal };
}

const watched = (principal: Principal) => {
  const watch = watchOf(KEYS, principal);
  if (!watch) throw new Error("not watched");
  onTestFinished(() => watch.release());
  return watch.signal;
};
const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

test("a revoked token ends a running call, with the answer of an invalid token", { timeout: 60_000 }, async () => {
  const { provider, clock, principal } = await world("30s");
  const call = whileLive(KEYS, principal, undefined, async (signal) => {
    if (!signal) throw new Error("no signal");
    provider.state.active = { active: false };
    clock.now += 31_000;
    await ended(signal);
    throw new Error("the work was stopped");
  });
  await expect(call).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("five calls of one token ask once a cache period, and go on while it is active", {
  timeout: 60_000,
  tags: "slow",
}, async () => {
  const { provider, clock, principal } = await world("30s");
  const signals = Array.from({ length: 5 }, () => watched({ ...principal, through: ["tool"] }));
  for (const asked of [2, 3]) {
    clock.now += 31_000;
    await until(() => provider.state.introspected >= asked);
    expect(provider.state.introspected).toBe(asked);
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual(Array(5).fill(false));
  provider.state.active = { active: false };
  clock.now += 31_000;
  await Promise.all(signals.map(ended));
  expect(provider.state.introspected).toBe(4);
});

test("a call goes on while the provider is away, and ends when it is back and says no", {
  timeout: 60_000,
}, async () => {
  const { provider, clock, principal } = await world("30s");
  const signal = watched(principal);
  provider.state.isDown = true;
  clock.now += 31_000;
  await until(() => provider.state.introspected >= 3);
  expect(signal.aborted).toBe(false);
  Object.assign(provider.state, { isDown: false, active: { active: false } });
  await ended(signal);
});

test("a token that becomes another person's ends the call", { timeout: 60_000 }, async () => {
  const { provider, clock, principal } = await world("30s");
  const signal = watched(principal);
  provider.state.active = { active: true, ...provider.claims(), sub: "bob" };
  clock.now += 31_000;
  await ended(signal);
});
