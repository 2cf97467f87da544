/** `toolwright config check-token` explains decisions on tokens; `toolwright doctor` checks issuers. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { RuntimeConfig } from "../../../runtime/config/settings.js";
import { temporaryFolder, toolwright } from "../../../test/support/project.js";
import { RESOURCE, signingKey, startIssuer } from "../../../test/support/servers/issuer.js";
import { MACHINE, startOidc } from "../../../test/support/servers/oidc.js";
import { checkToken } from "../check-token.js";
import { signInFindings } from "../doctor.js";
import type { OauthEntry } from "../settings.js";
import { SIGN_IN_PART } from "../sign-in-part.js";

type Entry = NonNullable<OauthEntry["issuers"]>[number];
const GRANTS: Entry["grants"] = [
  { when: { groups: "eng" }, level: "write", projects: ["proj_a"], packs: ["onto"] },
  { when: { scope: "mcp:read" }, level: "read", ops: ["*.list"] },
];

/** The settings of HTTP for a configuration. */
const signInOf = (oauth: OauthEntry) => SIGN_IN_PART.settingsOf({ oauth }, () => "");

/** What the command prints about a token. */
async function said(issuer: string, token: string, { json = false, entry = {} as Partial<Entry> } = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const oauth = { resource: RESOURCE, issuers: [{ issuer, grants: GRANTS, ...entry }] };
  const start = {
    root: temporaryFolder(),
    config: { sources: [], access: { oauth } } as RuntimeConfig,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    paint: (_: string, text: string) => text,
  };
  const code = await checkToken(start, { json }, Readable.from([token]));
  return { code, out: out.join(""), err: err.join("") };
}

test.each(["", "\n", "Bearer \n"])("an empty input is said to be one, and no issuer is asked: %j", async (input) => {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "x" };
  const { code, err } = await said(provider.issuer, input, { entry: { tokens: "introspection", introspection } });
  expect([code, err]).toEqual([1, expect.stringMatching(/^refused empty: standard input is empty: give the token/)]);
  expect(provider.state.introspected).toBe(0);
});

const API_KEY = `oub_abcdefghij_${"s3cret".repeat(8).slice(0, 43)}`;

test.each([
  ["api_key", API_KEY],
  ["api_key", `Bearer ${API_KEY}\n`],
  ["api_key", `Authorization: Bearer ${API_KEY}`],
  ["api_key", API_KEY.slice(0, 30)],
  ["form", `"${API_KEY}"`],
  ["form", `key: ${API_KEY}`],
  ["form", JSON.stringify({ access_token: API_KEY })],
])("an API key is shown to no provider, and not repeated: %s %j", async (check, input) => {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "x" };
  const entry = { tokens: "introspection", introspection } as const;
  const { code, out, err } = await said(provider.issuer, input, { entry });
  expect([code, out, provider.state.introspected]).toEqual([1, "", 0]);
  expect(err).toMatch(new RegExp(`^refused ${check}: `));
  if (check === "api_key") expect(err).toContain("toolwright keys list");
  expect(err).not.toContain(API_KEY.slice(4, 20));
});

