/** A provider that hangs: how many questions wait for it, and when it is asked again. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RESOURCE, signingKey, startIssuer } from "../../../test/support/servers/issuer.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import { MAX_ASKING, providerGate } from "../provider-gate.js";
import { tokenCheck } from "../token-check.js";

/** A promise, and what resolves it. */
function held<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const timeout = (): Error => new DOMException("too late", "TimeoutError");
const unanswered = (): Promise<never> => Promise.reject(timeout());

test("a provider that stays away is asked after 1, 2, 4 seconds, and so on up to 30", async () => {
  let now = 0;
  const gate = providerGate(() => now);
  const asked: number[] = [];
  const ask = () =>
    gate.ask(() => {
      asked.push(now);
      return unanswered();
    });
  for (; now <= 130_000; now += 1000) await ask().catch(() => undefined);
  expect(asked.map((at) => at / 1000)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
});

test("one question tries again while others are refused, and other failures are no pause", async () => {
  let now = 0;
  const gate = providerGate(() => now);
  await expect(gate.ask(unanswered)).rejects.toThrow("too late");
  now = 1000;
  const { promise, resolve } = held<string>();
  const trial = gate.ask(() => promise);
  await expect(gate.ask(async () => "not asked")).rejects.toThrow(/asked again/);
  resolve("answered");
  expect(await trial).toBe("answered");
  await expect(gate.ask(() => Promise.reject(new Error("status 500")))).rejects.toThrow("status 500");
  expect(await gate.ask(async () => "asked")).toBe("asked");
});

test("a place that becomes free goes to a question that waits", async () => {
  const gate = providerGate();
  const all = Array.from({ length: MAX_ASKING }, () => held<number>());
  const asked = all.map(({ promise }) => gate.ask(() => promise));
  const next = gate.ask(async () => "next");
  all[0]?.resolve(0);
  expect(await next).toBe("next");
  all.forEach(({ resolve }, i) => void resolve(i));
  expect(await Promise.all(asked)).toEqual(all.map((_, i) => i));
  expect(await gate.ask(async () => "later")).toBe("later");
});

test("callers beyond the most wait for a moment only", async () => {
  const gate = providerGate();
  const { promise, resolve } = held<string>();
  const first = Array.from({ length: MAX_ASKING }, () => gate.wait(promise));
  await expect(gate.wait(promise)).rejects.toThrow(/wait for it already/);
  expect(await gate.wait(Promise.resolve("known"))).toBe("known");
  resolve("answer");
  expect(await Promise.all(first)).toEqual(Array(MAX_ASKING).fill("answer"));
});

/** A provider whose endpoints take requests and do not answer. */
async function hangingAt(): Promise<{ readonly url: string; asked: number }> {
  const seen = { url: "", asked: 0 };
  const server = createServer(() => void seen.asked++);
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return seen;
}

const SECRET = { client_id: "tools", client_secret: "s3cret" };

test("300 unknown tokens at a provider that hangs: few are asked, and all that come later are refused at once", {
  tags: "slow",
}, async () => {
  const [provider, hanging] = [await startIssuer(), await hangingAt()];
  provider.state.metadata = { introspection_endpoint: `${hanging.url}/introspect` };
  const grants = [{ when: { scope: "mcp:read" }, level: "read" as const }];
  const issuers = [{ issuer: provider.issuer, tokens: "introspection" as const, introspection: SECRET, grants }];
  const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "");
  if (!settings) throw new Error("no settings");
  const check = tokenCheck(settings);
  const order: string[] = [];
  const asked = Array.from({ length: 300 }, (_, i) =>
    check(`token ${i}`).catch((error: Error) => {
      order.push(String(error.cause));
      return error;
    }),
  );
  for (const failure of await Promise.all(asked)) expect(failure).toMatchObject({ code: "UNAVAILABLE" });
  expect(hanging.asked).toBe(MAX_ASKING);
  // Those that were not asked did not wait for those that were.
  expect(
    order.slice(0, 300 - MAX_ASKING).filter((one) => !one.includes("under way") && !one.includes("wait for it")),
  ).toEqual([]);
  await expect(check("one more")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(hanging.asked).toBe(MAX_ASKING);
});

test("keys that are known are used while a provider hangs", { tags: "slow" }, async () => {
  const provider = await startIssuer();
  const grants = [{ when: { scope: "mcp:read" }, level: "read" as const }];
  const settings = oauthSettingsOf(
    { resource: RESOURCE, issuers: [{ issuer: provider.issuer, jwks: { cooldown: "0s" }, grants }] },
    () => "",
  );
  if (!settings) throw new Error("no settings");
  const check = tokenCheck(settings);
  expect(await check(await provider.sign())).toMatchObject({ kind: "accepted" });
  provider.state.isHanging = true;
  const strange = await provider.sign({}, await signingKey("unknown"));
  const asked = Array.from({ length: 100 }, () => check(strange).catch(() => "away"));
  expect(await check(await provider.sign({ sub: "bob" }))).toMatchObject({ kind: "accepted" });
  expect(await Promise.all(asked)).toEqual(Array(100).fill("away"));
  expect(await check(await provider.sign({ sub: "carol" }))).toMatchObject({ kind: "accepted" });
});
