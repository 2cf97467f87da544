/** Settings of identity providers: durations have a longest value. */

import { expect, test } from "vitest";
import { oauthSettingsOf } from "../oauth-settings.js";
import type { IssuerEntry } from "../settings.js";

const settingsOf = (change: Partial<IssuerEntry>) => {
  const issuers = [{ issuer: "https://id.example.com", grants: [], ...change }];
  const place = (...path: readonly (string | number)[]) => `toolwright.yaml:1:1(${path.join(".")})`;
  return oauthSettingsOf({ resource: "https://tools.example.com/mcp", issuers }, place);
};
const introspected = (cache: string) => ({
  tokens: "introspection" as const,
  introspection: { client_id: "tools", client_secret: "x", cache },
});

test.each<[name: string, longest: string, over: string, change: (value: string) => Partial<IssuerEntry>]>([
  ["clock_skew", "5m", "301s", (clock_skew) => ({ clock_skew })],
  ["introspection.cache", "1h", "61m", introspected],
  ["jwks.cache", "24h", "25h", (cache) => ({ jwks: { cache } })],
  ["jwks.cooldown", "1h", "2h", (cooldown) => ({ jwks: { cooldown } })],
])("%s is at most %s", (name, longest, over, change) => {
  expect(settingsOf(change(longest))).toBeDefined();
  expect(settingsOf(change("0s"))).toBeDefined();
  for (const value of [over, "365d", "999999999999d"]) {
    const refused = () => settingsOf(change(value));
    expect(refused).toThrow(`${name} is at most ${longest}, not ${value}`);
    expect(refused).toThrow(/^toolwright\.yaml:1:1\(access\.oauth\.issuers\.0\./);
  }
  expect(() => settingsOf(change("soon"))).toThrow(/takes a number and s, m, h or d/);
});