test("an accepted token: its user, its end, and every grant", async () => {
  const { issuer, sign } = await startIssuer();
  const exp = Math.floor(Date.now() / 1000) + 300;
  const { code, out, err } = await said(issuer, `Bearer ${await sign({ exp })}\n`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(
    `accepted as ${issuer}|alice until ${new Date(exp * 1000 + 30_000).toISOString()}\n` +
      "  write: projects proj_a; packs onto; ops all\n  read: projects all; packs all; ops *.list\n",
  );
  expect(JSON.parse((await said(issuer, await sign(), { json: true })).out)).toMatchObject({
    accepted: true,
    principal: `${issuer}|alice`,
    grant: { parts: [{ level: "write" }, { level: "read" }] },
  });
});

test.each([
  [
    "aud",
    { aud: "https://other.example.com" },
    `aud is "https://other.example.com", and access.oauth.resource is ${RESOURCE}`,
  ],
  ["issuer", { iss: "https://evil.example.com" }, 'iss is "https://evil.example.com"; configured are http://127.0.0.1'],
  ["expired", { exp: 1_000_000 }, "exp is 1970-01-12T13:46:40.000Z, and the clock of this machine says 20"],
  ["nbf", { nbf: 9_999_999_999 }, "nbf is 2286-11-20T17:46:39.000Z, and the clock of this machine says 20"],
  ["exp", { exp: undefined }, "exp is missing"],
  ["id_token", { nonce: "n" }, "since it has the claim nonce: send the access token"],
  ["id_token", { events: {} }, "since it has the claim events: send the access token"],
  ["id_token", { typ: "Refresh" }, 'since its claim typ is "Refresh": send the access token'],
  ["principal", { sub: undefined }, 'the token has iss: "http://127.0.0.1'],
  ["principal", { sub: undefined }, ", sub: missing"],
  ["principal", { sub: ["a"] }, ', sub: ["a"]'],
  ["grants", { groups: ["sales"], scope: "email" }, 'the token has groups: ["sales"], scope: "email"'],
  ["principal", { sub: "a\u001b[31m" }, 'principal is "{iss}|{sub}": each claim that it names must be a text'],
] as const)("refused by %s, with what was expected", async (check, claims, why) => {
  const { issuer, sign } = await startIssuer();
  const { code, out, err } = await said(issuer, await sign(claims));
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`refused ${check}: `);
  expect(err).toContain(why);
  expect(err).not.toContain("\u001b");
});

test("a foreign key, an issuer that is away, and no issuers", async () => {
  const provider = await startIssuer();
  const forged = await said(provider.issuer, await provider.sign({}, await signingKey("k1")), { json: true });
  expect(JSON.parse(forged.out)).toEqual({
    accepted: false,
    check: "signature",
    why: `the signature is not of the issuer's key "k1"`,
  });
  provider.state.isDown = true;
  const { code, err } = await said(provider.issuer, await provider.sign());
  expect(code).toBe(1);
  expect(err).toContain(`refused unavailable: ${provider.issuer}: no metadata (`);
  const start = { root: temporaryFolder(), config: { sources: [] }, out: () => {}, err: () => {}, paint: () => "" };
  await expect(checkToken(start, {}, Readable.from([""]))).rejects.toThrow("access.oauth names no issuers");
});

/** What the doctor finds. */
async function found(issuer: string, entry: Partial<Entry> = {}, resource = RESOURCE, publicUrl?: URL) {
  const signIn = signInOf({ resource, issuers: [{ issuer, grants: GRANTS, ...entry }] });
  const findings = await signInFindings({ ...(signIn ? { signIn } : {}), ...(publicUrl ? { publicUrl } : {}) });
  return findings.map(({ ok, found: text }) => `${ok ? "ok" : "FAIL"} ${text}`);
}

test("the doctor on a real provider: keys, algorithms, introspection and its credentials", async () => {
  const { issuer } = await startOidc();
  const audience = `ok tokens must have the audience ${RESOURCE}`;
  expect(await found(issuer)).toEqual([audience, `ok ${issuer}: 1 key for ES256, RS256`]);
  expect(await found(issuer, { algorithms: ["RS256"] })).toEqual([
    audience,
    `FAIL ${issuer}: none of its keys is for RS256; it has ES256`,
  ]);
  const introspection = { client_id: MACHINE.client_id, client_secret: MACHINE.client_secret };
  expect(await found(issuer, { tokens: "introspection", introspection })).toEqual([
    audience,
    `ok ${issuer}: answers introspection`,
  ]);
  expect(
    (await found(issuer, { tokens: "introspection", introspection: { ...introspection, client_secret: "no" } }))[1],
  ).toContain("FAIL");
});

