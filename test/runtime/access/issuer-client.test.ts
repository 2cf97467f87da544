/** What is said of an identity provider that is away. */

import { expect, test } from "vitest";
import { issuerClient } from "../../../runtime/access/issuer-client.js";
import { tokenCheck } from "../../../runtime/access/token-check.js";
import { oauthSettingsOf } from "../../../runtime/config/oauth-settings.js";
import { requestTokens } from "../../../runtime/connections/token-request.js";
import { RESOURCE, startIssuer } from "../../support/issuer.js";

test("the failure holds, for the log, what happened to the connection", async () => {
  const provider = await startIssuer();
  provider.state.metadata = { jwks_uri: "http://127.0.0.1:9/jwks" };
  const issuers = [{ issuer: provider.issuer, grants: [{ when: { scope: "mcp:read" }, level: "read" as const }] }];
  const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "toolwright.yaml");
  if (!settings) throw new Error("access.oauth is configured");
  const failure = await tokenCheck(settings)(await provider.sign()).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: "UNAVAILABLE" });
  expect(String((failure as Error).cause)).toMatch(/ECONNREFUSED|bad port/);
});

const BODIES = [
  "t=SECRETTOKEN12345",
  '{"access_token":"SECRETTOKEN12345"',
  '{"access_token":"SECRETTOKEN12345"},',
  "SECRET",
];

test.each(BODIES)("no failure quotes an answer of a token or introspection endpoint: %s", async (raw) => {
  const provider = await startIssuer();
  const entry = { tokens: "introspection", introspection: { client_id: "tools", client_secret: "x" } } as const;
  const issuers = [{ issuer: provider.issuer, ...entry, grants: [] }];
  const issuer = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "")?.issuers[0];
  if (!issuer) throw new Error("no issuer");
  provider.state.raw = raw;
  const client = issuerClient(issuer);
  for (const ask of [() => client.introspect("x"), () => client.redeem({}, { clientId: "tools" })]) {
    const failure = (await ask().catch((error: Error) => error)) as Error;
    expect(`${failure.message} ${failure.cause}`).not.toContain("SECRET");
    expect(String(failure.cause)).toContain("no JSON");
  }
  const answer = await requestTokens(provider.issuer, { clientId: "tools" }, { grant_type: "refresh_token" }, Date.now);
  expect(answer).toEqual({ error: "", reason: "no JSON, status 200" });
});

const CLEAR = "http://192.0.2.2:9999";

test("no code, secret or token goes over http to another machine, though the issuer is on this one", async () => {
  const provider = await startIssuer();
  const names = ["token_endpoint", "introspection_endpoint", "jwks_uri"];
  provider.state.metadata = Object.fromEntries(names.map((name) => [name, `${CLEAR}/${name}`]));
  const entry = { tokens: "introspection", introspection: { client_id: "tools", client_secret: "x" } } as const;
  const issuers = [{ issuer: provider.issuer, ...entry, grants: [] }];
  const issuer = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "")?.issuers[0];
  if (!issuer) throw new Error("no issuer");
  const client = issuerClient(issuer);
  for (const ask of [() => client.introspect("x"), () => client.redeem({}, { clientId: "tools" })]) {
    const failure = (await ask().catch((error: Error) => error)) as Error;
    expect(String(failure.cause)).toMatch(`_endpoint is ${CLEAR}, which is not https: tokens would go in clear`);
  }
  const answer = await requestTokens(provider.issuer, { clientId: "tools" }, { grant_type: "x" }, Date.now);
  expect(answer).toMatchObject({ reason: expect.stringContaining("which is not https") });
});
