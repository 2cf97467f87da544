/** What is said of an identity provider that is away. */

import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { requestTokens } from "../../../runtime/connections/token-request.js";
import { messageOf } from "../../../runtime/contract/thrown.js";
import { RESOURCE, startIssuer } from "../../../test/support/servers/issuer.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import { tokenCheck } from "../token-check.js";
import { issuerClient } from "../token-issuer.js";

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
  expect(answer).toEqual({ error: "", reason: `${provider.issuer}/token: no JSON, status 200` });
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

/** What each step says of an odd answer: at the keys, the introspection, the metadata and the token endpoint. */
async function saidOf(odd: (answer: ServerResponse) => unknown) {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "x" };
  const grants = [{ when: { scope: "mcp:read" }, level: "read" as const }];
  const failureOf = async (entry: object, token: string): Promise<string> => {
    const issuers = [{ issuer: provider.issuer, grants, ...entry }];
    const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "");
    if (!settings) throw new Error("access.oauth is configured");
    const failure = await tokenCheck(settings)(token).catch((error: Error) => error);
    return messageOf((failure as Error).cause);
  };
  const token = await provider.sign();
  const paths = ["/jwks", "/introspect", "/token"];
  provider.state.instead = Object.fromEntries(paths.map((path) => [path, odd]));
  const said = [
    await failureOf({}, token),
    await failureOf({ tokens: "introspection", introspection }, "opaque"),
    (await requestTokens(provider.issuer, { clientId: "tools" }, { grant_type: "x" }, Date.now)) as { reason: string },
  ].map((one) => (typeof one === "string" ? one : one.reason));
  return said.map((one) => one.replaceAll(provider.issuer, "ISSUER"));
}

const places = ["ISSUER: ISSUER/jwks", "ISSUER: ISSUER/introspect", "ISSUER/token"];

test.each<[string, (answer: ServerResponse) => unknown, string | readonly string[]]>([
  [
    "redirects",
    (answer) => answer.writeHead(302, { location: "/SECRET" }).end("SECRET"),
    "redirects (status 302), which is not followed",
  ],
  ["closes the connection", (answer) => answer.socket?.destroy(), "closed the connection"],
  ["resets the connection", (answer) => answer.socket?.resetAndDestroy(), "closed the connection"],
  [
    "answers a page",
    (answer) => answer.end("<html>SECRET"),
    ["no JSON object, status 200", "no JSON object, status 200", "no JSON, status 200"],
  ],
  ["fails", (answer) => answer.writeHead(500).end("SECRET"), ["status 500", "status 500", "no JSON, status 500"]],
])("a provider that %s: the address and the fact, and nothing of its answer", async (_, odd, fact) => {
  const facts = typeof fact === "string" ? [fact, fact, fact] : fact;
  expect(await saidOf(odd)).toEqual(places.map((place, i) => `${place}: ${facts[i]}`));
});

test("a provider that does not answer: the address, and how long it took", {
  tags: "full",
  timeout: 60_000,
}, async () => {
  expect(await saidOf(() => undefined)).toEqual(places.map((place) => `${place}: has not answered within 5 s`));
});

test.each([
  ["text/html", false],
  ["text/plain; charset=utf-8", false],
  ["application/jsonp", false],
  ["application/json", true],
  ["application/json; charset=utf-8", true],
  ["application/token-introspection+json", true],
])("an introspection that answers JSON as %s is believed: %s", async (type, isBelieved) => {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "x" };
  const issuers = [{ issuer: provider.issuer, tokens: "introspection" as const, introspection, grants: [] }];
  const issuer = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "")?.issuers[0];
  if (!issuer) throw new Error("no issuer");
  provider.state.instead = {
    "/introspect": (answer) => answer.writeHead(200, { "content-type": type }).end('{"active":true}'),
  };
  const answer = await issuerClient(issuer)
    .introspect("x")
    .catch((error: Error) => messageOf(error.cause));
  if (isBelieved) expect(answer).toEqual({ active: true });
  else expect(answer).toContain(`/introspect: an answer of the type ${type}, not application/json`);
});