test("the doctor on an issuer that is away, a wrong name, a clock and an audience that do not fit", async () => {
  const provider = await startIssuer();
  const localhost = provider.issuer.replace("127.0.0.1", "localhost");
  expect((await found(localhost))[1]).toMatch(/^FAIL .*of the issuer "http:\/\/127\.0\.0\.1/);
  provider.state.date = new Date(Date.now() + 120_000);
  expect((await found(provider.issuer))[2]).toMatch(
    /its clock is (119|120) s ahead of this machine's, beyond clock_skew/,
  );
  provider.state.isDown = true;
  expect((await found(provider.issuer))[1]).toContain("status 502");
  provider.state.isDown = false;
  expect((await found(provider.issuer, {}, RESOURCE, new URL("https://other.example.com")))[1]).toContain(
    "FAIL clients reach the server at https://other.example.com (public_url)",
  );
  expect((await found(provider.issuer, {}, "https://tools.example.com/"))[1]).toContain("and MCP is at /mcp");
  expect(await signInFindings({})).toEqual([]);
});

test("the doctor on an introspection endpoint that refuses or answers something else, and on an endpoint in clear", async () => {
  const provider = await startIssuer();
  const introspection = { client_id: "tools", client_secret: "s3cret" };
  const says = async () => (await found(provider.issuer, { tokens: "introspection", introspection }))[1];
  Object.assign(provider.state, { introspectionStatus: 401, active: { error: "invalid_client" } });
  expect(await says()).toMatch(/^FAIL .*introspection fails as the client tools: status 401, invalid_client$/);
  provider.state.introspectionStatus = 200;
  expect(await says()).toMatch(/^FAIL .*: an answer without active, status 200, invalid_client$/);
  provider.state.raw = "t=SECRETTOKEN12345";
  expect(await says()).toMatch(/^FAIL .*: no JSON object, status 200$/);
  provider.state.metadata = { introspection_endpoint: "http://192.0.2.2:9999/introspect" };
  expect(await says()).toMatch(/^FAIL .*its introspection_endpoint is http:\/\/192\.0\.2\.2:9999, which is not https/);
  provider.state.metadata = { introspection_endpoint: undefined };
  expect(await says()).toMatch(/^FAIL .*its metadata names no introspection_endpoint$/);
});

test("the doctor on two issuers at whose logins answers could be mixed up", async () => {
  const [one, two] = [await startIssuer(), await startIssuer()];
  const issuers = [one, two].map(({ issuer }) => ({ issuer, grants: GRANTS, login: { client_id: "console" } }));
  const signIn = signInOf({ resource: RESOURCE, issuers });
  if (!signIn) throw new Error("no settings");
  one.state.metadata = { authorization_response_iss_parameter_supported: true };
  const faults = (await signInFindings({ signIn })).filter(({ ok, found: text }) => !ok && text.includes("RFC 9207"));
  expect(faults.map(({ found: text }) => text.split(": ")[0])).toEqual([two.issuer]);
});

test("the command line takes its flags after the command", { timeout: 180_000 }, async () => {
  const { issuer } = await startIssuer();
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const oauth = { resource: RESOURCE, issuers: [{ issuer, grants: GRANTS }] };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), JSON.stringify({ sources: [], access: { oauth } }));
  const { code, stdout } = await toolwright(["config", "check-token", "--json", "--root", root]);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 1, accepted: false, check: "empty" });
});

test("the doctor on a provider without keys, and on an endpoint in clear: what is to be done there", async () => {
  const provider = await startIssuer();
  const remedies = async (entry: Partial<Entry> = {}) => {
    const signIn = signInOf({ resource: RESOURCE, issuers: [{ issuer: provider.issuer, grants: GRANTS, ...entry }] });
    const findings = await signInFindings(signIn ? { signIn } : {});
    return findings.filter(({ ok }) => !ok).map(({ found: text, remedy }) => `${text} | ${remedy}`);
  };
  provider.state.keys = [];
  expect(await remedies()).toEqual([
    `${provider.issuer}: ${provider.issuer}/jwks has no keys, so that no token can be checked | have the provider publish the keys with which it signs access tokens`,
  ]);
  provider.state.metadata = { jwks_uri: "http://192.0.2.2/jwks" };
  expect(await remedies()).toEqual([expect.stringMatching(/not https: .* \| correct this endpoint at the provider/)]);
});
